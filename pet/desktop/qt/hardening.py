"""Restrict pywebview's Qt classes to what Soulpet's pages need.

Five independent layers: a window navigates only to its own page; no script is injected into any other page; the
bridge answers only that page and only ``invoke``; no network request leaves except for the pages themselves; every
permission is denied. Uses private API of pywebview 6.2.1, hence the pinned version; a test covers each layer.
"""

from __future__ import annotations

import importlib
import logging
import os
import re
import threading
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

from PySide6.QtCore import QJsonValue, QObject, Qt, QUrl, Signal, Slot
from PySide6.QtWebEngineCore import QWebEnginePage, QWebEngineSettings, QWebEngineUrlRequestInfo

from pet.desktop.core import page_calls
from pet.desktop.qt.webview_import import lean

_INLINE_SCHEMES = frozenset({"data", "blob"})
_ERROR_CLASS = re.compile(r"(?:Uncaught (?:\(in promise\) )?)?([A-Za-z]*Error)\b")

_log = logging.getLogger(__name__)


class GuiDispatcher(QObject):
    """Run functions on the GUI thread in order of submission, from any thread."""

    _came = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._came.connect(self._run, Qt.ConnectionType.QueuedConnection)

    def post(self, work: Callable[[], object]) -> None:
        self._came.emit(work)

    @Slot(object)
    def _run(self, work: Callable[[], object]) -> None:
        try:
            work()
        except Exception:  # noqa: BLE001  the thread boundary: one failed wish must not take the windows down
            _log.exception("on the GUI thread")


class PageAllowlist:
    """URL allow-list: each window may show only its own page."""

    def __init__(self, urls: Iterable[str]) -> None:
        self._urls = frozenset(QUrl(url).toString() for url in urls)

    def is_own(self, url: QUrl) -> bool:
        return _bare(url) in self._urls

    def belongs(self, window: Any, url: QUrl) -> bool:
        """Whether this is the page the window was created for."""
        return self.is_own(url) and _bare(url) == _bare(QUrl(window.original_url))


def _bare(url: QUrl) -> str:
    return url.toString().partition("#")[0]  # a # inside a file name is encoded as %23


def import_qt_backend() -> Any:
    """Import pywebview's Qt module, without unused parts and without the Chromium flags it would add.

    On some distributions it disables the sandbox at import, and for each window it grants pages the microphone.
    """
    name = "QTWEBENGINE_CHROMIUM_FLAGS"
    before = os.environ.get(name)
    with lean():
        backend: Any = importlib.import_module("webview.platforms.qt")
    if before is None:
        os.environ.pop(name, None)
    else:
        os.environ[name] = before
    backend.environ_append = lambda _name, *_flags: None
    # It prepares each page on a non-daemon thread: if a page is closed while it loads, that thread would wait for
    # ever and the process would never exit.
    # loads never answers that thread, and the program would never end.
    backend.inject_pywebview.__globals__["Thread"] = partial(threading.Thread, daemon=True)
    return backend


def harden(backend: Any, pages: PageAllowlist, ordered: Iterable[str]) -> None:
    """Install the restrictions before the first window. Calls of ``ordered`` pages are answered in order."""
    view = backend.BrowserView
    base_interceptor: Any = view.RequestInterceptor
    base_loaded = view.on_load_finished
    in_order = frozenset(QUrl(url).toString() for url in ordered)

    class Interceptor(base_interceptor):  # type: ignore[misc]
        def interceptRequest(self, info: QWebEngineUrlRequestInfo) -> None:  # noqa: N802
            url = info.requestUrl()
            if url.scheme() not in _INLINE_SCHEMES and not pages.is_own(url):
                info.block(True)

    def on_load_finished(self: Any, ok: bool) -> None:
        # A refused navigation also emits "finished"; injecting again would lose the calls in progress.
        if ok and pages.belongs(self.pywebview_window, self.webview.url()):
            base_loaded(self)

    _lock_page(view.WebPage, pages)
    view.RequestInterceptor = Interceptor
    view.on_load_finished = on_load_finished
    view.JSBridge = _bridge_class(pages, in_order)


