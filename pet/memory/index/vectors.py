"""The vectors of all entries, in the index and in memory, and which are nearest to a question.

Owns the embedding cache (by model and content) and the matrix that is scanned. Refuses approximation: at ten years
of memories an exact scan takes some milliseconds.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from pet.memory.index.embedders import one_thread
from pet.memory.question.question_map import find_map
from pet.workspace.file_names import CONVERSATIONS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pet.memory.index.embedders import Embedder, Vectors

NEIGHBOUR_WEIGHT = 0.25
_AT_ONCE = 200  # files; others get their turn in between
_IN_CACHE = 512  # rows: half a megabyte to one
_NOT_ASKED = 99.0  # standard deviations: farther than anything is
_TOGETHER = 1.15
_TYPICAL_COUNT = 40  # how many entries the model's own mean and spread count for against those of this question


class UsualCosine(Protocol):
    """Mean and spread of the cosine between a question and entries it does not concern."""

    @property
    def mean(self) -> float: ...
    @property
    def spread(self) -> float: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question as vectors: the one that entries by themselves are compared with, and the one that they are compared
    with together with their neighbours."""

    alone: Vectors
    alone_usual: UsualCosine
    around: Vectors
    around_usual: UsualCosine


@dataclass(frozen=True, slots=True, kw_only=True)
class NearestResult:
    """How near entries are to a question, in standard deviations of that question's cosines. ``z``: of an entry, and
    with its neighbours, by its file and id."""

    z: Callable[[int, int], tuple[float, float] | None]
    best: tuple[int, ...]


_FILES_TO_EMBED = (  # notes before conversations, the newest first
    "SELECT id FROM files WHERE id NOT IN (SELECT file FROM embedded WHERE model = ?1)"
    " ORDER BY path NOT LIKE '%.md', path DESC, part DESC LIMIT 50"
)


_FILES_OF_KIND = (
    "SELECT e.file FROM embedded e JOIN files f ON f.id = e.file WHERE e.model = ? AND (f.path LIKE ?) = ?"
)


def missing_texts(connection: sqlite3.Connection, model: str, limit: int) -> list[tuple[bytes, str]]:
    """Texts without a vector of this model, each below its heading: notes before conversations, the newest first."""
    rows = connection.execute(
        "SELECT DISTINCT e.hash, iif(e.heading = '', e.text, e.heading || char(10) || e.text)"  # noqa: S608
        " FROM files f JOIN entries e ON e.file = f.id"
        " LEFT JOIN vectors v ON v.model = ?1 AND v.hash = e.hash"
        f" WHERE f.id IN ({_FILES_TO_EMBED}) AND v.hash IS NULL LIMIT ?2",
        (model, limit),
    )
    return rows.fetchall()


def keep_vectors(connection: sqlite3.Connection, model: str, hashes: Sequence[bytes], vectors: Vectors) -> None:
    """Store the vectors by content hash; one that is there already is replaced."""
    connection.executemany(
        "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)",
        ((model, hash_, vector.astype("<f4").tobytes()) for hash_, vector in zip(hashes, vectors, strict=True)),
    )


def mark_embedded(connection: sqlite3.Connection, model: str) -> int:
    """Note which files have all their vectors now; how many were noted."""
    return connection.execute(
        f"INSERT INTO embedded SELECT ?1, id FROM files WHERE id IN ({_FILES_TO_EMBED})"  # noqa: S608 - as above
        " AND NOT EXISTS (SELECT 1 FROM entries e LEFT JOIN vectors v ON v.model = ?1"
        " AND v.hash = e.hash WHERE e.file = files.id AND v.hash IS NULL)",
        (model,),
    ).rowcount


def count_pending(connection: sqlite3.Connection, model: str) -> tuple[int, int]:
    """Entries in files that are not wholly embedded yet, and all entries."""
    done, total = connection.execute(
        "SELECT (SELECT count(*) FROM entries WHERE file IN (SELECT file FROM embedded WHERE model = ?)),"
        " (SELECT count(*) FROM entries)",
        (model,),
    ).fetchone()
    return total - done, total


