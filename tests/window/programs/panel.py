"""A panel along a part of the lower or upper edge: ``python -m tests.window.programs.panel X WIDTH DEPTH [top]``."""

from __future__ import annotations

import sys

from Xlib import X, Xatom, display


def main() -> None:
    x, width, depth = map(int, sys.argv[1:4])
    connection = display.Display()
    screen = connection.screen()
    at_top = sys.argv[4:] == ["top"]
    y = 0 if at_top else screen.height_in_pixels - depth
    panel = screen.root.create_window(x, y, width, depth, 0, screen.root_depth, background_pixel=0x303030)
    atom = connection.intern_atom
    panel.set_wm_name("Panel")
    panel.change_property(atom("_NET_WM_WINDOW_TYPE"), Xatom.ATOM, 32, [atom("_NET_WM_WINDOW_TYPE_DOCK")])
    upper, lower = ((depth, x, x + width - 1), (0, 0, 0))[:: 1 if at_top else -1]
    strut = [0, 0, upper[0], lower[0], 0, 0, 0, 0, *upper[1:], *lower[1:]]
    panel.change_property(atom("_NET_WM_STRUT_PARTIAL"), Xatom.CARDINAL, 32, strut)
    panel.set_wm_normal_hints({"flags": 1 << 2, "x": x, "y": y})
    panel.map()
    connection.sync()
    while True:
        if connection.next_event().type == X.DestroyNotify:
            return


if __name__ == "__main__":
    main()
