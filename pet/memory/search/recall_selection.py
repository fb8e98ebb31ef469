"""Choose the entries to send with a message: the best by rank, within a budget; pure.

Notes have their own share of the budget and are chosen as if there were no utterances. Utterances follow, if they are
likely and say something new.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from pet.memory.daily_log import strip_owner
from pet.memory.search.dedupe import is_same_fact
from pet.memory.search.ranking import RECALL, Ranked
from pet.memory.search.results import Hit, to_hit
from pet.model import RecallWay

SURE = 0.7
"""Score from which an entry is presented as certain; docs/decisions/0020-memory-search.md."""
_NOTED_SHARE = 0.9  # of the characters; the rest is for utterances
_SAID_AT_MOST = 2
_MIN_SAID_ODDS = 0.5  # log odds of the utterance itself, as similar ones share their likelihood
_WORTH = 3e-5  # minimum likelihood per character: a long entry must be likelier than a short one
_PLACE = 12  # characters of an entry's day and line break
_ENTRIES_A_LINE = 4  # of short ones
_MOST_TRIED = 40
_WORDS_AT_LEAST = 0.05  # score
_WORDS_ALONE = 0.85  # log odds required without embedding: a score of 0.7
_LONGEST = 240  # characters of one entry
_QUESTION = re.compile(r"[?？]\W*$|[吗呢]\W*$")


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallCandidates:
    """Notes and utterances, best first.

    ``asks``: log odds that the message concerns something remembered, by its embedding; None without embedding.
    """

    notes: Sequence[Ranked] = ()
    said: Sequence[Ranked] = ()
    asks: float | None = None
    way: RecallWay = "meaning"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallBudget:
    """Limits of a recall.

    ``lines``: a short entry takes a quarter of one. ``characters``: of all entries with their places. ``threshold``:
    minimum likelihood (0..1) that the message concerns something remembered.
    """

    lines: int
    characters: int
    threshold: float


def select_recalled(
    candidates: RecallCandidates, budget: RecallBudget, is_sent: Callable[[str], bool] = lambda _text: False
) -> list[Hit]:
    """Return the hits to send, best first; none for a message that concerns nothing remembered.

    Entries for which ``is_sent`` (already in the prompt) are included and cost nothing.
    """
    if not should_recall(candidates, budget.threshold):
        return []
    known: list[frozenset[str]] = []
    if candidates.asks is None:  # words alone need a minimum score
        candidates = replace(candidates, notes=[item for item in candidates.notes if item.score >= _WORDS_AT_LEAST])
    notes = _fill(candidates.notes, budget, round(budget.characters * _NOTED_SHARE), known, is_sent)
    likely = [item for item in candidates.said if item.odds >= _MIN_SAID_ODDS and not _is_question(item)]
    left = budget.characters - sum(map(_sent, notes))
    return notes + _fill(likely, budget, left, known, is_sent)[:_SAID_AT_MOST]


def should_recall(candidates: RecallCandidates, threshold: float) -> bool:
    """Return whether anything is recalled: by the message's own odds and the best entry's."""
    return likelihood(candidates) >= threshold


def likelihood(candidates: RecallCandidates) -> float:
    """Return the likelihood (0..1) that the message concerns something remembered; without embedding the best
    entry's."""
    best = max(
        (items[0] for items in (candidates.notes, candidates.said) if items), key=lambda item: item.odds, default=None
    )
    if best is None:
        return 0.0
    if candidates.asks is None:
        return _sigmoid(best.odds - _WORDS_ALONE)
    return _sigmoid(RECALL.odds(candidates.asks, best.odds))


def _sigmoid(odds: float) -> float:
    return 1 / (1 + math.exp(-max(-30.0, min(30.0, odds))))


def _fill(
    ranked: Sequence[Ranked],
    budget: RecallBudget,
    room: int,
    known: list[frozenset[str]],
    is_sent: Callable[[str], bool],
) -> list[Hit]:
    """Return the best hits that fit, are worth their characters and repeat nothing in ``known``, which is
    extended."""
    chosen: list[Hit] = []
    left = budget.lines * _ENTRIES_A_LINE
    total = sum(math.exp(item.odds - ranked[0].odds) for item in ranked)
    for item in ranked[:_MOST_TRIED]:
        if not left:
            break
        hit = to_hit(item, _LONGEST)
        free, length = is_sent(item.candidate.text), _sent(hit)
        worth = math.exp(item.odds - ranked[0].odds) / total / length
        if chosen and (worth < _WORTH or (length > room and not free)):
            continue
        tokens = frozenset(item.candidate.tokens)
        if any(is_same_fact(tokens, other) for other in known):
            continue
        known.append(tokens)
        chosen.append(hit)
        if not free:
            left -= 1
            room -= length
    return chosen


def _sent(hit: Hit) -> int:
    """Return the characters sent for the hit."""
    return len(strip_owner(hit.snippet)) + _PLACE


def _is_question(item: Ranked) -> bool:
    return bool(_QUESTION.search(item.candidate.text))
