"""Words for the moments at which a note matters: "bakery, birthday cake" for an allergy to nuts.

A message that touches a note names a moment of life and nothing of the note. A model names such moments once for each
note (`pet.services.moments`). They are kept in the index only, by the note's hash, and go with the note.
"""

from __future__ import annotations

import hashlib
import re
import sqlite3
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from pet.memory.database import FIRST_UTTERANCE, read_note, write_note
from pet.memory.embedders import Embedder
from pet.memory.tokens import is_stopword_query, tokenize
from pet.memory.vectors import TOGETHER, NearestResult, standardize

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pet.memory.embedders import Vectors

MOST_PHRASES = 8
"""Moments kept for one note."""
_LONGEST = 40  # characters of a moment
_LONGEST_NOTE = 300  # characters; longer entries are texts, not facts
_MOST_NOTES = 2_000  # newest notes whose moments are compared
_FARTHER = 1.0  # standard deviations: the best of several moments is nearer by chance than one note
_NEAREST = 20  # notes whose moments are nearest
_LINE = re.compile(r"\W*(\d{1,3})\s*[.:：)、]\s*(.*)")
_APART = re.compile(r"[,，、;；|/]")
_STATE = "moments"

_WITHOUT = """
SELECT e.hash, min(e.text) FROM entries e JOIN files f ON f.id = e.file
WHERE e.id < ? AND e.due IS NULL AND length(e.text) BETWEEN 8 AND ?
AND NOT EXISTS (SELECT 1 FROM moments m WHERE m.note = e.hash)
GROUP BY e.hash ORDER BY max(f.path NOT LIKE 'memory/%') DESC, max(f.path) DESC, e.hash LIMIT ?
"""
_OF_NOTES = """
SELECT e.id, m.phrase, m.hash FROM moments m JOIN entries e ON e.hash = m.note
WHERE m.phrase != '' AND e.id < ? AND e.id IN (
    SELECT e.id FROM entries e WHERE e.id < ? AND e.hash IN (SELECT note FROM moments WHERE phrase != '')
    ORDER BY e.day IS NULL DESC, e.day DESC LIMIT ?)
ORDER BY e.id, m.phrase
"""


def notes_without_moments(connection: sqlite3.Connection, limit: int) -> list[tuple[bytes, str]]:
    """Return hash and text of notes for which no model has named moments: the core files' first, then the newest."""
    return connection.execute(_WITHOUT, (FIRST_UTTERANCE, _LONGEST_NOTE, limit)).fetchall()


def store_moments(connection: sqlite3.Connection, moments: Mapping[bytes, Sequence[str]]) -> None:
    """Store the moments of notes by hash, replacing those they had; notes that are gone are left out."""
    for note, phrases in moments.items():
        if connection.execute("SELECT 1 FROM entries WHERE hash = ? LIMIT 1", (note,)).fetchone() is None:
            continue
        connection.execute("DELETE FROM moments WHERE note = ?", (note,))
        rows = ((note, phrase, _hash(phrase)) for phrase in phrases or [""])  # "": named none
        connection.executemany("INSERT OR IGNORE INTO moments VALUES (?, ?, ?)", rows)
    write_note(connection, _STATE, str(int(read_note(connection, _STATE) or 0) + 1))


def missing_moments(connection: sqlite3.Connection, model: str, limit: int) -> list[tuple[bytes, str]]:
    """Return hash and text of moments without a vector."""
    rows = connection.execute(
        "SELECT DISTINCT m.hash, m.phrase FROM moments m LEFT JOIN vectors v ON v.model = ? AND v.hash = m.hash"
        " WHERE m.phrase != '' AND v.hash IS NULL LIMIT ?",
        (model, limit),
    )
    return rows.fetchall()


def _hash(phrase: str) -> bytes:
    return hashlib.blake2b(f"\n{phrase}".encode(errors="replace"), digest_size=16).digest()


def parse_moments(reply: str, count: int) -> dict[int, tuple[str, ...]]:
    """Return the moments by the number of their note (1 to ``count``) in a model's reply; other lines are ignored.

    >>> parse_moments("1: bakery, birthday cake\\n2: -\\nSure!", 3)
    {1: ('bakery', 'birthday cake'), 2: ()}
    """
    moments: dict[int, tuple[str, ...]] = {}
    for line in reply.splitlines():
        match = _LINE.fullmatch(line.strip())
        if match and 1 <= int(match[1]) <= count:
            phrases = (" ".join(phrase.strip(" -–—.。\"'`*").split()) for phrase in _APART.split(match[2]))
            kept = dict.fromkeys(each for each in phrases if each and len(each) <= _LONGEST)
            moments.setdefault(int(match[1]), tuple(kept)[:MOST_PHRASES])
    return moments


