"""Qt's application and event loop: made first, run until the owner quits, and the door to its thread.

The pet is a native window in this loop; the web view is started in it later, when the chat is first wanted.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from PySide6.QtCore import QCoreApplication, QObject, Qt, Signal, Slot
from PySide6.QtGui import QGuiApplication, QIcon
from PySide6.QtWidgets import QApplication

from pet.desktop.qt_import import import_plainly

_log = logging.getLogger(__name__)


def make_application(icon: Path) -> QApplication:
    """Create the application, before the first window. ``icon``: of all windows."""
    # The web engine, which is loaded later, shares these contexts; they can't be shared afterwards.
    QCoreApplication.setAttribute(Qt.ApplicationAttribute.AA_ShareOpenGLContexts)
    import_plainly()
    app = QApplication(["soulpet"])
    QGuiApplication.setApplicationName("soulpet")  # must be set before the first window exists
    QGuiApplication.setDesktopFileName("soulpet")
    QGuiApplication.setQuitOnLastWindowClosed(False)  # a hidden pet's program goes on
    app.setWindowIcon(QIcon(str(icon)))
    return app


class GuiDispatcher(QObject):
    """Run functions on the GUI thread in order of submission, from any thread; drops them once the program ends."""

    _came = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._came.connect(self._run, Qt.ConnectionType.QueuedConnection)

    def post(self, work: Callable[[], object]) -> None:
        with suppress(RuntimeError):  # Qt has deleted this object while other threads still ran
            self._came.emit(work)

    @Slot(object)
    def _run(self, work: Callable[[], object]) -> None:
        try:
            work()
        except Exception:  # noqa: BLE001  the thread boundary: one failed call must not take the windows down
            _log.exception("on the GUI thread")
