"""The memory index of one pet: open it, keep it current, search it.

Owns the order of events and the locks; what answers a question is for ``answers`` to say. Refuses to fail for what
the index is: broken, locked or unwritable, it is begun anew, waited for or kept in memory, and the search answers
from what there is.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from pet.memory import database
from pet.memory.index.embedders import Embedder, load_embedder
from pet.memory.index.sync import IndexSync, SyncBatch
from pet.memory.index.vectors import (
    NearestResult,
    VectorTable,
    count_pending,
    drop_unused,
    keep_vectors,
    mark_embedded,
    missing_texts,
)
from pet.memory.index_options import IndexOptions
from pet.memory.search import candidates
from pet.memory.search.candidates import Scope, find_scope
from pet.memory.search.deadline import DeadlineExecutor, RunOnce
from pet.memory.search.dedupe import merge_duplicates
from pet.memory.search.execute import execute_query
from pet.memory.search.query import ParsedQuery, parse_query, to_day
from pet.memory.search.ranking import Ranked
from pet.memory.search.results import Hit, Source, to_hits
from pet.paths import find_home

__all__ = ["Hit", "MemoryIndex", "Source", "open_index"]

if TYPE_CHECKING:
    from pet.memory.index.embedders import Vectors

T = TypeVar("T")
_log = logging.getLogger(__name__)
_NEAREST = 100
_EMBED_AT_ONCE = 8
_SHIPPED = IndexOptions()


def open_index(
    workspace: Path,
    cache: Path | None = None,
    *,
    embedder: Embedder | str | None = "best",
    options: IndexOptions = _SHIPPED,
) -> MemoryIndex:
    """The index of a workspace, in the cache folder; nothing is read before the first search or ``refresh``.

    ``embedder`` is one, the name of one, "best" for the best that is installed, or None for words and dates alone.
    """
    found = load_embedder(embedder) if embedder is None or isinstance(embedder, str) else embedder
    return MemoryIndex(workspace, database.index_file(workspace, cache or find_home().cache), found, options)


@dataclass(frozen=True, slots=True)
class _Asked:
    query: str
    k: int
    now: date | str | None
    min_score: float
    conversations: bool
    leave_out: Collection[str]
    recall: bool = False  # what tells something new, and what is told twice counts as one

    @property
    def says_something(self) -> bool:
        return self.k >= 1 and bool(self.query.strip())


class MemoryIndex:
    """One per pet; its methods may be called from any thread."""

    def __init__(self, workspace: Path, file: Path, embedder: Embedder | None, options: IndexOptions) -> None:
        self._workspace = workspace.resolve()
        self._file = file
        self._embedder = embedder
        self._lock = threading.RLock()
        self._connection = database.connect(file)
        self._words = IndexSync(self._workspace, options)
        self._vectors: VectorTable | None = None
        self._size: tuple[tuple[int, int], tuple[int, float]] | None = None
        self._closed = False
        self._catching_up = threading.Lock()
        self._in_bulk = False
        self._timely = DeadlineExecutor()

    @property
    def options(self) -> IndexOptions:
        """How files are cut and entries weighed."""
        return self._words.options

    def use(self, options: IndexOptions) -> None:
        """From the next search on. Files that are to be cut otherwise are indexed anew."""
        with self._lock:
            self._words.options = options

    @property
    def embedder(self) -> str | None:
        """The name of the embedder in use."""
        return self._embedder.name if self._embedder else None

    def close(self) -> None:
        """End what runs and let go of the file; searches then find nothing."""
        self._timely.close()
        with self._lock:
            self._closed = True
            self._connection.close()

    def refresh(self, progress: Callable[[int, int], None] | None = None) -> None:
        """Bring words and vectors up to date; ``progress`` hears how many are done, of how many."""
        self.refresh_words()
        while self.embed_some():
            if progress:
                pending, total = self.pending()
                progress(total - pending, total)

    def refresh_words(
        self,
        progress: Callable[[int, int], None] | None = None,
        *,
        wait: bool = True,
        conversations: bool = True,
        leave_out: Collection[str] = frozenset(),
        go_on: Callable[[], bool] = lambda: True,
    ) -> bool:
        """Bring the words up to date: fast, and all that a search needs. Returns whether they are.

        ``wait`` False leaves it to another thread that is indexing a great many files just now. ``go_on`` is asked
        between two portions of those.
        """
        if self._in_bulk and not wait:
            return False
        stale = partial(self._words.stale, conversations=conversations, leave_out=leave_out)
        with self._catching_up:
            portions: list[SyncBatch] = self._try(stale, [])
            if portions and not portions[0].files:  # the index is to be made anew: then all of them are stale
                self._try(portions[0].apply, None)
                portions = self._try(stale, [])
            self._in_bulk = len(portions) > 1
            try:
                done, total = 0, sum(portion.files for portion in portions)
                for portion in portions:
                    if not go_on():
                        return False
                    self._try(portion.apply, None)
                    done += portion.files
                    if progress:
                        progress(done, total)
            finally:
                self._in_bulk = False
            return True

    def embed_some(self) -> bool:
        """Embed a few entries that have no vector; whether there was something to do."""
        embedder = self._embedder
        if embedder is None:
            return False
        texts: list[tuple[bytes, str]] = self._try(
            lambda connection: missing_texts(connection, embedder.model, _EMBED_AT_ONCE), []
        )
        if texts:
            # Outside the lock: a search need not wait for this.
            vectors = self._ask(lambda: embedder.embed_entries([text for _, text in texts]))
            if vectors is None:
                return False
            hashes = [hash_ for hash_, _ in texts]
            self._write(lambda connection: keep_vectors(connection, embedder.model, hashes, vectors), None)
            return True
        return bool(self._write(lambda connection: mark_embedded(connection, embedder.model), 0))

    def pending(self) -> tuple[int, int]:
        """How many entries wait for their vector, and how many there are."""
        embedder = self._embedder
        if embedder is None:
            return 0, self._try(lambda connection: self._measure(connection)[0], 0)
        return self._try(lambda connection: count_pending(connection, embedder.model), (0, 0))

    def search(
        self,
        query: str,
        k: int = 6,
        now: date | str | None = None,
        *,
        min_score: float = 0.0,
        vectors: bool = True,
        conversations: bool = False,
        leave_out: Collection[str] = frozenset(),
    ) -> list[Hit]:
        """The ``k`` entries that most likely hold what is asked, as the files are at this moment.

        ``now`` is the day on which it is asked: a date or ISO text. ``vectors`` False answers by words and dates
        alone, for callers who can't wait. ``conversations``: also what was said aloud while ON, but for those in
        ``leave_out`` (ids).
        """
        asked = _Asked(query, k, now, min_score, conversations, leave_out)
        self._refresh_for(asked)
        return self._answer(asked, vectors=vectors)

    def _refresh_for(self, asked: _Asked) -> None:
        if asked.says_something:
            self.refresh_words(wait=False, conversations=asked.conversations, leave_out=asked.leave_out)

    def _answer(self, asked: _Asked, *, vectors: bool) -> list[Hit]:
        if not asked.says_something:
            return []
        question = parse_query(asked.query, to_day(asked.now))
        scope = self._try(partial(find_scope, said=asked.conversations, leave_out=asked.leave_out), Scope(said=False))
        near = self._embedded(question, scope) if vectors else None
        echoed = asked.query if asked.recall else None

        def find(connection: sqlite3.Connection) -> list[Ranked]:
            options, size = self._words.options, self._measure(connection)
            return execute_query(connection, question, near, scope, options, size, echoed=echoed)

        ranked: list[Ranked] = self._try(find, [])
        return to_hits(merge_duplicates(ranked) if asked.recall else ranked, asked.k, min_score=asked.min_score)

    def search_within(
        self,
        seconds: float,
        query: str,
        k: int,
        now: date | str | None = None,
        *,
        min_score: float = 0.0,
        conversations: bool = False,
        leave_out: Collection[str] = frozenset(),
    ) -> list[Hit]:
        """What is worth recalling for a message, in time: by words and dates alone where meaning takes longer,
        nothing where that does too. Never raises."""
        asked = _Asked(query, k, now, min_score, conversations, leave_out, recall=True)
        refresh = RunOnce(partial(self._refresh_for, asked))

        def answer(*, vectors: bool) -> list[Hit]:
            refresh()
            return self._answer(asked, vectors=vectors)

        return self._timely.best_within(seconds, partial(answer, vectors=True), partial(answer, vectors=False))

    def rebuild(self) -> None:
        """Begin with an empty index; the next search, or ``refresh``, fills it again."""
        with self._lock:
            if not self._closed:
                self._start_empty(self._file)

    def purge(self) -> bool:
        """Leave nothing in the index of what the files no longer hold, free pages and write-ahead log included.

        Returns whether that is so: a program that reads the index just now keeps what it reads alive.
        """
        self.refresh_words()

        def purge(connection: sqlite3.Connection) -> bool:
            for portion in self._words.stale(connection, conversations=True):  # what was locked a moment ago
                portion.apply(connection)
            drop_unused(connection)
            connection.execute("INSERT INTO words (words) VALUES ('optimize')")
            connection.execute("VACUUM")
            busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            return not busy and (database.is_on_disk(connection) or not self._file.exists())

        with self._catching_up:
            done = self._try(purge, False)
        with self._lock:
            self._vectors = None
            self._words.start_over()
        return done

    def _embedded(self, question: ParsedQuery, scope: Scope) -> NearestResult | None:
        embedder = self._embedder
        if embedder is None or question.whole_days or not question.meaning:
            return None
        new = None if self._vectors else VectorTable(embedder.model)  # outside the lock: it imports numpy
        with self._lock:
            self._vectors = table = self._vectors or new or VectorTable(embedder.model)
        while self._try(table.sync, False):
            time.sleep(0)  # else this thread would take the lock again before one that waits for it
        if not len(table) or self._vectors is not table:  # nothing embedded yet, or the index was begun anew
            return None
        vector = self._ask(lambda: embedder.embed_question(question.meaning))
        if vector is None:
            return None
        with self._lock:
            return table.nearest(vector, embedder, _NEAREST, said=scope.said, left_out=scope.left_out)

    def _ask(self, embed: Callable[[], Vectors]) -> Vectors | None:
        """What the embedder says; one that can't be loaded or fails is not asked again."""
        try:
            return embed()
        except (ImportError, OSError, RuntimeError, ValueError, MemoryError):
            _log.warning("the embedder failed; memory is searched by words and dates", exc_info=True)
            self._embedder = None
            return None

    def _measure(self, connection: sqlite3.Connection) -> tuple[int, float]:
        seen = connection.execute("PRAGMA data_version").fetchone()[0], connection.total_changes
        if self._size is None or self._size[0] != seen:
            self._size = seen, candidates.size(connection)
        return self._size[1]

    def _write(self, work: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        def within(connection: sqlite3.Connection) -> T:
            connection.execute("BEGIN IMMEDIATE")
            try:
                done = work(connection)
                connection.execute("COMMIT")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            return done

        return self._try(within, otherwise)

    def _try(self, work: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """``work`` on the index; a broken one is begun anew once, a locked one is left as it is."""
        with self._lock:
            if self._closed:
                return otherwise
            for where in (self._file, None):
                try:
                    return work(self._connection)
                except sqlite3.Error as error:
                    if not database.is_broken(error):
                        return otherwise
                    self._begin_anew(where)
            return work(self._connection)

    def _begin_anew(self, where: Path | None) -> None:
        """On disk first; in memory if that breaks too: a full disk, a folder that went away."""
        self._start_empty(where)
        with suppress(sqlite3.Error):  # what then asks for it will see
            for _ in range(2):  # the first time it only says that all is to be made anew
                for portion in self._words.stale(self._connection, conversations=True):
                    portion.apply(self._connection)

    def _start_empty(self, where: Path | None) -> None:
        self._connection.close()
        if where:
            database.delete(where)
        self._connection = database.connect(where)
        self._words.start_over()
        self._vectors = None
        self._size = None
