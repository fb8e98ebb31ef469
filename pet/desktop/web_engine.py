"""Import pywebview without its unused parts, and restrict its Qt classes to what Soulpet's pages need.

Import: pywebview's Qt module needs 19 classes from ``qtpy``, which would load every Qt module; and it starts a local
web server for relative URLs, which is not used here and is removed so that no port is open. It would run the event
loop, end it with its last window and handle Ctrl+C: ``qt_loop`` does all of that. Imported when the chat is first
wanted, in the running loop.

Restriction, in five independent layers: a window navigates only to its own page; no script is injected into any other
page; the bridge answers only that page and only ``invoke``; no network request leaves except for the pages
themselves; every permission is denied. Crashed pages are reloaded, and dropped model files taken.

The bridge replaces pywebview's function for calls of pages, which also answers calls to its internals, keeps an entry
of every call for ever, and starts a non-daemon thread for each.

Uses private API of pywebview 6.2.1, hence the pinned version; a test covers each name and layer.
"""

from __future__ import annotations

import importlib
import json
import logging
import os
import re
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from queue import Empty, SimpleQueue
from types import ModuleType
from typing import Any
from urllib.parse import unquote, urlsplit

from PySide6 import QtCore, QtGui, QtNetwork, QtWebChannel, QtWebEngineCore, QtWebEngineWidgets, QtWidgets
from PySide6.QtCore import QCoreApplication, QEvent, QJsonValue, QObject, Qt, QTimer, QUrl, Signal, Slot
from PySide6.QtWebEngineCore import QWebEnginePage, QWebEngineSettings, QWebEngineUrlRequestInfo

from pet.desktop.dropped_things import DroppedPaths, model_among
from pet.desktop.qt_import import import_plainly
from pet.desktop.qt_loop import GuiDispatcher
from pet.serde import MAX_MESSAGE
from pet.untrusted.parsers import read_json


@contextmanager
def lean() -> Iterator[None]:
    """Provide reduced modules while pywebview's Qt module is imported. Modules already loaded stay unchanged."""
    if "webview.http" not in sys.modules:
        sys.modules["webview.http"] = _no_server()
    made = {} if "qtpy" in sys.modules else _qt_names()
    sys.modules.update(made)
    try:
        yield
    finally:
        for name in made:  # later importers of qtpy get the real module
            del sys.modules[name]
        import_plainly()


def _no_server() -> ModuleType:
    return _module(
        "webview.http",
        BottleServer=_Server,
        ServerType=type[_Server],
        ServerArgs=dict[str, str],
        global_server=None,
        start_server=_refuse,
        start_global_server=_refuse,
    )


class _NoTimer(QObject):
    """Stand-in for the timer by which pywebview lets Python handle signals: ``qt_loop`` does so without polling."""

    timeout = Signal()

    def start(self, _milliseconds: int) -> None:
        """Do nothing."""


class _RunningApplication:
    """The application as pywebview sees it: its loop runs already, and doesn't end with the last web view."""

    def instance(self) -> _RunningApplication:
        return self

    def exec_(self) -> None:
        """Return at once: this is called within the loop."""

    def exit(self, _code: int = 0) -> None:
        """Do nothing: the pet lives on without a chat."""

    def __getattr__(self, name: str) -> Any:
        return getattr(QtWidgets.QApplication, name)


class _Server:
    """Stand-in for pywebview's server class; never instantiated."""


def _refuse(*_what: object, **_options: object) -> None:
    raise RuntimeError("Soulpet's pages need no web server")


