"""The one menu of pet and tray, the names of monitors, and what the tray says."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pet.bridge.command import Client
from pet.bridge.commands.conversations import ConversationCommands
from pet.bridge.commands.desktop import BubbleCommands
from pet.bridge.commands.skins import SkinCommands
from pet.bridge.single_instance import SingleInstance
from pet.desktop.controller import DesktopController
from pet.desktop.geometry import Monitor, Rect
from pet.desktop.menu import SIZES, MenuController, PetState, display_names, tray_tooltip
from pet.desktop.pets_here import PetsHere
from pet.desktop.platform import MenuItem
from pet.desktop.process import Arrival
from pet.i18n import LANGUAGES, Language, Texts
from pet.paths import Home, assets_folder
from pet.services.desktop_port import Selection
from pet.settings.schema import Settings

MAIN = Monitor("a", Rect(0, 0, 1920, 1080), primary=True, model="DELL U2720Q")
RIGHT = Monitor("b", Rect(1920, 0, 1280, 1024))


@dataclass(frozen=True, kw_only=True)
class Shown:
    """The windows when a menu opens."""

    chat_shown: bool = False
    pet_shown: bool = True
    has_tray: bool = True
    can_screenshot: bool = True
    monitors: Sequence[Monitor] = (MAIN, RIGHT)


SHOWN = Shown()


@dataclass(frozen=True)
class Listed:
    id: str
    name: str
    current: bool = False


class Drawn(Listed):
    """The pet's own look."""

    problem = None

    def __init__(self) -> None:
        super().__init__("drawn", "")


class Acted(list[str]):
    """What was asked for, in order: of the core, for which it stands here, and of the windows."""

    listed = (Listed("bun", "Bun & Co", current=True), Listed("x", "x" * 90))

    def __init__(self, language: Language) -> None:
        self.texts = lambda: Texts(language)

    def status(self) -> SimpleNamespace:
        return SimpleNamespace(paused=True)

    def pets(self) -> Sequence[Listed]:
        return self.listed

    def call(self, _client: Client, method: Callable[..., object], **_given: object) -> object:
        """Return what a query finds; what a command of an extra's entry says before there is a core."""
        if method in (ConversationCommands.new_conversation, BubbleCommands.ask_about):
            self.append(method.__name__)
        return SimpleNamespace(skins=[Drawn()]) if method is SkinCommands.list_skins else None

    def order(self, _client: Client, method: Callable[..., object], **given: object) -> None:
        changes = given.get("changes", given)
        assert isinstance(changes, dict)
        self.append(" ".join([method.__name__, *(f"{name} {value}" for name, value in changes.items())]))

    def desk(self, shown: Shown, settings: Settings, pets: PetsHere | None) -> DesktopController:
        """Return the windows in this state."""
        windows = SimpleNamespace(
            bring_back=lambda: self.append("back"),
            send_to=lambda name: self.append(f"to {name}"),
            toggle_pet=lambda: self.append("pet"),
            say_goodbye=lambda _words, _then: self.append("quit"),
        )
        platform = SimpleNamespace(
            screens=SimpleNamespace(monitors=lambda: shown.monitors),
            abilities=lambda: ("selection", "screenshot")[: 1 + shown.can_screenshot],
            post=lambda _work: None,
        )
        visibility = SimpleNamespace(
            open=lambda view="chat": self.append("settings" if view == "settings" else "show chat"),
            toggle=lambda: self.append("chat"),
        )
        desk: Any = SimpleNamespace(
            core=self,
            windows=windows,
            platform=platform,
            system=SimpleNamespace(read_selection=Selection),
            visibility=visibility,
            chat=SimpleNamespace(in_sight=shown.chat_shown),
            pet=SimpleNamespace(wanted=shown.pet_shown, monitor=MAIN),
            bubble=SimpleNamespace(wants_focus=lambda: None),
            settings=lambda: settings,
            pets=pets or PetsHere(cast(Home, None), cast(SingleInstance, None), Arrival()),
        )
        if pets is None:
            desk.pets.attach(desk)
        return cast("DesktopController", desk)


def shown(
    state: Shown = SHOWN,
    language: Language = "en",
    *,
    in_tray: bool = False,
    size: int = 100,
    pets: PetsHere | None = None,
) -> tuple[list[MenuItem], Acted]:
    acted = Acted(language)
    menu = MenuController(acted.desk(state, Settings(pet_size=size), pets))
    menu.tray._icon = cast(Any, object()) if state.has_tray else None
    return menu.items(in_tray=in_tray), acted


def within(items: Sequence[MenuItem], key: str = "menu_further", language: Language = "en") -> list[MenuItem]:
    """Return the entries of a submenu."""
    children = next(item for item in items if item.text == Texts(language)(f"shell.{key}")).children
    assert children is not None
    return list(children())


