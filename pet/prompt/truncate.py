"""Cut a text to a limit: its head, a marker line and its tail. Never splits a grapheme cluster."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass

_MARKER_ROOM = 120  # characters, or a tenth of the limit where that is more
_REACH = 64  # bound on the length of a cluster, against hostile texts


@dataclass(frozen=True, slots=True)
class Gap:
    """Characters left out, and the 1-based lines of the file that hold them."""

    characters: int
    total: int
    first_line: int
    last_line: int


@dataclass(frozen=True, slots=True)
class Cut:
    text: str
    cut: int  # characters of the file that are not in ``text``


def truncate(
    text: str, limit: int, marker: Callable[[Gap], str], clean: Callable[[str], str] = lambda piece: piece
) -> Cut:
    """Return the cleaned text in at most ``limit`` characters: the first 70 %, the marker, the last 20 %."""
    if len(text) <= limit:
        whole = clean(text)
        if len(whole) <= limit:
            return Cut(whole, 0)
    head_end, tail_start = _cuts(text, limit)
    head, tail = clean(text[:head_end]), clean(text[tail_start:])
    # Cleaning may add a few characters: the pieces are shortened by as many.
    head, tail = head[: _before(head, head_end)], tail[_after(tail, len(tail) - (len(text) - tail_start)) :]
    gap = Gap(
        characters=tail_start - head_end,
        total=len(text),
        first_line=text.count("\n", 0, head_end) + 1,
        last_line=text.count("\n", 0, tail_start) + 1,
    )
    line = f"\n{marker(gap)}\n"
    room = limit - len(head) - len(tail)
    if len(line) > room:
        line = "\n…\n" if room >= 3 else ""
    return Cut(head + line + tail, gap.characters)


def characters_cut(text: str, limit: int) -> int:
    """Return how many characters a limit leaves out."""
    if len(text) <= limit:
        return 0
    head_end, tail_start = _cuts(text, limit)
    return tail_start - head_end


def _cuts(text: str, limit: int) -> tuple[int, int]:
    """Return the end of the head and the start of the tail."""
    body = max(0, min(limit * 9 // 10, limit - _MARKER_ROOM)) if limit > 2 * _MARKER_ROOM else max(0, limit) // 2
    body = min(body, len(text))
    head_end = _before(text, body * 7 // 9)
    return head_end, max(head_end, _after(text, len(text) - body * 2 // 9))


def _before(text: str, at: int) -> int:
    """Return the last position up to ``at`` that splits no grapheme cluster."""
    at = max(0, min(at, len(text)))
    for place in range(at, max(-1, at - _REACH), -1):
        if not _joined(text, place):
            return place
    return at


def _after(text: str, at: int) -> int:
    """Return the first position from ``at`` that splits no grapheme cluster."""
    at = max(0, min(at, len(text)))
    for place in range(at, min(len(text), at + _REACH) + 1):
        if not _joined(text, place):
            return place
    return at


def _joined(text: str, at: int) -> bool:
    """Whether the characters on both sides of a position form one grapheme cluster."""
    if at <= 0 or at >= len(text):
        return False
    left, right = text[at - 1], text[at]
    if right.isascii():
        return left == "\r" and right == "\n"
    if left == "\u200d" or right == "\u200d" or unicodedata.category(right) in ("Mn", "Mc", "Me"):
        return True
    if "\U0001f3fb" <= right <= "\U0001f3ff" or "\U000e0020" <= right <= "\U000e007f":  # skin tones, flag tags
        return True
    if "\u1160" <= right <= "\u11ff":  # Hangul vowels and finals in the old way of writing
        return True
    return _is_flag(right) and _flags_before(text, at) % 2 == 1


def _is_flag(char: str) -> bool:
    return "\U0001f1e6" <= char <= "\U0001f1ff"


def _flags_before(text: str, at: int) -> int:
    start = at
    while start > 0 and _is_flag(text[start - 1]):
        start -= 1
    return at - start
