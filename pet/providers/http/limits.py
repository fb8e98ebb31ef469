"""Size limits of a model server's response, for every protocol. Pure.

Error bodies are truncated at their limit; past any other one ReplyTooLarge is raised.
"""

from __future__ import annotations

MAX_STREAM = 64 * 1024 * 1024
"""Bytes of one streamed response, decompressed."""
MAX_EVENT = 4 * 1024 * 1024
"""Bytes of one event, and of a JSON response."""
MAX_ERROR = 64 * 1024
"""Bytes of an error body; the rest is not read."""
MAX_REPLY = 2_000_000
"""Characters of one reply: text, thinking and tool arguments together."""
MAX_BLOCKS = 1_000
"""Blocks, tool calls or details of one reply."""


class ReplyTooLarge(ValueError):
    """The server's response exceeds a limit."""


class ReplySize:
    """Size of one reply so far."""

    def __init__(self) -> None:
        self._characters = 0
        self._blocks = 0

    def add_text(self, *texts: str) -> None:
        """Raises ReplyTooLarge."""
        self._characters += sum(map(len, texts))
        if self._characters > MAX_REPLY:
            raise ReplyTooLarge

    def add_block(self, count: int = 1) -> None:
        """Raises ReplyTooLarge."""
        self._blocks += count
        if self._blocks > MAX_BLOCKS:
            raise ReplyTooLarge


class EventMeter:
    """Limits the length of events in a byte stream that arrives in pieces of any size."""

    def __init__(self) -> None:
        self._length = 0
        self._tail = b""

    def add(self, data: bytes) -> None:
        """Raises ReplyTooLarge."""
        joined = self._tail + data
        end = max(at + len(mark) if (at := joined.rfind(mark)) >= 0 else 0 for mark in _EVENT_ENDS)
        self._length = len(joined) - end if end else self._length + len(data)
        self._tail = joined[-3:]
        if self._length > MAX_EVENT:
            raise ReplyTooLarge


_EVENT_ENDS = (b"\n\n", b"\n\r\n", b"\r\r")