def drop_unused(connection: sqlite3.Connection) -> None:
    """Forget the vectors of texts that no file holds any more."""
    connection.execute("DELETE FROM vectors WHERE hash NOT IN (SELECT hash FROM entries)")


class VectorTable:
    """All vectors of one model in one matrix, those of notes or those of conversations (``said``): each kind has its
    own mean and spread, so that notes are as near as if nothing had been said, and a search of notes alone reads no
    more than theirs. Follows the index file by file, other programs' changes included."""

    def __init__(self, model: str, *, said: bool) -> None:
        one_thread()
        import numpy as np

        self._np = np
        self._model = model
        self._said = said
        self._rows_of: dict[int, tuple[int, int, int]] = {}  # file: from row, to row, id of its first entry
        self._ids = np.zeros(0, dtype=np.int64)
        self._owners = np.zeros(0, dtype=np.int64)
        self._matrix = np.zeros((0, 0), dtype=np.float32)
        self._used = 0
        self._live = 0
        self._seen: tuple[int, int] | None = None

    def sync(self, connection: sqlite3.Connection) -> bool:
        """Take over what changed in the index since the last time, of much a portion; whether there is more."""
        seen = connection.execute("PRAGMA data_version").fetchone()[0], connection.total_changes
        if seen == self._seen:
            return False
        kind = self._model, f"{CONVERSATIONS}/%", self._said
        wanted = {row[0] for row in connection.execute(_FILES_OF_KIND, kind)}
        for file in self._rows_of.keys() - wanted:
            start, end, _ = self._rows_of.pop(file)
            self._ids[start:end] = 0
            self._matrix[start:end] = 0
            self._live -= end - start
        if self._used > 1_000 and self._live < self._used // 2:
            self._rows_of.clear()  # mostly rows of former versions: lay it out anew
            self._used = self._live = 0
        new = sorted(wanted - self._rows_of.keys())
        self._add(connection, new[:_AT_ONCE])
        if len(new) > _AT_ONCE:
            return True
        self._seen = seen
        return False

    def nearest(self, question: Question, count: int, left_out: Collection[int] = ()) -> NearestResult | None:
        """How near the entries are, but for those of the files ``left_out``; None where there are none."""
        if not self._live or question.alone.shape[0] != self._matrix.shape[1]:
            return None
        ids = self._ids[: self._used]
        cosines, beside = _cosines(self._matrix[: self._used], question)
        around = _with_neighbours(beside, self._owners[: self._used])
        asked = ids > 0
        for file in left_out:
            start, end, _ = self._rows_of.get(file, (0, 0, 0))
            asked[start:end] = False
        np = self._np
        total = int(asked.sum())
        if not total:
            return None
        alone = _standardized(cosines, asked, question.alone_usual)
        together = _standardized(around, asked, question.around_usual)
        farness = np.where(asked, -(alone + together), _NOT_ASKED)
        count = min(count, total)
        top = np.argpartition(farness, count - 1)[:count]
        top = top[np.argsort(farness[top])]
        places = dict(self._rows_of)

        def z_of(file: int, entry: int) -> tuple[float, float] | None:
            place = places.get(file)
            if place is None:
                return None
            row = place[0] + entry - place[2]
            return float(alone[row]), float(together[row])

        return NearestResult(z=z_of, best=tuple(int(ids[row]) for row in top))

    def _add(self, connection: sqlite3.Connection, files: list[int]) -> None:
        np = self._np
        rows = connection.execute(
            "SELECT e.file, e.id, v.vector FROM entries e JOIN vectors v ON v.model = ? AND v.hash = e.hash"
            " WHERE e.file IN (SELECT value FROM json_each(?)) ORDER BY e.file, e.id",
            (self._model, json.dumps(files)),
        ).fetchall()
        for file in files:
            self._rows_of.setdefault(file, (self._used, self._used, 0))  # a file without entries
        if not rows:
            return
        added = np.frombuffer(b"".join(row[2] for row in rows), dtype="<f4").reshape(len(rows), -1)
        owners = np.array([row[0] for row in rows])
        end = self._used + len(rows)
        self._grow(end, added.shape[1])
        self._matrix[self._used : end] = added
        self._owners[self._used : end] = owners
        self._ids[self._used : end] = [row[1] for row in rows]
        at = 0
        while at < len(rows):
            file = rows[at][0]
            stop = int(np.searchsorted(owners, file, side="right"))
            self._rows_of[file] = (self._used + at, self._used + stop, rows[at][1])
            at = stop
        self._used = end
        self._live += len(rows)

    def _grow(self, rows: int, width: int) -> None:
        np = self._np
        if rows <= len(self._ids) and self._matrix.shape[1] == width:
            return
        room = max(rows, len(self._ids) * 3 // 2, 256)
        matrix, ids = np.zeros((room, width), dtype=np.float32), np.zeros(room, dtype=np.int64)
        owners = np.zeros(room, dtype=np.int64)
        if self._used:
            matrix[: self._used] = self._matrix[: self._used]
            ids[: self._used] = self._ids[: self._used]
            owners[: self._used] = self._owners[: self._used]
        self._matrix, self._ids, self._owners = matrix, ids, owners


def _cosines(rows: Vectors, question: Question) -> tuple[Vectors, Vectors]:
    """Those with both vectors of the question. A portion of the rows at a time is still in the processor's cache for
    the second product: reading all of them from memory twice is what takes the time."""
    import numpy as np

    if question.around is question.alone:
        cosines = rows @ question.alone
        return cosines, cosines
    alone, beside = np.empty(len(rows), dtype=np.float32), np.empty(len(rows), dtype=np.float32)
    for start in range(0, len(rows), _IN_CACHE):
        some = slice(start, start + _IN_CACHE)
        alone[some] = rows[some] @ question.alone
        beside[some] = rows[some] @ question.around
    return alone, beside


def _with_neighbours(cosines: Vectors, owners: NDArray[np.int64]) -> Vectors:
    """Each cosine averaged with those of the entries before and after it in its file, which is what a vector averaged
    with its neighbours' gives."""
    import numpy as np

    mixed = cosines.copy()
    weight = np.ones(len(cosines), dtype=np.float32)
    together = (owners[1:] == owners[:-1]) * np.float32(NEIGHBOUR_WEIGHT)
    mixed[1:] += together * cosines[:-1]
    mixed[:-1] += together * cosines[1:]
    weight[1:] += together
    weight[:-1] += together
    mixed /= weight
    return mixed


def _standardized(cosines: Vectors, asked: NDArray[np.bool_], usual: UsualCosine) -> Vectors:
    """In standard deviations of the cosines that are asked for; of a few, the model's own count for more."""
    values = cosines[asked]
    share = len(values) / (len(values) + _TYPICAL_COUNT)
    mean = share * float(values.mean()) + (1 - share) * usual.mean
    spread = share * float(values.std()) + (1 - share) * usual.spread
    return (cosines - mean) / max(spread, 1e-6)


def average(nears: Sequence[NearestResult | None]) -> NearestResult | None:
    """Return the mean of the models' standard deviations, of those that know the entry, scaled by ``_TOGETHER`` for
    the error that the models share; None if there are none."""
    known = [near for near in nears if near is not None]
    if len(known) < 2:
        return known[0] if known else None

    def z_of(file: int, entry: int) -> tuple[float, float] | None:
        found = [z for near in known if (z := near.z(file, entry)) is not None]
        if len(found) < 2:
            return found[0] if found else None
        scale = _TOGETHER / len(found)
        return scale * sum(z[0] for z in found), scale * sum(z[1] for z in found)

    best = dict.fromkeys(id_ for near in known for id_ in near.best)
    return NearestResult(z=z_of, best=tuple(best))


def as_question(embedder: Embedder, vectors: Mapping[str, Vectors], *, recall: bool) -> Question:
    """Moved to where facts that answer it are. A search keeps it as it is for an entry among its neighbours, since it
    looks through chat as well, where a question stands beside its answer. ``vectors``: by model."""
    vector = vectors[embedder.model]
    known = find_map(embedder.model, vectors)
    moved, usual = (known.moved(vectors), known) if known else (vector, embedder)
    if recall:
        return Question(alone=moved, alone_usual=usual, around=moved, around_usual=usual)
    return Question(alone=moved, alone_usual=usual, around=vector, around_usual=embedder)
