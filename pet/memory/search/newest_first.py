"""Put a newer entry before an older one that it changes: "Gave up the allotment", "I have an allotment"; pure.

Entries of one language are compared by their words and by meaning. Two languages share no word ("I work at Acme",
"跳槽去了博特"): a newer entry in another script speaks of the same thing if it is much like the older one, or fits
the question much better than the others.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from pet.language import read_table
from pet.language.asking import is_question_word
from pet.language.labels import strip_speaker
from pet.language.mentions import Mentions
from pet.language.normalization import to_simplified
from pet.language.tokens import has_cjk
from pet.memory.search.query import ParsedQuery
from pet.memory.search.ranking import SPEAKER_TOKENS, Candidate, Passage, Ranked, is_bare, is_spelt_otherwise

_COMPARED = 12  # best entries
_MAY_BE_OLD = 3  # of them, those that a newer one may replace
_ALIKE = 1.0  # standard deviations, of two entries that share a word that is not asked for
_ALIKE_AS_ASKED = 2.0  # the same, if they share the wanted answer
_ALIKE_OF_SEVERAL = 3.0  # the same, if the question wants all about it, or several of it
_ALIKE_ALONE = 1.4  # the same, if they share no word
_ALIKE_NOW = 0.5  # the same, of a question for what holds now
_LESS_ALIKE = 0.4  # than the entry that is most like the older one
_AS_GOOD = 2.5  # log odds between a newer entry and a better one that it may replace
_AS_GOOD_IF_ALIKE = 5.0  # more for each standard deviation; three times as much if they share a word
_IN_FEW = 3  # of the candidates; a word that says what an entry is about
_CHANGED = re.compile("|".join(read_table("words_of_change.txt").splitlines()))
_STANDS = re.compile("|".join(read_table("words_of_what_stands.txt").splitlines()))
_ENDED = re.compile("|".join(read_table("words_of_an_end.txt").splitlines()))
_OLD_ACROSS = 2  # best entries that a newer one in another script may replace
_COMPARED_ACROSS = 9
_ALIKE_ACROSS = 0.6  # standard deviations; a note of one thing in two languages
_AHEAD = 1.2  # log odds of the best in the other script before the next one there
_NEW = re.compile(
    "|".join(line for name in ("change", "news") for line in read_table(f"words_of_{name}.txt").splitlines())
)

Alike = Callable[[int, int], float | None]
"""Likeness of two entries by id, as in ``NearestResult``."""


def newest_first(
    ranked: Sequence[Ranked], question: ParsedQuery, around: Mapping[int, Passage], alike: Alike, *, recall: bool
) -> list[Ranked]:
    """Return the entries with a newer one before an older one that it changes; the older is marked as superseded if
    both surely speak of one thing.

    A question for the past keeps the order. ``around``: as in ``rank``.
    """
    if question.past:
        return list(ranked)
    compared = ranked[:_COMPARED]
    bare = not recall and is_bare(question)
    best = {item.candidate.id: item for item in compared}
    order = list(best)
    for older in compared[:_MAY_BE_OLD]:
        newer, surely = _replacement(older, compared, question, around, alike)
        if newer is None and question.asks:
            newer = _change_of(older, ranked)
        if newer is None or (bare and not _says_as_much(newer, older, question)):
            continue
        old, new = older.candidate.id, newer.candidate.id
        if new not in best:
            best[new] = newer
            order.append(new)
        best[old] = replace(best[old], superseded=surely)
        if order.index(new) > (place := order.index(old)):
            order.remove(new)
            order.insert(place, new)
            best[new] = replace(best[new], score=best[old].score, odds=best[old].odds, replaces=old)
    rest = (item for item in ranked[_COMPARED:] if item.candidate.id not in best)
    return _newest_across_languages([*(best[id_] for id_ in order), *rest], alike)


def _change_of(older: Ranked, ranked: Sequence[Ranked]) -> Ranked | None:
    """Return the newest entry with a change in all the words by which an older one was found, which few
    have, however little its meaning is like the question's: "Gave up the allotment, too much with the knee"."""
    having = [item for item in ranked if older.matched and item.matched.issuperset(older.matched)]
    ends = (
        item
        for item in having[: _IN_FEW + 1]
        if len(having) <= _IN_FEW
        and item.candidate.age > older.candidate.age
        and older.candidate.day
        and _is_changed(item.candidate, older.candidate)
        and not _leaves_out_whom(item.candidate, older.candidate)
    )
    return max(ends, key=lambda item: item.candidate.age, default=None)


def _says_as_much(newer: Ranked, older: Ranked, question: ParsedQuery) -> bool:
    """Return whether an entry has a query's words as another has them."""
    spelt = is_spelt_otherwise(question, newer.candidate, newer.matched)
    return older.matched <= newer.matched and spelt <= is_spelt_otherwise(question, older.candidate, older.matched)


