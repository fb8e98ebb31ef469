"""Show the native pet alone, print its orders, end with its menu: python -m lab.show_pet BODY PERCENT."""

from __future__ import annotations

import sys
from typing import Any, cast

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication

from pet.desktop.pet_view import PetView
from tests.desktop.pet_parts import Port


class Shown(Port):
    """Moves the window itself, and prints everything else."""

    view: PetView | None = None
    start = QPoint()

    def move_pet(self, dx: float, dy: float, *, done: bool, floats: bool, walk: int) -> None:
        if self.view is not None:
            if not self.moves:
                self.start = self.view.pos()
            self.view.move(self.start + QPoint(round(dx), round(dy)))
        super().move_pet(dx, dy, done=done, floats=floats, walk=walk)
        if done:
            self.moves.clear()

    def order(self, command: Any) -> None:
        print(command)
        if command == "pet_menu":
            QApplication.quit()


def main(body: str = "soulpet", size: str = "100") -> None:
    app = QApplication([])
    port = Shown()
    port.view = view = PetView(cast(Any, port), f"soulpet/{body}")
    flags = Qt.WindowType
    view.setWindowFlags(flags.FramelessWindowHint | flags.WindowStaysOnTopHint | flags.Tool)
    view.setFixedSize(192 * int(size) // 100, 208 * int(size) // 100)
    view.show()
    app.exec()


if __name__ == "__main__":
    main(*sys.argv[1:])
