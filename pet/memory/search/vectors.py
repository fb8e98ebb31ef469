"""The vectors of all entries in the index, and the entries nearest to a question.

Vectors are cached by model and content hash; the scan of a small table is exact.
"""

from __future__ import annotations

import json
import mmap
import os
import sqlite3
import sys
import tempfile
import weakref
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from pet.language.categories import QUESTION, REPLY, STATEMENTS_PER_REPLY
from pet.memory.search.embedders import find_map, one_thread
from pet.workspace.file_names import CONVERSATIONS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pet.memory.search.embedders import Embedder, Vectors

NEIGHBOUR_WEIGHT = 0.25
_AT_ONCE = 200  # files per portion
_BYTES = 4  # of a component
_IN_CACHE = 512  # rows: half a megabyte to one
_LARGE = 20_000  # rows; from here on a projection is read first
_PROJECTED = 128  # dimensions; of real notes' vectors they keep 95 % of the variance
_SAMPLED = 4_096  # rows that the projection is fitted to
_READ_WHOLE = 1_024  # nearest rows by the projection, whose cosines are exact
_SAMPLE_STEP = 16  # every 16th value is sampled
_COMPARED = 64  # nearest entries that are compared with each other
_ENTRIES_NEARER = 2.3  # standard deviations, to each other than to a question
_NOT_ASKED = 99.0  # standard deviations, farther than any entry
TOGETHER = 1.15  # the models' errors are correlated, so their mean spreads less
_TYPICAL_COUNT = 40  # weight, in entries, of the model's usual mean and spread
_QUESTION, _REPLY = 1, 2
_KINDS = {QUESTION: _QUESTION, REPLY: _REPLY}
_NO_FILE = 0  # of a row that lends its neighbours nothing


