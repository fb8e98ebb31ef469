"""The pet's menu by mouse and keys, on a real desktop."""

from __future__ import annotations

from tests.support.desktop import Box, Desktop, Running, wait_for


def menus(desktop: Desktop) -> int:
    """How many are open: override-redirect, so no window manager lists them."""
    found = 0
    for line in desktop.run("xwininfo", "-root", "-children").splitlines():
        handle = line.split()[0] if line.strip().startswith("0x") else ""
        kind = desktop.prop(handle, "_NET_WM_WINDOW_TYPE") if handle else ""
        shown = "POPUP_MENU" in kind and "IsViewable" in desktop.run("xwininfo", "-id", handle, check=False)
        found += shown
    return found


def open_menu(desktop: Desktop, at: tuple[int, int]) -> None:
    desktop.click(*at, button=3)
    wait_for("the menu", lambda: menus(desktop) == 1)


def choose(desktop: Desktop, at: tuple[int, int], *keys: str) -> None:
    """Opens the menu there and types: the key of an entry, of one that opens a menu of its own, arrows, Return."""
    open_menu(desktop, at)
    for place, key in enumerate(keys):
        desktop.key(key)
        if len(key) == 1 and place < len(keys) - 1:
            wait_for("the menu within", lambda: menus(desktop) == 2)
    wait_for("the end of the menu", lambda: menus(desktop) == 0)


def ready_to_click(pet: Running, title: str) -> Box:
    """The pet's window once its picture is there and takes the clicks, and its page listens to them."""
    desktop, window = pet.desktop, pet.window(title)
    wait_for("the outline", lambda: outline_of(desktop, window) != [whole(desktop.box(window))])
    return desktop.box(window)


def outline_of(desktop: Desktop, window: int) -> list[Box]:
    from Xlib import display
    from Xlib.ext import shape

    connection = display.Display(desktop.display)
    try:
        found = connection.create_resource_object("window", window).shape_get_rectangles(shape.SK.Input)
        return [Box(rect.x, rect.y, rect.width, rect.height) for rect in found.rectangles]
    finally:
        connection.close()


def whole(box: Box) -> Box:
    return Box(0, 0, box.width, box.height)
