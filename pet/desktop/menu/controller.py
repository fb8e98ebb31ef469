"""Menu of the pet and the tray, rebuilt each time it opens. Entries run the same commands as the pages."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

from pet.desktop.core.client import CoreClient
from pet.desktop.geometry import Monitor
from pet.desktop.menu_model import Action, MenuItem
from pet.desktop.windows.titles import display_names
from pet.settings.schema import Settings

if TYPE_CHECKING:
    from pet.bridge.commands.pets.pets import PetInfo
    from pet.bridge.commands.pets.skin_views import SkinInfo

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
    at_login: bool
    monitors: list[Monitor]
    here: str  # the pet's monitor
    can_see: bool  # the desktop supports screenshots


@dataclass(frozen=True, slots=True, kw_only=True)
class Moves:
    """Window and program actions of the menu, called on the GUI thread."""

    toggle_chat: Action
    show_chat: Action
    open_settings: Action
    screenshot: Action
    toggle_login: Action
    to_corner: Action
    bring_back: Action
    send_to: Callable[[str], None]
    toggle_pet: Action
    quit: Action


class MenuController:
    def __init__(
        self, core: CoreClient, settings: Callable[[], Settings], windows: Callable[[], ShownWindows], moves: Moves
    ) -> None:
        self._core = core
        self._settings = settings
        self._windows = windows
        self._moves = moves

    def items(self, *, in_tray: bool) -> list[MenuItem]:
        """Return the whole menu.

        Without a tray the pet can't be hidden: nothing would be left to click on. In the tray an entry brings the pet
        back; at the pet it moves it out of the way.
        """
        core, moves = self._core, self._moves
        settings, shown, status, texts = self._settings(), self._windows(), core.status(), core.texts()
        paused, undisturbed = status is not None and status.paused, settings.do_not_disturb

        def entry(key: str, act: Action, sign: str, *, checked: bool | None = None) -> MenuItem:
            return MenuItem(text=texts(key), act=act, sign=sign, checked=checked)

        def submenu(key: str, children: Callable[[], Sequence[MenuItem]], sign: str) -> MenuItem:
            return MenuItem(text=texts(key), children=children, sign=sign)

        chat = "shell.menu_hide_chat" if shown.chat_shown else "shell.menu_open_chat"
        pet = "shell.menu_hide_pet" if shown.pet_shown else "shell.menu_show_pet"
        groups = (
            (
                entry(chat, moves.toggle_chat, "chat"),
                entry("shell.menu_new_conversation", self._new_conversation, "new"),
                *([entry("shell.menu_screenshot", moves.screenshot, "piece")] if shown.can_see else ()),
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
                *([submenu("shell.menu_pets", self._pets, "pet")] if len(core.pets()) > 1 else ()),
                submenu("shell.menu_skin", self._skins, "look"),
                submenu("shell.menu_size", partial(self._sizes, settings.pet_size), "size"),
            ),
            (
                entry("shell.menu_bring_back", moves.bring_back, "corner")
                if in_tray
                else entry("shell.menu_to_corner", moves.to_corner, "corner"),
                *(
                    [submenu("shell.menu_displays", partial(self._displays, shown), "display")]
                    if len(shown.monitors) > 1
                    else ()
                ),
            ),
            (
                entry("shell.menu_at_login", moves.toggle_login, "login", checked=shown.at_login),
                entry("shell.menu_settings", moves.open_settings, "settings"),
            ),
            (
                *([entry(pet, moves.toggle_pet, "hide")] if shown.has_tray or not shown.pet_shown else ()),
                entry("shell.menu_quit", moves.quit, "quit"),
            ),
        )
        return [replace(item, starts_group=item is group[0]) for group in groups for item in group]

    def _new_conversation(self) -> None:
        """Show the chat immediately; its page opens the new tab once it is ready."""
        self._moves.show_chat()
        threading.Thread(target=self._begin, name="new-conversation", daemon=True).start()

    def _begin(self) -> None:
        from pet.events import ConversationAsked

        made = self._core.new_conversation()
        if made is not None:
            self._core.emit(ConversationAsked(conversation=made))

    def _pets(self) -> list[MenuItem]:
        return _choices(self._core.pets(), self._core.switch_pet)

    def _skins(self) -> list[MenuItem]:
        more = MenuItem(text=self._core.texts()("shell.menu_more"), act=self._moves.open_settings, starts_group=True)
        return [*_choices(self._core.skins(), self._core.choose_skin), more]

    def _sizes(self, now: int) -> list[MenuItem]:
        resize = partial(self._core.change_setting, "pet_size")
        return [_choice(f"{size}%", partial(resize, size), chosen=size == now) for size in SIZES]

    def _displays(self, shown: ShownWindows) -> list[MenuItem]:
        names = display_names(shown.monitors, self._core.texts())
        send = self._moves.send_to
        return [
            _choice(names[each.name], partial(send, each.name), chosen=each.name == shown.here)
            for each in shown.monitors
        ]


def _choices(listed: Sequence[PetInfo | SkinInfo], act: Callable[[str], None]) -> list[MenuItem]:
    """Return the first entries and the selected one."""
    short = [each for place, each in enumerate(listed) if place < _MOST or each.current]
    return [_choice(each.name or each.id, partial(act, each.id), chosen=each.current) for each in short]


def _choice(text: str, act: Action, *, chosen: bool) -> MenuItem:
    """Return a radio entry; its text is a name, in which ``&`` marks nothing."""
    short = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    return MenuItem(text=short.replace("&", "&&"), act=act, checked=chosen, one_of=True)
