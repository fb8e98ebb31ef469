"""What leaves MEMORY.md or USER.md when it is nearly full, entry by entry (PRODUCT §6.6); pure.

Owns the order in which entries go and how many. Refuses to rewrite: an entry stays as it is, goes as it is to a
daily log, or is dropped because the same words stay.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from pet.memory.entries import Entry

NEARLY_FULL = 0.8
TIDY = 0.6


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """An entry that goes to the log of a day."""

    entry: Entry
    day: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Tidying:
    """``keeps``: what the file says afterwards. ``dropped``: entries whose very words stay in it."""

    name: str
    day: date
    keeps: str
    moves: tuple[Move, ...] = ()
    dropped: tuple[Entry, ...] = ()


def plan_tidying(text: str, limit: int, today: date, *, name: str = "MEMORY.md") -> Tidying | None:
    """What to do with a file of at most ``limit`` characters; None where nothing is to be done."""
    if len(text) < NEARLY_FULL * limit:
        return None
    return Tidying(name=name, day=today, keeps=text)