class MomentTable:
    """The moments of the newest notes in memory, to be compared with a message; follows the index."""

    def __init__(self) -> None:
        self._state: tuple[object, ...] = ()
        self._version: tuple[int, int] | None = None
        self._by_token: dict[str, set[int]] = {}
        self._notes: list[int] = []  # entry of each row
        self._rows: NDArray[np.int64] | None = None  # index into the moments, ordered by entry
        self._hashes: list[bytes] = []
        self._vectors: dict[str, Vectors] = {}

    def sync(self, connection: sqlite3.Connection, models: Iterable[str]) -> None:
        """Load moments and their vectors again if notes, moments or vectors changed."""
        version = connection.execute("PRAGMA data_version").fetchone()[0], connection.total_changes
        if version == self._version:
            return
        self._version = version
        if not (stored := read_note(connection, _STATE)):
            return  # no note has moments
        notes = "SELECT max(e.id), count(*) FROM entries e WHERE e.id < ?"
        state = stored, connection.execute(notes, (FIRST_UTTERANCE,)).fetchone(), tuple(models)
        if state != self._state:
            self._load(connection)
            self._state = state
        for model in models:
            if len(self._vectors.get(model, ())) != len(self._hashes):
                self._load_vectors(connection, model)

    def matching(self, tokens: Collection[str]) -> dict[int, frozenset[str]]:
        """Return the tokens of a message that name a moment, by the entry to which it belongs."""
        named: dict[int, set[str]] = defaultdict(set)
        for token in tokens:
            for entry in self._by_token.get(token, ()):
                named[entry].add(token)
        return {entry: frozenset(each) for entry, each in named.items()}

    def nearest(self, vectors: Mapping[str, Vectors], embedders: Sequence[Embedder]) -> dict[int, float]:
        """Return how near the nearest moment of each entry is to a message, in standard deviations. ``vectors``: of
        the message, by model."""
        import numpy as np

        total, used = None, 0
        for embedder in embedders:
            rows, vector = self._vectors.get(embedder.model), vectors.get(embedder.model)
            if rows is None or vector is None or not len(rows) or rows.shape[1] != len(vector):
                continue
            cosines = rows.astype(np.float32) @ vector
            z = standardize(cosines, cosines, embedder)
            total, used = (z if total is None else total + z), used + 1
        if total is None or self._rows is None:
            return {}
        scale = TOGETHER / used if used > 1 else 1.0
        each = scale * total[self._rows] - _FARTHER
        starts = np.flatnonzero(np.diff(self._notes, prepend=-1))
        best = np.maximum.reduceat(each, starts)
        return {self._notes[start]: float(value) for start, value in zip(starts, best, strict=True)}

    def _load(self, connection: sqlite3.Connection) -> None:
        import numpy as np

        places: dict[bytes, int] = {}
        by_token: dict[str, set[int]] = defaultdict(set)
        notes, rows = [], []
        for entry, phrase, hash_ in connection.execute(_OF_NOTES, (FIRST_UTTERANCE, FIRST_UTTERANCE, _MOST_NOTES)):
            rows.append(places.setdefault(hash_, len(places)))
            notes.append(entry)
            for token in tokenize(phrase):
                if len(token) > 1 and not is_stopword_query(token):
                    by_token[token].add(entry)
        self._by_token, self._notes, self._hashes = dict(by_token), notes, list(places)
        self._rows = np.array(rows, dtype=np.int64)
        self._vectors = {}

    def _load_vectors(self, connection: sqlite3.Connection, model: str) -> None:
        """Keep a model's vectors once all moments have one."""
        import numpy as np

        stored = dict(
            connection.execute(
                "SELECT hash, vector FROM vectors WHERE model = ? AND hash IN (SELECT hash FROM moments)", (model,)
            ).fetchall()
        )
        if self._hashes and all(hash_ in stored for hash_ in self._hashes):
            whole = np.frombuffer(b"".join(stored[hash_] for hash_ in self._hashes), dtype="<f4")
            self._vectors[model] = whole.reshape(len(self._hashes), -1).astype(np.float16)


def with_moments(near: NearestResult, moments: Mapping[int, float]) -> NearestResult:
    """Return the nearness of entries, each as near as its nearest moment if that is nearer."""
    if not moments:
        return near
    z = near.z

    def z_of(file: int, entry: int) -> tuple[float, float] | None:
        own, moment = z(file, entry), moments.get(entry)
        return own if own is None or moment is None else (max(own[0], moment), max(own[1], moment))

    best = sorted(moments, key=lambda entry: -moments[entry])[:_NEAREST]
    return replace(near, z=z_of, best=tuple(dict.fromkeys([*near.best, *best])))
