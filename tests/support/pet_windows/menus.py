"""The pet's menu by pointer and keyboard, and the clickable part of its window, on a real desktop."""

from __future__ import annotations

import contextlib

from tests.support.desktop.xvfb import Box, Desktop, Running, wait_for

_FAR_AHEAD = 0x7FFFFFFF  # milliseconds of the server's clock: 24 days after the machine's start


def open_menus(desktop: Desktop) -> list[int]:
    """Return the windows of shown menus: override-redirect, so no window manager lists them."""
    from Xlib import X, Xatom
    from Xlib.error import BadDrawable, BadWindow

    found: list[int] = []
    with desktop.connection() as server:
        kind, menu = (server.intern_atom(f"_NET_WM_WINDOW_TYPE{what}") for what in ("", "_POPUP_MENU"))
        for window in server.screen().root.query_tree().children:
            try:
                kinds = window.get_full_property(kind, Xatom.ATOM)
                shown = window.get_attributes().map_state == X.IsViewable
            except (BadWindow, BadDrawable):  # closed meanwhile
                continue
            if shown and kinds is not None and menu in kinds.value:
                found.append(window.id)
    return found


def menus(desktop: Desktop) -> int:
    """Return the number of open menus."""
    return len(open_menus(desktop))


def open_menu(desktop: Desktop, at: tuple[int, int]) -> None:
    """Open the menu, and return once it is shown and takes keys.

    A click while a program still closes an earlier menu goes to that one: click again.
    """

    def clicked() -> bool:
        if not menus(desktop):
            desktop.click(*at, button=3)
            with contextlib.suppress(AssertionError):
                wait_for("the menu", lambda: menus(desktop) == 1, 20)
        return menus(desktop) == 1

    wait_for("the menu", clicked)
    if not desktop.host:  # a compositor gives it the focus instead
        wait_for("the keyboard", lambda: keyboard_is_grabbed(desktop))


def keyboard_is_grabbed(desktop: Desktop) -> bool:
    """Whether a program has grabbed the keyboard, as an open menu does.

    Asks for a grab at a time to come, which the server refuses: a grab that succeeds, however briefly, would make it
    refuse the menu's own as an earlier one, if that menu is on the screen but has not asked yet.
    """
    from Xlib import X

    with desktop.connection() as server:
        answer = server.screen().root.grab_keyboard(False, X.GrabModeAsync, X.GrabModeAsync, _FAR_AHEAD)
        return bool(answer == X.AlreadyGrabbed)


def choose(desktop: Desktop, at: tuple[int, int], *keys: str) -> None:
    """Open the menu there and type: keys of entries and submenus, arrows, Return."""
    open_menu(desktop, at)
    for place, key in enumerate(keys):
        if len(key) == 1 and place < len(keys) - 1:
            open_submenu(desktop, key)
        else:
            desktop.key(key)
    wait_for("the end of the menu", lambda: menus(desktop) == 0)


def open_submenu(desktop: Desktop, key: str) -> None:
    """Open the submenu of the open menu by its entry's key.

    A key that comes while the menu is drawn for the first time may be lost on a busy machine: press it again.
    """

    before = menus(desktop)

    def pressed() -> bool:
        if menus(desktop) == before:
            desktop.key(key)
            with contextlib.suppress(AssertionError):
                wait_for("the menu within", lambda: menus(desktop) > before, 20)
        return menus(desktop) > before

    wait_for("the menu within", pressed)


def ready_to_click(pet: Running, title: str) -> Box:
    """Return the pet's window once its picture is shown and takes clicks."""
    desktop, window = pet.desktop, pet.window(title)
    wait_for("the outline", lambda: outline_of(desktop, window) not in ([], [whole(desktop.box(window))]))
    return desktop.box(window)


def outline_of(desktop: Desktop, window: int, *, cut: bool = False) -> list[Box]:
    """Return the rectangles that take clicks; ``cut``: those that are painted."""
    from Xlib.ext import shape

    with desktop.connection() as server:
        found = server.create_resource_object("window", window).shape_get_rectangles(
            shape.SK.Bounding if cut else shape.SK.Input
        )
        return [Box(rect.x, rect.y, rect.width, rect.height) for rect in found.rectangles]


def whole(box: Box) -> Box:
    return Box(0, 0, box.width, box.height)
