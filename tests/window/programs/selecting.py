"""Another program with a selected text: ``python -m tests.window.programs.selecting MODE TEXT``.

``plain`` gives the text at once, ``pieces`` a thousand times and piecemeal (INCR), ``silent`` answers nobody. It
prints a line once it has the selection.
"""

from __future__ import annotations

import sys
from typing import Any

from Xlib import X, Xatom, display
from Xlib.protocol import event


def main() -> None:
    mode, text = sys.argv[1], sys.argv[2].encode()
    connection = display.Display()
    window = connection.screen().root.create_window(0, 0, 1, 1, 0, X.CopyFromParent)
    window.set_selection_owner(Xatom.PRIMARY, X.CurrentTime)
    connection.sync()
    print("selected", flush=True)
    utf8, pieces = connection.intern_atom("UTF8_STRING"), connection.intern_atom("INCR")
    left: list[bytes] = []
    while True:
        asked: Any = connection.next_event()
        if asked.type == X.SelectionRequest and mode != "silent":
            if mode == "pieces":
                left = [text] * 1_000
                asked.requestor.change_attributes(event_mask=X.PropertyChangeMask)
                asked.requestor.change_property(asked.property, pieces, 32, [len(text) * 1_000])
            else:
                asked.requestor.change_property(asked.property, utf8, 8, text)
            told = event.SelectionNotify(
                time=asked.time,
                requestor=asked.requestor,
                selection=asked.selection,
                target=asked.target,
                property=asked.property,
            )
            asked.requestor.send_event(told)
        elif asked.type == X.PropertyNotify and asked.state == X.PropertyDelete and mode == "pieces":
            asked.window.change_property(asked.atom, utf8, 8, left.pop() if left else b"")
        connection.flush()


if __name__ == "__main__":
    main()