def _qt_names() -> dict[str, ModuleType]:
    # The only timer it creates; all other names are Qt's.
    core = _module("qtpy.QtCore", QTimer=_NoTimer, __getattr__=lambda name: getattr(QtCore, name))
    widgets = _module(
        "qtpy.QtWidgets",
        QAction=QtGui.QAction,
        QApplication=_RunningApplication(),
        QFileDialog=FileDialogs,
        QMainWindow=QtWidgets.QMainWindow,
        QMenuBar=QtWidgets.QMenuBar,
        QMessageBox=QtWidgets.QMessageBox,
    )
    views = _module(
        "qtpy.QtWebEngineWidgets",
        QWebEnginePage=QtWebEngineCore.QWebEnginePage,
        QWebEngineProfile=QtWebEngineCore.QWebEngineProfile,
        QWebEngineSettings=QtWebEngineCore.QWebEngineSettings,
        QWebEngineView=QtWebEngineWidgets.QWebEngineView,
    )
    return {
        "qtpy": _module("qtpy", PYQT6=False, PYSIDE6=True, QtCore=core, __path__=[]),
        "qtpy.QtCore": core,
        "qtpy.QtGui": QtGui,
        "qtpy.QtNetwork": QtNetwork,
        "qtpy.QtWebChannel": QtWebChannel,
        "qtpy.QtWebEngineCore": QtWebEngineCore,
        "qtpy.QtWebEngineWidgets": views,
        "qtpy.QtWidgets": widgets,
    }


def _module(name: str, **names: Any) -> ModuleType:
    module = ModuleType(name)
    vars(module).update(names)
    return module


class FileDialogs:
    """The static functions of ``QFileDialog`` that pywebview and our pages need.

    The pet, which stays on top, must not cover the dialog's buttons, so the dialog does so too. It begins in the home
    folder, then where a file was last chosen; Qt's begins where the program was started.
    """

    ShowDirsOnly = QtWidgets.QFileDialog.Option.ShowDirsOnly
    _folder = ""  # where a file was last chosen

    @classmethod
    def getExistingDirectory(cls, parent: Any, title: str, folder: str, *, options: Any) -> str:  # noqa: N802
        return next(iter(cls._ask(parent, title, folder, "", cls._Mode.Directory, options)), "")

    @classmethod
    def getOpenFileName(cls, parent: Any, title: str, folder: str, filters: str) -> tuple[str, str]:  # noqa: N802
        return next(iter(cls._ask(parent, title, folder, filters, cls._Mode.ExistingFile)), ""), filters

    @classmethod
    def getOpenFileNames(cls, parent: Any, title: str, folder: str, filters: str) -> tuple[list[str], str]:  # noqa: N802
        return cls._ask(parent, title, folder, filters, cls._Mode.ExistingFiles), filters

    _Mode = QtWidgets.QFileDialog.FileMode

    @classmethod
    def _ask(cls, parent: Any, title: str, folder: str, filters: str, mode: Any, options: Any = None) -> list[str]:
        dialog = QtWidgets.QFileDialog(parent, title, folder or cls._folder or str(Path.home()), filters)
        dialog.setFileMode(mode)
        if options is not None:
            dialog.setOptions(options)
        dialog.setWindowFlag(Qt.WindowType.WindowStaysOnTopHint)
        chosen = dialog.selectedFiles() if dialog.exec() else []
        if chosen:
            cls._folder = str(Path(chosen[0]).parent)
        dialog.deleteLater()
        return chosen


_ANSWER_SECONDS = 10.0
"""For a page to run a script: a busy one may draw a long conversation meanwhile."""
_RELOADS = 3  # at most, of a page that keeps crashing
_KEEPS_CRASHING = 600.0
"""Seconds after which a crash no longer counts."""

_log = logging.getLogger(__name__)


def reload_after_crash(native: Any) -> None:
    """Reload the window's page each time its process ends, but only a few times in a row."""
    crashes: deque[float] = deque()

    def died(*_status: object) -> None:
        now = time.monotonic()
        while crashes and now - crashes[0] > _KEEPS_CRASHING:
            crashes.popleft()
        _log.warning("a page's process ended; %d reloads left", _RELOADS - len(crashes))
        if len(crashes) < _RELOADS:
            crashes.append(now)
            QTimer.singleShot(0, native.webview.reload)

    native.webview.page().renderProcessTerminated.connect(died)