def leaves(items: Sequence[MenuItem]) -> list[MenuItem]:
    return [leaf for item in items for leaf in (leaves(item.children()) if item.children else [item])]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("has_tray", [True, False])
def test_the_menu_is_complete_with_and_without_a_tray(language: Language, has_tray: bool) -> None:
    items, acted = shown(replace(SHOWN, has_tray=has_tray), language)
    before = set(threading.enumerate())
    for item in leaves(items):
        assert item.act is not None
        item.act()
    for thread in set(threading.enumerate()) - before:
        thread.join()
    sizes = [f"change_settings pet_size {size}" for size in SIZES]
    for name in ("ask_about", "new_conversation"):
        acted.remove(name)  # on a thread of its own
    assert acted == [
        *("chat", "open_field", "pause_memory paused False", "change_settings do_not_disturb True"),
        *("show chat", "take_screenshot area region ask True"),
        *("switch_pet pet bun", "switch_pet pet x", "choose_skin skin drawn", "settings", *sizes),
        *(f"ask_keepsake film {film} words False" for film in (False, True)),  # of an extra
        *("to a", "to b", "settings"),
        *(["pet"] if has_tray else []),
        "quit",
    ]
    assert len(items) <= 8


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("in_tray", [True, False])
@pytest.mark.parametrize("chat_shown", [True, False])
def test_every_entry_has_a_key_of_its_own(language: Language, in_tray: bool, chat_shown: bool) -> None:
    items, _ = shown(replace(SHOWN, chat_shown=chat_shown), language, in_tray=in_tray)
    for level in (items, within(items, "menu_further", language)):
        keys = [item.text[item.text.index("&") + 1].lower() for item in level]
        assert len(set(keys)) == len(keys)
        assert len({item.text for item in level}) == len(level)
        assert not any("&" in read_label(item.text) for item in level)


def test_what_can_not_be_chosen_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Acted, "listed", Acted.listed[:1])
    items = within(shown(replace(SHOWN, monitors=[MAIN], can_screenshot=False))[0])
    assert [read_label(item.text) for item in items if item.children] == ["Looks", "Size", "Save this moment"]
    assert "Show part of the screen…" not in [read_label(item.text) for item in items]


def test_the_tray_brings_the_pet_back() -> None:
    in_tray, at_pet = shown(in_tray=True)[0], shown()[0]
    texts = [{read_label(item.text) for item in items} for items in (in_tray, at_pet)]
    assert texts[0] - texts[1] == {"Bring it back here"}
    assert texts[1] <= texts[0]
    hidden = {read_label(item.text) for item in shown(replace(SHOWN, pet_shown=False), in_tray=True)[0]}
    assert texts[0] - hidden == {"Say something…", "Hide the pet"}


def test_switches_show_how_they_stand_and_one_of_several_is_marked() -> None:
    items, _ = shown(size=150)
    assert [item.checked for item in items if item.checked is not None] == [True, False]
    sizes = within(within(items), "menu_size")
    assert [item.text for item in sizes if item.checked] == ["150%"]
    assert all(item.one_of for item in sizes)


def test_names_given_by_the_owner_are_shown_as_they_are_and_not_too_long() -> None:
    pets = within(within(shown()[0]), "menu_pets")
    assert [item.text for item in pets] == ["Bun && Co", "x" * 39 + "…"]


def test_monitors_are_named_by_model_or_number_and_position() -> None:
    above = Monitor("c", Rect(0, -1080, 1920, 1080), model="LG")
    left = Monitor("d", Rect(-1280, 0, 1280, 1024), model="LG")
    assert list(display_names([MAIN, RIGHT], Texts("en")).values()) == ["DELL U2720Q (main)", "Display 2 (right)"]
    assert list(display_names([MAIN, above, left], Texts("zh")).values()) == [
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
    items, _acted = shown(in_tray=in_tray)
    drawn = {file.stem for file in (assets_folder() / "menu" / "signs").glob("*.svg")}
    assert [item.text for item in [*items, *within(items)] if item.sign not in drawn] == []


def read_label(text: str) -> str:
    """Return what a toolkit shows of a text with mnemonic marks."""
    return re.sub(r"\(&.\)|&(.)", lambda mark: mark[1] or "", text)


_DRESSED = """
from PySide6.QtWidgets import QApplication
app = QApplication([])
from pet.desktop.pets_here import PetsHere
from pet.desktop.platform import MenuItem
from pet.desktop.process import Arrival
from pet.desktop.qt_menu import Menu
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
from pet.desktop.pets_here import PetsHere
from pet.desktop.platform import MenuItem
from pet.desktop.process import Arrival
from pet.desktop.qt_menu import Menu
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
