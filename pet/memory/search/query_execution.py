"""Run a parsed query on the index: load candidate entries, rank them and put them in order; reads only.

Words of a question reach FTS quoted, one by one, never as syntax.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from itertools import islice
from typing import TYPE_CHECKING

from pet.i18n import day_comes_first
from pet.language import has_row
from pet.language.asking import are_names, asks_of, naming_tokens, statements_of
from pet.language.categories import QUESTION, REPLY, STATEMENTS_PER_REPLY
from pet.language.labels import EARLIER, strip_speaker
from pet.language.mentions import touched_facts
from pet.language.normalization import is_one_edit, is_replaced, to_simplified
from pet.language.ranges import Days, find_ranges
from pet.language.tokens import FEW, USUAL_WORD, is_cjk, prior_frequency, tokenize
from pet.memory.search.database import FIRST_UTTERANCE
from pet.memory.search.newest_first import newest_first
from pet.memory.search.query import ParsedQuery
from pet.memory.search.ranking import Candidate, Passage, Ranked, is_bare, literal_first, rank
from pet.memory.search.recall_selection import Hit, source_of, with_own_words, without_echoes
from pet.memory.store.split_entries import by_older_line, list_heading
from pet.workspace.file_names import CONVERSATIONS

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


MAX_WORDS = 32  # rarest words of a long question
_BY_DAY = 400
_BY_CATEGORY = 80
_SLIPPED = 5  # letters; shorter words are too similar to each other
_REPLACED = 7  # letters; with one replaced, shorter words are other words: "trait", "trail"
_MENDED_AT_MOST = 6
_USUAL_LENGTH = 20.0  # tokens of an entry in an empty index


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """The searched entries: notes, or with ``utterances`` utterances, without the files ``left_out``.

    ``statements``: of utterances those of the owner that are no questions, counted and compared among themselves, and
    some of the pet's replies.
    """

    utterances: bool
    left_out: tuple[int, ...] = ()
    statements: bool = False

    @property
    def words(self) -> str:
        """Name of the table with their words."""
        return "said_words" if self.utterances else "words"

    @property
    def vocabulary(self) -> str:
        if self.statements:
            return "statement_vocabulary"
        return "said_vocabulary" if self.utterances else "vocabulary"

    @property
    def ids(self) -> tuple[int, int]:
        """First id, and the end of the range."""
        return (FIRST_UTTERANCE, 1 << 62) if self.utterances else (0, FIRST_UTTERANCE)

    def takes(self, candidate: Candidate) -> bool:
        """Return whether a candidate is in the scope."""
        first, end = self.ids
        return first <= candidate.id < end and candidate.file not in self.left_out


NOTES = Scope(utterances=False)


def find_scope(connection: sqlite3.Connection, leave_out: Collection[str], *, statements: bool = False) -> Scope:
    """Return the scope of all utterances but those of the conversations ``leave_out`` (ids)."""
    file_ids: list[int] = []
    for conversation in leave_out:
        within = (f"{CONVERSATIONS}/{conversation}", f"{CONVERSATIONS}/{conversation}\x7f")
        file_ids += [row[0] for row in connection.execute("SELECT id FROM files WHERE path BETWEEN ? AND ?", within)]
    return Scope(utterances=True, left_out=tuple(file_ids), statements=statements)


def word_rarity(connection: sqlite3.Connection, tokens: Sequence[str], count: int, scope: Scope) -> dict[str, float]:
    """Return the inverse document frequency of the rarest tokens that occur. ``count``: entries in the index."""
    counts: dict[str, int] = dict(
        connection.execute(
            f"SELECT term, doc FROM {scope.vocabulary} WHERE term IN (SELECT value FROM json_each(?))",  # noqa: S608 - a constant table name
            (json.dumps(list(tokens)[: 8 * MAX_WORDS]),),
        )
    )
    total, missing = max(count, FEW), max(0, FEW - count)
    usual = {token: frequency + missing * prior_frequency(token) for token, frequency in counts.items()}
    rarest = sorted((frequency, token) for token, frequency in usual.items())[:MAX_WORDS]
    return {token: math.log(1 + max(0.0, total - frequency + 0.5) / (frequency + 0.5)) for frequency, token in rarest}


def spelling_corrections(
    connection: sqlite3.Connection, tokens: Sequence[str], rarity: dict[str, float], scope: Scope
) -> dict[str, list[str]]:
    """Return for each absent token the indexed tokens one edit away: "guitr", "Carolyne".

    The first letter must match, and common words are never corrected.
    """
    absent = [token for token in tokens if token not in rarity and len(token) >= _SLIPPED and token.isalpha()]
    odd = [token for token in absent if not is_cjk(token) and prior_frequency(token) < USUAL_WORD]
    corrections: dict[str, list[str]] = {}
    for token in odd[:_MENDED_AT_MOST]:
        near: dict[str, int] = {}
        for start in {token[:2], token[0] + token[2]}:
            near |= {
                term: count
                for term, count in connection.execute(
                    f"SELECT term, doc FROM {scope.vocabulary} WHERE term >= ? AND term < ?",  # noqa: S608 - a constant table name
                    (start, start + "\U0010ffff"),
                )
                if is_one_edit(term, token) and (len(token) >= _REPLACED or not is_replaced(term, token))
            }
        if near:
            corrections[token] = sorted(near, key=lambda term: (-near[term], term))[:2]
    return corrections


def small_corpus_prior(tokens: Sequence[str], rarity: dict[str, float], count: int) -> dict[str, float]:
    """Return weights of absent character pairs in a small memory, so that one common character does not look like a
    full match. Empty from ``FEW`` notes on."""
    missing = max(0, FEW - count)
    pairs = [token for token in tokens if len(token) == 2 and is_cjk(token) and token not in rarity]
    share = missing / FEW
    return (
        {token: share * math.log(1 + FEW / (missing * prior_frequency(token) + 0.5)) for token in pairs}
        if share
        else {}
    )


def absent_rarity(total: int) -> float:
    """Return the IDF of an unseen term."""
    return math.log(1 + (total + 0.5) / 0.5)


def by_words(
    connection: sqlite3.Connection, rarity: dict[str, float], total: int, scope: Scope, count: int, matched: int
) -> list[int]:
    """Return the ids of the ``count`` entries that share the rarest tokens with the question, best first.

    Tokens are taken from the rarest on until about ``matched`` entries have one of them.
    """
    rarest: list[str] = []
    entries = 0.0
    for token, idf in sorted(rarity.items(), key=lambda item: -item[1]):
        entries += total / math.exp(idf)
        if rarest and entries > matched:
            break  # in a large memory a common word would match everything
        rarest.append(token)
    if not rarest:
        return []
    query = " OR ".join('"' + token.replace('"', '""') + '"' for token in rarest)
    ids: list[int] = []
    columns = (
        {"{statements} :": count, "{replies} :": count // STATEMENTS_PER_REPLY} if scope.statements else {"": count}
    )
    for column, most in columns.items():
        rows = connection.execute(
            f"SELECT rowid FROM {scope.words} WHERE {scope.words} MATCH ?"  # noqa: S608 - a constant table name
            " AND rowid NOT IN (SELECT id FROM entries WHERE file IN (SELECT value FROM json_each(?)))"
            " ORDER BY rank LIMIT ?",
            (f"{column} ({query})", json.dumps(scope.left_out), most),
        )
        ids.extend(row[0] for row in rows)
    return ids


def by_days(connection: sqlite3.Connection, days: Iterable[Days], scope: Scope) -> list[int]:
    """Return the ids of entries noted on those days or the day after, or due then; of many the latest."""
    ids: list[int] = []
    for stretch in days:
        within = stretch.first.isoformat(), stretch.last.isoformat(), *scope.ids, json.dumps(scope.left_out), _BY_DAY
        noted = connection.execute(_ON_DAYS.format("day BETWEEN ?1 AND date(?2, '+1 day')"), within).fetchall()
        due = connection.execute(_ON_DAYS.format("due BETWEEN ?1 AND ?2"), within).fetchall()
        latest = sorted(sorted({*noted, *due}), key=lambda row: row[1] or "", reverse=True)
        ids.extend(row[0] for row in latest[:_BY_DAY])
    return ids


_ON_DAYS = (  # "+": read by day, of which there are few, rather than by id
    "SELECT id, day FROM entries WHERE {} AND +id >= ?3 AND +id < ?4"
    " AND file NOT IN (SELECT value FROM json_each(?5)) ORDER BY day DESC, id LIMIT ?6"
)


def by_category(connection: sqlite3.Connection, category: str) -> list[int]:
    """Return the ids of the newest notes of a category."""
    rows = connection.execute(
        "SELECT id FROM entries WHERE category = ? AND category != '' AND id < ?"
        " ORDER BY day IS NULL DESC, day DESC, hash LIMIT ?",
        (category, FIRST_UTTERANCE, _BY_CATEGORY),
    )
    return [row[0] for row in rows]


def load_candidates(connection: sqlite3.Connection, ids: Collection[int]) -> dict[int, Candidate]:
    """Return the entries of these ids, by id."""
    rows = connection.execute(
        "SELECT e.id, e.file, f.path, e.start_line, e.end_line, e.day, e.due, e.text, e.tokens, e.turn, e.category,"
        " e.heading"
        " FROM entries e JOIN files f ON f.id = e.file WHERE e.id IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(ids)),),
    )
    return {
        row[0]: Candidate(
            id=row[0],
            file=row[1],
            path=row[2],
            start_line=row[3],
            end_line=row[4],
            day=date.fromisoformat(row[5]) if row[5] else None,
            due=date.fromisoformat(row[6]) if row[6] else None,
            text=row[7],
            tokens=row[8].split(),
            turn=row[9],
            category=row[10],
            heading=row[11],
        )
        for row in rows
    }


def load_neighbours(connection: sqlite3.Connection, ids: Collection[int], scope: Scope) -> dict[int, Passage]:
    """Return the words of the entries before and after those of these ids, by id."""
    beside = {id_ + step for id_ in ids for step in (-1, 1)}.difference(ids)
    rows = connection.execute(
        "SELECT id, file, tokens FROM entries WHERE id IN (SELECT value FROM json_each(?))"
        " AND NOT (? AND category = ?)",
        (json.dumps(sorted(beside)), scope.statements, QUESTION),
    )
    return {id_: Passage(id=id_, file=file, tokens=tokens.split()) for id_, file, tokens in rows}


def list_utterances(
    connection: sqlite3.Connection, *, path: str, first_line: int, scope: Scope
) -> list[tuple[int, str]]:
    """Return line and text of the utterances in a transcript from a line on, in order."""
    rows = connection.execute(
        "SELECT e.start_line, e.text FROM entries e JOIN files f ON f.id = e.file"
        " WHERE f.path = ? AND e.id >= ? AND e.start_line >= ?"
        " AND f.id NOT IN (SELECT value FROM json_each(?)) ORDER BY e.start_line, e.id",
        (path, FIRST_UTTERANCE, first_line, json.dumps(scope.left_out)),
    )
    return rows.fetchall()


def newer_notes(connection: sqlite3.Connection) -> dict[str, Hit]:
    """Return the notes that name an older line as earlier, by the ``fact_key`` of that line: the newest for each."""
    rows = connection.execute(
        "SELECT f.path, e.start_line, e.end_line, e.text FROM entries e JOIN files f ON f.id = e.file"  # noqa: S608
        f" WHERE e.id < ? AND ({' OR '.join(['instr(e.text, ?)'] * len(EARLIER))}) ORDER BY e.day, e.start_line",
        (FIRST_UTTERANCE, *EARLIER),
    )
    hits = (
        Hit(path=path, start_line=first, end_line=last, score=0.0, snippet=text, source=source_of(path), turn=None)
        for path, first, last, text in rows
    )
    return by_older_line((hit.snippet, hit) for hit in hits)


def entry_statistics(connection: sqlite3.Connection, scope: Scope) -> tuple[int, float]:
    """Return the number of entries and their mean length in tokens."""
    of_scope = "id >= ? AND id < ? AND NOT (? AND category != '')"
    values = *scope.ids, scope.statements
    total = connection.execute(f"SELECT count(*) FROM entries WHERE {of_scope}", values).fetchone()[0]  # noqa: S608 - constants
    sample = connection.execute(
        "SELECT avg(length(tokens) - length(replace(tokens, ' ', '')) + 1)"  # noqa: S608 - constants
        f" FROM (SELECT tokens FROM entries WHERE {of_scope} ORDER BY hash LIMIT 500)",
        values,
    ).fetchone()[0]
    return total, max(float(sample or _USUAL_LENGTH), 1.0)
