"""Detect a lost update: a text saved by another program on top of an older version than the last one. Pure.

A stale editor writes back what it had loaded plus its own changes, so its text is nearer to that older version than
to the newest. The caller reports the overwritten version to the owner.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

from pet.model import MISSING, Author, Version
from pet.workspace.history.file_history import HistoryEntry

_LOOK_BACK = 12


def detect_lost_update(
    data: bytes | None, entries: Sequence[HistoryEntry], bytes_of: Callable[[Version], bytes | None]
) -> str | None:
    """Return the id of our newest version that ``data`` overwrote unknowingly, or None.

    ``data`` is nearer to a version before it than to the newest.
    """
    if data is None or not entries:
        return None
    here = _lines(data)
    recent = entries[-_LOOK_BACK:]
    nearest = _distance(here, bytes_of(recent[-1].after))
    if nearest is None:
        return None
    base = None
    for at in range(len(recent) - 1, -1, -1):
        older = bytes_of(recent[at].before)
        to_older = _distance(here, older)
        # Without this, a rewritten text would be near to any short version.
        if to_older is not None and to_older < nearest and _kept_half(here, older):
            nearest, base = to_older, at
    if base is None or recent[base].before == MISSING:
        return None
    ours = [entry for entry in recent[base:] if entry.author is not Author.OUTSIDE and entry.after != entry.before]
    return ours[-1].id if ours else None


def _distance(here: Counter[bytes], other: bytes | None) -> int | None:
    if other is None:
        return None
    there = _lines(other)
    return (here - there).total() + (there - here).total()


def _kept_half(here: Counter[bytes], other: bytes | None) -> bool:
    there = _lines(other or b"")
    return 2 * (here & there).total() >= there.total()


def _lines(data: bytes) -> Counter[bytes]:
    return Counter(line.strip() for line in data.splitlines() if line.strip())
