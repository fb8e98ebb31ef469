"""Builder of transcript entries for tests, with times one second apart."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Any, TypeVar

from pet.ids import new_id
from pet.model import ContextPart, ReplyPart, StopReason, TextPart, ToolCallPart, TurnEnd, Usage
from pet.transcripts.entries import (
    ContextCleared,
    MemorySet,
    PartialReply,
    RoundCompleted,
    ToolCompleted,
    TranscriptEntry,
    TurnFinished,
    UserMessage,
)
from tests.support.clocks import SteppingClock

Entry = TypeVar("Entry", bound=TranscriptEntry)


def unmarked(line: bytes) -> bytes:
    """Return a line as versions before the mark wrote it."""
    found = re.fullmatch(rb'(\{"kind":"[^"]+",)"mark":"[^"]+",(.*),("id":"[^"]+")(\}\n?)', line)
    assert found, line
    return found[1] + found[3] + b"," + found[2] + found[4]


@dataclass
class EntryBuilder:
    """Collects entries; each method adds one and returns it."""

    clock: SteppingClock = field(default_factory=SteppingClock)
    entries: list[TranscriptEntry] = field(default_factory=list)

    def _new(self) -> dict[str, Any]:
        return {"id": new_id(), "at": self.clock.now().isoformat()}

    def _add(self, entry: Entry) -> Entry:
        self.entries.append(entry)
        return entry

    def memory(self, on: bool) -> MemorySet:
        return self._add(MemorySet(**self._new(), memory=on))

    def dropped(self) -> ContextCleared:
        return self._add(ContextCleared(**self._new()))

    def user(
        self,
        turn: str,
        text: str = "hello",
        *,
        memory: bool = True,
        context: tuple[ContextPart, ...] = (),
        **more: Any,
    ) -> UserMessage:
        return self._add(UserMessage(**self._new(), turn=turn, text=text, memory=memory, context=context, **more))

    def partial(self, turn: str, number: int, text: str) -> PartialReply:
        return self._add(PartialReply(**self._new(), turn=turn, round=number, text=text))

    def round(
        self, turn: str, number: int, *parts: ReplyPart | str, stop: StopReason | None = None
    ) -> RoundCompleted:
        made = tuple(TextPart(text=part) if isinstance(part, str) else part for part in parts)
        calls = any(isinstance(part, ToolCallPart) for part in made)
        return self._add(
            RoundCompleted(
                **self._new(),
                turn=turn,
                round=number,
                parts=made,
                stop=stop or (StopReason.TOOL_USE if calls else StopReason.END_TURN),
                usage=Usage(input_tokens=10, output_tokens=3),
                model="test-model",
            )
        )

    def tool(self, turn: str, number: int, call: str, text: str = "done", **more: Any) -> ToolCompleted:
        about = {"tool": "read", "file": "USER.md", "is_error": False, "error": None, "receipt": None, **more}
        return self._add(ToolCompleted(**self._new(), turn=turn, round=number, call_id=call, text=text, **about))

    def closed(self, turn: str, end: TurnEnd = TurnEnd.DONE, *, round_: int = 1, cut: str = "") -> TurnFinished:
        return self._add(TurnFinished(**self._new(), turn=turn, end=end, error=None, round=round_, cut_text=cut))

    def said(self, turn: str, text: str, reply: str, *, memory: bool = True, **more: Any) -> None:
        """Add a whole turn without tools."""
        self.user(turn, text, memory=memory, **more)
        self.round(turn, 1, reply)
        self.closed(turn)


def call(call_id: str, arguments: str = '{"path": "USER.md"}', name: str = "read") -> ToolCallPart:
    return ToolCallPart(id=call_id, name=name, arguments=arguments)
