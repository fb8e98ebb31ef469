"""Line diff, three-way merge, and lines lost by a change, with bounded work. Pure.

A merge succeeds only if the two changes neither overlap nor touch; otherwise it returns None and a person decides.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Literal

Block = tuple[int, int, int]
"""Equal lines: index in the old text, index in the new one, length."""

_WORK = 600_000
"""Steps per pair of texts; about 0.1 s."""
_MOST_LINES = 40_000
"""Maximum lines of both texts between common head and tail: of more, finding unique ones alone exceeds ``_WORK``."""
_MOST_CHANGES = 300
"""Maximum differing lines for the search without unique lines."""


def matching_blocks(old: list[str], new: list[str]) -> list[Block]:
    """Return the common blocks in order."""
    head = 0
    while head < len(old) and head < len(new) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < len(old) - head and tail < len(new) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    middle = _Matcher().match(old[head : len(old) - tail], new[head : len(new) - tail])
    blocks = [(0, 0, head)] if head else []
    blocks += [(a + head, b + head, size) for a, b, size in middle]
    return [*blocks, (len(old) - tail, len(new) - tail, tail)] if tail else blocks


class _Matcher:
    def __init__(self) -> None:
        self._left = _WORK

    def match(self, old: list[str], new: list[str]) -> list[Block]:
        if len(old) + len(new) > _MOST_LINES:
            return _blocks(self._unanchored(old, new))
        in_old, in_new = Counter(old), Counter(new)
        if self._affordable(in_old, in_new, min(len(old), len(new))):
            return _by_difflib(old, new)
        old_places = [at for at, line in enumerate(old) if line in in_new]
        new_places = [at for at, line in enumerate(new) if line in in_old]
        pairs = self._pairs([old[at] for at in old_places], [new[at] for at in new_places])
        return _blocks([(old_places[a], new_places[b]) for a, b in pairs])

    def _affordable(self, in_old: Counter[str], in_new: Counter[str], shorter: int) -> bool:
        """Whether difflib fits the budget; if so, deducts its cost."""
        if len(in_new) < len(in_old):
            in_old, in_new = in_new, in_old
        cost = sum(count * in_new[line] for line, count in in_old.items() if line in in_new) * shorter
        if cost > self._left:
            return False
        self._left -= cost
        return True

    def _pairs(self, old: list[str], new: list[str]) -> list[tuple[int, int]]:
        """Return positions of equal lines, increasing in both texts."""
        if not old or not new:
            return []
        in_old, in_new = Counter(old), Counter(new)
        where = {line: at for at, line in enumerate(new) if in_new[line] == 1}
        anchors = _rising([(at, where[line]) for at, line in enumerate(old) if in_old[line] == 1 and line in where])
        if not anchors:
            return self._unanchored(old, new)
        pairs: list[tuple[int, int]] = []
        for (a, b), (next_a, next_b) in pairwise([(-1, -1), *anchors, (len(old), len(new))]):
            if a >= 0:
                pairs.append((a, b))
            if next_a > a + 1 and next_b > b + 1:
                inside = self._gap(old[a + 1 : next_a], new[b + 1 : next_b])
                pairs += [(a + 1 + x, b + 1 + y) for x, y in inside]
        return pairs

    def _gap(self, old: list[str], new: list[str]) -> list[tuple[int, int]]:
        if self._affordable(Counter(old), Counter(new), min(len(old), len(new))):
            return [(a + step, b + step) for a, b, size in _by_difflib(old, new) for step in range(size)]
        return self._unanchored(old, new)

    def _unanchored(self, old: list[str], new: list[str]) -> list[tuple[int, int]]:
        """Return the shortest edit path if few lines differ, otherwise no common lines."""
        reached = {1: 0}
        trail: list[dict[int, int]] = []
        for changes in range(min(_MOST_CHANGES, len(old) + len(new)) + 1):
            trail.append(dict(reached))
            for diagonal in range(-changes, changes + 1, 2):
                down = diagonal == -changes or (
                    diagonal != changes and reached.get(diagonal - 1, -1) < reached.get(diagonal + 1, -1)
                )
                at = start = reached[diagonal + 1] if down else reached[diagonal - 1] + 1
                while at < len(old) and 0 <= at - diagonal < len(new) and old[at] == new[at - diagonal]:
                    at += 1
                reached[diagonal] = at
                self._left -= 2 + at - start
                if at >= len(old) and at - diagonal >= len(new):
                    return _walk_back(trail, len(old), len(new))
            if self._left < 0:
                break
        return []


def _walk_back(trail: list[dict[int, int]], old_at: int, new_at: int) -> list[tuple[int, int]]:
    pairs: list[tuple[int, int]] = []
    for changes in range(len(trail) - 1, -1, -1):
        reached, diagonal = trail[changes], old_at - new_at
        down = diagonal == -changes or (
            diagonal != changes and reached.get(diagonal - 1, -1) < reached.get(diagonal + 1, -1)
        )
        before = diagonal + 1 if down else diagonal - 1
        before_old = reached[before]
        start = before_old if down else before_old + 1
        while old_at > max(start, 0):
            old_at, new_at = old_at - 1, new_at - 1
            pairs.append((old_at, new_at))
        old_at, new_at = before_old, before_old - before
    return pairs[::-1]


def _by_difflib(old: list[str], new: list[str]) -> list[Block]:
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return [(a, b, size) for a, b, size in matcher.get_matching_blocks() if size]


def _rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest subsequence increasing in both; the first elements are sorted already."""
    ends: list[int] = []  # smallest second element ending a run of this length
    last_indices: list[int] = []
    before: list[int] = []
    for index, (_, second) in enumerate(pairs):
        length = bisect_left(ends, second)
        before.append(last_indices[length - 1] if length else -1)
        if length == len(ends):
            ends.append(second)
            last_indices.append(index)
        else:
            ends[length], last_indices[length] = second, index
    run: list[tuple[int, int]] = []
    at = last_indices[-1] if last_indices else -1
    while at >= 0:
        run.append(pairs[at])
        at = before[at]
    return run[::-1]


