"""Writer of a turn's transcript entries, with ids and times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pet.clock import Clock
from pet.events import ErrorInfo
from pet.ids import new_id
from pet.model import ContextPart, ForeignSource, RecallWay, ToolCallPart, TurnEnd, Usage, UsedMemory
from pet.providers.base import RoundDone
from pet.tools.tool import ToolOutcome
from pet.transcripts.entries import Compacted, ContextFound, PartialReply, RoundCompleted, ToolCompleted, TurnFinished
from pet.transcripts.store import Transcript


@dataclass(frozen=True, slots=True)
class TranscriptWriter:
    """Transcript writer bound to one running turn. ``off``: whether access was reduced since the turn began,
    checked for each entry. ``read_only``: the turn began in READ_ONLY."""

    transcript: Transcript
    turn: str
    clock: Clock
    off: Callable[[], bool] = lambda: False
    read_only: bool = False

    def partial(self, round_: int, text: str) -> None:
        """Record the text of a round so far, not synced to disk."""
        self.transcript.append(PartialReply(**self._new(), round=round_, text=text, off=self.off()))

    def round_done(self, round_: int, done: RoundDone) -> None:
        """Record a completed model call; synced to disk."""
        self.transcript.append(
            RoundCompleted(
                **self._new(),
                round=round_,
                parts=done.parts,
                stop=done.stop,
                usage=done.usage,
                model=done.model,
                off=self.off(),
                read_only=self.read_only,
                local=done.local,
            ),
            durable=True,
        )

    def tool_done(
        self, round_: int, call: ToolCallPart, file: str | None, outcome: ToolOutcome, *, durable: bool = False
    ) -> None:
        """Record a tool's result; ``durable``: synced to disk, required after a file was written."""
        self.transcript.append(
            ToolCompleted(
                **self._new(),
                round=round_,
                call_id=call.id,
                tool=call.name,
                file=file,
                text=outcome.text,
                is_error=outcome.error is not None,
                error=ErrorInfo.of(outcome.error) if outcome.error else None,
                receipt=outcome.receipt,
                pictures=outcome.pictures,
                foreign=outcome.foreign,
            ),
            durable=durable,
        )

    def done_beside(self, call: str, tool: str, file: str, outcome: ToolOutcome) -> None:
        """Record a write without a call in the reply: see ``ToolCompleted``."""
        self.tool_done(0, ToolCallPart(id=call, name=tool, arguments=""), file, outcome, durable=True)

    def record_context(
        self,
        context: tuple[ContextPart, ...],
        used: tuple[UsedMemory, ...],
        way: RecallWay,
        foreign: tuple[ForeignSource, ...],
    ) -> None:
        """Record the recalled context of the turn's message, how recall searched, and what of others is in it."""
        entry = ContextFound(**self._new(), context=context, used=used, way=way, foreign=foreign)
        self.transcript.append(entry, durable=True)

    def compacted(
        self, upto: str, memory: bool, text: str, usage: Usage, without: tuple[str, ...], *, local: bool = False
    ) -> None:
        """Record a summary of the turns up to ``upto``; see ``Compacted``."""
        self.transcript.append(
            Compacted(
                id=new_id(),
                at=self._now(),
                upto=upto,
                memory=memory,
                text=text,
                usage=usage,
                without=without,
                local=local,
            ),
            durable=True,
        )

    def closed(self, end: TurnEnd, error: ErrorInfo | None, round_: int, cut_text: str) -> None:
        """Record the turn's end. ``cut_text``: partial text of the last, unfinished round."""
        self.transcript.append(
            TurnFinished(**self._new(), end=end, error=error, round=round_, cut_text=cut_text, off=self.off()),
            durable=True,
        )

    def _new(self) -> dict[str, str]:
        return {"id": new_id(), "at": self._now(), "turn": self.turn}

    def _now(self) -> str:
        return self.clock.now().isoformat()
