"""What stands in the pet's menu and in the tray's: one list for both, built when it opens (PRODUCT §8.1).

Owns the entries and their order. Draws nothing: a platform shows them natively.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pet.texts import Texts

Action = Callable[[], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuItem:
    text: str
    act: Action
    checked: bool | None = None  # None: not a switch
    starts_group: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuState:
    chat_shown: bool
    pet_shown: bool
    paused: bool
    has_tray: bool
    undisturbed: bool  # by the switch, not by the hour
    at_login: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuActions:
    toggle_chat: Action
    toggle_pause: Action
    toggle_disturb: Action
    open_settings: Action
    toggle_login: Action
    to_corner: Action
    toggle_pet: Action
    quit: Action


def menu_items(state: MenuState, actions: MenuActions, texts: Texts) -> list[MenuItem]:
    """The whole menu; complete without a tray, where hiding the pet would leave nothing to click on."""
    items = [
        MenuItem(
            text=texts("shell.menu_hide_chat" if state.chat_shown else "shell.menu_open_chat"),
            act=actions.toggle_chat,
        ),
        MenuItem(text=texts("shell.menu_pause"), act=actions.toggle_pause, checked=state.paused),
        MenuItem(text=texts("shell.menu_do_not_disturb"), act=actions.toggle_disturb, checked=state.undisturbed),
        MenuItem(text=texts("shell.menu_settings"), act=actions.open_settings, starts_group=True),
        MenuItem(text=texts("shell.menu_at_login"), act=actions.toggle_login, checked=state.at_login),
        MenuItem(text=texts("shell.menu_to_corner"), act=actions.to_corner, starts_group=True),
    ]
    if state.has_tray or not state.pet_shown:
        text = texts("shell.menu_hide_pet" if state.pet_shown else "shell.menu_show_pet")
        items.append(MenuItem(text=text, act=actions.toggle_pet))
    items.append(MenuItem(text=texts("shell.menu_quit"), act=actions.quit, starts_group=True))
    return items