def _blocks(pairs: list[tuple[int, int]]) -> list[Block]:
    blocks: list[Block] = []
    for a, b in pairs:
        if blocks and (blocks[-1][0] + blocks[-1][2], blocks[-1][1] + blocks[-1][2]) == (a, b):
            blocks[-1] = (blocks[-1][0], blocks[-1][1], blocks[-1][2] + 1)
        else:
            blocks.append((a, b, 1))
    return blocks


Opcode = tuple[int, int, int, int]
"""Old lines [start, end) became new lines [start, end); 0-based."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffLine:
    """One line of a diff; line numbers are 1-based, None in the text that lacks the line."""

    kind: Literal["same", "added", "removed"]
    text: str
    old_line: int | None
    new_line: int | None


def changes(old: list[str], new: list[str]) -> list[Opcode]:
    """Return the opcodes of lines that differ."""
    opcodes: list[Opcode] = []
    old_at = new_at = 0
    for block_old, block_new, size in [*matching_blocks(old, new), (len(old), len(new), 0)]:
        if block_old > old_at or block_new > new_at:
            opcodes.append((old_at, block_old, new_at, block_new))
        old_at, new_at = block_old + size, block_new + size
    return opcodes


def diff_lines(old: str, new: str) -> list[DiffLine]:
    """Return the full diff of both texts, unchanged lines included."""
    before, after = _lines(old), _lines(new)
    diff: list[DiffLine] = []
    old_at = new_at = 0
    for old_from, old_to, new_from, new_to in [
        *changes(before, after),
        (len(before), len(before), len(after), len(after)),
    ]:
        for step in range(old_from - old_at):
            line = before[old_at + step]
            diff.append(DiffLine(kind="same", text=line, old_line=old_at + step + 1, new_line=new_at + step + 1))
        diff += [
            DiffLine(kind="removed", text=before[n], old_line=n + 1, new_line=None) for n in range(old_from, old_to)
        ]
        diff += [
            DiffLine(kind="added", text=after[n], old_line=None, new_line=n + 1) for n in range(new_from, new_to)
        ]
        old_at, new_at = old_to, new_to
    return diff


def count_changes(old: str, new: str) -> tuple[int, int]:
    """Return the numbers of lines added and removed, as shown in a receipt."""
    opcodes = changes(_lines(old), _lines(new))
    return sum(to - start for _, _, start, to in opcodes), sum(to - start for start, to, _, _ in opcodes)


def merge3(base: str, ours: str, theirs: str) -> str | None:
    """Merge both changes of ``base``; None if they overlap or touch.

    >>> merge3("a\\nb\\nc\\n", "A\\nb\\nc\\n", "a\\nb\\nC\\n")
    'A\\nb\\nC\\n'
    """
    base_lines, our_lines, their_lines = (text.splitlines(keepends=True) for text in (base, ours, theirs))
    our_edits = [(a, b, tuple(our_lines[c:d])) for a, b, c, d in changes(base_lines, our_lines)]
    their_edits = [(a, b, tuple(their_lines[c:d])) for a, b, c, d in changes(base_lines, their_lines)]
    edits = sorted({*our_edits, *their_edits})
    for (_, end, _), (start, _, _) in pairwise(edits):
        if start <= end:
            return None
    merged: list[str] = []
    at = 0
    for start, end, lines in edits:
        merged += [*base_lines[at:start], *lines]
        at = end
    return "".join([*merged, *base_lines[at:]])


def remove_block(before: str, after: str, now: str) -> str | None:
    """Return ``now`` without the lines ``after`` added to ``before``; None unless they occur unchanged exactly once.

    A log grows at its end, so later entries touch earlier ones and a merge would not revert them. The title of a new
    file is kept, since other entries may follow it.
    """
    old, new = (text.splitlines(keepends=True) for text in (before, after))
    opcodes = changes(old, new)
    if len(opcodes) != 1 or opcodes[0][0] != opcodes[0][1]:
        return None
    added = new[opcodes[0][2] : opcodes[0][3]]
    if not old:
        added = added[1:] if added[0].startswith("# ") else []
    block, text = "\n" + "".join(added), "\n" + now
    at = text.find(block)
    ends_line = block.endswith("\n") or at + len(block) == len(text)
    if at < 0 or not ends_line or text.find(block, at + 1) >= 0 or not block.strip():
        return None
    return now[:at] + now[at + len(block) - 1 :]


def restore_block(before: str, after: str, now: str) -> str | None:
    """Return ``now`` with the last lines of ``before`` that ``after`` lacks; None if present or without a place.

    The inverse of ``remove_block``. They go where they were if ``now`` still begins with ``after``; otherwise a
    section with a heading, such as an entry of a log, goes to the end.
    """
    title = before[: before.find("\n") + 1] if before.startswith("# ") else ""
    stem = after or title
    block = before[len(stem) :]
    if (
        not (stem.endswith("\n") and before.startswith(stem) and block.endswith("\n") and block.strip())
        or block in now
    ):
        return None
    if now.startswith(stem):
        return stem + block + now[len(stem) :]
    rest = now or title
    return rest + block if rest.endswith("\n") and block.lstrip("\n").startswith("## ") else None


def _lines(text: str) -> list[str]:
    """Split without the empty piece after a final newline."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return lines[:-1] if not lines[-1] else lines


