"""The pet's and the bubble's native windows on Windows code, under Wine. Started by ``wine.py``.

Wine 8 runs Qt 6.4, which lacks what says a bubble's words to a screen reader: a stand-in takes its place here.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import PySide6.QtGui

if not hasattr(PySide6.QtGui, "QAccessibleAnnouncementEvent"):
    setattr(PySide6.QtGui, "QAccessibleAnnouncementEvent", PySide6.QtGui.QAccessibleEvent)  # noqa: B010

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QGuiApplication, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QPushButton, QWidget

from pet.desktop.bubble_view import BubbleView
from pet.desktop.pet_view import PetView
from pet.desktop.pet_window import PetAppearance, PetWindow
from pet.desktop.placement_store import PlacementStore
from pet.desktop.platform import MenuItem
from pet.desktop.qt_menu import Tray
from pet.desktop.windows_desktop import WindowsDesktop
from pet.services.offers.bubble_content import BubbleContent, Choice
from pet.settings.program_state import JsonState
from tests.desktop.pet_parts import Port
from tests.support.waiting import wait_for

LEFT, FACE = Qt.MouseButton.LeftButton, QPoint(96, 120)
_EXTENDED_STYLE, _LAYERED = -20, 0x80000
_STYLE, _CAPTION = -16, 0xC00000


@pytest.fixture(scope="module")
def desktop() -> WindowsDesktop:
    return WindowsDesktop()


@pytest.fixture(scope="module")
def app(desktop: WindowsDesktop) -> Any:
    """What the desktop has made."""
    return QApplication.instance()


@pytest.fixture
def pet(app: Any) -> Any:
    view = PetView(cast(Any, Port()), "soulpet")
    view.show()
    assert QTest.qWaitForWindowExposed(view)
    yield view
    view.stop()
    view.close()


class Answers:
    """What was chosen in the bubble; its other calls do nothing."""

    def __init__(self) -> None:
        self.chosen: list[tuple[int, str]] = []

    def give(self, _method: object, choice: str, number: int, *_key: str) -> None:
        self.chosen.append((number, choice))

    def __getattr__(self, name: str) -> Callable[..., None]:
        return lambda *_args, **_options: None


def windll(name: str) -> Any:
    """Load a library of Windows."""
    library: Any = vars(ctypes)["WinDLL"]
    return library(name)


def style(view: QWidget, kind: int) -> int:
    return int(windll("user32").GetWindowLongW(ctypes.c_void_p(int(view.winId())), kind))


def picture(view: QWidget) -> QImage:
    return view.grab().toImage()


def colours(image: QImage) -> int:
    return len({image.pixel(x, y) for x in range(0, image.width(), 4) for y in range(0, image.height(), 4)})


def test_the_pet_is_drawn_in_a_translucent_window_without_a_frame(pet: PetView) -> None:
    assert (sys.platform, QGuiApplication.platformName()) == ("win32", "windows")
    assert style(pet, _EXTENDED_STYLE) & _LAYERED
    assert style(pet, _STYLE) & _CAPTION != _CAPTION
    shown = picture(pet)
    assert shown.pixelColor(2, 2).alpha() == 0
    assert shown.pixelColor(FACE).alpha() == 255
    assert colours(shown) > 5


def test_a_drag_moves_it(pet: PetView) -> None:
    QTest.mousePress(pet, LEFT, pos=FACE)
    QTest.mouseMove(pet, FACE + QPoint(30, 10))
    QTest.mouseRelease(pet, LEFT, pos=FACE + QPoint(30, 10))
    port: Any = pet._port
    moves = port.moves
    wait_for("its end", lambda: QApplication.processEvents() or any(each.done for each in moves))
    assert (moves[0].dx, moves[0].dy) == (30, 10)  # a quick release throws it further


def test_a_double_click_opens_the_chat_and_a_right_click_the_menu(pet: PetView) -> None:
    QTest.mouseClick(pet, LEFT, pos=FACE)
    QTest.mouseDClick(pet, LEFT, pos=FACE)
    QTest.mouseRelease(pet, LEFT, pos=FACE)
    port: Any = pet._port
    assert "toggle_chat" in port.calls
    there = pet.mapToGlobal(FACE)
    QApplication.sendEvent(pet, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, FACE, there))
    assert "pet_menu" in port.calls


def test_the_bubble_is_drawn_and_takes_an_answer(app: Any) -> None:
    port = Answers()
    views: list[BubbleView] = []

    def place(width: int, height: int, _reading: bool) -> tuple[Any, int, int]:
        views[0].resize(width, height)
        views[0].show()
        return "above", width // 2, height

    bubble = BubbleView(cast(Any, port), place, lambda: views[0].hide(), lambda: True)
    views.append(bubble)
    choices = (Choice(id="yes", text="Yes, please"), Choice(id="no", text="Not now"))
    bubble.show_content(BubbleContent(number=3, kind="greeting", text="Shall we begin?", choices=choices), dark=False)
    assert QTest.qWaitForWindowExposed(bubble)
    assert style(bubble, _EXTENDED_STYLE) & _LAYERED
    assert colours(picture(bubble)) > 5
    (button,) = (each for each in bubble.findChildren(QPushButton) if each.text() == "Yes, please")
    QTest.mouseClick(button, LEFT)
    assert port.chosen == [(3, "yes")]
    bubble.close()


def test_the_pet_comes_back_to_where_it_was_left(desktop: WindowsDesktop, tmp_path: Path) -> None:
    (monitor,) = desktop.screens.monitors()
    assert monitor.work.width > 192 and monitor.work.height > 208

    def placed() -> tuple[PetWindow, PetView]:
        window = PetWindow(desktop, PlacementStore(JsonState(tmp_path / "windows.json")), PetAppearance())
        view = PetView(cast(Any, Port()), "soulpet")
        window.make(view, "Pip", lambda: None)
        assert QTest.qWaitForWindowExposed(view)
        return window, view

    window, view = placed()
    desktop.own.place(view, window.rect.at(monitor.work.x + 70, monitor.work.y + 90))
    window.keep()
    left = window.rect
    view.close()
    window, view = placed()
    assert window.rect == left
    view.close()


def test_the_tray_has_an_icon_and_a_menu_that_acts(desktop: WindowsDesktop) -> None:
    acted: list[str] = []
    items = [MenuItem(text="Open", act=lambda: acted.append("open"))]
    assert "tray" in desktop.abilities()
    tray: Any = Tray(lambda: items, on_click=lambda: None, dark=lambda: False, see_through=desktop.blends)
    assert tray._icon.isVisible()
    (entry,) = tray._icon.contextMenu().actions()
    entry.trigger()
    assert acted == ["open"]
    tray.hide()
