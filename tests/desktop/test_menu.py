"""The one menu of pet and tray, the names of monitors, and what the tray says."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import pytest

from pet.desktop.geometry import Monitor, Rect
from pet.desktop.menu_model import SIZES, MenuActions, MenuChoice, MenuItem, MenuState, menu_items, plain
from pet.desktop.windows.titles import PetState, display_names, tray_tooltip
from pet.i18n import LANGUAGES, Language, Texts
from pet.paths import assets_folder

STATE = MenuState(
    chat_shown=False,
    pet_shown=True,
    paused=True,
    has_tray=True,
    undisturbed=False,
    at_login=True,
    displays=2,
    pets=2,
    can_see=True,
)


class Acted(list[str]):
    """What was asked for, in order."""

    def actions(self) -> MenuActions:
        def named(*names: str) -> Sequence[MenuChoice]:
            return [MenuChoice(text=name, act=partial(self.append, name), chosen=name == names[0]) for name in names]

        return MenuActions(
            toggle_chat=lambda: self.append("chat"),
            show_chat=lambda: self.append("show chat"),
            send_to=lambda name: self.append(f"to {name}"),
            new_conversation=lambda: self.append("new"),
            screenshot=lambda: self.append("screenshot"),
            toggle_pause=lambda: self.append("pause"),
            toggle_disturb=lambda: self.append("disturb"),
            open_settings=lambda: self.append("settings"),
            toggle_login=lambda: self.append("login"),
            to_corner=lambda: self.append("corner"),
            bring_back=lambda: self.append("back"),
            toggle_pet=lambda: self.append("pet"),
            quit=lambda: self.append("quit"),
            resize=lambda size: self.append(f"size {size}"),
            pets=lambda: named("Bun & Co", "x" * 90),
            skins=lambda: named("drawn"),
            displays=lambda: named("first", "second"),
        )


def shown(state: MenuState = STATE, language: Language = "en") -> tuple[list[MenuItem], Acted]:
    acted = Acted()
    return menu_items(state, acted.actions(), Texts(language)), acted


def leaves(items: Sequence[MenuItem]) -> list[MenuItem]:
    return [leaf for item in items for leaf in (leaves(item.children()) if item.children else [item])]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("has_tray", [True, False])
def test_the_menu_is_complete_with_and_without_a_tray(language: Language, has_tray: bool) -> None:
    items, acted = shown(replace(STATE, has_tray=has_tray), language)
    for item in leaves(items):
        assert item.act is not None
        item.act()
    sizes = [f"size {size}" for size in SIZES]
    assert acted == [
        *("chat", "new", "screenshot", "pause", "disturb"),
        *("Bun & Co", "x" * 90, "drawn", "settings", *sizes, "corner", "first", "second", "login", "settings"),
        *(["pet"] if has_tray else []),
        "quit",
    ]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("in_tray", [True, False])
@pytest.mark.parametrize("chat_shown", [True, False])
def test_every_entry_has_a_key_of_its_own(language: Language, in_tray: bool, chat_shown: bool) -> None:
    items, _ = shown(replace(STATE, in_tray=in_tray, chat_shown=chat_shown), language)
    keys = [item.text[item.text.index("&") + 1].lower() for item in items]
    assert len(set(keys)) == len(keys)
    assert len({item.text for item in items}) == len(items)
    assert not any("&" in plain(item.text) for item in items)


def test_what_can_not_be_chosen_is_not_there() -> None:
    items, _ = shown(replace(STATE, displays=1, pets=1, can_see=False))
    assert [plain(item.text) for item in items if item.children] == ["Looks", "Size"]
    assert "Show part of the screen…" not in [plain(item.text) for item in items]


def test_the_tray_brings_the_pet_back_and_the_pet_goes_out_of_the_way() -> None:
    in_tray, at_pet = shown(replace(STATE, in_tray=True))[0], shown()[0]
    texts = [{plain(item.text) for item in items} for items in (in_tray, at_pet)]
    assert texts[0] - texts[1] == {"Bring it back here"}
    assert texts[1] - texts[0] == {"Move to next corner"}


def test_switches_show_how_they_stand_and_one_of_several_is_marked() -> None:
    items, _ = shown(replace(STATE, size=150))
    assert [item.checked for item in items if item.checked is not None] == [True, False, True]
    sizes = next(item for item in items if plain(item.text) == "Size").children
    assert sizes is not None
    assert [item.text for item in sizes() if item.checked] == ["150%"]
    assert all(item.one_of for item in sizes())


def test_names_given_by_the_owner_are_shown_as_they_are_and_not_too_long() -> None:
    items, _ = shown()
    pets = next(item for item in items if plain(item.text) == "Pet").children
    assert pets is not None
    assert [item.text for item in pets()] == ["Bun && Co", "x" * 39 + "…"]
    assert plain("Bun && Co") == "Bun & Co"
    assert plain("设置(&S)…") == "设置…"


def test_monitors_are_named_by_model_or_number_and_position() -> None:
    main = Monitor("a", Rect(0, 0, 1920, 1080), primary=True, model="DELL U2720Q")
    right = Monitor("b", Rect(1920, 0, 1280, 1024))
    above = Monitor("c", Rect(0, -1080, 1920, 1080), model="LG")
    left = Monitor("d", Rect(-1280, 0, 1280, 1024), model="LG")
    assert list(display_names([main, right], Texts("en")).values()) == ["DELL U2720Q (main)", "Display 2 (right)"]
    assert list(display_names([main, above, left], Texts("zh")).values()) == [
        "DELL U2720Q（主屏幕）",
        "屏幕 2（上方）",
        "屏幕 3（左边）",
    ]


def test_the_tray_says_the_one_thing_that_matters_now() -> None:
    texts = Texts("en")
    everything = PetState(mood="waiting", paused=True, undisturbed=True, unread=2)
    said = [
        tray_tooltip("Bun", texts, state)
        for state in (
            everything,
            replace(everything, mood="thinking"),
            replace(everything, mood="thinking", unread=1),
            replace(everything, mood="thinking", unread=0),
            replace(everything, mood="happy", unread=0),
            PetState(undisturbed=True),
            PetState(),
        )
    ]
    assert said == [
        "Bun: it needs you",
        "Bun: 2 unread",
        "Bun: 1 unread",
        "Bun: thinking",
        "Bun: memory paused",
        "Bun: do not disturb",
        "Bun · Soulpet",
    ]
    assert len(tray_tooltip("🦊" * 200, texts, everything).encode("utf-16-le")) <= 126


@pytest.mark.parametrize("in_tray", [False, True])
def test_every_entry_has_a_sign_and_every_sign_is_drawn(in_tray: bool) -> None:
    items, _acted = shown(replace(STATE, in_tray=in_tray))
    drawn = {file.stem for file in (assets_folder() / "menu" / "signs").glob("*.svg")}
    assert [item.text for item in items if item.sign not in drawn] == []


_DRESSED = """
from PySide6.QtWidgets import QApplication
app = QApplication([])
from pet.desktop.menu_model import MenuItem
from pet.desktop.qt.menu import Menu
for signs in (True, False):
    menu = Menu(see_through=False, signs=signs)
    menu.fill([MenuItem(text="Chat", sign="chat"), MenuItem(text="Brain", sign="brain", checked=True)], dark=True)
    print(menu.font().family().split()[0], [not action.icon().isNull() for action in menu.actions()])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Qt is the backend of Linux")