_MARK = re.compile(r"^(?:[-*+•·>#]+|\d{1,3}[.)\u3001\uff0e]|\[[ xX]?\])")
_SPACE = re.compile(r"\s+")


def dropped_line_count(start: str, after: str) -> int:
    """Return how many non-empty lines of ``start`` are neither in ``after`` nor replaced by a new line.

    If a block of lines is replaced by fewer new ones, the difference counts as dropped.
    """
    old, new = _bare_lines(start), _bare_lines(after)
    new_text, old_set = "\n".join(new), set(old)
    dropped = 0
    for first, last, new_first, new_last in changes(old, new):
        missing = sum(line not in new_text for line in old[first:last])
        added = sum(line not in old_set for line in new[new_first:new_last])
        dropped += max(0, missing - added)
    return dropped


def dropped_line_ratio(start: str, after: str) -> float:
    """Return ``dropped_line_count`` as a share of the non-empty lines of ``start``: 0.0 to 1.0."""
    lines = len(_bare_lines(start))
    return dropped_line_count(start, after) / lines if lines else 0.0


def _bare_lines(text: str) -> list[str]:
    return [bare for bare in map(_bare, text.splitlines()) if bare]


def _bare(line: str) -> str:
    """Strip white space (U+3000 and NBSP too) and list, quote and heading markers."""
    text = _SPACE.sub("", line)
    while (shorter := _MARK.sub("", text)) != text:
        text = shorter
    return text