def take_models(view: Any, dropped: DroppedPaths) -> None:
    """Make views of this class offer a dropped model to the owner, and pass anything else to their page.

    ``dropped`` takes the paths before the page gets the drop. Paths are read when the drag enters, as the page
    does, because the other program may have withdrawn its data by the drop; at the drop only if there were none.
    """
    enters, moves, to_page = view.dragEnterEvent, view.dragMoveEvent, view.dropEvent

    def enter(self: Any, event: Any) -> None:
        self.dragged = local_paths(event.mimeData())
        enters(self, event)

    def move(self: Any, event: Any) -> None:
        moves(self, event)
        if model_among(self.dragged):  # also where the page accepts no files
            event.acceptProposedAction()

    def drop(self: Any, event: Any) -> None:
        paths, self.dragged = self.dragged or local_paths(event.mimeData()), []
        if not dropped.take(paths):
            to_page(self, event)
            return
        event.acceptProposedAction()
        from PySide6.QtGui import QDragLeaveEvent

        self.dragLeaveEvent(QDragLeaveEvent())  # for the page the drag is over

    view.dragged = []
    view.dragEnterEvent = enter
    view.dragMoveEvent = move
    view.dropEvent = drop


def local_paths(data: Any) -> list[Path]:
    paths = [Path(url.toLocalFile()) for url in (data.urls() if data.hasUrls() else ()) if url.isLocalFile()]
    return [path for path in paths if path.is_absolute()]


class HeldKeys(QObject):
    """Keys typed into windows whose pages can't take them yet: kept, and delivered in order once they can.

    The web view drops keys before its page is drawn, and a page those before its field is there. Keys are delivered
    at once, not posted: Qt may dispatch a key of the display before posted ones. A key that comes meanwhile,
    from a nested event loop, is delivered after the kept ones.
    """

    def __init__(self) -> None:
        super().__init__()
        self._held: dict[Any, deque[QEvent]] = {}  # by native window
        self._passing = False  # the next key is one of them

    def hold(self, native: Any) -> None:
        window = native.windowHandle()
        if window not in self._held:
            self._held[window] = deque()
            window.installEventFilter(self)

    def release(self, native: Any, *, deliver: bool) -> None:
        window = native.windowHandle()
        keys = self._held.get(window)
        if keys is None:
            return
        if not deliver:
            keys.clear()
        while keys:
            self._passing = True
            QCoreApplication.sendEvent(window, keys.popleft())
            self._passing = False
        if self._held.get(window) is keys:
            del self._held[window]
            window.removeEventFilter(self)

    def eventFilter(self, window: QObject, event: QEvent) -> bool:  # noqa: N802
        if event.type() not in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
            return False
        if not self._passing:
            self._held[window].append(event.clone())
            return True
        self._passing = False
        return False


EXPOSED = "invoke"
_CALL_ID = re.compile(r"[0-9e-]{1,32}")  # the digits of a random number, which may have an exponent
MOST_AT_ONCE = 32
"""Maximum concurrent calls of one page; ours seldom have ten."""
MOST_WAITING = 2_000
"""Maximum waiting calls of one page."""
MOST_CHARACTERS = 3 * MAX_MESSAGE
"""Maximum total characters of the arguments of calls that wait or run."""


def is_call(function: object, call_id: object) -> bool:
    """Whether a page's call is allowed; log it otherwise."""
    if function == EXPOSED and isinstance(call_id, str) and _CALL_ID.fullmatch(call_id):
        return True
    _log.warning("a page called %s", str(function)[:40])
    return False


def call_arguments(given: object) -> tuple[object, object]:
    """Return name and JSON arguments, or values that ``invoke`` rejects. ``given``: a list, or one as JSON."""
    if isinstance(given, str):
        try:
            given = read_json(given)
        except ValueError:
            return None, None
    name, arguments = [*given, None, None][:2] if isinstance(given, list) else (None, None)
    return name, arguments


def _texts(given: object) -> list[str]:
    return [each for each in (given if isinstance(given, list) else [given]) if isinstance(each, str)]


def reply_script(call_id: str, reply: str) -> str:
    """Return the script that delivers a reply to the page."""
    value = json.dumps(json.dumps(reply))
    return f"window.pywebview._returnValuesCallbacks.{EXPOSED}[{json.dumps(call_id)}]?.({{value:{value}}})"


