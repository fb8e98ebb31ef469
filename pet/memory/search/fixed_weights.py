"""The ranking of the seeds, for those who set it: two weights on raw scores, and a score that halves with age; pure.

Owns these two. Refuses to be the shipped way: docs/decisions/0020-memory-search.md says what they lose.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date

from pet.memory.index_options import IndexOptions
from pet.memory.search.ranking import Candidate, Ranked

_K1 = 1.2
_B = 0.75


def rank_fixed(
    wanted: Sequence[Candidate],
    rarity: Mapping[str, float],
    mean_length: float,
    cosine: Callable[[int, int], float | None] | None,
    options: IndexOptions,
) -> list[Ranked]:
    """The wanted entries, best first: meaning times its weight and words times theirs; by words alone where there
    is no meaning to weigh."""
    words = [_bm25(candidate, rarity, mean_length) for candidate in wanted]
    best = max(words, default=0.0) or 1.0
    ranked = []
    for candidate, value in zip(wanted, words, strict=True):
        score = value / best
        if cosine is not None:
            meaning = cosine(candidate.file, candidate.id) or 0.0
            score = options.meaning_weight * max(0.0, meaning) + options.word_weight * score
        matched = frozenset(token for token in candidate.tokens if token in rarity)
        ranked.append(Ranked(candidate=candidate, score=min(1.0, score), matched=matched))
    return _sorted(ranked)


def aged(ranked: Sequence[Ranked], today: date, half_life_days: int) -> list[Ranked]:
    """The same entries with scores that halve after so many days; what has no day does not age."""
    if half_life_days < 1:
        return list(ranked)
    return _sorted([replace(item, score=item.score * 0.5 ** (_age(item, today) / half_life_days)) for item in ranked])


def _age(item: Ranked, today: date) -> int:
    day = item.candidate.day
    return max(0, (today - day).days) if day else 0


def _bm25(candidate: Candidate, rarity: Mapping[str, float], mean_length: float) -> float:
    counts: dict[str, int] = {}
    for token in candidate.tokens:
        if token in rarity:
            counts[token] = counts.get(token, 0) + 1
    norm = _K1 * (1 - _B + _B * len(candidate.tokens) / mean_length)
    return sum(rarity[token] * count * (_K1 + 1) / (count + norm) for token, count in counts.items())


def _sorted(ranked: list[Ranked]) -> list[Ranked]:
    return sorted(ranked, key=lambda item: (-item.score, -_ordinal(item), -item.candidate.id))


def _ordinal(item: Ranked) -> int:
    return (item.candidate.day or date.min).toordinal()
