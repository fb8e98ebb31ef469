"""Adapter for LongMemEval's knowledge-update and temporal-reasoning questions; its data is given by path.

Format as its README (github.com/xiaowu0162/LongMemEval) states: a JSON list of ``question_id``, ``question_type``,
``question``, ``answer``, ``question_date``, ``haystack_dates``, ``haystack_session_ids``, ``haystack_sessions`` and
``answer_session_ids``. A session is a list of turns with ``role``, ``content`` and perhaps ``has_answer``. Questions
without an answer in the history (``_abs``) are left out.

Each history becomes conversations held with memory on, and the question a message of a new one. Without a model it
counts what search finds and what goes along; with one it writes answers in the form that LongMemEval's judge reads.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from pathlib import Path
from typing import Any

from benchmarks.memory_truth.cases import Bench, bench
from pet.app import Pet
from pet.ids import new_id
from pet.model import StopReason, TextPart, TurnEnd, Usage
from pet.transcripts.entries import Header, MemorySet, RoundCompleted, TranscriptEntry, TurnFinished, UserMessage
from pet.transcripts.entry_codec import encode_entry
from tests.property.memory_mode.test_memory_off import leaves
from tests.support.models.scripted import say

TYPES = ("knowledge-update", "temporal-reasoning")
_HITS = 6
_DATE = re.compile(r"(\d{4})/(\d{2})/(\d{2})(?:\D+?(\d{1,2}):(\d{2}))?")


def measure(file: Path, limit: int, configure: Callable[[Pet], None] | None, hypotheses: Path | None) -> str:
    """Return a table: of how many questions search finds, and the message brings, a turn with the evidence."""
    counts = {kind: [0, 0, 0] for kind in TYPES}
    answers: list[str] = []
    for number, each in enumerate(questions(json.loads(file.read_text("utf-8")))):
        if limit and number >= limit:
            break
        found, sent, answer = ask(each, configure)
        row = counts[each["question_type"]]
        row[0], row[1], row[2] = row[0] + 1, row[1] + found, row[2] + sent
        answers.append(json.dumps({"question_id": each["question_id"], "hypothesis": answer}, ensure_ascii=False))
    if hypotheses:
        hypotheses.write_text("\n".join(answers) + "\n", encoding="utf-8")
    lines = ["| type | questions | a turn of the evidence found | sent unasked |", "|---|---|---|---|"]
    return "\n".join([*lines, *(f"| {kind} | {n} | {found} | {sent} |" for kind, (n, found, sent) in counts.items())])


def questions(data: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Yield the questions of the two types that have an answer."""
    for each in data:
        if each["question_type"] in TYPES and not str(each["question_id"]).endswith("_abs"):
            yield each


def ask(question: Mapping[str, Any], configure: Callable[[Pet], None] | None) -> tuple[bool, bool, str]:
    """Return whether search finds and the message brings a turn of the evidence, and a real model's answer."""
    evidence = [
        turn["content"] for session in question["haystack_sessions"] for turn in session if turn.get("has_answer")
    ]
    with bench(say("Hm."), configure=configure) as pet:
        for date, session in zip(question["haystack_dates"], question["haystack_sessions"], strict=True):
            _write(pet, moment(date), session)
        pet.clock.at = moment(question["question_date"])
        index = pet.app.index.get()
        index.refresh()
        hits = index.search(question["question"], _HITS, pet.clock.now().date(), conversations=True)
        found = any(_holds(hit.snippet, evidence) for hit in hits)
        chat = pet.app.conversations.open(pet.tell(question["question"]))
        turn = chat.folded().turns[-1]
        sent = any(_holds(used.snippet, evidence) for used in turn.used)
        if not configure:
            sent = sent or any(_holds(leaves(request), evidence) for request in pet.provider.requests)
        return found, sent, turn.reply if configure else ""


def _holds(text: str, evidence: Sequence[str]) -> bool:
    """Whether a text holds the beginning of a turn of the evidence, or a part of it."""
    plain = " ".join(text.split())
    said = plain.partition(": ")[2] or plain
    return any(
        " ".join(each.split())[:60] in plain or said.strip("…")[:60] in " ".join(each.split()) for each in evidence
    )


def moment(date: str) -> datetime:
    """Return the moment of a date as "2023/05/20 (Sat) 02:21". Raises ValueError for others."""
    match = _DATE.search(date)
    if match is None:
        raise ValueError(date)
    year, month, day, hour, minute = (int(part or 0) for part in match.groups())
    return datetime(year, month, day, hour, minute, tzinfo=UTC)


def _write(pet: Bench, at: datetime, session: Sequence[Mapping[str, Any]]) -> None:
    """Write a session as a conversation with memory on, as the program writes it."""
    conversation, when = new_id(), at.isoformat()
    entries: list[TranscriptEntry] = [
        Header(id=new_id(), at=when, conversation=conversation, machine="here"),
        MemorySet(id=new_id(), at=when, memory=True),
    ]
    for said, reply in pairwise([*session, {"role": "", "content": ""}]):
        if said["role"] != "user":
            continue
        turn = new_id()
        entries.append(UserMessage(id=new_id(), at=when, turn=turn, text=said["content"], memory=True))
        if reply["role"] == "assistant":
            part = TextPart(text=reply["content"])
            entries.append(
                RoundCompleted(
                    id=new_id(),
                    at=when,
                    turn=turn,
                    round=0,
                    parts=(part,),
                    stop=StopReason.END_TURN,
                    usage=Usage(),
                    model="given",
                )
            )
        entries.append(
            TurnFinished(id=new_id(), at=when, turn=turn, end=TurnEnd.DONE, error=None, round=0, cut_text="")
        )
    folder = pet.app.store.root / "conversations"
    folder.mkdir(exist_ok=True)
    lines = "".join(f"{encode_entry(entry)}\n" for entry in entries)
    (folder / f"{conversation}.jsonl").write_text(lines, encoding="utf-8")
