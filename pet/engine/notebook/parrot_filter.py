"""Filter of a reply stream: lines that repeat what the program put beside the message are not shown. Pure.

A small model may answer with the bracketed context, with tags, or with the text of a call. Text is held back only
while the line it begins could still become such a line.
"""

from __future__ import annotations

from collections.abc import Iterable

_STARTS = ("[20", "<pet-", "</pet-", "```", '{"name"', '{"is"', "{'name'", "[mood")
_LABELS = ("owner:", "owner：", "主人:", "主人：", "assistant:")
"""As the notes begin, and put before a reply: they go, and what follows is shown."""


class ParrotFilter:
    """``feed`` each piece, then ``finish``. ``context``: the lines that were put beside the messages; ``openings``:
    how such lines begin."""

    def __init__(self, context: Iterable[str], openings: Iterable[str] = ()) -> None:
        self._starts = (*_STARTS, *(each.casefold() for each in openings))
        self._lines = frozenset(line.strip() for line in context if line.strip())
        self._held = ""  # of a line whose fate is open
        self._passing = False  # the rest of this line is let through
        self._dropping = False  # the rest of this line is left out
        self._labelled = False  # a label was taken from this line
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
        self._held = self._without_label(self._held + piece)
        held = self._held
        if self._is_parroted(held):
            self._held, self.dropped, self._dropping = "", True, not ends
            return ""
        if ends or not self._may_become(held):
            self._held, self._passing, self._labelled = "", not ends, False
            return held
        return ""

    def _without_label(self, held: str) -> str:
        line = held.lstrip()
        label = next((each for each in _LABELS if line.casefold().startswith(each)), "")
        if label:
            self.dropped = self._labelled = True
            line = line[len(label) :]
        return line.lstrip(" ") if self._labelled else held

    def _is_parroted(self, held: str) -> bool:
        line = held.strip()
        return line.casefold().startswith(self._starts) or line in self._lines

    def _may_become(self, held: str) -> bool:
        line = held.lstrip()
        if not line:
            return True
        low = line.casefold()
        return any(start.startswith(low) for start in (*self._starts, *_LABELS)) or any(
            each.startswith(line) for each in self._lines
        )
