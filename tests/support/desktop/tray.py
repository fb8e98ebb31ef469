"""A system tray of the XEmbed kind: ``python -m tests.support.desktop.tray`` on the display's server.

Shows docked icons side by side in the top left corner, as a panel would.
"""

from __future__ import annotations

from Xlib import X, display
from Xlib.protocol import event

SIZE = 32


def main() -> None:
    server = display.Display()
    screen = server.screen()
    atom = server.intern_atom
    selection = atom(f"_NET_SYSTEM_TRAY_S{server.get_default_screen()}")
    panel = screen.root.create_window(
        0, 0, 8 * SIZE, SIZE, 0, screen.root_depth, background_pixel=screen.white_pixel, override_redirect=True
    )
    panel.map()
    panel.set_selection_owner(selection, X.CurrentTime)
    announce = event.ClientMessage(
        window=screen.root, client_type=atom("MANAGER"), data=(32, [X.CurrentTime, selection, panel.id, 0, 0])
    )
    screen.root.send_event(announce, event_mask=X.StructureNotifyMask)
    server.flush()
    docked = 0
    while True:
        happened = server.next_event()
        is_order = happened.type == X.ClientMessage and happened.client_type == atom("_NET_SYSTEM_TRAY_OPCODE")
        if not is_order or happened.data[1][1] != 0:  # 0: dock this window
            continue
        icon = server.create_resource_object("window", happened.data[1][2])
        icon.reparent(panel, docked * SIZE, 0)
        icon.configure(width=SIZE, height=SIZE)
        embedded = event.ClientMessage(
            window=icon, client_type=atom("_XEMBED"), data=(32, [X.CurrentTime, 0, 0, panel.id, 0])
        )
        icon.send_event(embedded)
        icon.map()
        docked += 1
        server.flush()


if __name__ == "__main__":
    main()