def test_the_pets_menu_wears_our_letters_and_signs_and_a_trays_menu_those_of_its_desktop() -> None:
    environ = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    code = [sys.executable, "-c", _DRESSED]
    done = subprocess.run(code, env=environ, capture_output=True, text=True, check=True)
    ours, trays = done.stdout.splitlines()
    assert ours == "Nunito [True, False]"  # where the tick stands there is no sign
    assert not trays.startswith("Nunito")
    assert trays.endswith("[False, False]")


_OPENED_OFTEN = """
from PySide6.QtCore import QEvent, QCoreApplication, QObject
from PySide6.QtWidgets import QApplication
app = QApplication([])
from pet.desktop.menu_model import MenuItem
from pet.desktop.qt.menu import Menu
menu = Menu(see_through=False, signs=False)
for _ in range(3):
    counts = []
    for _ in range(20):
        choice = MenuItem(text="Moss", act=print, one_of=True, checked=True)
        menu.fill([MenuItem(text="Chat", act=print), MenuItem(text="Pets", children=lambda: [choice])], dark=False)
        menu.actions()[1].menu().aboutToShow.emit()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        counts.append(len(menu.findChildren(QObject)))
print(len(set(counts)), [action.text() for action in menu.actions()[1].menu().actions()])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Qt is the backend of Linux")
def test_a_trays_menu_that_is_opened_often_keeps_nothing_of_the_times_before() -> None:
    environ = os.environ | {"QT_QPA_PLATFORM": "offscreen"}
    code = [sys.executable, "-c", _OPENED_OFTEN]
    done = subprocess.run(code, env=environ, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "1 ['Moss']"
