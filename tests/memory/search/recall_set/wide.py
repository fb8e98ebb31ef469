"""Invented owners with dated notes, whose questions have several answers, or an old and a new one; in en, zh and es.

``python -m lab.wide_recall`` prints the rates below.
"""

from __future__ import annotations

import random
import statistics
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from pathlib import Path
from typing import Literal

from pet.memory.search.memory_index import MemoryIndex
from pet.memory.search.recall_selection import Hit
from pet.memory.store.daily_log import add_speaker, append_entry, render_entry
from tests.memory.gated import recalled
from tests.memory.search.recall_set.filler import everyday_notes
from tests.memory.search.recall_set.workspaces import read_lines

TODAY = date(2026, 10, 1)
FITTED = ("wide_en_a", "wide_zh_a", "wide_es_a")
"""Looked at while the rules and thresholds of ``newest_first`` and the gate were made."""
LATER = ("wide_en_b", "wide_zh_b", "wide_es_b")
"""Asked after that. Their misses were looked at once, before the last change."""
TABLE = ("table_en", "table_zh")
"""Two owners who differ from all others, with messages of every kind; written before the ranking was read."""
TABLE_APART = ("table_en_2", "table_zh_2")
"""Two more, written by somebody else before anything was changed."""
_OVER_DAYS = 600

# fmt: off
Kind = Literal[
    "plain", "own", "other", "language", "touches", "dated", "changed", "several", "preference",
    "nothing", "small_talk",
]
# fmt: on


@dataclass(frozen=True, slots=True)
class WideQuestion:
    """A message. ``right``: a part of each note that belongs to it; ``earlier``: of the note that no longer holds."""

    kind: Kind
    message: str
    right: tuple[str, ...]
    earlier: tuple[str, ...]


def wide_questions(owner: str) -> list[WideQuestion]:
    """Return the owner's messages."""
    return [
        WideQuestion(each["kind"], each["message"], tuple(each["right"]), tuple(each["earlier"]))
        for each in read_lines(owner)
        if "message" in each
    ]


def write_wide(workspace: Path, owner: str, other_notes: int) -> None:
    """Write the owner's notes and everyday ones into the logs of their days."""
    notes = [(each["day"], each["category"], each["note"]) for each in read_lines(owner) if "note" in each]
    chance = random.Random(owner)
    language = "zh" if "zh" in owner.split("_") else "en"
    notes.extend(
        ((TODAY - timedelta(chance.randrange(3, _OVER_DAYS))).isoformat(), "general", text)
        for text in everyday_notes(language, other_notes, seed=len(owner))
    )
    logs: dict[str, str] = defaultdict(str)
    for number, (day, category, text) in enumerate(notes):
        entry = render_entry(add_speaker(text, "owner"), at=time(9 + number % 12), category=category)
        logs[day] = append_entry(logs[day], entry, date.fromisoformat(day))
    (workspace / "memory").mkdir(parents=True)
    for day, log in logs.items():
        (workspace / "memory" / f"{day}.md").write_text(log, encoding="utf-8")


def share_of_right(question: WideQuestion, hits: Sequence[Hit]) -> float:
    """Return the share of right notes among the hits. Of a fact that changed, 1 if the new note comes first; of a
    message that concerns nothing, 1 without hits."""
    if question.kind in ("nothing", "small_talk"):
        return float(not hits)
    places = [_place(part, hits) for part in question.right]
    if question.kind == "changed":
        return float(places[0] < min(len(hits), *(_place(part, hits) for part in question.earlier)))
    return statistics.fmean(place < len(hits) for place in places)


def _place(part: str, hits: Sequence[Hit]) -> int:
    return next((place for place, hit in enumerate(hits) if part in hit.snippet), len(hits))


def rates(index: MemoryIndex, owner: str, lines: dict[Kind, list[int]] | None = None) -> dict[Kind, list[float]]:
    """Return ``share_of_right`` of what is recalled for each message, by kind. ``lines`` grows by their numbers."""
    shares: dict[Kind, list[float]] = defaultdict(list)
    for question in wide_questions(owner):
        hits = recalled(index, question.message, TODAY)
        shares[question.kind].append(share_of_right(question, hits))
        if lines is not None:
            lines[question.kind].append(len(hits))
    return shares
