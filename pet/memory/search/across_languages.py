"""Put a change that was noted in another language before the older entry: "I work at Acme", "跳槽去了博特". Pure.

Two languages share no word, so what ``ranking.newest_first`` compares says nothing of them. A newer entry in another
script speaks of the same thing if it is much like the older one, or fits the question much better than the others.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from pet.language import read_table
from pet.language.labels import strip_speaker
from pet.language.normalization import to_simplified
from pet.language.tokens import has_cjk
from pet.memory.search.query import ParsedQuery
from pet.memory.search.ranking import Alike, Ranked

_MAY_BE_OLD = 2  # best entries
_COMPARED = 9
_ALIKE = 0.6  # standard deviations; a note of one thing in two languages
_AHEAD = 1.2  # log odds of the best in the other script before the next one there
_NEW = re.compile(
    "|".join(line for name in ("change", "news") for line in read_table(f"words_of_{name}.txt").splitlines())
)


def newest_across_languages(ranked: Sequence[Ranked], question: ParsedQuery, alike: Alike) -> list[Ranked]:
    """Return the entries, best first as ``ranked``, with a newer one in another script that speaks of a change before
    the older one that it changes. A question for the past keeps the order."""
    if question.past:
        return list(ranked)
    for place, older in enumerate(ranked[:_MAY_BE_OLD]):
        script = _is_chinese(older)
        others = [item for item in ranked[:_COMPARED] if _is_chinese(item) is not script]
        newer = None if older.superseded else _change_of(older, others, alike)
        if newer is not None:
            if ranked.index(newer) < place:
                continue
            moved = replace(newer, score=older.score, odds=older.odds, replaces=older.candidate.id)
            return [*ranked[:place], moved, *(item for item in ranked[place:] if item is not newer)]
    return list(ranked)


def _change_of(older: Ranked, others: Sequence[Ranked], alike: Alike) -> Ranked | None:
    """Return the entry that changes an older one, in another script, best first: the one most like it, or
    the best if it fits the question much better than the next."""
    old = older.candidate
    likeness = {
        item.candidate.id: alike(item.candidate.id, old.id) or 0.0
        for item in others
        if old.day is not None
        and item.candidate.age > old.age
        and _NEW.search(to_simplified(item.candidate.text.casefold()))
    }
    if not likeness:
        return None
    most = max(likeness.values())
    for place, item in enumerate(others):
        near = likeness.get(item.candidate.id, 0.0)
        is_ahead = place == 0 and (len(others) < 2 or item.odds - others[1].odds >= _AHEAD)
        if (is_ahead and near > 0) or (near == most and near >= _ALIKE):
            return item
    return None


def _is_chinese(item: Ranked) -> bool:
    return has_cjk(strip_speaker(item.candidate.text))
