"""Menus of the pet and the tray, the tray icon, and what global shortcuts do: ways to the pet besides its window.

Texts are in the owner's language; entries are rebuilt each time a menu opens.
"""

from __future__ import annotations

import base64
import binascii
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from pet.bridge.command import Client
from pet.bridge.commands.conversations import ConversationCommands
from pet.bridge.commands.desktop import BubbleCommands, DesktopCommands
from pet.bridge.commands.lifecycle import LifecycleCommands
from pet.bridge.commands.pets import PetCommands, PetInfo
from pet.bridge.commands.settings import SettingsCommands
from pet.bridge.commands.skins import SkinCommands, SkinInfo
from pet.desktop.geometry import Monitor, primary_of
from pet.desktop.platform import Action, MenuItem
from pet.extra import menu_items
from pet.i18n import Texts

if TYPE_CHECKING:
    from pet.desktop.controller import DesktopController
    from pet.desktop.qt_menu import Tray
    from pet.events import Event

_TRAY = 63  # UTF-16 units, Windows' limit for tooltips


@dataclass(frozen=True, slots=True, kw_only=True)
class PetState:
    """Status of the pet for the tooltip."""

    mood: str = ""
    paused: bool = False
    undisturbed: bool = False
    unread: int = 0  # conversations


def tray_tooltip(name: str, texts: Texts, state: PetState | None = None) -> str:
    """Return the pet's name and its most important status."""
    status = _status(state or PetState(), texts)
    text = texts("shell.tray_tooltip_of", name=name) if name else texts("shell.tray_tooltip")
    if status:
        text = texts("shell.tray_state", name=name or texts("shell.tray_tooltip"), state=status)
    while len(text.encode("utf-16-le")) > 2 * _TRAY:
        text = text[:-1]
    return text


def _status(state: PetState, texts: Texts) -> str:
    if state.mood == "waiting":
        return texts("shell.tray_waiting")
    if state.unread:
        return texts("shell.tray_unread", count=state.unread)
    if state.mood in ("thinking", "talking", "error"):
        return texts(f"shell.tray_{state.mood}")
    if state.paused:
        return texts("shell.tray_paused")
    return texts("shell.tray_undisturbed") if state.undisturbed else ""


def display_names(monitors: Sequence[Monitor], texts: Texts) -> dict[str, str]:
    """Name each monitor by its model if that is unique, else by number; with its position."""
    models = Counter(each.model for each in monitors)
    names = {}
    for number, each in enumerate(monitors, 1):
        where = texts(f"shell.display_{_side(each, primary_of(monitors))}")
        if each.model and models[each.model] == 1:
            names[each.name] = texts("shell.display_named", model=each.model, where=where)
        else:
            names[each.name] = texts("shell.display", number=number, where=where)
    return names


def _side(monitor: Monitor, main: Monitor) -> str:
    """Return the position relative to the main monitor."""
    if monitor == main:
        return "main"
    (x, y), (main_x, main_y) = monitor.whole.centre, main.whole.centre
    if abs(x - main_x) >= abs(y - main_y):
        return "right" if x > main_x else "left"
    return "below" if y > main_y else "above"


SIZES = (50, 75, 100, 125, 150, 200)
"""Sizes in per cent; the settings offer values in between."""
_MOST = 24
"""Maximum number of names in one list; the settings show all."""
_LONGEST = 40  # characters of a name