class PageCalls:
    """Calls of one window's page. ``run_script`` runs a script in it, from any thread."""

    def __init__(self, window: Any, run_script: Callable[[str], object]) -> None:
        self._window = window
        self._run_script = run_script
        self._queue = _CallQueue(MOST_AT_ONCE)

    def call(self, function: object, parameters: object, call_id: object) -> None:
        """Run the call on another thread, which delivers the reply."""
        answer = self._window._functions.get(EXPOSED)
        if not is_call(function, call_id) or answer is None:
            return
        key, size = str(call_id), sum(len(each) for each in _texts(parameters))
        self._queue.submit(size, lambda: self._run_script(reply_script(key, answer(*call_arguments(parameters)))))


class _CallQueue:
    """Runs the calls of one page on at most ``threads`` threads, oldest first.

    Calls beyond the limits are dropped, so that a flooding page can't exhaust threads or memory.
    """

    def __init__(self, threads: int) -> None:
        self._idle = threads
        self._lock = threading.Lock()
        self._waiting: deque[tuple[int, Callable[[], object]]] = deque()
        self._size = 0

    def submit(self, size: int, work: Callable[[], object]) -> None:
        """Queue a call without blocking. ``size``: characters of its arguments."""
        with self._lock:
            if len(self._waiting) >= MOST_WAITING or self._size + size > MOST_CHARACTERS:
                _log.warning("a page calls too much")
                return
            self._waiting.append((size, work))
            self._size += size
            if not self._idle:
                return
            self._idle -= 1
        # Daemon: a call that hangs must not keep the process from exiting.
        threading.Thread(target=self._serve, name="bridge-call", daemon=True).start()

    def _serve(self) -> None:
        while True:
            with self._lock:
                if not self._waiting:
                    self._idle += 1
                    return
                size, work = self._waiting.popleft()
            try:
                work()
            except Exception:  # noqa: BLE001  the thread boundary: the window may be gone; the next call still runs
                _log.exception("a page's call failed")
            with self._lock:
                self._size -= size


class OwnPages:
    """Allowed pages by URL, compared decoded: each web view encodes file URLs differently."""

    def __init__(self, urls: Iterable[str]) -> None:
        self._own = frozenset(_normalised(url) for url in urls)

    def may_navigate(self, url: str, own_url: str) -> bool:
        """Whether a window may load ``url``: only the page it was created for, not our other pages."""
        return self.is_own(url) and _normalised(url) == _normalised(own_url)

    def is_own(self, url: str) -> bool:
        return _normalised(url) in self._own


def _normalised(url: str) -> tuple[str, str, str, str]:
    parts = urlsplit(url)
    path = unquote(parts.path)
    # Only the drive letter is case-insensitive here.
    drive = path[:3].lower() if len(path) > 2 and path[2] == ":" else path[:3]
    return parts.scheme, parts.netloc.replace("localhost", ""), drive + path[3:], parts.query


_INLINE_SCHEMES = frozenset({"data", "blob"})
_ERROR_CLASS = re.compile(r"(?:Uncaught (?:\(in promise\) )?)?([A-Za-z]*Error)\b")


def _text(url: QUrl) -> str:
    return url.toString(QUrl.ComponentFormattingOption.FullyEncoded)


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
    backend.signal = _module("signal", SIGINT=signal.SIGINT, signal=lambda *_handler: None)
    # It prepares each page on a non-daemon thread: if a page is closed while it loads, that thread would wait for
    # ever and the process would never exit.
    backend.inject_pywebview.__globals__["Thread"] = partial(threading.Thread, daemon=True)
    return backend


def harden(backend: Any, pages: OwnPages) -> None:
    """Install the restrictions before the first window."""
    view = backend.BrowserView
    base_interceptor: Any = view.RequestInterceptor
    base_loaded = view.on_load_finished

    class Interceptor(base_interceptor):  # type: ignore[misc]
        def interceptRequest(self, info: QWebEngineUrlRequestInfo) -> None:  # noqa: N802
            url = info.requestUrl()
            if url.scheme() not in _INLINE_SCHEMES and not pages.is_own(_text(url)):
                info.block(True)

    def on_load_finished(self: Any, ok: bool) -> None:
        # A refused navigation also emits "finished"; injecting again would lose the calls in progress.
        if ok and pages.may_navigate(_text(self.webview.url()), self.pywebview_window.original_url):
            base_loaded(self)

    _lock_page(view.WebPage, pages)
    view.RequestInterceptor = Interceptor
    view.on_load_finished = on_load_finished
    view.evaluate_js = evaluate_within
    view.JSBridge = _bridge_class(pages)


