"""Read from the index what may answer a question, by words, days and kinds; reads only.

Words of a question reach FTS quoted, one by one, never as syntax.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from pet.language.categories import QUESTION, STATEMENTS_PER_REPLY
from pet.language.labels import EARLIER
from pet.language.normalization import is_one_edit, is_replaced
from pet.language.ranges import Days
from pet.language.tokens import FEW, USUAL_WORD, is_cjk, prior_frequency
from pet.memory.search.database import FIRST_UTTERANCE
from pet.memory.search.ranking import Candidate, Passage
from pet.memory.search.recall_selection import Hit, source_of
from pet.memory.store.earlier import by_older_line
from pet.workspace.file_names import CONVERSATIONS

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
