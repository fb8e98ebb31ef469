"""Which entries come into question, and their rows; reads the index only.

Owns the queries. Refuses to hand text of a question to SQL or to FTS as syntax: words go in quoted, one by one.
"""

from __future__ import annotations

import json
import math
import sqlite3
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import date

from pet.memory.database import SAID_FROM
from pet.memory.question.dates import Days
from pet.memory.search.ranking import Candidate
from pet.memory.text.spelling import is_one_edit, is_replaced
from pet.memory.text.tokenize import is_cjk
from pet.memory.text.word_frequency import FEW, USUAL_WORD, prior_frequency
from pet.workspace.file_names import CONVERSATIONS

MENDED = 0.7  # of its own rarity a word counts that may have been meant: found, and rarely sure enough to be recalled
MAX_WORDS = 32  # of a long question the rarest words are looked for
_BY_WORDS = 80
_LOOKED_AT = 5_000  # entries that are weighed by their words, about
_BY_DAY = 400
_SLIPPED = 5  # letters at least: shorter words are too near to each other
_REPLACED = 7  # with one letter for another, shorter words are other words: "trait" and "trail"
_MENDED_AT_MOST = 6
_USUAL_LENGTH = 20.0  # tokens of an entry, where nothing was noted yet


@dataclass(frozen=True, slots=True, kw_only=True)
class Scope:
    """Which entries are searched: those of files, or with ``said`` those of conversations without some of them."""

    said: bool
    left_out: tuple[int, ...] = ()

    @property
    def words(self) -> str:
        """The table with their words."""
        return "said_words" if self.said else "words"

    @property
    def vocabulary(self) -> str:
        return "said_vocabulary" if self.said else "vocabulary"

    @property
    def ids(self) -> tuple[int, int]:
        """From the first to below the last."""
        return (SAID_FROM, 1 << 62) if self.said else (0, SAID_FROM)

    def takes(self, candidate: Candidate) -> bool:
        """Whether an entry belongs to the scope."""
        first, end = self.ids
        return first <= candidate.id < end and candidate.file not in self.left_out


NOTES = Scope(said=False)


def find_scope(connection: sqlite3.Connection, leave_out: Collection[str]) -> Scope:
    """What was said in all conversations but those of these ids."""
    left: list[int] = []
    for conversation in leave_out:
        within = (f"{CONVERSATIONS}/{conversation}", f"{CONVERSATIONS}/{conversation}\x7f")
        left += [row[0] for row in connection.execute("SELECT id FROM files WHERE path BETWEEN ? AND ?", within)]
    return Scope(said=True, left_out=tuple(left))


def word_rarity(connection: sqlite3.Connection, tokens: Sequence[str], count: int, scope: Scope) -> dict[str, float]:
    """The rarest of the words that occur at all, and how much each tells (inverse document frequency). ``count``:
    entries there are."""
    counts: dict[str, int] = dict(
        connection.execute(
            f"SELECT term, doc FROM {scope.vocabulary} WHERE term IN (SELECT value FROM json_each(?))",  # noqa: S608 - a table name of ours
            (json.dumps(list(tokens)[: 8 * MAX_WORDS]),),
        )
    )
    total, missing = max(count, FEW), max(0, FEW - count)
    usual = {token: found + missing * prior_frequency(token) for token, found in counts.items()}
    rarest = sorted((found, token) for token, found in usual.items())[:MAX_WORDS]
    return {token: math.log(1 + max(0.0, total - found + 0.5) / (found + 0.5)) for found, token in rarest}


def spelling_corrections(
    connection: sqlite3.Connection, tokens: Sequence[str], rarity: dict[str, float], scope: Scope
) -> dict[str, list[str]]:
    """For each word that occurs nowhere the words that do and are one slip away: "guitr", "Carolyne". Its first
    letter is right, as nearly always, and it is no word that everybody uses."""
    absent = [token for token in tokens if token not in rarity and len(token) >= _SLIPPED and token.isalpha()]
    odd = [token for token in absent if not is_cjk(token) and prior_frequency(token) < USUAL_WORD]
    found: dict[str, list[str]] = {}
    for token in odd[:_MENDED_AT_MOST]:
        near: dict[str, int] = {}
        for start in {token[:2], token[0] + token[2]}:
            near |= {
                term: count
                for term, count in connection.execute(
                    f"SELECT term, doc FROM {scope.vocabulary} WHERE term >= ? AND term < ?",  # noqa: S608 - a table name of ours
                    (start, start + "\U0010ffff"),
                )
                if is_one_edit(term, token) and (len(token) >= _REPLACED or not is_replaced(term, token))
            }
        if near:
            found[token] = sorted(near, key=lambda term: (-near[term], term))[:2]
    return found