def evaluate_within(view: Any, script: str, parse_json: bool) -> object:
    """Return the result of a script of the page. Raises TimeoutError where none comes.

    Replaces pywebview's method, which waits for ever for the result of a page that ended or was replaced meanwhile:
    no later event would reach the chat.
    """
    result: SimpleQueue[object] = SimpleQueue()
    view.js_bridge.poster.post(lambda: view.webview.page().runJavaScript(script, 0, result.put))
    try:
        value = result.get(timeout=_ANSWER_SECONDS)
    except Empty:
        _log.warning("a page did not answer")
        raise TimeoutError from None
    if not (parse_json and isinstance(value, str) and value):
        return value
    if len(value) > MAX_MESSAGE:
        raise ValueError("too large")
    return read_json(value)


def _lock_page(page: Any, pages: OwnPages) -> None:
    """Replace methods in place: pywebview's page names its own class in ``super``, so it can't be subclassed."""
    base_init = page.__init__

    def init(self: Any, parent: Any = None, profile: Any = None) -> None:
        base_init(self, parent, profile=profile)
        self.soulpet_window = parent.pywebview_window
        _restrict(self.settings())

    def accept_navigation(self: Any, url: QUrl, _kind: Any, is_main_frame: bool) -> bool:
        allowed = is_main_frame and pages.may_navigate(_text(url), self.soulpet_window.original_url)
        if not allowed:
            _log.warning("blocked a page's navigation: %s", url.scheme()[:16])
        return allowed

    def create_window(_self: Any, _kind: Any) -> None:
        # Also prevents a crash: the window pywebview returns here crashes Qt after a few of them.
        return None

    def deny(self: Any, url: QUrl, feature: Any) -> None:
        self.setFeaturePermission(url, feature, QWebEnginePage.PermissionPolicy.PermissionDeniedByUser)

    def choose_files(self: Any, mode: Any, _old: list[str], accepted: list[str]) -> list[str]:
        several = mode == QWebEnginePage.FileSelectionMode.FileSelectOpenMultiple
        choose = FileDialogs.getOpenFileNames if several else FileDialogs.getOpenFileName
        endings = " ".join(f"*{each}" for each in accepted if each.startswith("."))
        chosen = choose(self.soulpet_window.native, "", "", endings)[0]
        return [each for each in ([chosen] if isinstance(chosen, str) else chosen) if each]

    def console(_self: Any, level: Any, message: str, line: int, source: str) -> None:
        # Error class and location only; the message may quote the owner's text.
        if level == QWebEnginePage.JavaScriptConsoleMessageLevel.ErrorMessageLevel:
            error = _ERROR_CLASS.match(message)
            name = QUrl(source).fileName() if source.startswith("file:") else "script"
            _log.warning("page %s:%d: %s", name, line, error.group(1) if error else "error")

    page.__init__ = init
    page.acceptNavigationRequest = accept_navigation
    page.createWindow = create_window
    page.chooseFiles = choose_files
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


def _bridge_class(pages: OwnPages) -> type[QObject]:
    class Bridge(QObject):
        """Replacement of pywebview's bridge: see ``PageCalls``."""

        def __init__(self, view: Any) -> None:
            super().__init__()
            self._view = view
            self.window = view.pywebview_window
            self.poster = GuiDispatcher()
            self._calls = PageCalls(self.window, self._run_script)

        @Slot(str, QJsonValue, str, result=str)
        def call(self, function: str, parameters: QJsonValue, call_id: str) -> str:
            if pages.may_navigate(_text(self._view.webview.url()), self.window.original_url):
                text = parameters.toString() if isinstance(parameters, QJsonValue) else parameters
                self._calls.call(function, text, call_id)
            else:
                _log.warning("blocked a call of a foreign page")
            return ""

        def _run_script(self, script: str) -> None:
            self.poster.post(lambda: self._view.webview.page().runJavaScript(script))

    return Bridge
