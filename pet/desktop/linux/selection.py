"""The text selected or copied in another program (the X server's PRIMARY or CLIPBOARD), bounded in size and time.

Uses a separate connection: Qt's clipboard waits for seconds for an owner that hangs, and takes what it gets whole.
"""

from __future__ import annotations

import select
import threading
from contextlib import suppress
from time import monotonic
from typing import Any

from Xlib import X, Xatom, error

from pet.desktop.linux.x11_server import XConnection
from pet.desktop.platform import MOST_SELECTED
from pet.services.desktop_port import Selection

_SECONDS = 0.2


class SelectionReader:
    """Reads on one connection, which is kept: opening takes twenty times as long as asking. From any thread."""

    def __init__(self) -> None:
        self._turn = threading.Lock()
        self._connection: XConnection | None = None

    def read(self, seconds: float = _SECONDS, *, copied: bool = False) -> Selection:
        """Return the selected or the ``copied`` text; none without one, or if its owner doesn't answer in time."""
        with self._turn:
            try:
                data, cut = self._ask(monotonic() + seconds, copied)
            except (error.ConnectionClosedError, error.DisplayError, error.XError, OSError):
                self._close()
                return Selection(copied=copied)
        return Selection(text=data.decode("utf-8", "ignore"), cut=cut, copied=copied)

    def _ask(self, ends: float, copied: bool) -> tuple[bytes, bool]:
        if self._connection is None:
            self._connection = XConnection()
            self._connection.set_error_handler(lambda *_: None)
        selection = self._connection.get_atom("CLIPBOARD") if copied else Xatom.PRIMARY
        return _Transfer(self._connection, selection, ends).run()

    def _close(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(error.ConnectionClosedError, OSError):
                connection.close()


class _Transfer:
    """One conversion of the selection, as the ICCCM has it: whole, or in pieces (INCR)."""

    def __init__(self, connection: Any, selection: int, ends: float) -> None:
        self._display = connection
        self._selection = selection
        self._ends = ends
        root = connection.screen().root
        self._window = root.create_window(0, 0, 1, 1, 0, X.CopyFromParent, event_mask=X.PropertyChangeMask)
        self._place = connection.get_atom("SOULPET_SELECTION")

    def run(self) -> tuple[bytes, bool]:
        """Return the UTF-8 bytes, and whether there were more."""
        try:
            return self._run()
        finally:
            self._window.destroy()

    def _run(self) -> tuple[bytes, bool]:
        utf8, pieces = self._display.get_atom("UTF8_STRING"), self._display.get_atom("INCR")
        self._window.convert_selection(self._selection, utf8, self._place, X.CurrentTime)
        event = self._next(X.SelectionNotify, "requestor")
        if event is None or event.property == X.NONE:
            return b"", False
        kind, data, more = self._take()
        if kind != pieces:
            return data, more
        data = b""
        while len(data) < MOST_SELECTED:
            event = self._next(X.PropertyNotify, "window")
            if event is None:
                return data, True  # the owner is slow: the rest is left
            if event.atom == self._place and event.state == X.PropertyNewValue:
                _, piece, more = self._take()
                if not piece:
                    return data, False
                data += piece
        return data[:MOST_SELECTED], True

    def _take(self) -> tuple[int, bytes, bool]:
        """Return the property's type, its bytes up to the limit, and whether it has more; delete it."""
        prop = self._window.get_property(self._place, X.AnyPropertyType, 0, MOST_SELECTED // 4)
        self._window.delete_property(self._place)
        if prop is None:
            return X.NONE, b"", False
        data = prop.value if isinstance(prop.value, bytes) else b""
        return prop.property_type, data, prop.bytes_after > 0

    def _next(self, kind: int, of: str) -> Any:
        """Return this transfer's next event of a kind; None once the time is over. ``of``: names its window."""
        while True:
            while self._display.pending_events():
                event = self._display.next_event()
                if event.type == kind and getattr(event, of).id == self._window.id:
                    return event
            left = self._ends - monotonic()
            ready = left > 0 and select.select([self._display.fileno()], [], [], left)[0]
            if not ready:
                return None