def _replacement(
    older: Ranked, best: Sequence[Ranked], question: ParsedQuery, around: Mapping[int, Passage], alike: Alike
) -> tuple[Ranked | None, bool]:
    """Return the newer entry with a change of an older statement, if any does, and whether both surely
    speak of one thing: it is about as like it as any other."""
    if older.candidate.day is None:
        return None, False
    likeness = {
        item.candidate.id: near
        for item in best
        if item is not older and (near := alike(item.candidate.id, older.candidate.id)) is not None
    }
    least = max(likeness.values(), default=0.0) - _LESS_ALIKE
    for newer in sorted(best, key=lambda item: -likeness.get(item.candidate.id, -math.inf)):
        near, lost = likeness.get(newer.candidate.id, -math.inf), older.odds - newer.odds
        if near < max(least, _ALIKE_NOW if question.now else _ALIKE):
            break
        if newer.candidate.age <= older.candidate.age or _are_of_one_list(newer.candidate, older.candidate):
            continue
        shared = _shared_words(newer.candidate, older.candidate, around)
        if not shared and not newer.matched and _leaves_out_whom(newer.candidate, older.candidate):
            continue
        change = _is_changed(newer.candidate, older.candidate)
        if not change and not (question.now and _answers_as(newer, older)):
            continue
        one_thing = question.now or (bool(shared) and (question.asks or not shared <= set(question.tokens)))
        if near < (_ALIKE_NOW if question.now and change else _enough(question, shared)):
            continue
        if lost <= _AS_GOOD + _AS_GOOD_IF_ALIKE * (3 * near if shared else max(0.0, near - _ALIKE)):
            return newer, one_thing
    return None, False


def _are_of_one_list(one: Candidate, other: Candidate) -> bool:
    return one.file == other.file and bool(one.heading) and one.heading == other.heading and one.day == other.day


def _enough(question: ParsedQuery, shared: set[str]) -> float:
    """Return how alike an entry and the newer one that changes it have to be, given the words that they share."""
    if not shared <= set(question.tokens):
        return _ALIKE
    if shared and question.asks and not question.now:
        return _ALIKE_OF_SEVERAL if question.several or question.subject else _ALIKE_AS_ASKED
    return _ALIKE_ALONE


def _answers_as(newer: Ranked, older: Ranked) -> bool:
    """Return whether both have the same words of the question, and one of them may hold now."""
    same = bool(newer.matched) and newer.matched == older.matched
    return same and not _STANDS.search(to_simplified(older.candidate.text.casefold()))


def _is_changed(newer: Candidate, older: Candidate) -> bool:
    """Return whether the newer entry contains a change; an allergy or a debt needs an end."""
    newer_text = to_simplified(newer.text.casefold())
    if _STANDS.search(to_simplified(older.text.casefold())):
        return bool(_ENDED.search(newer_text))
    return bool(_CHANGED.search(newer_text))


def _leaves_out_whom(newer: Candidate, older: Candidate) -> bool:
    """Return whether an older entry is about a relative or a friend of whom the newer one does not speak."""
    return bool(Mentions.of(older.text).people - Mentions.of(newer.text).people)


def _shared_words(newer: Candidate, older: Candidate, around: Mapping[int, Passage]) -> set[str]:
    """Return the words of both entries that few of the candidates have."""
    shared = set(newer.tokens).intersection(older.tokens).difference(SPEAKER_TOKENS)
    words = [token for token in shared if len(token) > 1 and not is_question_word(token)]
    return {word for word in words if sum(word in each.tokens for each in around.values()) <= _IN_FEW}


def _newest_across_languages(ranked: Sequence[Ranked], alike: Alike) -> list[Ranked]:
    """Return the entries, best first as ``ranked``, with a newer one in another script that speaks of a change before
    the older one that it changes."""
    for place, older in enumerate(ranked[:_OLD_ACROSS]):
        script = _is_chinese(older)
        others = [item for item in ranked[:_COMPARED_ACROSS] if _is_chinese(item) is not script]
        newer = None if older.superseded else _change_across(older, others, alike)
        if newer is not None:
            if ranked.index(newer) < place:
                continue
            moved = replace(newer, score=older.score, odds=older.odds, replaces=older.candidate.id)
            return [*ranked[:place], moved, *(item for item in ranked[place:] if item is not newer)]
    return list(ranked)


def _change_across(older: Ranked, others: Sequence[Ranked], alike: Alike) -> Ranked | None:
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
        if (is_ahead and near > 0) or (near == most and near >= _ALIKE_ACROSS):
            return item
    return None


def _is_chinese(item: Ranked) -> bool:
    return has_cjk(strip_speaker(item.candidate.text))