class UsualCosine(Protocol):
    """Mean and spread of the cosine between a question and unrelated entries."""

    @property
    def mean(self) -> float: ...
    @property
    def spread(self) -> float: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A question's vectors: ``alone`` is compared with single entries, ``around`` with entries and their
    neighbours. ``embedder_usual``: of the question as it was embedded."""

    alone: Vectors
    alone_usual: UsualCosine
    around: Vectors
    around_usual: UsualCosine
    embedder_usual: UsualCosine


@dataclass(frozen=True, slots=True, kw_only=True)
class NearestResult:
    """Nearness of entries to a question, in standard deviations of that question's cosines.

    ``z``: by file and entry id, of the entry alone and with its neighbours. ``best``: ids, nearest first. ``alike``:
    of two of the nearest entries, by id, in standard deviations of the cosines between entries; None for others.
    """

    z: Callable[[int, int], tuple[float, float] | None]
    best: tuple[int, ...]
    alike: Callable[[int, int], float | None] = lambda _one, _other: None


_FILES_TO_EMBED = (  # core files, logs, conversations; the newest first
    "SELECT id, row_number() OVER (ORDER BY path NOT LIKE '%.md', path LIKE 'memory/%', path DESC, part DESC) place"
    " FROM files WHERE id NOT IN (SELECT file FROM embedded WHERE model = ?1) ORDER BY place LIMIT 50"
)


_FILES_OF_KIND = (
    "SELECT e.file FROM embedded e JOIN files f ON f.id = e.file WHERE e.model = ? AND (f.path LIKE ?) = ?"
)


def missing_texts(connection: sqlite3.Connection, model: str, limit: int) -> list[tuple[bytes, str]]:
    """Return hash and text, below its heading, of entries without a vector: the core files' first, then the newest
    notes, then what was said."""
    rows = connection.execute(
        "SELECT e.hash, iif(e.heading = '', e.text, e.heading || char(10) || e.text)"  # noqa: S608
        f" FROM ({_FILES_TO_EMBED}) f JOIN entries e ON e.file = f.id"
        " LEFT JOIN vectors v ON v.model = ?1 AND v.hash = e.hash"
        " WHERE v.hash IS NULL ORDER BY f.place, e.id DESC LIMIT ?2",
        (model, limit),
    )
    return list(dict(rows.fetchall()).items())


def count_files_to_embed(connection: sqlite3.Connection, model: str) -> int:
    """Return the number of files that are not fully embedded; 50 if there are more."""
    return int(connection.execute(f"SELECT count(*) FROM ({_FILES_TO_EMBED})", (model,)).fetchone()[0])  # noqa: S608


def store_vectors(connection: sqlite3.Connection, model: str, hashes: Sequence[bytes], vectors: Vectors) -> None:
    """Store vectors by content hash, replacing those that exist."""
    connection.executemany(
        "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?)",
        ((model, hash_, vector.astype("<f4").tobytes()) for hash_, vector in zip(hashes, vectors, strict=True)),
    )


def mark_embedded(connection: sqlite3.Connection, model: str) -> int:
    """Mark the files whose entries all have vectors; return how many."""
    return connection.execute(
        f"INSERT INTO embedded SELECT ?1, id FROM ({_FILES_TO_EMBED}) files"  # noqa: S608 - as above
        " WHERE NOT EXISTS (SELECT 1 FROM entries e LEFT JOIN vectors v ON v.model = ?1"
        " AND v.hash = e.hash WHERE e.file = files.id AND v.hash IS NULL)",
        (model,),
    ).rowcount


def count_pending(connection: sqlite3.Connection, model: str) -> tuple[int, int]:
    """Return the number of entries in files not fully embedded, and of all entries."""
    done, total = connection.execute(
        "SELECT (SELECT count(*) FROM entries WHERE file IN (SELECT file FROM embedded WHERE model = ?)),"
        " (SELECT count(*) FROM entries)",
        (model,),
    ).fetchone()
    return total - done, total


def delete_unused(connection: sqlite3.Connection) -> None:
    """Delete the vectors of texts that no file contains."""
    connection.execute("DELETE FROM vectors WHERE hash NOT IN (SELECT hash FROM entries)")


class VectorTable:
    """All vectors of one model in one matrix, of notes or of ``utterances``; follows the index file by file.

    Each kind has its own mean and spread, so that conversations do not change how near notes are. A question reads
    all of a small table; of a large one a projection, and the rows that are nearest by it.
    """

    def __init__(self, model: str, folder: Path, *, utterances: bool) -> None:
        """``folder``: on disk, for the rows."""
        one_thread()
        import numpy as np

        self._np = np
        self._model = model
        self._utterances = utterances
        self._rows_of: dict[int, tuple[int, int, int]] = {}  # file: from row, to row, id of its first entry
        self._ids = np.zeros(0, dtype=np.int64)
        self._owners = np.zeros(0, dtype=np.int64)
        self._kinds = np.zeros(0, dtype=np.int8)
        self._hashes = np.zeros(0, dtype=np.int64)
        self._rows = _Rows(folder)
        self._projection: _Projection | None = None
        self._used = 0
        self._live = 0
        self._seen: tuple[int, int] | None = None
        self._usual_between: dict[tuple[int, ...], tuple[float, float]] = {}  # cosines of entries, by files left out

    @property
    def count(self) -> int:
        """Number of entries with a vector."""
        return self._live

    def sync(self, connection: sqlite3.Connection) -> bool:
        """Load changes from the index, a portion at a time; return whether more is left."""
        seen = connection.execute("PRAGMA data_version").fetchone()[0], connection.total_changes
        if seen == self._seen:
            return False
        kind = self._model, f"{CONVERSATIONS}/%", self._utterances
        wanted = {row[0] for row in connection.execute(_FILES_OF_KIND, kind)}
        gone = self._rows_of.keys() - wanted
        for file in gone:
            start, end, _ = self._rows_of.pop(file)
            self._ids[start:end] = 0
            self._rows.write(start, self._np.zeros((end - start, self._rows.matrix.shape[1]), dtype=self._np.float32))
            self._live -= end - start
        # A growing conversation is replaced each turn; its former rows are the last ones and are used again.
        self._used = max((end for _, end, _ in self._rows_of.values()), default=0)
        if self._used > 1_000 and self._live < self._used // 2:
            self._rows_of.clear()  # mostly rows of former versions
            self._used = self._live = 0
        new = sorted(wanted - self._rows_of.keys())
        if gone or new:
            self._usual_between = {}
        self._add(connection, new[:_AT_ONCE])
        if len(new) > _AT_ONCE:
            return True
        if self._used >= _LARGE and (self._projection is None or self._used > 2 * self._projection.fitted_to):
            self._projection = _Projection(self._rows.matrix[: self._used])
        if self._projection is not None:
            self._projection.follow(self._rows.matrix[: self._used])
        self._seen = seen
        return False

    def nearest(
        self, question: Question, count: int, left_out: Collection[int] = (), *, statements: bool = False
    ) -> NearestResult | None:
        """Return the nearness of the entries outside the files ``left_out``; None if there are no entries.

        ``statements``: as if the owner had asked nothing, measured against the owner's other statements. The nearest
        of the pet's replies come after these.
        """
        matrix = self._rows.matrix[: self._used]
        if not self._live or question.alone.shape[0] != matrix.shape[1]:
            return None
        ids = self._ids[: self._used]
        searched = ids > 0
        for file in left_out:
            start, end, _ = self._rows_of.get(file, (0, 0, 0))
            searched[start:end] = False
        np = self._np
        kinds, owners = self._kinds[: self._used], self._owners[: self._used]
        if statements:
            searched &= kinds != _QUESTION
            owners = np.where(kinds == _QUESTION, _NO_FILE, owners)
        total = int(searched.sum())
        if not total:
            return None
        sampled = searched & (kinds != _REPLY) if statements else searched
        project = self._projection.cosines if self._projection is not None and self._used >= _LARGE else _cosines
        cosines, beside = project(matrix, question)
        around = _with_neighbours(beside, owners)
        alone = _standardized(cosines, sampled, question.alone_usual)
        together = _standardized(around, sampled, question.around_usual)
        farness = np.where(searched, -(alone + together), _NOT_ASKED)
        replies = searched & ~sampled
        top = np.concatenate(
            [
                _nearest_of(np.where(each, farness, _NOT_ASKED), min(most, int(each.sum())))
                for each, most in ((sampled, count), (replies, count // STATEMENTS_PER_REPLY))
            ]
        )
        places = dict(self._rows_of)

        def z_of(file: int, entry: int) -> tuple[float, float] | None:
            place = places.get(file)
            if place is None:
                return None
            row = place[0] + entry - place[2]
            return float(alone[row]), float(together[row])

        best = tuple(int(ids[row]) for row in top)
        between = self._usual_between.get(tuple(left_out))
        if between is None:
            rows = np.flatnonzero(searched)  # by hash: the same ones, in whichever order they were indexed
            sample = matrix[rows[_nearest_of(self._hashes[rows], min(_COMPARED, total))]]
            between = _between(sample, question.embedder_usual)
            self._usual_between = {tuple(left_out): between}
        alike = _alike(best[:_COMPARED], matrix[top[:_COMPARED]], between)
        self._rows.release()
        return NearestResult(z=z_of, best=best, alike=alike)

    def _add(self, connection: sqlite3.Connection, files: list[int]) -> None:
        np = self._np
        rows = connection.execute(
            "SELECT e.file, e.id, v.vector, e.category, e.hash FROM entries e"
            " JOIN vectors v ON v.model = ? AND v.hash = e.hash"
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
        if self._projection is not None:
            self._projection.upto = min(self._projection.upto, self._used)
        self._grow(end, added.shape[1])
        self._rows.write(self._used, added)
        self._owners[self._used : end] = owners
        self._ids[self._used : end] = [row[1] for row in rows]
        self._kinds[self._used : end] = [_KINDS.get(row[3], 0) for row in rows]
        self._hashes[self._used : end] = [int.from_bytes(row[4][:7]) for row in rows]
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
        if rows <= len(self._ids) and self._rows.matrix.shape[1] == width:
            return
        room = max(rows, len(self._ids) * 3 // 2, 256)
        self._rows.grow(room, width)
        more = room - len(self._ids)
        self._ids, self._owners = np.pad(self._ids, (0, more)), np.pad(self._owners, (0, more))
        self._kinds, self._hashes = np.pad(self._kinds, (0, more)), np.pad(self._hashes, (0, more))


class _Rows:
    """A growing matrix ``(n, d) float32`` in a file without a name; in memory if ``folder`` takes none.

    What is read of the file is the system's file cache, which it frees when memory is short. Reads are mapped, writes
    are calls: a full disk ends a process that writes to a mapping, a full tmpfs also one that reads a hole in it.
    """

    def __init__(self, folder: Path) -> None:
        import numpy as np

        self._np = np
        self.matrix: Vectors = np.zeros((0, 0), dtype=np.float32)
        self._mapped: mmap.mmap | None = None
        self._file = -1
        if sys.platform != "win32":  # a mapping can't be released there
            with suppress(OSError), tempfile.TemporaryFile(dir=folder) as file:
                self._file = os.dup(file.fileno())
                self._close = weakref.finalize(self, os.close, self._file)

    def grow(self, rows: int, width: int) -> None:
        """Make room for ``rows``; the present ones stay."""
        if self._file >= 0:
            try:
                os.ftruncate(self._file, rows * width * _BYTES)
                mapped = mmap.mmap(self._file, rows * width * _BYTES, access=mmap.ACCESS_READ)
            except OSError:
                self._leave_file()
            else:
                self._mapped = mapped
                self.matrix = self._np.frombuffer(mapped, dtype="<f4").reshape(rows, width)
                return
        former = self.matrix
        self.matrix = self._np.zeros((rows, width), dtype=self._np.float32)
        self.matrix[: len(former)] = former if former.size else 0

    def write(self, start: int, rows: Vectors) -> None:
        """Replace the rows from ``start`` on."""
        if self._file >= 0:
            left, place = memoryview(rows.tobytes()), start * rows.shape[1] * _BYTES
            try:
                while left:
                    written = os.pwrite(self._file, left, place)
                    left, place = left[written:], place + written
            except OSError:
                self._leave_file()
            else:
                return
        self.matrix[start : start + len(rows)] = rows

    def release(self) -> None:
        """Unmap what was read from this process; it is mapped again when it is read."""
        if sys.platform != "win32" and self._mapped is not None:
            self._mapped.madvise(mmap.MADV_DONTNEED)

    def _leave_file(self) -> None:
        """Continue in memory; reads by calls, since unwritten rows are holes in the file."""
        data, size = bytearray(), self.matrix.nbytes
        while len(data) < size and (piece := os.pread(self._file, size - len(data), len(data))):
            data += piece
        rows = self._np.frombuffer(data.ljust(size, b"\0"), dtype="<f4")
        self.matrix, self._mapped, self._file = rows.reshape(self.matrix.shape), None, -1
        self._close()


class _Projection:
    """The rows of a large table in their directions of most variance, a third of the bytes to read.

    ``upto``: rows that are projected. ``fitted_to``: rows of the table when the directions were found.
    """

    def __init__(self, rows: Vectors) -> None:
        import numpy as np

        sample = rows[:: max(1, len(rows) // _SAMPLED)]
        self._mean = sample.mean(axis=0)
        sample = sample - self._mean
        self._axes = np.ascontiguousarray(np.linalg.eigh(sample.T @ sample)[1][:, -_PROJECTED:])
        self._rows = np.zeros((0, self._axes.shape[1]), dtype=np.float32)
        self.fitted_to = len(rows)
        self.upto = 0

    def follow(self, rows: Vectors) -> None:
        """Project the rows from ``upto`` on."""
        import numpy as np

        if len(rows) > len(self._rows):
            room = np.zeros((len(rows) * 9 // 8, self._rows.shape[1]), dtype=np.float32)
            room[: self.upto] = self._rows[: self.upto]
            self._rows = room
        for start in range(self.upto, len(rows), _SAMPLED):
            stop = min(start + _SAMPLED, len(rows))
            self._rows[start:stop] = (rows[start:stop] - self._mean) @ self._axes
        self.upto = len(rows)

    def cosines(self, rows: Vectors, question: Question) -> tuple[Vectors, Vectors]:
        """Return the cosines with both vectors of the question: exact for the nearest rows, close for the others."""
        import numpy as np

        alone = self._close(len(rows), question.alone)
        beside = alone if question.around is question.alone else self._close(len(rows), question.around)
        some = min(_READ_WHOLE, len(rows))
        for cosines, vector in ((alone, question.alone), (beside, question.around))[: 1 if beside is alone else 2]:
            nearest = np.sort(_lowest(-cosines, some))
            cosines[nearest] = rows[nearest] @ vector
        return alone, beside

    def _close(self, count: int, vector: Vectors) -> Vectors:
        close: Vectors = self._rows[:count] @ (vector @ self._axes) + float(self._mean @ vector)
        return close


def _lowest(values: Vectors, count: int) -> NDArray[np.intp]:
    """Return the places of the ``count`` lowest values, in any order; of many values most are compared only once."""
    import numpy as np

    sample = values[::_SAMPLE_STEP]
    rank = 2 * count // _SAMPLE_STEP + _SAMPLE_STEP
    if rank < len(sample):
        few = np.flatnonzero(values <= np.partition(sample, rank)[rank])
        if len(few) >= count:
            lowest: NDArray[np.intp] = few[np.argpartition(values[few], count - 1)[:count]]
            return lowest
    return np.argpartition(values, count - 1)[:count]


def _nearest_of(farness: Vectors, count: int) -> NDArray[np.intp]:
    """Return the places of the ``count`` lowest values, lowest first."""
    top = _lowest(farness, count) if count else _lowest(farness, 1)[:0]
    nearest: NDArray[np.intp] = top[farness[top].argsort()]
    return nearest


def _between(sample: Vectors, usual: UsualCosine) -> tuple[float, float]:
    """Return mean and spread of the cosines between entries: those of the sample, or with few of the model."""
    import numpy as np

    cosines = (sample @ sample.T)[~np.eye(len(sample), dtype=bool)]
    share = len(sample) / (len(sample) + _TYPICAL_COUNT) if len(sample) > 1 else 0.0
    mean = (1 - share) * (usual.mean + _ENTRIES_NEARER * usual.spread)
    spread = (1 - share) * usual.spread
    if share:
        mean, spread = mean + share * float(cosines.mean()), spread + share * float(cosines.std())
    return mean, max(spread, 1e-6)


def _alike(ids: Sequence[int], rows: Vectors, between: tuple[float, float]) -> Callable[[int, int], float | None]:
    """Return ``NearestResult.alike`` of these entries, by mean and spread of the similarities ``between`` entries."""
    places = {id_: place for place, id_ in enumerate(ids)}
    mean, spread = between
    cosines = (rows @ rows.T - mean) / spread

    def alike(one: int, other: int) -> float | None:
        return float(cosines[places[one], places[other]]) if one in places and other in places else None

    return alike


def _cosines(rows: Vectors, question: Question) -> tuple[Vectors, Vectors]:
    """Return the cosines with both vectors of the question, in portions that fit the processor's cache for both
    products."""
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
    """Return each cosine averaged with those of the adjacent entries in its file, as averaging the vectors would."""
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


def _standardized(cosines: Vectors, searched: NDArray[np.bool_], usual: UsualCosine) -> Vectors:
    """Return standard deviations of the searched cosines; with few, the model's usual mean and spread weigh more."""
    sample = cosines[searched]
    share = len(sample) / (len(sample) + _TYPICAL_COUNT)
    mean, spread = (float(sample.mean()), float(sample.std())) if share else (0.0, 0.0)
    mean = share * mean + (1 - share) * usual.mean
    spread = share * spread + (1 - share) * usual.spread
    return (cosines - mean) / max(spread, 1e-6)


