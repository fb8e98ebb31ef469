"""Writes a turn's transcript entries, adding ids and times."""

from __future__ import annotations

from collections.abc import Callable

from pet.clock import Clock
from pet.events import ErrorInfo
from pet.ids import new_id
from pet.model import ContextPart, ToolCallPart, TurnEnd, Usage, UsedMemory
from pet.providers.base import RoundDone
from pet.tools.spec import ToolOutcome
from pet.transcripts.records.entries import (
    Compacted,
    ContextFound,
    PartialReply,
    RoundCompleted,
    ToolCompleted,
    TurnFinished,
)
from pet.transcripts.store import Transcript


class TranscriptWriter:
    """Transcript writer bound to one running turn."""

    def __init__(
        self,
        transcript: Transcript,
        turn: str,
        clock: Clock,
        *,
        off: Callable[[], bool] = lambda: False,
        read_only: bool = False,
    ) -> None:
        """``off``: whether access was reduced since the turn began. Evaluated for each entry. ``read_only``: the turn
        began in READ."""
        self._read_only = read_only
        self._off = off
        self._transcript = transcript
        self._turn = turn
        self._clock = clock

    def partial(self, round_: int, text: str) -> None:
        """Record the text of a round so far, not synced to disk."""
        self._transcript.append(
            PartialReply(id=new_id(), at=self._now(), turn=self._turn, round=round_, text=text, off=self._off())
        )

    def round_said(self, round_: int, done: RoundDone) -> None:
        """Record a completed model call; synced to disk."""
        self._transcript.append(
            RoundCompleted(
                id=new_id(),
                at=self._now(),
                turn=self._turn,
                round=round_,
                parts=done.parts,
                stop=done.stop,
                usage=done.usage,
                model=done.model,
                off=self._off(),
                read_only=self._read_only,
                local=done.local,
            ),
            durable=True,
        )

    def tool_done(
        self, round_: int, call: ToolCallPart, file: str | None, outcome: ToolOutcome, *, durable: bool = False
    ) -> None:
        """Record a tool's result; ``durable``: synced to disk, as whatever wrote a file has to be."""
        self._transcript.append(
            ToolCompleted(
                id=new_id(),
                at=self._now(),
                turn=self._turn,
                round=round_,
                call_id=call.id,
                tool=call.name,
                file=file,
                text=outcome.text,
                is_error=outcome.error is not None,
                error=ErrorInfo.of(outcome.error) if outcome.error else None,
                receipt=outcome.receipt,
            ),
            durable=durable,
        )

    def done_beside(self, call: str, tool: str, file: str, outcome: ToolOutcome) -> None:
        """Record a write without a call in the reply: see ``ToolCompleted``."""
        self.tool_done(0, ToolCallPart(id=call, name=tool, arguments=""), file, outcome, durable=True)

    def context_found(self, context: tuple[ContextPart, ...], used: tuple[UsedMemory, ...]) -> None:
        """Record what was recalled for the turn's message."""
        self._transcript.append(
            ContextFound(id=new_id(), at=self._now(), turn=self._turn, context=context, used=used), durable=True
        )

    def compacted(
        self, upto: str, memory: bool, text: str, usage: Usage, without: tuple[str, ...], *, local: bool = False
    ) -> None:
        """Record a summary of the turns up to ``upto``; see ``Compacted``."""
        self._transcript.append(
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
        """``cut_text``: partial text of the last, unfinished round."""
        self._transcript.append(
            TurnFinished(
                id=new_id(),
                at=self._now(),
                turn=self._turn,
                end=end,
                error=error,
                round=round_,
                cut_text=cut_text,
                off=self._off(),
            ),
            durable=True,
        )

    def _now(self) -> str:
        return self._clock.now().isoformat()
