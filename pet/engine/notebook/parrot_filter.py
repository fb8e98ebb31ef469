"""Filter of a reply stream: lines that repeat what the program put beside the message are not shown. Pure.

A small model may answer with the bracketed context, with tags, or with the text of a call. Text is held back only
while the line it begins could still become such a line.
"""

from __future__ import annotations

from collections.abc import Iterable

_STARTS = ("[20", "<pet-", "</pet-", "```", '{"name"', '{"is"', "{'name'", "[mood", "[today is", "[今天是")
_LONGEST = max(map(len, _STARTS))


class ParrotFilter:
    """``feed`` each piece, then ``finish``. ``context``: the lines that were put beside the messages."""

    def __init__(self, context: Iterable[str]) -> None:
        self._lines = frozenset(line.strip() for line in context if line.strip())
        self._held = ""  # of a line whose fate is open
        self._passing = False  # the rest of this line is let through
        self._dropping = False  # the rest of this line is left out
        self.dropped = False
        self.spoke = False

    def feed(self, text: str) -> str:
        """What may be shown now."""
        shown = "".join(self._piece(piece) for piece in text.splitlines(keepends=True))
        self.spoke = self.spoke or bool(shown.strip())
        return shown if self.spoke else ""

    def finish(self) -> str:
        """What was still held back."""
        held, self._held = self._held, ""
        if not held or self._dropping or self._is_parroted(held):
            self.dropped = self.dropped or bool(held)
            return ""
        self.spoke = self.spoke or bool(held.strip())
        return held if self.spoke else ""

    def _piece(self, piece: str) -> str:
        ends = piece.endswith("\n")
        if self._dropping:
            self._dropping = not ends
            return ""
        if self._passing:
            self._passing = not ends
            return piece
        self._held += piece
        held = self._held
        if self._is_parroted(held):
            self._held, self.dropped, self._dropping = "", True, not ends
            return ""
        if ends or not self._may_become(held):
            self._held, self._passing = "", not ends
            return held
        return ""

    def _is_parroted(self, held: str) -> bool:
        line = held.strip()
        return line.casefold().startswith(_STARTS) or line in self._lines

    def _may_become(self, held: str) -> bool:
        line = held.lstrip()
        if not line:
            return True
        low = line.casefold()
        return any(start.startswith(low) for start in _STARTS) or any(each.startswith(line) for each in self._lines)
