"""Flag replies that claim a write that did not happen, and requests that could not be fulfilled.

Decided from the receipts, the wish and the claim (``language``); defines which tools count as written.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Literal

from pet.events import Claim
from pet.model import TurnEnd
from pet.tools.toolset import TOOLS
from pet.transcripts.conversation import Turn
from pet.transcripts.entries import NOTE_CALL, ToolCompleted

_WRITING = {"remember", *(tool.name for tool in TOOLS if tool.saves)}
_LONGEST_QUOTE = 300


def check_claim(turn: Turn, *, keeps: bool) -> Claim | None:
    """Return the flag for a finished turn; None if the claim is true or the owner had it saved since.

    ``keeps``: whether the conversation may be stored at all.
    """
    if turn.end is None or any(_wrote(done) for done in turn.tools):
        return None
    from pet.language.claims import claims_saved
    from pet.language.wishes import asks_to_remember

    if not turn.memory and turn.kind != "continue" and asks_to_remember(turn.text):
        kind: Literal["asked_off", "asked_read"] = "asked_read" if turn.read_only else "asked_off"
        return Claim(kind=kind if keeps else "temporary", quote=_short(turn.text))
    if span := next(claims_saved(turn.reply_ends), None):
        return Claim(kind="saved" if keeps else "temporary", quote=_short(turn.reply_ends[slice(*span)]))
    if turn.memory and turn.end is TurnEnd.DONE and turn.kind != "continue" and asks_to_remember(turn.text):
        return Claim(kind="asked", quote=_short(turn.text))
    return None


def never_calls(turns: Sequence[Turn]) -> bool:
    """Whether the owner has asked to remember something twice or more, and no tool was called for any message."""
    from pet.language.wishes import asks_to_remember

    if any(done.round > 0 for turn in turns for done in turn.tools):
        return False
    asked = (turn for turn in turns if turn.memory and turn.kind != "continue" and asks_to_remember(turn.text))
    return len(list(islice(asked, 2))) == 2


def _wrote(done: ToolCompleted) -> bool:
    """Whether the call wrote for this turn; a no-op write of existing text counts."""
    of_this_turn = done.round > 0 or done.tool == "remember" or done.call_id.startswith(NOTE_CALL)
    return done.tool in _WRITING and not done.is_error and of_this_turn


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _LONGEST_QUOTE else words[: _LONGEST_QUOTE - 1] + "…"
