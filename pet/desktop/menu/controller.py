"""Controller of the pet's and the tray's menu.

Fills the menu with the current state and runs each entry through the same commands as the pages. Moving windows is
the desktop controller's.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING

from pet.desktop.core.client import CoreClient
from pet.desktop.geometry import Monitor
from pet.desktop.menu_model import Action, MenuActions, MenuChoice, MenuItem, MenuState, Moves, menu_items
from pet.desktop.windows.titles import display_names
from pet.settings.schema import Settings

if TYPE_CHECKING:
    from pet.bridge.commands.pets.pets import PetInfo
    from pet.bridge.commands.pets.skin_views import SkinInfo

_MOST = 24
"""Maximum names in one list; the settings show all."""


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


class MenuController:
    def __init__(
        self, core: CoreClient, settings: Callable[[], Settings], standing: Callable[[], ShownWindows], moves: Moves
    ) -> None:
        self._core = core
        self._settings = settings
        self._standing = standing
        self._moves = moves

    def items(self, *, in_tray: bool) -> list[MenuItem]:
        settings, standing = self._settings(), self._standing()
        status = self._core.status()
        paused = status is not None and status.paused
        state = MenuState(
            chat_shown=standing.chat_shown,
            pet_shown=standing.pet_shown,
            paused=paused,
            has_tray=standing.has_tray,
            undisturbed=settings.do_not_disturb,
            at_login=standing.at_login,
            in_tray=in_tray,
            can_see=standing.can_see,
            size=settings.pet_size,
            displays=len(standing.monitors),
            pets=len(self._core.pets()),
        )
        return menu_items(state, self._actions(paused, settings.do_not_disturb, standing), self._core.texts())

    def _actions(self, paused: bool, undisturbed: bool, standing: ShownWindows) -> MenuActions:
        return MenuActions(
            **{each.name: getattr(self._moves, each.name) for each in fields(Moves)},
            new_conversation=self._new_conversation,
            toggle_pause=lambda: self._core.pause(not paused),
            toggle_disturb=lambda: self._core.change_setting("do_not_disturb", not undisturbed),
            resize=lambda size: self._core.change_setting("pet_size", size),
            pets=lambda: self._pets(),  # noqa: PLW0108  asked when the list opens, not now
            skins=lambda: self._skins(),  # noqa: PLW0108
            displays=lambda: self._displays(standing),
        )

    def _new_conversation(self) -> None:
        """Show the chat immediately; its page opens the new tab once it is ready."""
        self._moves.show_chat()
        threading.Thread(target=self._begin, name="new-conversation", daemon=True).start()

    def _begin(self) -> None:
        from pet.events import ConversationAsked

        made = self._core.new_conversation()
        if made is not None:
            self._core.emit(ConversationAsked(conversation=made))

    def _pets(self) -> list[MenuChoice]:
        return _choices(self._core.pets(), self._core.switch_pet)

    def _skins(self) -> list[MenuChoice]:
        return _choices(self._core.skins(), self._core.choose_skin)

    def _displays(self, standing: ShownWindows) -> list[MenuChoice]:
        names = display_names(standing.monitors, self._core.texts())
        send, here = self._moves.send_to, standing.here
        return [
            MenuChoice(text=names[each.name], act=_each(send, each.name), chosen=each.name == here)
            for each in standing.monitors
        ]


def _choices(listed: Sequence[PetInfo | SkinInfo], act: Callable[[str], None]) -> list[MenuChoice]:
    """Return the first entries, plus the selected one wherever it is."""
    short = [each for place, each in enumerate(listed) if place < _MOST or each.current]
    return [MenuChoice(text=each.name or each.id, act=_each(act, each.id), chosen=each.current) for each in short]


def _each(act: Callable[[str], None], name: str) -> Action:
    return lambda: act(name)
