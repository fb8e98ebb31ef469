"""The mark under a reply that says more than was done, or to a wish that could not be granted.

Owns what counts as having written something down. The words themselves are understood in ``claims``.
"""

from __future__ import annotations

from pet.events import Claim
from pet.transcripts.entries import ToolCompleted
from pet.transcripts.fold import Turn

_WRITING = frozenset({"write", "edit", "memory_write", "remember"})
_LONGEST_QUOTE = 300


def check_claim(turn: Turn, *, keeps: bool) -> Claim | None:
    """The mark of a turn that has ended; None where its words are true, or the owner had it saved since.

    ``keeps``: whether the conversation may be written down at all.
    """
    if turn.end is None or any(_wrote(done) for done in turn.tools):
        return None
    from pet.engine.claim_detection import asks_to_remember, find_claim  # late: rules that take a while to read

    if not turn.memory and turn.kind != "continue" and asks_to_remember(turn.text):
        return Claim(kind="asked_off" if keeps else "temporary", quote=_short(turn.text))
    said = find_claim(turn.reply)
    return Claim(kind="saved" if keeps else "temporary", quote=_short(said)) if said else None


def _wrote(done: ToolCompleted) -> bool:
    """Also where nothing had to be changed, since it stood there already; not what was written of older turns."""
    return done.tool in _WRITING and not done.is_error and (done.round > 0 or done.tool == "remember")


def _short(text: str) -> str:
    words = " ".join(text.split())
    return words if len(words) <= _LONGEST_QUOTE else words[: _LONGEST_QUOTE - 1] + "…"
