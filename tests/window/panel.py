"""A panel at the lower edge of a part of the screen: ``python -m tests.window.panel X WIDTH DEPTH``."""

from __future__ import annotations

import sys

from Xlib import X, Xatom, display


def main() -> None:
    x, width, depth = map(int, sys.argv[1:4])
    connection = display.Display()
    screen = connection.screen()
    bottom = screen.height_in_pixels
    panel = screen.root.create_window(
        x, bottom - depth, width, depth, 0, screen.root_depth, background_pixel=0x303030
    )
    atom = connection.intern_atom
    panel.set_wm_name("Panel")
    panel.change_property(atom("_NET_WM_WINDOW_TYPE"), Xatom.ATOM, 32, [atom("_NET_WM_WINDOW_TYPE_DOCK")])
    strut = [0, 0, 0, depth, 0, 0, 0, 0, 0, 0, x, x + width - 1]
    panel.change_property(atom("_NET_WM_STRUT_PARTIAL"), Xatom.CARDINAL, 32, strut)
    panel.set_wm_normal_hints({"flags": 1 << 2, "x": x, "y": bottom - depth})
    panel.map()
    connection.sync()
    while True:
        if connection.next_event().type == X.DestroyNotify:
            return


if __name__ == "__main__":
    main()
