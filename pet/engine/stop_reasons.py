"""How rounds and turns end: pure, and the one exception that ends a turn from wherever it is."""

from __future__ import annotations

from pet.errors import PetError, ProviderFault
from pet.model import OpaquePart, ReplyPart, StopReason, TextPart, ToolCallPart, TurnEnd


class TurnAborted(Exception):
    """The turn is over, from wherever it was."""

    def __init__(self, end: TurnEnd, error: PetError | None = None) -> None:
        super().__init__(end)
        self.end = end
        self.error = error


def turn_end_for(stop: StopReason) -> TurnEnd:
    """How a turn ends whose last round stopped so. Raises Ended where the owner has to be told more."""
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


def text_parts(text: str) -> tuple[ReplyPart, ...]:
    """The text as parts of a reply; empty text is no part."""
    return (TextPart(text=text),) if text else ()


def replayable_parts(parts: tuple[ReplyPart, ...]) -> tuple[ReplyPart, ...]:
    """What goes back in the next round: everything but empty text, thinking unchanged."""
    return tuple(
        part for part in parts if isinstance(part, OpaquePart | ToolCallPart) or (part.text and part.text.strip())
    )
