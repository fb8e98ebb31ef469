"""Another skin from the menu is put on at once, and the tray shows the pet in it."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from Xlib import X

from pet.skins.model import BODIES
from tests.extras.skins.drawing import as_bytes, draw_sheet, put_skin
from tests.support.desktop.xvfb import BACKGROUND, Desktop, open_desktop, selection_owned, start_pet, wait_for
from tests.support.files import write_files
from tests.support.pet_windows.menus import choose, ready_to_click
from tests.support.pet_windows.windows import CHAT, PET

pytestmark = pytest.mark.window

COMMAND = (sys.executable, "-m", "tests.window.programs.worn_pet")


def test_a_skin_from_the_menu_is_worn_and_shown_in_the_tray(tmp_path: Path, shots: Path) -> None:
    home = tmp_path / "home"
    put_skin(home / "data" / "skins" / "blot", as_bytes(draw_sheet(version=2)))
    with open_desktop() as other:
        other.spawn(sys.executable, "-m", "tests.support.desktop.tray")
        wait_for("the tray", lambda: selection_owned(other, "_NET_SYSTEM_TRAY_S0"))
        with start_pet(other, home, command=COMMAND, debug=False) as pet:
            box = ready_to_click(pet, "Soulpet")
            wait_for("the icon", lambda: other.pixel(16, 20) not in ("#ffffff", BACKGROUND))
            assert not blotted(other)
            choose(other, box.centre, "e", "k", *["Down"] * len(BODIES), "Return")  # it comes after our own
            wait_for("the picture in the tray", lambda: blotted(other))
            wait_for("the icon of its window", lambda: pink(*window_icon(other, pet.window("Soulpet"))))
            other.screenshot(shots / "tray-skin.png")
            choose(other, box.centre, "e", "k", "Return")  # the first of our own
            wait_for("the drawn one in the tray", lambda: not blotted(other))
            wait_for("the icon of before", lambda: not pink(*window_icon(other, pet.window("Soulpet"))))


def test_without_a_tray_the_windows_show_the_pet_in_its_body(tmp_path: Path) -> None:
    home = tmp_path / "home"
    put_skin(home / "data" / "skins" / "blot", as_bytes(draw_sheet(version=2)))
    write_files(home / "data" / "pets" / "pet", {"pet.toml": 'skin = "blot"\n'})
    with open_desktop() as other, start_pet(other, home, debug=False) as pet:
        wait_for("the icon of its window", lambda: pink(*window_icon(other, pet.window(PET))))
        other.double_click(ready_to_click(pet, PET))
        wait_for("the icon of its chat", lambda: pink(*window_icon(other, pet.window(CHAT))))


def blotted(desktop: Desktop) -> bool:
    """Whether there is something of the blot's colour in the icon."""
    out = desktop.run_bytes("import", "-window", "root", "-crop", "32x32+0+0", "+repage", "-depth", "8", "rgb:-")
    return pink(*(out[at : at + 3] for at in range(0, len(out), 3)))


def pink(*pixels: bytes) -> bool:
    return any(red > 150 and green < 60 and 50 < blue < 140 for red, green, blue in pixels)


def window_icon(desktop: Desktop, window: int) -> list[bytes]:
    """Return the pixels of a window's icon in all its sizes."""
    with desktop.connection() as server:
        name = server.intern_atom("_NET_WM_ICON")
        icon = server.create_resource_object("window", window).get_full_property(name, X.AnyPropertyType)
    return [int(pixel).to_bytes(4, "big")[1:] for pixel in icon.value] if icon else []
