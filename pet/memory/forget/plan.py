"""What can be asked to be forgotten, what would go, what has gone, and the list of it for the owner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pet.i18n import Texts
from pet.memory.forget.locate import Occurrence
from pet.model import Receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryAt:
    """An entry by its place in a file, 1-based and inclusive."""

    file: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedIn:
    """What stands in the files because of a conversation; it may be deleted by now."""

    conversation: str


Wish = str | EntryAt | Receipt | LearnedIn
"""A text; an entry; what a receipt wrote; or what was learned in a conversation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetPlan:
    """What would happen. ``texts`` are what is forgotten. ``begun``: the same wish was made before, and what goes is
    what it did not come to."""

    texts: tuple[str, ...]
    goes: tuple[Occurrence, ...]
    stays: tuple[Occurrence, ...]
    begun: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetOutcome:
    """What happened: entries of files, earlier versions, messages in transcripts; and what is ``left`` all the same,
    the last ``unreached`` of it because it could not be reached just now."""

    entries: int
    versions: int
    messages: int
    left: tuple[Occurrence, ...]
    unreached: int
    files: tuple[str, ...]
    conversations: tuple[str, ...]


def listed(plan: ForgetPlan, texts: Texts) -> str:
    """What goes, whole, and what stays, for the owner's eyes: each piece under the name of its place."""
    rows = [texts("forget.goes"), *_rows(plan.goes, texts)] if plan.goes else [texts("forget.nothing_goes")]
    if plan.stays:
        rows += ["", texts("forget.stays"), *_rows(plan.stays, texts)]
    return "\n".join(rows)


def _rows(pieces: Sequence[Occurrence], texts: Texts) -> list[str]:
    rows: list[str] = []
    for piece in pieces:
        lines = f":{piece.start_line}-{piece.end_line}" if piece.start_line else ""
        rows += ["", f"{texts(f'forget.where.{piece.where}')}  {piece.path}{lines}"]
        rows += (f"    {line}" for line in piece.text.splitlines())
    return rows
