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
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Literal, TypeVar

from pet.memory import database
from pet.memory.index.embedders import Embedder, EmbedderPool, is_quick, load_embedders
from pet.memory.index.sync import IndexSync, Portion
from pet.memory.index.vectors import (
    NearestResult,
    VectorTable,
    as_question,
    average,
    count_pending,
    drop_unused,
    keep_vectors,
    mark_embedded,
    missing_texts,
)
from pet.memory.question import intent
from pet.memory.question.query import ParsedQuery, parse_query, to_day
from pet.memory.search import candidates
from pet.memory.search.candidates import NOTES, Scope, find_scope
from pet.memory.search.deadline import DeadlineExecutor, RunOnce
from pet.memory.search.execute import execute_query
from pet.memory.search.ranking import Ranked
from pet.memory.search.recall_selection import RecallCandidates
from pet.memory.search.results import Hit, to_hits
from pet.paths import find_home

__all__ = ["Hit", "MemoryIndex", "open_index"]

T = TypeVar("T")
_log = logging.getLogger(__name__)
_NEAREST = 100
_EMBED_AT_ONCE = 8
_POOLS = (NOTES, Scope(said=True))


def open_index(
    workspace: Path,
    cache: Path | None = None,
    *,
    embedder: Embedder | Literal["best"] | None = "best",
) -> MemoryIndex:
    """The index of a workspace, in the cache folder; nothing is read before the first search or ``refresh``.

    ``embedder`` is one, "best" for all that are installed, or None for words and dates alone.
    """
    found = load_embedders() if isinstance(embedder, str) else (embedder,) if embedder else ()
    return MemoryIndex(workspace, database.index_file(workspace, cache or find_home().cache), found)


@dataclass(frozen=True, slots=True)
class _Asked:
    query: str
    k: int
    now: date | str | None
    min_score: float
    conversations: bool
    leave_out: Collection[str]
    recall: bool = False  # only what tells something new

    @property
    def says_something(self) -> bool:
        return self.k >= 1 and bool(self.query.strip())


