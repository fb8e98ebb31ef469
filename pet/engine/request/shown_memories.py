"""Select which recalled entries are shown under a reply: those surely meant, and those the reply uses; pure."""

from __future__ import annotations

from pet.memory.search.dedupe import content_tokens
from pet.memory.text.tokenize import tokenize
from pet.model import UsedMemory
from pet.transcripts.conversation.model import Turn

_ENOUGH = 2  # tokens of the entry that stand in the reply and not in the message
_SHARE = 0.5  # of an entry with fewer of them


def shown_memories(turn: Turn) -> tuple[UsedMemory, ...]:
    """A reply uses an entry if it repeats words of it that the message did not have. While the turn runs, only
    entries that were surely meant are known."""
    if not turn.used:
        return ()
    said = _told(turn.reply_ends) - _told(turn.text) if turn.end else frozenset()
    return tuple(each for each in turn.used if each.sure or _uses(said, each.snippet))


def _told(text: str) -> frozenset[str]:
    return content_tokens(tokenize(text))


def _uses(said: frozenset[str], snippet: str) -> bool:
    theirs = _told(snippet)
    shared = len(said & theirs)
    return shared >= _ENOUGH or (shared > 0 and shared >= _SHARE * len(theirs))
