"""The baseline of the windows: the smallest page that pywebview can show, in a window like the pet's.

Run as a program: ``python -m benchmarks.instruments.bare_page``. It uses nothing of Soulpet. With ``reopened`` as its
first argument it is a window like the chat's, which SIGUSR1 shows, and SIGUSR2 hides, letting its page go.
"""

from __future__ import annotations

import os
import signal
import socket
import sys
import tempfile
from pathlib import Path
from typing import Any

import webview

PAGE = """<!doctype html><html><body style="margin:0"><div style="width:192px;height:208px;background:#c03060"></div>
</body></html>"""


TITLE = "bare"
PAGE_SIZE = 440, 640  # of the chat


def main() -> None:
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        os.environ["QTWEBENGINE_DISABLE_SANDBOX"] = "1"
    if sys.argv[1:2] == ["reopened"]:
        _reopened()
        return
    webview.create_window(
        "bare", html=PAGE, width=192, height=208, min_size=(192, 208), frameless=True, easy_drag=False, on_top=True,
        transparent=True,
    )  # fmt: skip
    webview.start(gui="qt")


def _reopened() -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "bare.html")  # a file, as the chat's page is
        file.write_text(PAGE, encoding="utf-8")
        width, height = PAGE_SIZE
        window: Any = webview.create_window(TITLE, url=file.as_uri(), width=width, height=height)
        window.events.before_show += lambda: _obey(window)
        webview.start(gui="qt")


def _obey(window: Any) -> None:
    """Act on the signals in Qt's own loop, without a timer. On the main thread."""
    from PySide6.QtCore import QSocketNotifier

    reader, writer = socket.socketpair()
    writer.setblocking(False)
    for each in (signal.SIGUSR1, signal.SIGUSR2):
        signal.signal(each, lambda *_: None)
    signal.set_wakeup_fd(writer.fileno(), warn_on_full_buffer=False)
    view = window.native
    notifier = QSocketNotifier(reader.fileno(), QSocketNotifier.Type.Read, view)

    def act(*_: object) -> None:
        for number in reader.recv(64):
            if number == signal.SIGUSR1:
                view.show()
                view.activateWindow()
            elif number == signal.SIGUSR2:
                view.hide()
                page = view.webview.page()
                page.setLifecycleState(page.LifecycleState.Discarded)

    notifier.activated.connect(act)
    view.kept = (reader, writer, notifier)  # else they would be collected


if __name__ == "__main__":
    main()
