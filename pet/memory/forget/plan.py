"""Requests to forget, their plans and outcomes, and the list shown to the owner."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pet.i18n import Texts
from pet.memory.forget.locate import Occurrence
from pet.model import Receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryAt:
    """An entry by its lines in a file, 1-based and inclusive."""

    file: str
    start_line: int
    end_line: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LearnedIn:
    """All that the files contain because of a conversation, which may be deleted."""

    conversation: str


Wish = str | EntryAt | Receipt | LearnedIn
"""A text, an entry, what a receipt wrote, or what was learned in a conversation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetPlan:
    """The effect of forgetting ``texts``. ``begun``: an interrupted request, whose rest is in ``goes``."""

    texts: tuple[str, ...]
    goes: tuple[Occurrence, ...]
    stays: tuple[Occurrence, ...]
    begun: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetOutcome:
    """Counts of removed entries, versions and messages. ``left``: what remains, the last ``unreached`` of it because
    it could not be changed now."""

    entries: int
    versions: int
    messages: int
    left: tuple[Occurrence, ...]
    unreached: int
    files: tuple[str, ...]
    conversations: tuple[str, ...]


def format_plan(plan: ForgetPlan, texts: Texts) -> str:
    """Return what goes and what stays as text for the owner, each occurrence under the name of its place."""
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
