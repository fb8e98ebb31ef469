"""Another program that can fill the screen: ``python -m tests.window.programs.film [TITLE]``.

Told on its input: ``on`` and ``off``, or ``at X Y`` for where its window stands.
"""

from __future__ import annotations

import sys

from Xlib import X, display
from Xlib.protocol import event


def main() -> None:
    connection = display.Display()
    screen = connection.screen()
    root = screen.root
    window = root.create_window(0, 0, 400, 300, 0, screen.root_depth, background_pixel=0x202060)
    window.set_wm_name(sys.argv[1] if len(sys.argv) > 1 else "Film")
    hints = {"flags": 1 << 2, "x": 0, "y": 0}  # it chooses its place itself
    window.set_wm_normal_hints(hints)
    window.map()
    connection.sync()
    state, full = connection.intern_atom("_NET_WM_STATE"), connection.intern_atom("_NET_WM_STATE_FULLSCREEN")
    for line in sys.stdin:
        if line.startswith("at "):
            x, y = map(int, line.split()[1:])
            window.configure(x=x, y=y)
            connection.sync()
            continue
        wish = event.ClientMessage(
            window=window, client_type=state, data=(32, [int(line.strip() == "on"), full, 0, 1, 0])
        )
        root.send_event(wish, event_mask=X.SubstructureRedirectMask | X.SubstructureNotifyMask)
        connection.sync()


if __name__ == "__main__":
    main()
