"""Conversations as the app writes them, for the tests of memory."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from pet.ids import new_id
from pet.model import ContextPart, OpaquePart, ReplyPart, StopReason, TextPart, ToolCallPart, TurnEnd, TurnKind, Usage
from pet.transcripts.entries import (
    Compacted,
    ContextFound,
    MemorySet,
    PartialReply,
    RoundCompleted,
    ToolCompleted,
    TranscriptEntry,
    TurnFinished,
    UserMessage,
)
from pet.transcripts.store import Transcript, TranscriptStore
from tests.support.clocks import SteppingClock

EVENING = datetime.fromisoformat("2026-11-18T20:00:00+08:00")


class Talk:
    """One conversation; every step is on the disk when it returns."""

    def __init__(
        self, workspace: Path, *, memory: bool = True, machine: str = "here", temporary: bool = False
    ) -> None:
        self._folder = workspace / "conversations"
        self.clock = SteppingClock(EVENING)
        self._memory = memory
        self._transcript = TranscriptStore(self._folder, machine, self.clock).create(memory, temporary)

    @property
    def id(self) -> str:
        return self._transcript.id

    @property
    def file(self) -> Path:
        return self._folder / f"{self.id}.jsonl"

    @property
    def path(self) -> str:
        return f"conversations/{self.id}.jsonl"

    def elsewhere(self, machine: str) -> Talk:
        """The same conversation, gone on with on another machine."""
        other = object.__new__(Talk)
        other._folder, other.clock, other._memory = self._folder, self.clock, self._memory
        other._transcript = _open(self._folder, machine, self.clock, self.id)
        return other

    def delete(self) -> None:
        TranscriptStore(self._folder, "here", self.clock).delete(self.id)

    def switch(self, memory: bool) -> None:
        self._memory = memory
        self._add(MemorySet(id=new_id(), at=self._now(), memory=memory))

    def say(self, text: str, *, kind: TurnKind = "message", supersedes: str | None = None) -> str:
        turn = new_id()
        self._add(
            UserMessage(
                id=new_id(),
                at=self._now(),
                turn=turn,
                text=text,
                context=(ContextPart(kind="recall", text="contextual recollection", gated=True),),
                memory=self._memory,
                turn_kind=kind,
                supersedes=supersedes,
            )
        )
        return turn

    def reply(self, turn: str, text: str, round_: int = 0) -> None:
        parts: tuple[ReplyPart, ...] = (OpaquePart(raw={"type": "thinking", "thinking": "thoughtful thinking"}),)
        if text:
            parts += (TextPart(text=text), ToolCallPart(id="c1", name="read", arguments='{"path": "argumentative"}'))
        self._add(
            RoundCompleted(
                id=new_id(),
                at=self._now(),
                turn=turn,
                round=round_,
                parts=parts,
                stop=StopReason.END_TURN,
                usage=Usage(),
                model="m",
            )
        )

    def partial(self, turn: str, text: str, round_: int = 0) -> None:
        self._add(PartialReply(id=new_id(), at=self._now(), turn=turn, round=round_, text=text))

    def tool(self, turn: str, text: str) -> None:
        self._add(
            ToolCompleted(
                id=new_id(),
                at=self._now(),
                turn=turn,
                round=0,
                call_id="c1",
                tool="read",
                file="USER.md",
                text=text,
                is_error=False,
                error=None,
                receipt=None,
            )
        )

    def close(self, turn: str, end: TurnEnd = TurnEnd.DONE, cut: str = "", round_: int = 0) -> None:
        self._add(
            TurnFinished(id=new_id(), at=self._now(), turn=turn, end=end, error=None, round=round_, cut_text=cut)
        )

    def turn(self, text: str, reply: str, *, kind: TurnKind = "message", supersedes: str | None = None) -> str:
        turn = self.say(text, kind=kind, supersedes=supersedes)
        self.reply(turn, reply)
        self.close(turn)
        return turn

    def summarise(self, upto: str, text: str) -> None:
        self._add(Compacted(id=new_id(), at=self._now(), upto=upto, memory=True, text=text, usage=Usage()))

    def look_up(self, turn: str, text: str) -> None:
        parts = (ContextPart(kind="recent_days", text=text, gated=True),)
        self._add(ContextFound(id=new_id(), at=self._now(), turn=turn, context=parts))

    def _add(self, entry: TranscriptEntry) -> None:
        self._transcript.append(entry)

    def _now(self) -> str:
        return self.clock.now().isoformat()


def _open(folder: Path, machine: str, clock: SteppingClock, conversation: str) -> Transcript:
    return TranscriptStore(folder, machine, clock).open(conversation)