class MemoryIndex:
    """One per pet; its methods may be called from any thread."""

    def __init__(self, workspace: Path, file: Path, embedders: Sequence[Embedder]) -> None:
        self._workspace = workspace.resolve()
        self._file = file
        self._embedders = EmbedderPool(embedders)
        self._lock = threading.RLock()
        self._connection = database.open_database(file)
        self._words = IndexSync(self._workspace)
        self._vectors: dict[tuple[str, bool], VectorTable] = {}
        self._sizes: dict[bool, tuple[tuple[int, int], tuple[int, float]]] = {}
        self._closed = False
        self._catching_up = threading.Lock()
        self._in_bulk = False
        self._timely = DeadlineExecutor()

    @property
    def embedder(self) -> str | None:
        """The name of the best embedder in use."""
        best = next(iter(self._embedders.all), None)
        return best.name if best else None

    def close(self) -> None:
        """End what runs and let go of the file; searches then find nothing."""
        self._timely.close()
        with self._lock:
            self._closed = True
            self._connection.close()

    def refresh(self) -> None:
        """Bring words and vectors up to date."""
        self.refresh_words()
        while self.embed_some():
            pass

    def refresh_words(
        self,
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
            portions: list[Portion] = self._try(stale, [])
            self._in_bulk = len(portions) > 1
            try:
                for portion in portions:
                    if not go_on():
                        return False
                    self._try(portion, None)
            finally:
                self._in_bulk = False
            return True

    def embed_some(self) -> bool:
        """Embed a few entries that have no vector; whether there was something to do. The quickest embedder comes
        first: all entries can soon be found by meaning, and better later."""
        return any(self._embed_some(embedder) for embedder in reversed(self._embedders.all))

    def _embed_some(self, embedder: Embedder) -> bool:
        texts: list[tuple[bytes, str]] = self._try(
            lambda connection: missing_texts(connection, embedder.model, _EMBED_AT_ONCE), []
        )
        if texts:
            # Outside the lock: a search need not wait for this.
            vectors = self._embedders.ask(embedder, lambda: embedder.embed_entries([text for _, text in texts]))
            if vectors is None:
                return False
            hashes = [hash_ for hash_, _ in texts]
            self._write(lambda connection: keep_vectors(connection, embedder.model, hashes, vectors), None)
            return True
        return bool(self._write(lambda connection: mark_embedded(connection, embedder.model), 0))

    def pending(self) -> tuple[int, int]:
        """How many entries wait for a vector, and how many there are."""
        pending, total = 0, self._try(lambda connection: sum(self._measure(connection, s)[0] for s in _POOLS), 0)
        for embedder in self._embedders.all:
            waiting = self._try(partial(count_pending, model=embedder.model), (0, 0))
            pending = max(pending, waiting[0])
        return pending, total

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
        ``leave_out`` (ids). They come after what was noted, so that use pushes no note down: a third of ``k`` more,
        or as many as there is room for.
        """
        asked = _Asked(query, k, now, min_score, conversations, leave_out)
        self._refresh_for(asked)
        found = self._find(asked, self._embedders.all if vectors else ())
        hits = to_hits(found.notes, k, min_score=min_score)
        room = max(k // 3, k - len(hits)) if conversations else 0
        return hits + to_hits(found.said, room, min_score=min_score)

    def _refresh_for(self, asked: _Asked) -> None:
        if asked.says_something:
            self.refresh_words(wait=False, conversations=asked.conversations, leave_out=asked.leave_out)

    def read_said(
        self, path: str, first_line: int, *, leave_out: Collection[str] = frozenset()
    ) -> list[tuple[int, str]]:
        """What was said aloud while ON in a transcript, from a line on: line and text, in order; secrets masked,
        nothing that was forgotten. Nothing of the conversations in ``leave_out``."""
        self.refresh_words(wait=False, leave_out=leave_out)
        scope = self._try(partial(find_scope, leave_out=leave_out), Scope(said=True))
        empty: list[tuple[int, str]] = []
        return self._try(partial(candidates.said_in, path=path, first_line=first_line, scope=scope), empty)

    def _find(self, asked: _Asked, embedders: Sequence[Embedder]) -> RecallCandidates:
        if not asked.says_something:
            return RecallCandidates()
        question = parse_query(asked.query, to_day(asked.now))
        scopes = [NOTES]
        if asked.conversations:
            scopes.append(self._try(partial(find_scope, leave_out=asked.leave_out), Scope(said=True)))
        nears, asks = self._nearest(question, scopes, embedders, recall=asked.recall)
        echoed = asked.query if asked.recall else None

        def find(connection: sqlite3.Connection, scope: Scope, near: NearestResult | None) -> list[Ranked]:
            size = self._measure(connection, scope)
            return execute_query(connection, question, near, scope, size, echoed=echoed)

        empty: list[Ranked] = []
        ranked = [self._try(partial(find, scope=scope, near=nears[scope.said]), empty) for scope in scopes]
        return RecallCandidates(notes=ranked[0], said=ranked[1] if len(ranked) > 1 else (), asks=asks)

    def recall(
        self,
        seconds: float,
        message: str,
        now: date | str | None = None,
        *,
        conversations: bool = False,
        leave_out: Collection[str] = frozenset(),
    ) -> RecallCandidates:
        """What may be worth recalling for a message, in time: by words, dates and a quick embedder alone where all of
        them take longer, by words and dates alone where that does too, else nothing. Never raises."""
        asked = _Asked(message, 1, now, 0.0, conversations, leave_out, recall=True)
        refresh = RunOnce(partial(self._refresh_for, asked))

        def find(embedders: Sequence[Embedder]) -> list[RecallCandidates]:
            refresh()
            found = self._find(asked, embedders)
            by_words = found.asks is None and self._embedders.all
            return [replace(found, way="words") if by_words else found]

        quick = [embedder for embedder in self._embedders.all if is_quick(embedder)]
        ways = [partial(find, self._embedders.all), *([partial(find, quick)] if quick else []), partial(find, ())]
        found = self._timely.best_within(seconds, *ways)
        return found[0] if found else RecallCandidates(way="late")

    def warm_up(self) -> None:
        """Load embedders and vectors, if there is anything to find: a first search would take longer than others."""
        self.refresh_words()
        if self.pending()[1]:
            self._find(_Asked("warm up", 1, None, 0.0, True, (), recall=True), self._embedders.all)

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
                portion(connection)
            drop_unused(connection)
            connection.execute("INSERT INTO words (words) VALUES ('optimize')")
            connection.execute("INSERT INTO said_words (said_words) VALUES ('optimize')")
            connection.execute("VACUUM")
            busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            return not busy and (database.is_on_disk(connection) or not self._file.exists())

        with self._catching_up:
            done = self._try(purge, False)
        with self._lock:
            self._vectors = {}
            self._words.start_over()
        return done

    def _nearest(
        self, question: ParsedQuery, scopes: Sequence[Scope], embedders: Sequence[Embedder], *, recall: bool
    ) -> tuple[dict[bool, NearestResult | None], float | None]:
        """How near notes and sayings are, by all embedders together, and whether they take the question for one
        about something remembered (log odds)."""
        nears: dict[bool, list[NearestResult | None]] = {False: [], True: []}
        asks: list[float] = []
        vectors = self._embedders.embed_question(question.meaning, embedders)
        for embedder in embedders:
            vector = vectors.get(embedder.model)
            if vector is None:
                continue
            says = intent.log_odds(embedder.model, vector)
            asks += [] if says is None else [says]
            asked = as_question(embedder, vectors, recall=recall)
            for scope in scopes if not question.whole_days else ():  # days are listed
                table = self._table(embedder.model, scope.said)
                with self._lock:
                    if self._vectors.get((embedder.model, scope.said)) is table:  # else the index was begun anew
                        nears[scope.said].append(table.nearest(asked, _NEAREST, scope.left_out))
        return {said: average(near) for said, near in nears.items()}, sum(asks) / len(asks) if asks else None

    def _table(self, model: str, said: bool) -> VectorTable:
        kind = model, said
        table = self._vectors.get(kind) or VectorTable(model, said=said)  # outside the lock: it imports numpy
        with self._lock:
            table = self._vectors.setdefault(kind, table)
        while self._try(table.sync, False):
            time.sleep(0)  # else this thread would take the lock again before one that waits for it
        return table

    def _measure(self, connection: sqlite3.Connection, scope: Scope) -> tuple[int, float]:
        seen = connection.execute("PRAGMA data_version").fetchone()[0], connection.total_changes
        known = self._sizes.get(scope.said)
        if known is None or known[0] != seen:
            known = self._sizes[scope.said] = seen, candidates.size(connection, scope)
        return known[1]

    def _write(self, work: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        def within(connection: sqlite3.Connection) -> T:
            with database.transaction(connection):
                return work(connection)

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
                    if database.is_busy(error):
                        return otherwise
                    self._begin_anew(where)
            return work(self._connection)

    def _begin_anew(self, where: Path | None) -> None:
        """On disk first; in memory if that breaks too: a full disk, a folder that went away."""
        self._start_empty(where)
        with suppress(sqlite3.Error):  # what then asks for it will see
            for portion in self._words.stale(self._connection, conversations=True):
                portion(self._connection)

    def _start_empty(self, where: Path | None) -> None:
        self._connection.close()
        if where:
            database.delete(where)
        self._connection = database.open_database(where)
        self._words.start_over()
        self._vectors = {}
        self._sizes = {}
