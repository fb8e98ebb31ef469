"""Files cut into pieces of about the same size, the way the seeds did it: a setting, not the shipped way; pure.

Owns those pieces. Refuses to cut inside a line that fits: lines are what a hit names.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pet.memory.daily_log import log_day
from pet.memory.entries import Entry, count_tokens, filled_to, overlapped, split_long


def split_windows(path: str, lines: Sequence[str], first_line: int, tokens: int, overlap: int) -> Iterator[Entry]:
    """Pieces of whole lines with at most ``tokens`` each, of which the next repeats about the last ``overlap``."""
    costs = [count_tokens(line) + 1 for line in lines]
    overlap = min(overlap, tokens // 2)  # else a piece would bring nothing new
    begin = 0
    while begin < len(lines):
        end = filled_to(begin, costs, tokens)
        yield from _piece(path, lines[begin:end], first_line + begin, tokens, overlap)
        if end >= len(lines):
            return
        begin = overlapped(begin, end, costs, overlap)


def _piece(path: str, lines: Sequence[str], first: int, tokens: int, overlap: int) -> Iterator[Entry]:
    filled = [number for number, line in enumerate(lines) if line.strip()]
    if not filled:
        return
    start, end = filled[0], filled[-1]
    entry = Entry(
        path=path,
        start_line=first + start,
        end_line=first + end,
        day=log_day(path),
        due=None,
        heading="",
        text="\n".join(lines[start : end + 1]),
    )
    if start == end:  # a single line may be longer than a piece
        yield from (
            replace(part, start_line=first + start, end_line=first + end)
            for part in split_long(entry, tokens, overlap)
        )
    else:
        yield entry
