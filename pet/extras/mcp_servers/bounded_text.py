"""A text encoding that is UTF-8, and ends with an error once a server wrote more than its budget.

The client library reads a server's lines without a limit; the encoding of its text is where one fits in.
"""

from __future__ import annotations

import codecs
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import dataclass, field

NAME = "soulpet_bounded_utf_8"
_MOST = 8 * 1024 * 1024  # bytes


@dataclass(slots=True)
class Budget:
    """``renew`` it with each request. ``on_spent``: called once, on the event loop's thread."""

    on_spent: Callable[[], object]
    left: int = field(default=_MOST)
    spent: bool = False

    def renew(self) -> None:
        self.left = _MOST

    def take(self, count: int) -> None:
        """Raises ValueError."""
        self.left -= count
        if self.left < 0:
            if not self.spent:
                self.spent = True
                self.on_spent()
            raise ValueError("too much")


BUDGET: ContextVar[Budget] = ContextVar("mcp_server_budget")
"""The server whose connection is being made."""

_Utf8 = codecs.getincrementaldecoder("utf-8")


class _Decoder(codecs.IncrementalDecoder):
    def __init__(self, errors: str = "strict") -> None:
        super().__init__(errors)
        self._inner = _Utf8("replace")
        self._budget = BUDGET.get()

    def decode(self, input: object, final: bool = False) -> str:  # noqa: A002  the name of the base class
        assert isinstance(input, bytes)
        self._budget.take(len(input))
        return self._inner.decode(input, final)


def _find(name: str) -> codecs.CodecInfo | None:
    if name != NAME:
        return None
    utf8 = codecs.lookup("utf-8")
    return codecs.CodecInfo(
        encode=utf8.encode,
        decode=utf8.decode,
        incrementaldecoder=_Decoder,
        incrementalencoder=utf8.incrementalencoder,
    )


codecs.register(_find)
