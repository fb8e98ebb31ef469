"""Run a parsed query on the index: load candidate entries, rank them and put them in order; reads only."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from itertools import islice
from typing import TYPE_CHECKING

from pet.i18n import day_comes_first
from pet.language import has_row
from pet.language.asking import are_names, asks_of, naming_tokens, statements_of
from pet.language.categories import QUESTION, REPLY
from pet.language.labels import strip_speaker
from pet.language.mentions import touched_facts
from pet.language.normalization import to_simplified
from pet.language.ranges import find_ranges
from pet.language.tokens import FEW, USUAL_WORD, is_cjk, prior_frequency, tokenize
from pet.memory.search.candidates import (
    MAX_WORDS,
    Scope,
    absent_rarity,
    by_category,
    by_days,
    by_words,
    load_candidates,
    load_neighbours,
    small_corpus_prior,
    spelling_corrections,
    word_rarity,
)
from pet.memory.search.database import FIRST_UTTERANCE
from pet.memory.search.newest_first import newest_first
from pet.memory.search.query import ParsedQuery
from pet.memory.search.ranking import Candidate, Ranked, is_bare, literal_first, rank
from pet.memory.search.recall_selection import with_own_words, without_echoes
from pet.memory.store.split_entries import list_heading

if TYPE_CHECKING:
    from pet.memory.search.vectors import NearestResult

_MENDED = 0.7  # weight of a corrected word: enough to be found, rarely enough to be recalled
_BY_WORDS = 80
_BY_WORDS_RECALLED = 40  # notes for a message
_BY_WORDS_UTTERANCES = 30  # utterances, of which a recall takes two
_MOST_MATCHED = 5_000  # entries matched by words, about
_MOST_MATCHED_RECALLED = 1_500  # the same for a message whose meaning is known, which finds what common words miss
_DECIDE = 3  # best entries
_MOST_TOUCHED = 4
_MOST_OF_KIND = 5
_LONGEST_LIST = 12  # items that are sent with what leads to them
_CLOSER = 0.7  # of the distance to the best, in log odds, for a question with several answers
_MAY_NAME_A_DAY = 30  # best entries whose dates are read, which is slow
_DATED_PART = 300  # characters of each


def execute_query(
    connection: sqlite3.Connection,
    question: ParsedQuery,
    near: NearestResult | None,
    scope: Scope,
    size: tuple[int, float],
    *,
    echoed: str | None = None,
) -> list[Ranked]:
    """Return the ranked entries for a question, best first.

    ``size``: number of entries and their mean length. ``echoed``: a message to recall for, whose echoes are left out.
    """
    count, mean_length = size
    total = max(count, FEW)
    if question.whole_days:
        return _list_days(connection, question, scope)
    rarity = word_rarity(connection, question.tokens, count, scope)
    mended = spelling_corrections(connection, question.tokens, rarity, scope)
    if mended:
        meant = [term for terms in mended.values() for term in terms]
        instead = word_rarity(connection, meant, count, scope)
        rarity |= {term: _MENDED * idf for term, idf in instead.items() if term not in rarity}
        question = replace(question, names=question.names.union(meant))
    recall = echoed is not None
    most = _BY_WORDS if not recall else _BY_WORDS_UTTERANCES if scope.utterances else _BY_WORDS_RECALLED
    matched = _MOST_MATCHED_RECALLED if recall and near else _MOST_MATCHED
    wanted = set(by_words(connection, rarity, total, scope, most, matched))
    # What is said next may answer; to a message, the note beside one that matches does not.
    around = {id_ + step for id_ in wanted for step in (-1, 1)} if scope.utterances or not recall else set()
    if near:
        wanted.update(near.best)
    if question.days:
        wanted.update(by_days(connection, question.days, scope))
    if question.category and not scope.utterances:
        wanted.update(by_category(connection, question.category))
    loaded = load_candidates(connection, wanted | around)
    if scope.statements:
        loaded = {id_: candidate for id_, candidate in loaded.items() if candidate.category != QUESTION}
    beside = loaded | load_neighbours(connection, wanted | around, scope)
    token_weights = rarity | small_corpus_prior(question.tokens, rarity, count)
    for token in question.tokens:  # absent words lower the share of the others
        if token not in token_weights and not is_cjk(token) and len(token_weights) < MAX_WORDS:
            token_weights[token] = (1 - _MENDED if token in mended else 1) * absent_rarity(total)
    entries = [loaded[id_] for id_ in sorted(loaded) if scope.takes(loaded[id_])]
    if echoed is not None and scope.utterances:  # a note in the question's words is its answer
        entries = without_echoes(entries, echoed)
    rarest = absent_rarity(total)
    ranked = rank(
        question,
        entries,
        beside,
        token_weights,
        mean_length,
        near.z if near else None,
        rarest=rarest,
        count=count,
        recall=recall,
        talk=scope.utterances,
    )
    if near and not scope.utterances and not question.days:
        ranked = newest_first(ranked, question, beside, near.alike, recall=recall)
        if question.now:
            ranked = [item for item in ranked if not item.superseded]
    if not recall:
        ranked = literal_first(ranked, question)
    if question.several and recall and ranked:
        best = ranked[0].odds
        ranked = [replace(item, odds=best - _CLOSER * (best - item.odds)) for item in ranked]
    if recall and not scope.utterances:
        ranked = _with_list(connection, ranked, question)
        ranked = _with_all_named(ranked, question)
    if recall and (question.subject or scope.utterances):
        ranked = _mark_own_words(ranked, question, scope, by_meaning=near is not None)
    if question.whole_category and not question.days:
        return _category_first(ranked, question)
    ranked = _days_first(ranked, question)
    return ranked if scope.utterances or not recall else _with_touched(ranked, question)


def _with_all_named(ranked: list[Ranked], question: ParsedQuery) -> list[Ranked]:
    """Return the entries with more behind the first: one for each other thing that a question lists ("wifi, key and
    loft"), and the best of the kind that it asks for."""
    if not question.asks:
        return ranked
    first, rest = ranked[:_DECIDE], ranked[_DECIDE:]
    more: dict[int, Ranked] = {}
    if asks_of("lists", question.text):
        named = {token for token in naming_tokens(question.tokens) if len(token) > 1}
        for token in sorted(named.difference(*(item.matched for item in first))):
            having = [item for item in rest if token in item.matched]
            if 0 < len(having) <= _DECIDE:
                more[having[0].candidate.id] = having[0]
    behind = [replace(item, odds=first[-1].odds, score=first[-1].score) for item in more.values()]
    of_kind = (item for item in rest if question.category and item.candidate.category == question.category)
    kind = {item.candidate.id: replace(item, odds=first[0].odds) for item in islice(of_kind, _MOST_OF_KIND)}
    rest = [item for item in rest if item.candidate.id not in more.keys() | kind.keys()]
    return [*first[:1], *kind.values(), *first[1:], *behind, *rest]


def _with_list(connection: sqlite3.Connection, ranked: list[Ranked], question: ParsedQuery) -> list[Ranked]:
    """Return the entries with a whole list, in its order, behind one of the best that leads to it, or that is an item
    of it and matches the question in its heading alone."""
    for place, item in enumerate(ranked[:_DECIDE]):
        candidate = item.candidate
        heading = list_heading(candidate.heading, candidate.text)
        if not heading:
            named = set(naming_tokens(question.tokens))
            if not named or not named.issubset(tokenize(candidate.heading)):
                continue
            heading = candidate.heading
        rows = connection.execute(
            "SELECT id FROM entries WHERE file = ? AND heading = ? AND id < ? ORDER BY id LIMIT ?",
            (candidate.file, heading, FIRST_UTTERANCE, _LONGEST_LIST + 1),
        )
        ids = [row[0] for row in rows if row[0] != candidate.id]
        if not 0 < len(ids) < _LONGEST_LIST:
            continue
        known = {each.candidate.id: each for each in ranked}
        loaded = load_candidates(connection, [id_ for id_ in ids if id_ not in known])
        items = [known.get(id_) or replace(item, candidate=loaded[id_], replaces=None) for id_ in ids]
        items = [replace(each, odds=item.odds, score=item.score) for each in items]
        rest = (each for each in ranked[place + 1 :] if each.candidate.id not in ids)
        before = (each for each in ranked[:place] if each.candidate.id not in ids)
        return [*before, item, *items, *rest]
    return ranked


def _mark_own_words(ranked: list[Ranked], question: ParsedQuery, scope: Scope, *, by_meaning: bool) -> list[Ranked]:
    """Return the entries, marked if they have the question's own words; notes with what it asks about come first.
    Words alone don't tell a question of general knowledge from others, so without meaning it has to speak of the
    owner."""
    own = _about_subject(ranked, question, scope)
    if scope.utterances and not own and question.asks and (by_meaning or question.own):
        may_answer = (item.candidate for item in ranked if question.of_the_pet or item.candidate.category != REPLY)
        own = {candidate.id for candidate in with_own_words(may_answer, question.tokens)}
    if own:
        ranked = [replace(item, own_words=True) if item.candidate.id in own else item for item in ranked]
    if scope.utterances or not own:
        return ranked
    meant = [item for item in ranked if item.own_words or item.replaces in own]
    return _first(meant, [item for item in ranked if item not in meant])


def _about_subject(ranked: Iterable[Ranked], question: ParsedQuery, scope: Scope) -> set[int]:
    """Return the ids of the entries that have what the question asks to be told about; no replies of the pet's."""
    subject = question.subject
    if subject is None or not subject.tokens:
        return set()
    texts = {
        item.candidate.id: strip_speaker(item.candidate.text)
        for item in ranked
        if subject.tokens.issubset(item.candidate.tokens) and item.candidate.category != REPLY
    }
    if scope.utterances:
        texts = {id_: text for id_, text in texts.items() if subject.tokens.issubset(tokenize(statements_of(text)))}
    is_thing = is_bare(question) and all(prior_frequency(token) < USUAL_WORD for token in subject.tokens)
    return set(texts) if is_thing or not subject.named or are_names(subject.tokens, texts.values()) else set()


def _with_touched(ranked: list[Ranked], question: ParsedQuery) -> list[Ranked]:
    """Return the entries with those that a message touches in other words right behind the first, which decide
    whether anything is recalled."""
    facts = touched_facts(question.text, asked=question.asks)
    first, rest = ranked[:_DECIDE], ranked[_DECIDE:]
    texts = ((item, to_simplified(item.candidate.text.casefold())) for item in rest if facts)
    by_rows = [(sum(bool(fact.search(text)) for fact in facts), item) for item, text in texts]
    ordered = sorted((each for each in by_rows if each[0]), key=lambda each: -each[0])
    touched = [
        replace(item, odds=first[-1].odds, score=first[-1].score, touched=True) for _, item in ordered[:_MOST_TOUCHED]
    ]
    ids = {item.candidate.id for item in touched}
    return [*first, *touched, *(item for item in rest if item.candidate.id not in ids)]


def _category_first(ranked: list[Ranked], question: ParsedQuery) -> list[Ranked]:
    """Return the entries of the category asked for first, the newest before the older ones."""
    listed = [item for item in ranked if item.candidate.category == question.category]
    listed.sort(key=lambda item: (item.candidate.day is None, item.candidate.age), reverse=True)
    first = {item.candidate.id for item in listed}
    return _first(listed, [item for item in ranked if item.candidate.id not in first])


def _first(meant: Iterable[Ranked], rest: Iterable[Ranked]) -> list[Ranked]:
    """Return the meant entries as likely answers in their order, then the rest as unlikely ones."""
    likely = [
        replace(item, score=max(item.score, 0.7 - 0.001 * at), odds=max(item.odds, 3.0 - 0.01 * at))
        for at, item in enumerate(meant)
    ]
    return likely + [replace(item, score=min(item.score, 0.2), odds=min(item.odds, 0.0)) for item in rest]


def _days_first(ranked: list[Ranked], question: ParsedQuery) -> list[Ranked]:
    """Return the entries of the named days first, in their order; if they match no word, prefer the exact day.

    Today or coming days named beside a topic are no condition: "what shall I cook today".
    """
    if not question.days or (question.tokens and all(days.last >= question.today for days in question.days)):
        return ranked
    near = {item.candidate.id for item in ranked[:_MAY_NAME_A_DAY]}
    on_days = [
        item
        for item in ranked
        if _is_on(item.candidate, question) or (item.candidate.id in near and _names_day(item.candidate, question))
    ]
    if not on_days:
        return ranked
    if not any(item.matched for item in on_days):
        on_days.sort(key=lambda item: _off(item.candidate, question))
    first = {item.candidate.id for item in on_days}
    return _first(on_days, [item for item in ranked if item.candidate.id not in first])


def _names_day(candidate: Candidate, question: ParsedQuery) -> bool:
    """Return whether the entry's text names the day asked for: "the wedding is on 20 June"."""
    single_days = [days.first for days in question.days if days.first == days.last]
    if not single_days or not has_row("days.json", "numeral", candidate.text):
        return False
    named = find_ranges(candidate.text[:_DATED_PART], candidate.day or question.today, day_comes_first())
    return any(
        days.first == days.last and (days.first.month, days.first.day) == (day.month, day.day)
        for days in named
        for day in single_days
    )


def _list_days(connection: sqlite3.Connection, question: ParsedQuery, scope: Scope) -> list[Ranked]:
    """Return the entries of the days, in order, for a question about nothing but days."""
    loaded = load_candidates(connection, by_days(connection, question.days, scope))
    on_days = [c for c in loaded.values() if _is_on(c, question)]
    rest = [c for c in loaded.values() if c not in on_days]
    few_days = all(days.first == days.last or days.meant for days in question.days)
    in_order = sorted(on_days, key=lambda c: (_off(c, question), _place(c))) if few_days else _of_each_day(on_days)
    ordered = in_order + sorted(rest, key=_place)
    return [
        Ranked(
            candidate=c,
            score=max(0.95 - 0.005 * at, 0.3) if c in on_days else 0.2,
            matched=frozenset(),
            odds=4.0 - 0.01 * at if c in on_days else -2.0,
        )
        for at, c in enumerate(ordered)
    ]


def _is_on(candidate: Candidate, question: ParsedQuery) -> bool:
    return any(
        (candidate.day is not None and candidate.day in days) or (candidate.due is not None and candidate.due in days)
        for days in question.days
    )


def _off(candidate: Candidate, question: ParsedQuery) -> int:
    """Return the distance in days from the day meant; 0 if none is."""
    return min(
        (abs((candidate.day or date.min) - days.meant).days for days in question.days if days.meant), default=0
    )


def _of_each_day(entries: list[Candidate]) -> list[Candidate]:
    """Return the longest entry of each day, newest day first, then the second longest, and so on."""
    seen: dict[date, int] = {}
    ranked = []
    for entry in sorted(entries, key=lambda entry: len(entry.text), reverse=True):
        day = entry.day or date.min
        seen[day] = seen.get(day, 0) + 1
        ranked.append((seen[day], -day.toordinal(), entry.age, entry))
    return [item[3] for item in sorted(ranked, key=lambda item: item[:3])]


def _place(candidate: Candidate) -> tuple[date, bool, str, int]:
    """Sort key: by day, notes before utterances."""
    return candidate.day or date.min, candidate.turn is not None, candidate.path, candidate.start_line