def small_corpus_prior(tokens: Sequence[str], rarity: dict[str, float], count: int) -> dict[str, float]:
    """The pairs of characters that occur in no note of a small memory: they were asked for all the same, so that one
    character in common does not look like the whole question. In a memory of ``FEW`` notes nothing is added."""
    missing = max(0, FEW - count)
    pairs = [token for token in tokens if len(token) == 2 and is_cjk(token) and token not in rarity]
    share = missing / FEW
    return (
        {token: share * math.log(1 + FEW / (missing * prior_frequency(token) + 0.5)) for token in pairs}
        if share
        else {}
    )


def absent_rarity(total: int) -> float:
    """What a word tells that occurs nowhere."""
    return math.log(1 + (total + 0.5) / 0.5)


def by_words(connection: sqlite3.Connection, rarity: dict[str, float], total: int, scope: Scope) -> list[int]:
    """The entries that share the most telling words with the question."""
    telling: list[str] = []
    entries = 0.0
    for token, idf in sorted(rarity.items(), key=lambda item: -item[1]):
        entries += total / math.exp(idf)
        if telling and entries > _LOOKED_AT:
            break  # in a large memory a common word would fetch everything and tell nothing
        telling.append(token)
    if not telling:
        return []
    asked = " OR ".join('"' + token.replace('"', '""') + '"' for token in telling)
    rows = connection.execute(
        f"SELECT rowid FROM {scope.words} WHERE {scope.words} MATCH ?"  # noqa: S608 - a table name of ours
        " AND rowid NOT IN (SELECT id FROM entries WHERE file IN (SELECT value FROM json_each(?)))"
        " ORDER BY rank LIMIT ?",
        (asked, json.dumps(scope.left_out), _BY_WORDS),
    )
    return [row[0] for row in rows]


def by_days(connection: sqlite3.Connection, days: Iterable[Days], scope: Scope) -> list[int]:
    """The entries noted on those days, or on the day after, or due then; the latest of a long stretch."""
    found: list[int] = []
    for stretch in days:
        first = stretch.first.isoformat()
        last = stretch.last.isoformat()
        rows = connection.execute(
            "SELECT id FROM entries WHERE (day BETWEEN ?1 AND date(?2, '+1 day') OR due BETWEEN ?1 AND ?2)"
            " AND id >= ?4 AND id < ?5 AND file NOT IN (SELECT value FROM json_each(?6))"
            " ORDER BY day DESC, id LIMIT ?3",
            (first, last, _BY_DAY, *scope.ids, json.dumps(scope.left_out)),
        )
        found.extend(row[0] for row in rows)
    return found


def load_candidates(connection: sqlite3.Connection, ids: Iterable[int], reach: int = 2) -> dict[int, Candidate]:
    """The entries of these ids and those next to them, by id."""
    wanted = {id_ + offset for id_ in ids for offset in range(-reach, reach + 1)}
    rows = connection.execute(
        "SELECT e.id, e.file, f.path, e.start_line, e.end_line, e.day, e.due, e.text, e.tokens, e.turn"
        " FROM entries e JOIN files f ON f.id = e.file WHERE e.id IN (SELECT value FROM json_each(?))",
        (json.dumps(sorted(wanted)),),
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
        )
        for row in rows
    }


def said_in(connection: sqlite3.Connection, *, path: str, first_line: int, scope: Scope) -> list[tuple[int, str]]:
    """What was said in a transcript from that line on: line and text, in order."""
    rows = connection.execute(
        "SELECT e.start_line, e.text FROM entries e JOIN files f ON f.id = e.file"
        " WHERE f.path = ? AND e.id >= ? AND e.start_line >= ?"
        " AND f.id NOT IN (SELECT value FROM json_each(?)) ORDER BY e.start_line, e.id",
        (path, SAID_FROM, first_line, json.dumps(scope.left_out)),
    )
    return rows.fetchall()


def size(connection: sqlite3.Connection, scope: Scope = NOTES) -> tuple[int, float]:
    """How many entries there are and how many tokens an entry has on average."""
    total = connection.execute("SELECT count(*) FROM entries WHERE id >= ? AND id < ?", scope.ids).fetchone()[0]
    sample = connection.execute(
        "SELECT avg(length(tokens) - length(replace(tokens, ' ', '')) + 1)"
        " FROM (SELECT tokens FROM entries WHERE id >= ? AND id < ? ORDER BY id DESC LIMIT 500)",
        scope.ids,
    ).fetchone()[0]
    return total, max(float(sample or _USUAL_LENGTH), 1.0)
