"""Write the labelled notes and everyday notes into the daily logs of a workspace."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, time, timedelta
from pathlib import Path
from typing import Any, Literal

from pet.memory.store.daily_log import add_speaker, append_entry, render_entry
from tests.memory.search.recall_set.filler import everyday_notes

DATA = Path(__file__).parent / "data"
TODAY = date(2026, 11, 21)
OWNERS = {
    "owner_en_nurse": "en",
    "owner_en_carpenter": "en",
    "owner_zh_designer": "zh",
    "owner_mixed_engineer": "mixed",
}
HELD_OUT = "held_out"
"""An owner of both languages to whom no weight and no map is fitted. Looked at while the map was chosen."""
UNSEEN = ("unseen_en", "unseen_zh", "unseen_mixed")
"""Three more. Looked at since: they help to choose between variants, and nothing is fitted to them."""
JUDGED = ("judged_en", "judged_zh", "judged_mixed", "last_en", "last_zh", "last_mixed")
"""Six more, written apart from all others. Their totals were looked at while it was decided when to recall."""
FINAL = ("final_en", "final_zh", "final_mixed")
"""Three more, asked once, when nothing was changed any more. What the fit has too was left out."""
NEW = ("new_en", "new_zh", "new_mixed")
"""Three more, asked once, after the messages that touch a fact had been added to the fit."""
_PARAPHRASES = ("paraphrases", "paraphrases_en_home", "paraphrases_en_work", "paraphrases_zh_home",
                "paraphrases_zh_work", "paraphrases_mixed", "paraphrases_touching")  # fmt: skip
_INDIRECT = "paraphrases_indirect"
_SMALL = 20
_LARGE = 1_000
_LIKE_THEM = (40, 150)  # notes of the owner's life among the everyday ones, in a memory of hundreds and of thousands
_CHINESE = re.compile(r"[\u4e00-\u9fff]")

Kind = Literal["plain", "other_words", "other_language", "touches"]


@dataclass(frozen=True, slots=True)
class Labelled:
    """A question, or a message that concerns a fact, and the fact."""

    owner: str
    kind: Kind
    message: str
    fact: str


def read_lines(name: str) -> list[dict[str, Any]]:
    with (DATA / f"{name}.jsonl").open(encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def facts_of(owner: str) -> list[str]:
    return [each["fact"] for each in read_lines(owner)]


def questions_of(owner: str) -> Iterator[Labelled]:
    """All questions about the owner's facts, and the messages that concern one."""
    for each in read_lines(owner):
        yield Labelled(owner, "plain", each["plain"], each["fact"])
        for words in each["other_words"]:
            yield Labelled(owner, "other_words", words, each["fact"])
        yield Labelled(owner, "other_language", each["other_language"], each["fact"])
    for each in read_lines("touches"):
        if each["owner"] == owner:
            yield Labelled(owner, "touches", each["message"], each["fact"])


def asks_for_nothing(owner: str = HELD_OUT) -> list[str]:
    """Messages for which nothing is recalled. Of the unseen, judged and final owners they are others, to which
    nothing is fitted."""
    name = "asks_for_nothing"
    if owner in (*UNSEEN, *JUDGED, *FINAL, *NEW):
        name = f"{owner.partition('_')[0]}_{name}"
    return [each["message"] for each in read_lines(name)]


def small_talk() -> list[str]:
    """More messages for which nothing is recalled; for fitting only."""
    return [each["message"] for each in read_lines("small_talk")]


def gate_messages() -> list[tuple[str, bool]]:
    """More messages of several writers, and whether they concern something remembered; for fitting only. Those that
    do name a person, an animal or a moment of the owner's life."""
    return [(each["message"], each["asks"]) for each in read_lines("gate_messages")]


def memories(owner: str, size: int) -> list[list[str]]:
    """The notes of one or more memories of that size. Small ones share the facts out between them."""
    facts = facts_of(owner)
    if size <= _SMALL <= len(facts):
        return [facts[at : at + size] for at in range(0, len(facts) - size + 1, size)]
    language = OWNERS.get(owner, "mixed")
    notes = facts + _facts_like_them(language)[: _LIKE_THEM[size > _LARGE] if size > _SMALL else 0]
    notes += everyday_notes(language, size - len(notes))
    random.Random(owner).shuffle(notes)
    return [notes]


def _facts_like_them(language: str) -> list[str]:
    """Facts of the people of the paraphrases: no judged owner's note stands in another one's memory."""
    known = (
        each["fact"] for each in read_lines("paraphrases")
    )  # not of the later files: memories stay what they were
    facts = [fact for fact in known if language == "mixed" or bool(_CHINESE.search(fact)) == (language == "zh")]
    random.Random(11).shuffle(facts)
    return facts


def write_logs(workspace: Path, notes: Sequence[str]) -> None:
    """The notes in order, spread over the days before ``TODAY``."""
    a_day = 2 if len(notes) <= _SMALL else 6 if len(notes) <= _LARGE else 20
    days = -(-len(notes) // a_day)
    folder = workspace / "memory"
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(days):
        day = TODAY - timedelta(days - number + 3)
        log = ""
        for at, note in enumerate(notes[number * a_day : (number + 1) * a_day]):
            entry = render_entry(add_speaker(note, "owner"), at=time(8 + at * 14 // a_day, at % 60), category="fact")
            log = append_entry(log, entry, day)
        (folder / f"{day.isoformat()}.md").write_text(log, encoding="utf-8")


def asks_for_memory() -> list[str]:
    """Messages that concern something remembered, whatever it is; for the intent model only."""
    return [each["message"] for each in read_lines("asks_for_memory")]


def paraphrases(*, indirect: bool = False) -> Iterator[tuple[str, list[str]]]:
    """Facts of many people, each with questions in other words or in the other language; for fitting only.

    ``indirect``: also those whose messages mostly touch the fact without asking for it. They tell that a message
    concerns something remembered; where its fact stands, they tell a question map less well than the others.
    """
    for name in (*_PARAPHRASES, *([_INDIRECT] if indirect else [])):
        for each in read_lines(name):
            yield each["fact"], each["asked"]
