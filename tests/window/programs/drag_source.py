"""A window to drag from, with the mouse, as from a file manager or a browser: ``drag_source.py FILE_OR_ADDRESS...``.

A program of its own: the drop crosses from one client of the X server to another, as it does for an owner. It says
when it is touched and held, what would happen at a drop whenever that changes, and when the files were taken.
"""

# ruff: noqa: N802  (Qt's names)

from __future__ import annotations

import sys

from PySide6.QtCore import QMimeData, QPoint, Qt, QUrl
from PySide6.QtGui import QDrag, QEnterEvent, QMouseEvent
from PySide6.QtWidgets import QApplication, QLabel

TITLE = "Drag from here"


class Source(QLabel):
    def __init__(self, things: list[QUrl]) -> None:
        super().__init__("drag me")
        self._things = things
        self._pressed: QPoint | None = None
        self.setWindowTitle(TITLE)
        self.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self.setFixedSize(140, 100)
        self.move(60, 60)

    def enterEvent(self, _event: QEnterEvent) -> None:
        print("Touched", flush=True)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed = event.position().toPoint()
        print("Held", flush=True)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        moved = event.position().toPoint()
        if self._pressed is None or (moved - self._pressed).manhattanLength() < QApplication.startDragDistance():
            return
        self._pressed = None
        carried = QMimeData()
        carried.setUrls(self._things)
        drag = QDrag(self)
        drag.setMimeData(carried)
        drag.actionChanged.connect(lambda action: print(action.name, flush=True))
        if drag.exec(Qt.DropAction.CopyAction) is Qt.DropAction.CopyAction:
            print("Given", flush=True)


if __name__ == "__main__":
    app = QApplication([])
    source = Source([QUrl(each) if "://" in each else QUrl.fromLocalFile(each) for each in sys.argv[1:]])
    source.show()
    app.exec()
