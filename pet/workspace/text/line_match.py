"""Common lines of two texts, with bounded work. Pure.

Small differences use difflib, whose blocks read best. Its time is cubic in the number of lines, so larger ones are
first split at lines unique in both texts (patience diff). The rest, and very many lines, are searched for few changes
(Myers, "An O(ND) Difference Algorithm", 1986). When the budget is exhausted, the remainder counts as different: the
diff is then longer than necessary, but correct.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from difflib import SequenceMatcher
from itertools import pairwise

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
