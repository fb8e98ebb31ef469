"""What a turn writes into its transcript: one small method per entry, ids and times added here."""

from __future__ import annotations

from pet.clock import Clock
from pet.events import ErrorInfo
from pet.ids import new_id
from pet.model import ToolCallPart, TurnEnd
from pet.providers.base import RoundDone
from pet.tools.spec import ToolOutcome
from pet.transcripts.entries import PartialSaid, RoundSaid, ToolDone, TurnClosed
from pet.transcripts.store import Transcript


class Journal:
    """The transcript as one running turn sees it."""

    def __init__(self, transcript: Transcript, turn: str, clock: Clock) -> None:
        self._transcript = transcript
        self._turn = turn
        self._clock = clock

    def partial(self, round_: int, text: str) -> None:
        self._transcript.append(PartialSaid(id=new_id(), at=self._now(), turn=self._turn, round=round_, text=text))

    def round_said(self, round_: int, done: RoundDone) -> None:
        self._transcript.append(
            RoundSaid(
                id=new_id(),
                at=self._now(),
                turn=self._turn,
                round=round_,
                parts=done.parts,
                stop=done.stop,
                usage=done.usage,
                model=done.model,
            ),
            durable=True,
        )

    def tool_done(self, round_: int, call: ToolCallPart, file: str | None, outcome: ToolOutcome) -> None:
        self._transcript.append(
            ToolDone(
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
            )
        )

    def closed(self, end: TurnEnd, error: ErrorInfo | None, round_: int, cut_text: str) -> None:
        """``cut_text``: what the last, unfinished round had said."""
        self._transcript.append(
            TurnClosed(
                id=new_id(),
                at=self._now(),
                turn=self._turn,
                end=end,
                error=error,
                round=round_,
                cut_text=cut_text,
            ),
            durable=True,
        )

    def _now(self) -> str:
        return self._clock.now().isoformat()