def _lock_page(page: Any, pages: PageAllowlist) -> None:
    """Replace methods in place: pywebview's page names its own class in ``super``, so it can't be subclassed."""
    base_init = page.__init__

    def init(self: Any, parent: Any = None, profile: Any = None) -> None:
        base_init(self, parent, profile=profile)
        self.soulpet_window = parent.pywebview_window
        _restrict(self.settings())

    def accept_navigation(self: Any, url: QUrl, _kind: Any, is_main_frame: bool) -> bool:
        allowed = is_main_frame and pages.belongs(self.soulpet_window, url)
        if not allowed:
            _log.warning("a page wanted to go elsewhere: %s", url.scheme()[:16])
        return allowed

    def create_window(_self: Any, _kind: Any) -> None:
        # Also prevents a crash: the window pywebview returns here crashes Qt after a few of them.
        return None

    def deny(self: Any, url: QUrl, feature: Any) -> None:
        self.setFeaturePermission(url, feature, QWebEnginePage.PermissionPolicy.PermissionDeniedByUser)

    def console(_self: Any, level: Any, message: str, line: int, source: str) -> None:
        # Error class and location only; the message may quote the owner's text.
        if level == QWebEnginePage.JavaScriptConsoleMessageLevel.ErrorMessageLevel:
            found = _ERROR_CLASS.match(message)
            name = QUrl(source).fileName() if source.startswith("file:") else "script"
            _log.warning("page %s:%d: %s", name, line, found.group(1) if found else "error")

    page.__init__ = init
    page.acceptNavigationRequest = accept_navigation
    page.createWindow = create_window
    page.onFeaturePermissionRequested = deny
    page.javaScriptConsoleMessage = console


def _restrict(settings: QWebEngineSettings) -> None:
    off = QWebEngineSettings.WebAttribute
    for attribute in (
        off.LocalContentCanAccessFileUrls,
        off.LocalContentCanAccessRemoteUrls,
        off.JavascriptCanOpenWindows,
        off.PluginsEnabled,
        off.PdfViewerEnabled,
        off.ScreenCaptureEnabled,
        off.HyperlinkAuditingEnabled,
        off.DnsPrefetchEnabled,
        off.AutoLoadIconsForPage,
        off.LocalStorageEnabled,
        off.FocusOnNavigationEnabled,
    ):
        settings.setAttribute(attribute, False)
    settings.setUnknownUrlSchemePolicy(QWebEngineSettings.UnknownUrlSchemePolicy.DisallowUnknownUrlSchemes)


def _bridge_class(pages: PageAllowlist, in_order: frozenset[str]) -> type[QObject]:
    class Bridge(QObject):
        """Replaces pywebview's bridge, which also answers calls to its internals, keeps an entry for every call for
        ever, and lets a page that hangs hold a non-daemon thread.
        """

        def __init__(self, view: Any) -> None:
            super().__init__()
            self._view = view
            self.window = view.pywebview_window
            self._poster = GuiDispatcher()
            ordered = _bare(QUrl(self.window.original_url)) in in_order
            self._run = page_calls.in_order() if ordered else page_calls.on_a_thread

        @Slot(str, QJsonValue, str, result=str)
        def call(self, function: str, parameters: QJsonValue, call_id: str) -> str:
            if not page_calls.is_call(function, call_id):
                return ""
            if not pages.belongs(self.window, self._view.webview.url()):
                _log.warning("a page that is not ours called")
                return ""
            answer = self.window._functions.get(page_calls.EXPOSED)
            if answer is not None:
                text = parameters.toString() if isinstance(parameters, QJsonValue) else parameters
                self._run(lambda: self._answer(answer, page_calls.arguments_of(text), call_id))
            return ""

        def _answer(
            self, answer: Callable[[object, object], str], arguments: tuple[object, object], key: str
        ) -> None:
            script = page_calls.reply_script(key, answer(*arguments))
            self._poster.post(lambda: self._view.webview.page().runJavaScript(script))

    return Bridge
