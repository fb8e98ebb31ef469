"""Run a parsed query: load candidates, rank them, prefer named days; reads only."""

from __future__ import annotations

import re
import sqlite3
from dataclasses import replace
from datetime import date
from typing import TYPE_CHECKING

from pet.memory.question.dates import find_days
from pet.memory.question.query import ParsedQuery
from pet.memory.search.candidates import (
    MAX_WORDS,
    MENDED,
    Scope,
    absent_rarity,
    by_days,
    by_words,
    load_candidates,
    small_corpus_prior,
    spelling_corrections,
    word_rarity,
)
from pet.memory.search.dedupe import without_echoes
from pet.memory.search.ranking import Candidate, Ranked, rank
from pet.memory.text.tokenize import is_cjk
from pet.memory.text.word_frequency import FEW

if TYPE_CHECKING:
    from pet.memory.index.vectors import NearestResult

_MAY_NAME_A_DAY = 30  # best entries whose dates are read, which is slow
_DATED_PART = 300  # characters of each
_DIGIT = re.compile(r"[0-9一二三四五六七八九十]")


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
        rarity |= {term: MENDED * idf for term, idf in instead.items() if term not in rarity}
        question = replace(question, names=question.names.union(meant))
    wanted = set(by_words(connection, rarity, total, scope))
    around = {id_ + step for id_ in wanted for step in (-1, 1)}
    if near:
        wanted.update(near.best)
    if question.days:
        wanted.update(by_days(connection, question.days, scope))
    loaded = load_candidates(connection, wanted | around, reach=1)
    token_weights = rarity | small_corpus_prior(question.tokens, rarity, count)
    for token in question.tokens:  # absent words lower the share of the others
        if token not in token_weights and not is_cjk(token) and len(token_weights) < MAX_WORDS:
            token_weights[token] = (1 - MENDED if token in mended else 1) * absent_rarity(total)
    entries = [loaded[id_] for id_ in sorted(wanted | around) if id_ in loaded and scope.takes(loaded[id_])]
    if echoed is not None and scope.said:  # a note in the question's words is its answer
        entries = without_echoes(entries, echoed)
    rarest = absent_rarity(total)
    z = near.z if near else None
    recall = echoed is not None
    ranked = rank(question, entries, loaded, token_weights, mean_length, z, rarest=rarest, count=count, recall=recall)
    return _days_first(ranked, question)


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
    meant = [
        replace(item, score=max(item.score, 0.7 - 0.001 * at), odds=max(item.odds, 3.0 - 0.01 * at))
        for at, item in enumerate(on_days)
    ]
    rest = [item for item in ranked if item.candidate.id not in first]
    return meant + [replace(item, score=min(item.score, 0.2), odds=min(item.odds, 0.0)) for item in rest]


def _names_day(candidate: Candidate, question: ParsedQuery) -> bool:
    """Return whether the entry's text names the day asked for: "the wedding is on 20 June"."""
    single_days = [days.first for days in question.days if days.first == days.last]
    if not single_days or not _DIGIT.search(candidate.text):
        return False
    named = find_days(candidate.text[:_DATED_PART], candidate.day or question.today)
    return any(
        days.first == days.last and (days.first.month, days.first.day) == (day.month, day.day)
        for days in named
        for day in single_days
    )


def _list_days(connection: sqlite3.Connection, question: ParsedQuery, scope: Scope) -> list[Ranked]:
    """Return the entries of the days, in order, for a question about nothing but days."""
    loaded = load_candidates(connection, by_days(connection, question.days, scope), reach=0)
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
        ranked.append((seen[day], -day.toordinal(), entry.id, entry))
    return [item[3] for item in sorted(ranked, key=lambda item: item[:3])]


def _place(candidate: Candidate) -> tuple[date, bool, str, int]:
    """Sort key: by day, notes before utterances."""
    return candidate.day or date.min, candidate.turn is not None, candidate.path, candidate.start_line
