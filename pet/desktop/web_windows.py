"""Windows with a page in them: pywebview, imported and started when the first one is wanted, in the running loop."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from pet.i18n import Texts

if TYPE_CHECKING:
    from pet.desktop.qt_desktop import QtDesktop


class WebWindows:
    """Creates windows of our own pages. ``pages``: their URLs; ``texts``: of the dialogs."""

    def __init__(self, platform: QtDesktop, pages: Sequence[str], texts: Texts) -> None:
        self._platform = platform
        self._pages = pages
        self._texts = _dialog_titles(texts)
        self._imported = threading.Lock()
        self._ready = False
        self._started = False

    def create(
        self, joined: Callable[[Any], None], made: Callable[[Any], None], title: str, url: str, **options: Any
    ) -> None:
        """Create a hidden window; blocks while the web view is imported. Not on the GUI thread.

        ``joined`` gets the window before its page is loaded, ``made`` on the GUI thread once its native window is
        there (its native attribute). Raises ImportError without a web view.
        """
        with self._imported:
            if not self._ready:
                self._platform.lock_web_view(self._pages)
                self._ready = True
        import webview

        def prepare() -> Any:
            window = webview.create_window(title, url=url, hidden=True, easy_drag=False, **options)
            joined(window)
            return window

        def begin() -> None:
            if not self._started:
                self._started = True
                webview.settings["ALLOW_FILE_URLS"] = False
                webview.settings["ALLOW_DOWNLOADS"] = False
                webview.settings["OPEN_EXTERNAL_LINKS_IN_BROWSER"] = False
                window = prepare()  # is the one that start() makes
                webview.start(gui="qt", debug=False, private_mode=True, localization=self._texts)
                made(window)
            else:  # pywebview makes further ones on another thread only
                threading.Thread(target=further, name="web-window", daemon=True).start()

        def further() -> None:
            window = prepare()
            self._platform.post(lambda: made(window))

        self._platform.post(begin)


def _dialog_titles(texts: Texts) -> dict[str, str]:
    """Return dialog titles by pywebview's names for them; other systems title their own dialogs."""
    titles = {"linux.openFile": "desktop.choose_file", "linux.openFolder": "desktop.choose_folder"}
    return {name: texts(key) for name, key in titles.items()}
