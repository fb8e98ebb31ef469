"""The text selected in another program (the X server's PRIMARY selection), bounded in size and time.

Uses a separate connection: Qt's clipboard waits for seconds for an owner that hangs, and takes what it gets whole.
"""

from __future__ import annotations

import select
from contextlib import suppress
from time import monotonic
from typing import Any

from Xlib import X, Xatom, display, error

from pet.desktop.platform import Selection

MOST_BYTES = 256 * 1024
_SECONDS = 0.2


def read_primary(seconds: float = _SECONDS) -> Selection:
    """Return the selected text; empty if nothing is selected, or its owner doesn't answer in time. Any thread."""
    try:
        connection = display.Display()
    except (error.DisplayError, OSError):
        return Selection()
    try:
        connection.set_error_handler(lambda *_: None)
        data, cut = _Transfer(connection, monotonic() + seconds).run()
        return Selection(text=data.decode("utf-8", "ignore"), cut=cut)
    except (error.ConnectionClosedError, error.XError, OSError):
        return Selection()
    finally:
        with suppress(error.ConnectionClosedError, OSError):
            connection.close()


class _Transfer:
    """One conversion of the selection, as the ICCCM has it: whole, or in pieces (INCR)."""

    def __init__(self, connection: Any, ends: float) -> None:
        self._display = connection
        self._ends = ends
        root = connection.screen().root
        self._window = root.create_window(0, 0, 1, 1, 0, X.CopyFromParent, event_mask=X.PropertyChangeMask)
        self._place = connection.intern_atom("SOULPET_SELECTION")

    def run(self) -> tuple[bytes, bool]:
        """Return the UTF-8 bytes, and whether there were more."""
        utf8, pieces = self._display.intern_atom("UTF8_STRING"), self._display.intern_atom("INCR")
        self._window.convert_selection(Xatom.PRIMARY, utf8, self._place, X.CurrentTime)
        event = self._next(X.SelectionNotify)
        if event is None or event.property == X.NONE:
            return b"", False
        kind, data, more = self._take()
        if kind != pieces:
            return data, more
        data = b""
        while len(data) < MOST_BYTES:
            event = self._next(X.PropertyNotify)
            if event is None:
                return data, True  # the owner is slow: the rest is left
            if event.atom == self._place and event.state == X.PropertyNewValue:
                _, piece, more = self._take()
                if not piece:
                    return data, False
                data += piece
        return data[:MOST_BYTES], True

    def _take(self) -> tuple[int, bytes, bool]:
        """Return the property's type, its bytes up to the limit, and whether it has more; delete it."""
        prop = self._window.get_property(self._place, X.AnyPropertyType, 0, MOST_BYTES // 4)
        self._window.delete_property(self._place)
        if prop is None:
            return X.NONE, b"", False
        data = prop.value if isinstance(prop.value, bytes) else b""
        return prop.property_type, data, prop.bytes_after > 0

    def _next(self, kind: int) -> Any:
        """Return the next event of this kind; None once the time is over."""
        while True:
            while self._display.pending_events():
                event = self._display.next_event()
                if event.type == kind:
                    return event
            left = self._ends - monotonic()
            ready = left > 0 and select.select([self._display.fileno()], [], [], left)[0]
            if not ready:
                return None