class MenuController:
    """The menu, and the tray with it. It says what the core knows, so it is made once the pet is seen. On the GUI
    thread."""

    def __init__(self, desk: DesktopController) -> None:
        self._desk = desk
        self._core = desk.core
        self.tray = PetTray(desk)

    def create_tray(self) -> None:
        """Add the tray icon, in the program that leads, or remove it if this desktop has no tray now."""
        if self._desk.pets.leads:
            self.tray.create(partial(self.items, in_tray=True))

    def pop_up(self) -> None:
        """Open the menu beside the pet."""
        desk = self._desk
        dark = desk.platform.dark(desk.settings().theme)
        desk.platform.popup(self.items(in_tray=False), dark=dark, beside=desk.pet.rect)

    def shortcuts(self) -> dict[str, Action]:
        """Return what the global shortcuts do, by their settings' names. From any thread."""
        desk, post = self._desk, self._desk.platform.post
        return {
            "chat": lambda: post(desk.pets.toggle_chat),
            "pet": lambda: post(desk.windows.toggle_pet),
            "say": self._open_field,
            "ask": self._ask,
            "screenshot": self._take_screenshot,
        }

    def _ask(self) -> None:
        """Ask about what is selected in another program."""
        self._desk.platform.post(self._desk.bubble.wants_focus)
        threading.Thread(target=self._ask_about_selection, name="order", daemon=True).start()

    def _ask_about_selection(self) -> None:
        selection = self._desk.system.read_selection()
        about = {"cut": selection.cut, "copied": selection.copied}
        self._core.call(Client.PET, BubbleCommands.ask_about, text=selection.text, **about)

    def _open_field(self) -> None:
        self._core.order(Client.PET, BubbleCommands.open_field)

    def _say_goodbye(self) -> None:
        self._core.order(Client.PET, BubbleCommands.say_goodbye)

    def _take_screenshot(self) -> None:
        """Capture an area the owner selects, for the field or the composer of the open chat."""
        self._core.order(Client.CHAT, DesktopCommands.take_screenshot, area="region", ask=True)

    def _change_setting(self, name: str, value: int) -> None:
        self._core.order(Client.CHAT, SettingsCommands.change_settings, changes={name: value})

    def items(self, *, in_tray: bool) -> list[MenuItem]:
        """Return the menu: at most eight entries at the pet. What is wanted less often is one further.

        Without a tray the pet can't be hidden: nothing would be left to click on. In the tray an entry brings it
        back, and the other pets are listed. Nothing can be said beside a hidden pet.
        """
        desk, core, windows = self._desk, self._core, self._desk.windows
        status, texts, chat_shown = core.status(), core.texts(), desk.chat.in_sight
        paused, undisturbed = status is not None and status.paused, desk.settings().do_not_disturb

        def entry(key: str, act: Action, sign: str, *, checked: bool | None = None) -> MenuItem:
            return MenuItem(text=texts(key), act=act, sign=sign, checked=checked)

        chat = "shell.menu_hide_chat" if chat_shown else "shell.menu_open_chat"
        pet_there = desk.pet.wanted  # the field is beside it
        pet = "shell.menu_hide_pet" if pet_there else "shell.menu_show_pet"
        more = MenuItem(text=texts("shell.menu_further"), children=self._more, sign="more")
        groups = (
            (
                entry(chat, desk.pets.toggle_chat, "chat"),
                *([entry("shell.menu_say", self._open_field, "say")] if pet_there and not chat_shown else ()),
            ),
            (
                entry(
                    "shell.menu_pause",
                    partial(core.order, Client.PET, LifecycleCommands.pause_memory, paused=not paused),
                    "brain",
                    checked=paused,
                ),
                entry(
                    "shell.menu_do_not_disturb",
                    partial(self._change_setting, "do_not_disturb", not undisturbed),
                    "hush",
                    checked=undisturbed,
                ),
            ),
            (
                *(
                    (*desk.pets.companions(), entry("shell.menu_bring_back", windows.bring_back, "corner"))
                    if in_tray
                    else ()
                ),
                more,
                entry("shell.menu_settings", self._open_settings, "settings"),
            ),
            (
                *([entry(pet, windows.toggle_pet, "hide")] if self.tray.there or not pet_there else ()),
                entry(
                    desk.pets.quit_key,
                    partial(windows.say_goodbye, self._say_goodbye, desk.pets.quit_all),
                    "quit",
                ),
            ),
        )
        return _grouped(groups)

    def _open_settings(self) -> None:
        self._desk.visibility.open("settings")

    def _more(self) -> list[MenuItem]:
        desk, core, texts = self._desk, self._core, self._core.texts()
        monitors, abilities = desk.platform.screens.monitors(), desk.platform.abilities()

        def entry(key: str, act: Action, sign: str) -> MenuItem:
            return MenuItem(text=texts(key), act=act, sign=sign)

        def submenu(key: str, children: Callable[[], Sequence[MenuItem]], sign: str) -> MenuItem:
            return MenuItem(text=texts(key), children=children, sign=sign)

        ask = "shell.menu_ask" if "selection" in abilities else "shell.menu_ask_copied"
        sends = submenu("shell.menu_displays", partial(self._displays, monitors), "display")
        groups = (
            (
                *([entry(ask, self._ask, "ask")] if desk.pet.wanted else ()),
                entry("shell.menu_new_conversation", self._new_conversation, "new"),
                *(
                    [entry("shell.menu_screenshot", self._take_screenshot, "piece")]
                    if "screenshot" in abilities
                    else ()
                ),
            ),
            (
                *([submenu("shell.menu_pets", self._pets, "pet")] if len(core.pets()) > 1 else ()),
                submenu("shell.menu_skin", self._skins, "look"),
                submenu("shell.menu_size", partial(self._sizes, desk.settings().pet_size), "size"),
                *(item(core) for item in menu_items()),
                *([sends] if len(monitors) > 1 else ()),
            ),
        )
        return _grouped(groups)

    def _new_conversation(self) -> None:
        """Show the chat immediately; its page opens the new tab once it is ready."""
        self._desk.visibility.open()
        threading.Thread(target=self._begin, name="new-conversation", daemon=True).start()

    def _begin(self) -> None:
        from pet.events import ConversationAsked

        made = self._core.call(Client.CHAT, ConversationCommands.new_conversation)
        if made is not None:
            self._core.emit(ConversationAsked(conversation=made.info.id))

    def _pets(self) -> list[MenuItem]:
        """Return the pets to switch to, and what lets others come or go."""
        pets = self._core.pets()
        changes = self._desk.pets.menu_changes(pets[:_MOST])
        changes[:1] = [replace(each, starts_group=True) for each in changes[:1]]

        def switch(pet: str) -> None:
            self._core.order(Client.CHAT, PetCommands.switch_pet, pet=pet)

        return [*_choices(pets, switch), *changes]

    def _skins(self) -> list[MenuItem]:
        more = MenuItem(text=self._core.texts()("shell.menu_more"), act=self._open_settings, starts_group=True)
        listed = self._core.call(Client.CHAT, SkinCommands.list_skins)

        def choose(skin: str) -> None:
            self._core.order(Client.CHAT, SkinCommands.choose_skin, skin=skin)

        return [*_choices([each for each in listed.skins if each.problem is None] if listed else [], choose), more]

    def _sizes(self, now: int) -> list[MenuItem]:
        resize = partial(self._change_setting, "pet_size")
        return [_choice(f"{size}%", partial(resize, size), chosen=size == now) for size in SIZES]

    def _displays(self, monitors: Sequence[Monitor]) -> list[MenuItem]:
        names, here = display_names(monitors, self._core.texts()), self._desk.pet.monitor.name
        send = self._desk.windows.send_to
        return [_choice(names[each.name], partial(send, each.name), chosen=each.name == here) for each in monitors]


