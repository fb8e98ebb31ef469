"""How rounds and turns end, and the exception that aborts a turn. Pure."""

from __future__ import annotations

from pet.errors import PetError, ProviderFault
from pet.model import OpaquePart, ReplyPart, StopReason, TextPart, ToolCallPart, TurnEnd


class TurnAborted(Exception):
    """Aborts the turn from any depth."""

    def __init__(self, end: TurnEnd, error: PetError | None = None) -> None:
        super().__init__(end)
        self.end = end
        self.error = error


def turn_end_for(stop: StopReason) -> TurnEnd:
    """Map a round's stop reason to the turn's end. Raises ProviderFault for CUT and WINDOW_EXCEEDED."""
    match stop:
        case StopReason.MAX_TOKENS:
            return TurnEnd.MAX_TOKENS
        case StopReason.REFUSAL:
            return TurnEnd.REFUSED
        case StopReason.CUT:
            raise TurnAborted(TurnEnd.CUT, ProviderFault("cut_short", retryable=True))
        case StopReason.WINDOW_EXCEEDED:
            raise TurnAborted(TurnEnd.FAILED, ProviderFault("window_exceeded"))
        case _:
            return TurnEnd.DONE


def reply_text(text: str) -> tuple[ReplyPart, ...]:
    """Return the text as reply parts; none for empty text."""
    return (TextPart(text=text),) if text else ()


def replayable_parts(parts: tuple[ReplyPart, ...]) -> tuple[ReplyPart, ...]:
    """Return what is sent back in the next round: everything but empty text, thinking unchanged."""
    return tuple(
        part for part in parts if isinstance(part, OpaquePart | ToolCallPart) or (part.text and part.text.strip())
    )
