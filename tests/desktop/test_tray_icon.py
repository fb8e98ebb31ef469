"""The tray's icon: seen on dark panels and on light ones, in every size."""

from __future__ import annotations

import pytest
from PySide6.QtGui import QColor, QImage, QPainter, QPixmap
from PySide6.QtWidgets import QApplication

from pet.body.creature import Wear
from pet.desktop.pet_pictures import BodyPictures
from pet.desktop.qt_menu import icon_of


@pytest.fixture(scope="module", autouse=True)
def _app() -> object:
    return QApplication.instance() or QApplication(["tests", "-platform", "offscreen"])


def lightness(body: str, panel: str, size: int) -> list[int]:
    """Return how light each pixel of the icon is on a panel of this colour."""
    _name, draw = BodyPictures(body).act("idle", 0, Wear(), (192, 208))
    picture = QImage(size, size, QImage.Format.Format_RGB32)
    picture.fill(QColor(panel))
    painter = QPainter(picture)
    icon_of(QPixmap.fromImage(draw()), unread=False).paint(painter, 0, 0, size, size)
    painter.end()
    return [QColor(picture.pixel(x, y)).lightness() for y in range(size) for x in range(size)]


@pytest.mark.parametrize("size", [16, 22, 32, 64])
@pytest.mark.parametrize("body", ["soulpet", "biscuit", "inkwell", "vesper", "moss"])
def test_every_pet_stands_out_from_a_dark_panel_and_from_a_light_one(body: str, size: int) -> None:
    least = size * size // 12
    for panel, apart in (("#1c1b22", 90), ("#3b4252", 90), ("#f5f5f5", 50)):  # a light pet has its dark line there
        ground = QColor(panel).lightness()
        clear = [each for each in lightness(f"soulpet/{body}", panel, size) if abs(each - ground) > apart]
        assert len(clear) > least, (panel, len(clear), least)
