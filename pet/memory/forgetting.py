"""Forgetting on the owner's wish: listed first, then gone for good (PRODUCT §4.7).

Owns what belongs together and in which order it goes: the tombstone, the files with their history, the transcripts,
the index. Refuses to touch what was said aloud and the owner's persona texts; those are reported as left. There is no
undo; killed in the middle, the same wish said again finishes it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pet.model import Receipt

Where = Literal["file", "log", "tool_result", "recall", "summary", "history", "said"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """Something that goes, or that stays. ``text`` is whole; lines are 0 where it has none."""

    where: Where
    path: str
    start_line: int = 0
    end_line: int = 0
    text: str
    turn: str | None = None  # of a conversation


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryAt:
    """An entry by its place in a file, 1-based and inclusive."""

    file: str
    start_line: int
    end_line: int


Wish = str | EntryAt | Receipt
"""A text; an entry; or what a receipt wrote."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetPlan:
    """What would happen. ``texts`` are what is forgotten; no text: nothing to forget."""

    texts: tuple[str, ...]
    goes: tuple[Piece, ...]
    stays: tuple[Piece, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetReport:
    """What happened: entries of files, earlier versions, messages in transcripts; and what is left all the same."""

    entries: int
    versions: int
    messages: int
    left: tuple[Piece, ...]
    files: tuple[str, ...]
    conversations: tuple[str, ...]
