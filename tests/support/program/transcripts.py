"""Conversations written to disk without a turn."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from pet.ids import new_id
from pet.model import StopReason, TextPart, TurnEnd, Usage
from pet.transcripts.entries import RoundCompleted, TurnFinished, UserMessage
from pet.transcripts.store import TranscriptStore
from tests.support.clocks import SteppingClock


def write_conversation(folder: Path, replies: Sequence[str], asked: str = "message") -> None:
    """Write a conversation of another machine, as a sync program would."""
    clock = SteppingClock()
    transcript = TranscriptStore(folder, "other", clock).create(memory=True)
    usage = Usage(input_tokens=1, output_tokens=1)
    for number, reply in enumerate(replies):
        turn = new_id()

        def at() -> str:
            return clock.now().isoformat()

        transcript.append(UserMessage(id=new_id(), at=at(), turn=turn, text=f"{asked} {number}", memory=True))
        said = RoundCompleted(
            id=new_id(),
            at=at(),
            turn=turn,
            round=1,
            parts=(TextPart(text=reply),),
            stop=StopReason.END_TURN,
            usage=usage,
            model="test-model",
        )
        transcript.append(said)
        closed = TurnFinished(id=new_id(), at=at(), turn=turn, end=TurnEnd.DONE, error=None, round=1, cut_text="")
        transcript.append(closed)
