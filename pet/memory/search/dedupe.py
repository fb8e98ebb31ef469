"""What says the same again: the question asked before, and one fact that was said, noted and said again; pure.

Owns when two texts count as the same for recall. Refuses to drop a fact for being told twice: what is told twice is
no less likely, so each telling has the likelihood of all.
"""

from __future__ import annotations

from collections.abc import Iterable

from pet.memory.search.ranking import Candidate
from pet.memory.text.tokenize import is_stopword_query, tokenize

_SAME = 0.9
_HELD = 0.8  # so much of the shorter text stands in the longer one
_TELLS = 3  # words at least: below that too much would be the same


def is_repeat(said: Iterable[str], asked: frozenset[str]) -> bool:
    """Whether a text (as tokens) says nothing but what the message says, whoever said it. ``asked``: the tokens of
    the message that name something."""
    ours = telling_tokens(said)
    shared = len(ours & asked)
    return bool(ours) and shared >= _SAME * (len(ours) + len(asked) - shared)


def without_echoes(found: Iterable[Candidate], message: str) -> list[Candidate]:
    """What may tell something new: an echo of the question would take all likelihood from its answer."""
    asked = telling_tokens(tokenize(message))  # once: a message may be a pasted text
    return [candidate for candidate in found if not is_repeat(candidate.tokens, asked)]


def tells_the_same(one: Iterable[str], other: Iterable[str]) -> bool:
    """Whether of two texts (as tokens) the shorter one stands nearly whole in the other."""
    ours, theirs = telling_tokens(one), telling_tokens(other)
    shorter = min(len(ours), len(theirs))
    return shorter >= _TELLS and len(ours & theirs) >= _HELD * shorter


def telling_tokens(words: Iterable[str]) -> frozenset[str]:
    """The tokens that name something, without those of who speaks."""
    return frozenset(word for word in words if not is_stopword_query(word)) - _SPEAKERS


_SPEAKERS = frozenset(tokenize("Owner: Pet: 主人：宠物：User Assistant"))
