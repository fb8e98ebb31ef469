"""Menus of the pet and the tray, the tray icon, and the titles of the windows.

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

from pet.desktop.core_client import CoreClient
from pet.desktop.geometry import Monitor, primary_of
from pet.desktop.pets_here import PetsHere
from pet.desktop.platform import Action, MenuItem, TraySpec
from pet.extra import menu_items
from pet.i18n import Texts
from pet.settings.schema import Settings

if TYPE_CHECKING:
    from pet.bridge.commands.pets import PetInfo
    from pet.bridge.commands.skins import SkinInfo
    from pet.desktop.qt_desktop import QtDesktop
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


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownWindows:
    """State of the windows when the menu opens."""

    chat_shown: bool
    pet_shown: bool
    has_tray: bool
    monitors: list[Monitor]
    here: str  # the pet's monitor
    can_screenshot: bool  # the desktop supports screenshots
    sees_selection: bool  # of other programs; else what they copied


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuActions:
    """Window and program actions of the menu, called on the GUI thread."""

    toggle_chat: Action
    show_chat: Action
    open_settings: Action
    ask: Action
    screenshot: Action
    bring_back: Action
    send_to: Callable[[str], None]
    toggle_pet: Action
    quit: Action


class MenuController:
    def __init__(
        self,
        core: CoreClient,
        settings: Callable[[], Settings],
        windows: Callable[[], ShownWindows],
        actions: MenuActions,
        pets: PetsHere,
    ) -> None:
        self._pets_here = pets
        self._core = core
        self._settings = settings
        self._windows = windows
        self._actions = actions

    def items(self, *, in_tray: bool) -> list[MenuItem]:
        """Return the menu: at most eight entries at the pet. What is wanted less often is one further.

        Without a tray the pet can't be hidden: nothing would be left to click on. In the tray an entry brings it
        back, and the other pets are listed. Nothing can be said beside a hidden pet.
        """
        core, actions = self._core, self._actions
        settings, shown, status, texts = self._settings(), self._windows(), core.status(), core.texts()
        paused, undisturbed = status is not None and status.paused, settings.do_not_disturb

        def entry(key: str, act: Action, sign: str, *, checked: bool | None = None) -> MenuItem:
            return MenuItem(text=texts(key), act=act, sign=sign, checked=checked)

        chat = "shell.menu_hide_chat" if shown.chat_shown else "shell.menu_open_chat"
        pet_there = shown.pet_shown  # the field is beside it
        pet = "shell.menu_hide_pet" if pet_there else "shell.menu_show_pet"
        more = MenuItem(text=texts("shell.menu_further"), children=partial(self._more, shown), sign="more")
        groups = (
            (
                entry(chat, actions.toggle_chat, "chat"),
                *([entry("shell.menu_say", core.open_field, "say")] if pet_there and not shown.chat_shown else ()),
            ),
            (
                entry("shell.menu_pause", lambda: core.pause(not paused), "brain", checked=paused),
                entry(
                    "shell.menu_do_not_disturb",
                    lambda: core.change_setting("do_not_disturb", not undisturbed),
                    "hush",
                    checked=undisturbed,
                ),
            ),
            (
                *(
                    (*self._pets_here.companions(), entry("shell.menu_bring_back", actions.bring_back, "corner"))
                    if in_tray
                    else ()
                ),
                more,
                entry("shell.menu_settings", actions.open_settings, "settings"),
            ),
            (
                *([entry(pet, actions.toggle_pet, "hide")] if shown.has_tray or not pet_there else ()),
                entry(self._pets_here.quit_key, actions.quit, "quit"),
            ),
        )
        return _grouped(groups)

    def _more(self, shown: ShownWindows) -> list[MenuItem]:
        actions, texts = self._actions, self._core.texts()

        def entry(key: str, act: Action, sign: str) -> MenuItem:
            return MenuItem(text=texts(key), act=act, sign=sign)

        def submenu(key: str, children: Callable[[], Sequence[MenuItem]], sign: str) -> MenuItem:
            return MenuItem(text=texts(key), children=children, sign=sign)

        ask = "shell.menu_ask" if shown.sees_selection else "shell.menu_ask_copied"
        sends = submenu("shell.menu_displays", partial(self._displays, shown), "display")
        groups = (
            (
                *([entry(ask, actions.ask, "ask")] if shown.pet_shown else ()),
                entry("shell.menu_new_conversation", self._new_conversation, "new"),
                *([entry("shell.menu_screenshot", actions.screenshot, "piece")] if shown.can_screenshot else ()),
            ),
            (
                *([submenu("shell.menu_pets", self._pets, "pet")] if len(self._core.pets()) > 1 else ()),
                submenu("shell.menu_skin", self._skins, "look"),
                submenu("shell.menu_size", partial(self._sizes, self._settings().pet_size), "size"),
                *(item(self._core) for item in menu_items()),
                *([sends] if len(shown.monitors) > 1 else ()),
            ),
        )
        return _grouped(groups)

    def _new_conversation(self) -> None:
        """Show the chat immediately; its page opens the new tab once it is ready."""
        self._actions.show_chat()
        threading.Thread(target=self._begin, name="new-conversation", daemon=True).start()

    def _begin(self) -> None:
        from pet.events import ConversationAsked

        made = self._core.new_conversation()
        if made is not None:
            self._core.emit(ConversationAsked(conversation=made))

    def _pets(self) -> list[MenuItem]:
        """Return the pets to switch to, and what lets others come or go."""
        pets = self._core.pets()
        changes = self._pets_here.menu_changes(pets[:_MOST])
        changes[:1] = [replace(each, starts_group=True) for each in changes[:1]]
        return [*_choices(pets, self._core.switch_pet), *changes]

    def _skins(self) -> list[MenuItem]:
        more = MenuItem(
            text=self._core.texts()("shell.menu_more"), act=self._actions.open_settings, starts_group=True
        )
        return [*_choices(self._core.skins(), self._core.choose_skin), more]

    def _sizes(self, now: int) -> list[MenuItem]:
        resize = partial(self._core.change_setting, "pet_size")
        return [_choice(f"{size}%", partial(resize, size), chosen=size == now) for size in SIZES]

    def _displays(self, shown: ShownWindows) -> list[MenuItem]:
        names = display_names(shown.monitors, self._core.texts())
        send = self._actions.send_to
        return [
            _choice(names[each.name], partial(send, each.name), chosen=each.name == shown.here)
            for each in shown.monitors
        ]


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

    def __init__(self, platform: QtDesktop, core: CoreClient, settings: Callable[[], Settings]) -> None:
        self._platform = platform
        self._core = core
        self._settings = settings
        self._state = PetState()
        self._stamp = ""
        self._picture: bytes | None = None
        self._loading = threading.Lock()
        self.there = False

    def create(self, spec: Callable[[str], TraySpec]) -> None:
        """Add the tray icon. ``spec`` builds it for a tooltip."""
        status = self._core.status()
        if status is not None:
            self._state = replace(self._state, paused=status.paused, unread=status.unread)
        self.there = self._platform.add_tray(spec(self._tooltip()))
        self.refresh()

    def refresh(self) -> None:
        """Update after a change of name, language or status."""
        if not self._stamp:
            self._load_picture_later()
        if self.there:
            unread = self._state.unread > 0
            self._platform.update_tray(self._tooltip(), unread=unread, picture=self._picture)

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
        state = replace(self._state, undisturbed=self._settings().do_not_disturb)
        return tray_tooltip(self._core.pet_name(), self._core.texts(), state)

    # --- the pet's picture ----------------------------------------------------------------------

    def _load_picture_later(self) -> None:
        threading.Thread(target=self._load_picture, name="icon", daemon=True).start()

    def _load_picture(self) -> None:
        """Load the picture of the current skin if it changed."""
        with self._loading:
            sheet = self._core.sheet(self._stamp)
            if sheet is None or sheet.stamp == self._stamp:
                return
            self._stamp = sheet.stamp
            self._picture = None if sheet.skin == _PROGRAM else self._still(sheet.skin)
        self._platform.post(self._wear)

    def _wear(self) -> None:
        self._platform.set_icon(self._picture)
        self.refresh()

    def _still(self, skin: str) -> bytes | None:
        still = self._core.still(skin, pixels=True)
        try:
            return base64.b64decode(still.image.partition(",")[2], validate=True) or None if still else None
        except binascii.Error:
            return None
