"""Another program on a Wayland desktop, with one window: ``python -m tests.window.programs.other_wayland [x11]``.

Says on its output what happens to it: ``active``, ``passive``, ``pressed X Y``, ``typed TEXT``, ``full``, ``normal``.
Told on its input: ``full``, ``normal``, ``copy TEXT``, which it confirms.
"""

# ruff: noqa: N802  (Qt's names)

from __future__ import annotations

import os
import sys

from PySide6.QtCore import QEvent, QSocketNotifier, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QLabel


def say(words: str) -> None:
    print(words, flush=True)


class Other(QLabel):
    def __init__(self) -> None:
        super().__init__("another program")
        self.setWindowTitle("Film")
        self.setStyleSheet("background: #202060; color: white")
        self.resize(1280, 800)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at = event.position().toPoint()
        say(f"pressed {at.x()} {at.y()}")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.text():
            say(f"typed {event.text()}")

    def changeEvent(self, event: QEvent) -> None:
        if event.type() == QEvent.Type.ActivationChange:
            say("active" if self.isActiveWindow() else "passive")
        elif event.type() == QEvent.Type.WindowStateChange:
            say("full" if self.isFullScreen() else "normal")


def main() -> None:
    os.environ["QT_QPA_PLATFORM"] = "xcb" if sys.argv[1:] == ["x11"] else "wayland"
    app = QApplication([])
    other = Other()
    listening = QSocketNotifier(sys.stdin.fileno(), QSocketNotifier.Type.Read)

    def told() -> None:
        line = os.read(sys.stdin.fileno(), 4096).decode().strip()
        if not line:
            app.quit()
        elif line.startswith("copy "):
            app.clipboard().setText(line.removeprefix("copy "))
            say(line)
        else:
            (other.showFullScreen if line == "full" else other.showMaximized)()

    listening.activated.connect(told)
    other.setAttribute(Qt.WidgetAttribute.WA_AcceptTouchEvents, False)
    other.showMaximized()
    app.exec()


if __name__ == "__main__":
    main()
