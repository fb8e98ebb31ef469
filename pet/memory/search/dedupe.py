"""What says the same again: the question asked before, and one fact that was said, noted and said again; pure.

Owns when two texts count as the same for recall. Refuses to drop a fact for being told twice: what is told twice is
no less likely, so each telling has the likelihood of all.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pet.memory.search.ranking import Candidate, Ranked
from pet.memory.text.tokenize import is_stopword_query, tokenize

_SAME = 0.9
_HELD = 0.8  # so much of the shorter text stands in the longer one
_TELLS = 3  # words at least: below that too much would be the same
_FIRST = 24  # of a ranking; what comes after them has no share worth adding


def is_repeat(said: Iterable[str], asked: Iterable[str]) -> bool:
    """Whether a text says nothing but what the message says: the same words (as tokens), whoever said them."""
    ours, theirs = _telling(said), _telling(asked)
    return bool(ours) and len(ours & theirs) >= _SAME * len(ours | theirs)


def without_echoes(found: Iterable[Candidate], message: str) -> list[Candidate]:
    """What may tell something new: an echo of the question would take all likelihood from its answer."""
    asked = tokenize(message)
    return [candidate for candidate in found if not is_repeat(candidate.tokens, asked)]


def merge_duplicates(ranked: Sequence[Ranked]) -> list[Ranked]:
    """Best first, each with the likelihood of all that tell the same; of equals, what was noted comes first.

    What is noted is mostly said aloud as well, and each would take half of it. Two notes are not taken for one: short
    facts about one person look alike (on the development set that cost a sixth of the precision).
    """
    first, rest = ranked[:_FIRST], ranked[_FIRST:]
    words = {item.candidate.id: _telling(item.candidate.tokens) for item in first}

    def tell_the_same(one: Ranked, other: Ranked) -> bool:
        if one.candidate.turn is None and other.candidate.turn is None:
            return False
        ours, theirs = words[one.candidate.id], words[other.candidate.id]
        shorter = min(len(ours), len(theirs))
        return shorter >= _TELLS and len(ours & theirs) >= _HELD * shorter

    def likelihood(item: Ranked) -> float:
        return sum(other.score for other in first if other is item or tell_the_same(item, other))

    pooled = [replace(item, score=min(1.0, likelihood(item))) for item in first]
    pooled.sort(key=lambda item: (-round(item.score, 6), item.candidate.turn is not None))
    return [*pooled, *rest]


def _telling(words: Iterable[str]) -> frozenset[str]:
    return frozenset(word for word in words if not is_stopword_query(word)) - _SPEAKERS


_SPEAKERS = frozenset(tokenize("Owner: Pet: 主人：宠物：User Assistant"))
