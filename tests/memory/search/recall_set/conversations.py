"""Conversations about noted facts, as the app writes them: the question, a reply that repeats the fact, an echo."""

from __future__ import annotations

import random
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path

from pet.ids import new_id
from pet.model import StopReason, TextPart, TurnEnd, Usage
from pet.transcripts.entries import Header, MemorySet, RoundCompleted, TranscriptEntry, TurnFinished, UserMessage
from pet.transcripts.entry_codec import encode_entry
from tests.memory.search.recall_set.workspaces import TODAY, Labelled

_REPLIES = (
    "{fact}. That is what you told me.",
    "As I remember it: {fact}",
    "你说过：{fact}",
    "{question} Well, {fact}!",
)
_ECHOES = ("Ah right, thanks: {fact}", "So {fact}, good.", "{question}", "嗯，{fact}", "Thanks!")


def write_conversations(workspace: Path, questions: Sequence[Labelled], count: int, seed: int = 3) -> None:
    """``count`` conversations of three turns, each about some of the facts, with memory on."""
    chance = random.Random(seed)
    folder = workspace / "conversations"
    folder.mkdir(exist_ok=True)
    for number in range(count):
        at = f"{TODAY - timedelta(number % 90)}T21:00:00+00:00"
        conversation = new_id()
        entries: list[TranscriptEntry] = [
            Header(id=new_id(), at=at, conversation=conversation, machine="here"),
            MemorySet(id=new_id(), at=at, memory=True),
        ]
        for asked in chance.choices(questions, k=3):
            about = {"fact": asked.fact, "question": asked.message}
            entries += _turn(at, asked.message, chance.choice(_REPLIES).format(**about))
            entries += _turn(at, chance.choice(_ECHOES).format(**about), "You're welcome.")
        lines = "".join(f"{encode_entry(entry)}\n" for entry in entries)
        (folder / f"{conversation}.jsonl").write_text(lines, encoding="utf-8")


def _turn(at: str, said: str, reply: str) -> list[TranscriptEntry]:
    turn = new_id()
    return [
        UserMessage(id=new_id(), at=at, turn=turn, text=said, memory=True),
        RoundCompleted(
            id=new_id(),
            at=at,
            turn=turn,
            round=0,
            parts=(TextPart(text=reply),),
            stop=StopReason.END_TURN,
            usage=Usage(),
            model="test",
        ),
        TurnFinished(id=new_id(), at=at, turn=turn, end=TurnEnd.DONE, error=None, round=0, cut_text=""),
    ]
