"""Cut texts between characters, and fit files to the prompt's budget. Pure.

Order of the cuts: MEMORY first, then USER, then the owner's optional files, SOUL last; none below a tenth of the file
limit while another has more.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial

from pet.model import OPTIONAL_FILES, CoreFile
from pet.prompt.fence import escape
from pet.text.token_estimate import estimate_tokens

UNKNOWN_WINDOW = 32_000
"""Tokens assumed if the model's context window is unknown."""

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


_GIVING_WAY = (CoreFile.MEMORY, CoreFile.USER, *reversed(OPTIONAL_FILES), CoreFile.SOUL)
_CORE = tuple(CoreFile)

Marker = Callable[[str, Gap], str]
"""Function that returns the line for the part of the named file that was cut."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptLimits:
    """Limits of the prompt in characters. ``window``: the model's context in tokens, 0 if unknown."""

    file_characters: int = 20_000
    total_characters: int = 150_000
    window: int = 0


@dataclass(frozen=True, slots=True)
class Fitted:
    """A file's text as it enters the prompt. ``cut``: characters left out."""

    text: str
    cut: int
    tokens: int


def fit_to_budget(files: Mapping[str, str], limits: PromptLimits, fixed: int, marker: Marker) -> dict[str, Fitted]:
    """Return the files' texts, escaped and cut. ``fixed``: characters of the prompt outside files."""
    fitting = _Fitting(files, limits.file_characters, marker)
    third = (limits.window or UNKNOWN_WINDOW) // 3
    fitting.shrink(_CORE, estimate_tokens, third)
    fitting.shrink(_GIVING_WAY, len, max(0, limits.total_characters - fixed))
    return fitting.fitted


class _Fitting:
    def __init__(self, files: Mapping[str, str], limit: int, marker: Marker) -> None:
        self._files = files
        self._floor = limit // 10
        self._marker = marker
        self.fitted = {name: self._cut(name, limit) for name in files}

    def shrink(self, among: tuple[str, ...], measure: Callable[[str], int], most: int) -> None:
        """Cut files until those among ``among`` measure at most ``most`` together."""
        order = [name for name in _GIVING_WAY if name in among and name in self.fitted]
        for floor in (self._floor, 0):
            for name in order:
                others = sum(measure(self.fitted[other].text) for other in order if other != name)
                self._shrink_one(name, measure, max(0, most - others), floor)

    def _shrink_one(self, name: str, measure: Callable[[str], int], most: int, floor: int) -> None:
        size = len(self.fitted[name].text)
        while size > floor and (now := measure(self.fitted[name].text)) > most:
            # In proportion first, then in steps that must end: tokens are not spread evenly over a text.
            size = max(floor, min(size * most // now, size * 19 // 20, size - 1))
            self.fitted[name] = self._cut(name, size)

    def _cut(self, name: str, limit: int) -> Fitted:
        done = truncate(self._files[name], limit, partial(self._marker, name), escape)
        return Fitted(done.text, done.cut, estimate_tokens(done.text))