def average(nears: Sequence[NearestResult | None]) -> NearestResult | None:
    """Return the mean of the models' standard deviations for each entry, scaled by ``TOGETHER``; None without
    results."""
    known = [near for near in nears if near is not None]
    if len(known) < 2:
        return known[0] if known else None

    def z_of(file: int, entry: int) -> tuple[float, float] | None:
        zs = [z for near in known if (z := near.z(file, entry)) is not None]
        if len(zs) < 2:
            return zs[0] if zs else None
        scale = TOGETHER / len(zs)
        return scale * sum(z[0] for z in zs), scale * sum(z[1] for z in zs)

    def alike(one: int, other: int) -> float | None:
        both = [value for near in known if (value := near.alike(one, other)) is not None]
        return sum(both) / len(both) if both else None

    best = dict.fromkeys(id_ for near in known for id_ in near.best)
    return NearestResult(z=z_of, best=tuple(best), alike=alike)


def as_question(embedder: Embedder, vectors: Mapping[str, Vectors], *, recall: bool) -> Question:
    """Return the question moved to where its answers are, by ``find_map``.

    A search keeps the original vector for entries with neighbours, since conversations have the question next to its
    answer. ``vectors``: by model.
    """
    vector = vectors[embedder.model]
    known = find_map(embedder.model, vectors)
    moved, usual = (known.moved(vectors), known) if known else (vector, embedder)
    around: tuple[Vectors, UsualCosine] = (moved, usual) if recall else (vector, embedder)
    return Question(alone=moved, alone_usual=usual, around=around[0], around_usual=around[1], embedder_usual=embedder)
