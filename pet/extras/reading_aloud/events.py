"""The event of reading aloud."""

from __future__ import annotations

from pet.events import ErrorInfo, Event


class AloudChanged(Event):
    """This reply is being read aloud; "" for both: none. ``error``: why it ended."""

    conversation: str
    turn: str
    error: ErrorInfo | None = None
