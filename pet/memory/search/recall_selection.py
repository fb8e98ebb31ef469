"""Choose what goes along with a message: the best entries by rank, within a budget; pure.

What was noted has its own share of the budget and is chosen as if nothing had been said in conversations, so that
use never costs a note its place. What was said comes after it, only if it is likely and says something new.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pet.memory.daily_log import strip_owner
from pet.memory.search.dedupe import tells_the_same
from pet.memory.search.ranking import RECALL, Ranked
from pet.memory.search.results import Hit, to_hit
from pet.model import RecallWay

SURE = 0.7
"""From this score on an entry was surely meant; docs/decisions/0020-memory-search.md says why."""
_NOTED_SHARE = 0.9  # of the characters; the rest is for what was said
_SAID_AT_MOST = 2
_SAID_FROM = 0.5  # log odds of that saying alone: what is said often shares its likelihood with its likes
_WORTH = 3e-5  # of all likelihood, for each character: a long entry has to be likelier than a short one
_PLACE = 12  # characters that say where an entry stands: the day and a line break
_ENTRIES_A_LINE = 4  # of short ones
_LOOKED_AT = 40
_WORDS_AT_LEAST = 0.05  # score
_WORDS_ALONE = 0.85  # log odds that words alone have to show: a score of 0.7
_LONGEST = 240  # characters of one entry
_QUESTION = re.compile(r"[?？]\W*$|[吗呢]\W*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallCandidates:
    """Notes and sayings, best first. ``asks``: log odds that the message concerns something remembered, as its
    embedding says; None where nothing was embedded."""

    notes: Sequence[Ranked] = ()
    said: Sequence[Ranked] = ()
    asks: float | None = None
    way: RecallWay = "meaning"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallBudget:
    """``characters``: of all entries together, with where they stand. ``lines``: a short entry takes a quarter of
    one. ``threshold``: how likely it has to be that anything was asked for (0..1)."""

    lines: int
    characters: int
    threshold: float


def choose(
    found: RecallCandidates, budget: RecallBudget, is_sent: Callable[[str], bool] = lambda _text: False
) -> list[Hit]:
    """What goes along, best first; nothing for a message that concerns nothing remembered.

    Entries for which ``is_sent`` (they stand in the prompt) are among them and cost nothing of the budget.
    """
    if not wants_memory(found, budget.threshold):
        return []
    known: list[frozenset[str]] = []
    if found.asks is None:  # by words alone, an entry has to show that it was meant
        found = replace(found, notes=[item for item in found.notes if item.score >= _WORDS_AT_LEAST])
    notes = _fill(found.notes, budget, round(budget.characters * _NOTED_SHARE), known, is_sent)
    likely = [item for item in found.said if item.odds >= _SAID_FROM and not _is_question(item)]
    left = budget.characters - sum(map(_sent, notes))
    return notes + _fill(likely, budget, left, known, is_sent)[:_SAID_AT_MOST]


def wants_memory(found: RecallCandidates, threshold: float) -> bool:
    """Whether anything goes along: by what the message is and by how well the best entry answers it."""
    return likelihood(found) >= threshold


def likelihood(found: RecallCandidates) -> float:
    """That the message concerns something remembered (0..1). Without an embedding, that of the best entry."""
    best = max((items[0] for items in (found.notes, found.said) if items), key=lambda item: item.odds, default=None)
    if best is None:
        return 0.0
    if found.asks is None:
        return _sigmoid(best.odds - _WORDS_ALONE)
    return _sigmoid(RECALL.odds(found.asks, best.odds))


def _sigmoid(odds: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


def _fill(
    ranked: Sequence[Ranked],
    budget: RecallBudget,
    room: int,
    known: list[frozenset[str]],
    is_sent: Callable[[str], bool],
) -> list[Hit]:
    """The best that fit, are worth their characters and say something of their own; ``known`` grows by what they
    say."""
    chosen: list[Hit] = []
    left = budget.lines * _ENTRIES_A_LINE
    total = sum(math.exp(item.odds - ranked[0].odds) for item in ranked)
    for item in ranked[:_LOOKED_AT]:
        if not left:
            break
        hit = to_hit(item, _LONGEST)
        free, length = is_sent(item.candidate.text), _sent(hit)
        worth = math.exp(item.odds - ranked[0].odds) / total / length
        if chosen and (worth < _WORTH or (length > room and not free)):
            continue
        said = frozenset(item.candidate.tokens)
        if any(tells_the_same(said, other) for other in known):
            continue
        known.append(said)
        chosen.append(hit)
        if not free:
            left -= 1
            room -= length
    return chosen


def _sent(hit: Hit) -> int:
    """Characters of it that are sent."""
    return len(strip_owner(hit.snippet)) + _PLACE


def _is_question(item: Ranked) -> bool:
    return bool(_QUESTION.search(item.candidate.text))
