"""Menu model shared by the pet and the tray, built each time a menu opens.

Defines entries and their order; a platform renders them. ``&`` marks a mnemonic, as in the catalogue; in names the
owner chose it is escaped here.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pet.i18n import Texts

Action = Callable[[], None]
SIZES = (50, 75, 100, 125, 150, 200)
"""Per cent; values in between are available in the settings."""
_LONGEST = 40  # characters of a name
_KEY = re.compile(r"\(&(.)\)|&(.)")


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuItem:
    """One entry. ``children`` builds its submenu, called when that opens."""

    text: str
    act: Action | None = None  # None: no action, or a submenu
    checked: bool | None = None  # None: not checkable
    one_of: bool = False  # one of a radio group
    starts_group: bool = False
    children: Callable[[], Sequence[MenuItem]] | None = None
    sign: str = ""  # icon, where a platform shows one: a file of ``assets/menu/signs``


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuChoice:
    """One of several selectable items with names."""

    text: str
    act: Action
    chosen: bool


Choices = Callable[[], Sequence[MenuChoice]]


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuState:
    chat_shown: bool
    pet_shown: bool
    paused: bool
    has_tray: bool
    undisturbed: bool  # by the switch, not by quiet hours
    at_login: bool
    in_tray: bool = False
    can_see: bool = False  # screenshots are supported
    size: int = 100  # per cent
    displays: int = 1
    pets: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Moves:
    """Window and program actions available to the menu; on the GUI thread."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuActions(Moves):
    """What the entries do: beside the moves what the core is asked for."""

    new_conversation: Action
    toggle_pause: Action
    toggle_disturb: Action
    resize: Callable[[int], None]
    pets: Choices
    skins: Choices
    displays: Choices


def menu_items(state: MenuState, actions: MenuActions, texts: Texts) -> list[MenuItem]:
    """Return the whole menu. Complete without a tray: there, hiding the pet would leave nothing to click on."""
    return [
        MenuItem(
            text=texts("shell.menu_hide_chat" if state.chat_shown else "shell.menu_open_chat"),
            act=actions.toggle_chat,
            sign="chat",
        ),
        MenuItem(text=texts("shell.menu_new_conversation"), act=actions.new_conversation, sign="new"),
        *(
            [MenuItem(text=texts("shell.menu_screenshot"), act=actions.screenshot, sign="piece")]
            if state.can_see
            else []
        ),
        MenuItem(
            text=texts("shell.menu_pause"),
            act=actions.toggle_pause,
            checked=state.paused,
            starts_group=True,
            sign="brain",
        ),
        MenuItem(
            text=texts("shell.menu_do_not_disturb"),
            act=actions.toggle_disturb,
            checked=state.undisturbed,
            sign="hush",
        ),
        *_looks(state, actions, texts),
        *_places(state, actions, texts),
        MenuItem(
            text=texts("shell.menu_at_login"),
            act=actions.toggle_login,
            checked=state.at_login,
            starts_group=True,
            sign="login",
        ),
        MenuItem(text=texts("shell.menu_settings"), act=actions.open_settings, sign="settings"),
        *_ends(state, actions, texts),
    ]


def _looks(state: MenuState, actions: MenuActions, texts: Texts) -> list[MenuItem]:
    items = []
    if state.pets > 1:
        items.append(_submenu(texts("shell.menu_pets"), actions.pets, sign="pet"))
    more = MenuItem(text=texts("shell.menu_more"), act=actions.open_settings, starts_group=True)
    items.append(_submenu(texts("shell.menu_skin"), actions.skins, more, sign="look"))

    def sizes() -> list[MenuChoice]:
        return [
            MenuChoice(text=f"{size}%", act=_sized(actions.resize, size), chosen=size == state.size) for size in SIZES
        ]

    items.append(_submenu(texts("shell.menu_size"), sizes, sign="size"))
    return _grouped(items)


def _places(state: MenuState, actions: MenuActions, texts: Texts) -> list[MenuItem]:
    """Placement entries: in the tray, bring the pet back; at the pet, move it out of the way."""
    items = []
    if state.in_tray:
        items.append(MenuItem(text=texts("shell.menu_bring_back"), act=actions.bring_back, sign="corner"))
    else:
        items.append(MenuItem(text=texts("shell.menu_to_corner"), act=actions.to_corner, sign="corner"))
    if state.displays > 1:
        items.append(_submenu(texts("shell.menu_displays"), actions.displays, sign="display"))
    return _grouped(items)


def _ends(state: MenuState, actions: MenuActions, texts: Texts) -> list[MenuItem]:
    items = []
    if state.has_tray or not state.pet_shown:
        text = texts("shell.menu_hide_pet" if state.pet_shown else "shell.menu_show_pet")
        items.append(MenuItem(text=text, act=actions.toggle_pet, sign="hide"))
    return _grouped([*items, MenuItem(text=texts("shell.menu_quit"), act=actions.quit, sign="quit")])


def _submenu(text: str, choices: Choices, *more: MenuItem, sign: str) -> MenuItem:
    def children() -> list[MenuItem]:
        named = (
            MenuItem(text=_named(each.text), act=each.act, checked=each.chosen, one_of=True) for each in choices()
        )
        return [*named, *more]

    return MenuItem(text=text, children=children, sign=sign)


def _grouped(items: list[MenuItem]) -> list[MenuItem]:
    return [replace(item, starts_group=place == 0) for place, item in enumerate(items)]


def _sized(resize: Callable[[int], None], size: int) -> Action:
    return lambda: resize(size)


def _named(text: str) -> str:
    short = text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"
    return short.replace("&", "&&")


def plain(text: str) -> str:
    """Remove mnemonic markers, for a platform without them."""
    return _KEY.sub(lambda found: "&" if found[2] == "&" else found[2] or "", text)