def _grouped(groups: Sequence[Sequence[MenuItem]]) -> list[MenuItem]:
    return [replace(item, starts_group=item is group[0]) for group in groups for item in group]


def _choices(listed: Sequence[PetInfo | SkinInfo], act: Callable[[str], None]) -> list[MenuItem]:
    """Return the first entries and the selected one."""
    short = [each for place, each in enumerate(listed) if place < _MOST or each.current]
    return [_choice(each.name or each.id, partial(act, each.id), chosen=each.current) for each in short]


def _choice(text: str, act: Action, *, chosen: bool) -> MenuItem:
    """Return a radio entry; its text is a name, in which ``&`` marks nothing."""
    return MenuItem(text=short_name(text), act=act, checked=chosen, one_of=True)


def short_name(name: str) -> str:
    return (name if len(name) <= _LONGEST else name[: _LONGEST - 1] + "…").replace("&", "&&")


_PROGRAM = "soulpet"
"""Body that the program's own icon shows."""


class PetTray:
    """The tray icon and the windows' icon. ``create`` and ``refresh`` on the GUI thread, ``on_event`` from any."""

    def __init__(self, desk: DesktopController) -> None:
        self._desk = desk
        self._platform = desk.platform
        self._core = desk.core
        self._state = PetState()
        self._stamp = ""
        self._picture: bytes | None = None
        self._loading = threading.Lock()
        self._icon: Tray | None = None

    @property
    def there(self) -> bool:
        """Whether the icon is shown."""
        return self._icon is not None

    def create(self, items: Callable[[], Sequence[MenuItem]]) -> None:
        """Add the tray icon with this menu; remove an earlier one if this desktop has no tray now."""
        status = self._core.status()
        if status is not None:
            self._state = replace(self._state, paused=status.paused, unread=status.unread)
        if "tray" not in self._platform.abilities():  # Qt decides on first use which kind of tray there is
            self.hide()
        elif self._icon is None:
            from pet.desktop.qt_menu import Tray

            desk, platform = self._desk, self._platform
            self._icon = Tray(
                items,
                on_click=desk.pets.toggle_chat,
                dark=lambda: platform.dark(desk.settings().theme),
                see_through=platform.blends,
            )
        self.refresh()

    def hide(self) -> None:
        if self._icon is not None:
            self._icon.hide()
            self._icon = None

    def refresh(self) -> None:
        """Update after a change of name, language or status."""
        if not self._stamp:
            self._load_picture_later()
        if self._icon is not None:
            self._icon.update(self._tooltip(), unread=self._state.unread > 0, picture=self._picture)

    def on_event(self, event: Event) -> None:
        from pet.events import MemoryPaused, MoodChanged, SettingsChanged, UnreadChanged

        before = self._state
        match event:
            case MoodChanged(mood=mood):
                self._state = replace(before, mood=mood.value)
            case MemoryPaused(paused=paused):
                self._state = replace(before, paused=paused)
            case UnreadChanged(conversations=waiting):
                self._state = replace(before, unread=len(waiting))
            case SettingsChanged():
                self._load_picture_later()  # a change of skin is reported this way too
                return
            case _:
                return
        if self._state != before:
            self._platform.post(self.refresh)

    def _tooltip(self) -> str:
        state = replace(self._state, undisturbed=self._desk.settings().do_not_disturb)
        return tray_tooltip(self._core.pet_name(), self._core.texts(), state)

    # --- the pet's picture ----------------------------------------------------------------------

    def _load_picture_later(self) -> None:
        threading.Thread(target=self._load_picture, name="icon", daemon=True).start()

    def _load_picture(self) -> None:
        """Load the picture of the current skin if it changed."""
        with self._loading:
            worn = self._core.call(Client.PET, SkinCommands.get_skin, have=self._stamp)
            if worn is None or worn.sheet.stamp == self._stamp:
                return
            sheet = worn.sheet
            self._stamp = sheet.stamp
            self._picture = None if sheet.skin == _PROGRAM else self._still(sheet.skin)
        self._platform.post(self._wear)

    def _wear(self) -> None:
        self._platform.icons.set(self._picture)
        self.refresh()

    def _still(self, skin: str) -> bytes | None:
        still = self._core.still(skin, pixels=True)
        try:
            return base64.b64decode(still.image.partition(",")[2], validate=True) or None if still else None
        except binascii.Error:
            return None
