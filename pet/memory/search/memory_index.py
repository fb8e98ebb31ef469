"""The memory index of one pet: open, refresh, search, recall within a deadline.

A corrupt index is deleted and rebuilt, a locked one left as it is; without a writable folder it lives in memory.
Search works without a usable index.
"""

from __future__ import annotations

import logging
import sqlite3
import threading
import time
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Literal, TypeVar

from pet.language.asking import Subject, question_parts
from pet.language.small_talk import is_small_talk
from pet.memory.search import database
from pet.memory.search.embedders import Embedder, EmbedderPool, intent_log_odds, load_embedders
from pet.memory.search.index_sync import IndexSync, Portion
from pet.memory.search.query import ParsedQuery, embedded_part, parse_query, to_day
from pet.memory.search.query_execution import (
    NOTES,
    Scope,
    entry_statistics,
    execute_query,
    find_scope,
    list_utterances,
    newer_notes,
)
from pet.memory.search.ranking import Ranked
from pet.memory.search.recall_selection import Hit, RecallCandidates, to_hits, together
from pet.memory.search.vectors import (
    NearestResult,
    VectorTable,
    as_question,
    average,
    count_files_to_embed,
    count_pending,
    delete_unused,
    mark_embedded,
    missing_texts,
    store_vectors,
)
from pet.paths import find_home

if TYPE_CHECKING:
    from pet.memory.search.embedders import Vectors


T = TypeVar("T")
_log = logging.getLogger(__name__)
_NEAREST = 100
_NEAREST_RECALLED = {False: 40, True: 30}  # notes, and utterances, of which a recall takes two
_EMBED_AT_ONCE = 8
_FRESH_SECONDS = 5.0  # a message sent so soon after its draft was prepared reads no folder again
_POOLS = (NOTES, Scope(utterances=True))


def open_index(
    workspace: Path,
    cache: Path | None = None,
    *,
    embedder: Embedder | Literal["best"] | None = "best",
) -> MemoryIndex:
    """Open the index of a workspace, in the cache folder; nothing is read before the first search or ``refresh``.

    ``embedder``: one embedder, "best" for all that are installed, or None for words and dates alone.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     index = open_index(Path(folder, "pet"), Path(folder, "cache"), embedder=None)
    ...     index.search("the boat's name", k=3)
    []
    """
    embedders = load_embedders() if isinstance(embedder, str) else (embedder,) if embedder else ()
    return MemoryIndex(workspace, database.index_file(workspace, cache or find_home().cache), embedders)


@dataclass(frozen=True, slots=True)
class _Request:
    query: str
    k: int
    now: date | None
    min_score: float
    conversations: bool
    leave_out: Collection[str]
    recall: bool = False  # without echoes of the query

    @property
    def is_answerable(self) -> bool:
        return self.k >= 1 and bool(self.query.strip())


def _is_asked_about(subject: Subject | None, ranked: Iterable[Ranked], *, by_meaning: bool) -> bool:
    """Return whether a message asks to be told about what some entries are about, or about the owner, which is found
    by meaning only."""
    if subject is None:
        return False
    if subject.owner and by_meaning:
        return True
    return bool(subject.tokens) and any(
        item.own_words and subject.tokens.issubset(item.candidate.tokens) for item in ranked
    )


class MemoryIndex:
    """The index of one pet; methods may be called from any thread."""

    def __init__(self, workspace: Path, file: Path, embedders: Sequence[Embedder]) -> None:
        self._workspace = workspace.resolve()
        self._file = file
        self.embedders = EmbedderPool(embedders)
        self._lock = threading.RLock()
        self._connection = database.open_database(file)
        self._words = IndexSync(self._workspace)
        self._vectors: dict[tuple[str, bool], VectorTable] = {}
        self._sizes: dict[tuple[bool, bool], tuple[tuple[int, int], tuple[int, float]]] = {}
        self._closed = False
        self._catching_up = threading.Lock()
        self._in_bulk = False
        self._fresh_until = 0.0
        self._deadlines = DeadlineExecutor()
        self.is_watched: Callable[[], bool] = bool  # whether ``refresh_words`` is called when a file has changed

    @property
    def embedder(self) -> str | None:
        """Name of the best embedder in use; None without embedders."""
        best = next(iter(self.embedders.all), None)
        return best.name if best else None

    def close(self) -> None:
        """Stop running work and close the file; later searches return nothing."""
        self._deadlines.close()
        self.embedders.close()
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
        """Bring the words up to date, which is fast and all that a search needs. Return whether they are.

        ``wait`` False returns while another thread indexes a great many files, and where the files are watched only
        glances at them. ``go_on`` is called between portions; False stops the work.
        """
        if self._in_bulk and not wait:
            return False
        glances = not wait and self.is_watched()
        stale = partial(self._words.stale, conversations=conversations, leave_out=leave_out, glances=glances)
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

    def let_go(self) -> None:
        """Free the embedders and the vectors in memory; the next use reads them again."""
        self.embedders.let_go()
        with self._lock:
            self._vectors = {}

    def embed_some(self) -> bool:
        """Embed a few entries without a vector; return whether there were any.

        The quickest embedder comes first, so that all entries are soon found by meaning.
        """
        return any(self._embed_some(embedder) for embedder in reversed(self.embedders.all))

    def _embed_latest(self, embedder: Embedder) -> None:
        """Embed entries that were written since the last indexing, so that they are found as they will be later;
        none while more wait than a message has time for."""

        def missing(connection: sqlite3.Connection) -> list[tuple[bytes, str]] | None:
            if not 0 < count_files_to_embed(connection, embedder.model) <= _EMBED_AT_ONCE:
                return None
            texts = missing_texts(connection, embedder.model, _EMBED_AT_ONCE + 1)
            return texts if len(texts) <= _EMBED_AT_ONCE else None

        texts = self._try(missing, None)
        if texts is not None:
            self._embed(embedder, texts)

    def _embed_some(self, embedder: Embedder) -> bool:
        missing = partial(missing_texts, model=embedder.model, limit=_EMBED_AT_ONCE)
        none: list[tuple[bytes, str]] = []
        return self._embed(embedder, self._try(missing, none))

    def _embed(self, embedder: Embedder, texts: Sequence[tuple[bytes, str]]) -> bool:
        """Embed the texts, and mark what is fully embedded; return whether anything was done."""
        if texts:
            # Outside the lock, so that searches do not wait.
            vectors = self.embedders.try_embed(embedder, lambda: embedder.embed_entries([text for _, text in texts]))
            if vectors is None:
                return False
            hashes = [hash_ for hash_, _ in texts]

            def store(connection: sqlite3.Connection) -> None:
                store_vectors(connection, embedder.model, hashes, vectors)
                mark_embedded(connection, embedder.model)  # what is done is found at once

            self._write(store, None)
            return True
        return bool(self._write(lambda connection: mark_embedded(connection, embedder.model), 0))

    def newer_notes(self) -> dict[str, Hit]:
        """Return the notes that name an older line as earlier, by the ``fact_key`` of that line; of several the
        newest."""
        none: dict[str, Hit] = {}
        return self._try(newer_notes, none)

    def pending(self) -> tuple[int, int]:
        """Return the number of entries without a vector, and of all entries."""
        pending, total = 0, self.count_entries()
        for embedder in self.embedders.all:
            waiting = self._try(partial(count_pending, model=embedder.model), (0, 0))
            pending = max(pending, waiting[0])
        return pending, total

    def count_entries(self) -> int:
        """Return the number of entries, notes and utterances."""
        return sum(map(self._size, _POOLS))

    def search(
        self,
        query: str,
        k: int = 6,
        now: date | None = None,
        *,
        min_score: float = 0.0,
        conversations: bool = False,
        leave_out: Collection[str] = frozenset(),
    ) -> list[Hit]:
        """Return the ``k`` entries that most likely hold the answer, from the files as they are now.

        ``now``: the day of the question. ``conversations``: also utterances, without the conversations in
        ``leave_out`` (ids). They follow the notes and never displace them: a third of ``k`` more, or as many as there
        is room for.
        """
        request = _Request(query, k, now, min_score, conversations, leave_out)
        self._refresh_for(request)
        embedders = self.embedders.all if self.count_entries() else ()  # which are loaded with their use
        ranked = self._find(request, embedders)
        hits = to_hits(ranked.notes, k, min_score=min_score)
        room = max(k // 3, k - len(hits)) if conversations else 0
        return hits + to_hits(ranked.utterances, room, min_score=min_score)

    def _refresh_for(self, request: _Request) -> None:
        if request.is_answerable:
            self.refresh_words(wait=False, conversations=request.conversations, leave_out=request.leave_out)

    def read_utterances(
        self, path: str, first_line: int, *, leave_out: Collection[str] = frozenset()
    ) -> list[tuple[int, str]]:
        """Return line and text of the utterances in a transcript from a line on, in order; secrets masked, forgotten
        texts and the conversations in ``leave_out`` left out."""
        self.refresh_words(wait=False, leave_out=leave_out)
        scope = self._try(partial(find_scope, leave_out=leave_out), Scope(utterances=True))
        empty: list[tuple[int, str]] = []
        return self._try(partial(list_utterances, path=path, first_line=first_line, scope=scope), empty)

    def _find(self, request: _Request, embedders: Sequence[Embedder]) -> RecallCandidates:
        if not request.is_answerable:
            return RecallCandidates()
        question = parse_query(request.query, to_day(request.now))
        scopes = [NOTES]
        if request.conversations:
            utterances = partial(find_scope, leave_out=request.leave_out, statements=request.recall)
            scopes.append(self._try(utterances, Scope(utterances=True, statements=request.recall)))
        nears, asks = self._nearest(question, scopes, embedders, recall=request.recall)
        echoed = request.query if request.recall else None

        def find(connection: sqlite3.Connection, scope: Scope, near: NearestResult | None) -> list[Ranked]:
            size = self._measure(connection, scope)
            return execute_query(connection, question, near, scope, size, echoed=echoed)

        empty: list[Ranked] = []
        ranked = [self._try(partial(find, scope=scope, near=nears[scope.utterances]), empty) for scope in scopes]
        return RecallCandidates(
            notes=ranked[0],
            utterances=ranked[1] if len(ranked) > 1 else (),
            asks=asks,
            asked_about=_is_asked_about(question.subject, chain(*ranked), by_meaning=asks is not None),
            several=question.several,
            listed=bool(question.days) or question.whole_category,
        )

    def prepare(self, message: str) -> None:
        """Begin to embed a message that is being typed, and to read changed files, for ``recall``; "" drops it.
        Returns at once."""
        wanted = not is_small_talk(message) and self.count_entries()
        self.embedders.prepare(embedded_part(message) if wanted else "", self._refresh_early)

    def _refresh_early(self) -> None:
        self.refresh_words(wait=False)
        self._fresh_until = time.monotonic() + _FRESH_SECONDS

    def recall(
        self,
        seconds: float,
        message: str,
        now: date | None = None,
        *,
        conversations: bool = False,
        leave_out: Collection[str] = frozenset(),
    ) -> RecallCandidates:
        """Return what may be worth recalling for a message within ``seconds``. Never raises.

        Falls back from all embedders to the quick ones, then to words and dates, then to nothing as time runs out.
        """
        request = _Request(message, 1, now, 0.0, conversations, leave_out, recall=True)
        fresh, self._fresh_until = time.monotonic() < self._fresh_until, 0.0
        refresh = RunOnce(partial(self._refresh_for, request) if not fresh else bool)

        def find(embedders: Sequence[Embedder]) -> list[RecallCandidates]:
            refresh()
            embedders = embedders if self.count_entries() else ()  # which are loaded with their use
            for embedder in embedders:
                self._embed_latest(embedder)
            candidates = self._find(request, embedders)
            if parts := question_parts(message):
                each = [self._find(replace(request, query=part), embedders).notes for part in parts]
                candidates = replace(candidates, notes=together(candidates.notes, each))
            by_meaning = candidates.asks is not None and self._is_embedded()
            return [candidates if by_meaning or not self.embedders.all else replace(candidates, way="words")]

        quick = self.embedders.quick()
        ways = [partial(find, self.embedders.all), *([partial(find, quick)] if quick else []), partial(find, ())]
        candidates = self._deadlines.best_within(seconds, *ways)
        if not candidates:  # what was prepared stays, as the turn may ask again
            return RecallCandidates(way="late")
        self.prepare("")
        return candidates[0]

    def embed_quickly(self, texts: Sequence[str]) -> Vectors | None:
        """Return one vector per text by an embedder that is loaded and quick, None without one. Nothing is kept."""
        quick = self.embedders.quick()
        return self.embedders.try_embed(quick[0], lambda: quick[0].embed_entries(texts)) if quick else None

    def _is_embedded(self) -> bool:
        """Whether half of the notes or more can be found by meaning."""
        tables = [table for (_, utterances), table in self._vectors.items() if not utterances]
        return 2 * max((table.count for table in tables), default=0) >= self._size(NOTES)

    def _size(self, scope: Scope) -> int:
        return self._try(lambda connection: self._measure(connection, scope)[0], 0)

    def warm_up(self) -> None:
        """Load embedders and vectors if there are entries, so that the first search is as fast as others."""
        self.refresh_words()
        if self.count_entries():
            self._find(_Request("warm up", 1, None, 0.0, True, (), recall=True), self.embedders.all)

    def rebuild(self) -> None:
        """Replace the index by an empty one; the next search or ``refresh`` fills it."""
        with self._lock:
            if not self._closed:
                self._start_empty(self._file)

    def purge(self) -> bool:
        """Remove what the files no longer contain, also from free pages and the write-ahead log.

        Return whether that is done: another program that reads the index keeps what it reads.
        """
        self.refresh_words()

        def purge(connection: sqlite3.Connection) -> bool:
            for portion in self._words.stale(connection, conversations=True):  # what was locked before
                portion(connection)
            delete_unused(connection)
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
        """Return the nearness of notes and utterances, by all embedders together, and the log odds that the question
        concerns something remembered."""
        nears: dict[bool, list[NearestResult | None]] = {False: [], True: []}
        asks: list[float] = []
        vectors = self.embedders.embed_question(question.meaning, embedders)
        for embedder in embedders:
            vector = vectors.get(embedder.model)
            if vector is None:
                continue
            odds = intent_log_odds(embedder.model, vector)
            asks += [] if odds is None else [odds]
            question_vectors = as_question(embedder, vectors, recall=recall)
            for scope in scopes if not question.whole_days else ():  # days are listed, not ranked
                table = self._table(embedder.model, scope.utterances)
                with self._lock:
                    known = self._vectors.get((embedder.model, scope.utterances))
                    if known is table:  # else it was rebuilt meanwhile
                        count = _NEAREST_RECALLED[scope.utterances] if recall else _NEAREST
                        near = table.nearest(question_vectors, count, scope.left_out, statements=scope.statements)
                        nears[scope.utterances].append(near)
        together = {utterances: average(near) for utterances, near in nears.items()}
        return together, sum(asks) / len(asks) if asks else None

    def _table(self, model: str, utterances: bool) -> VectorTable:
        kind = model, utterances
        # Outside the lock: it imports numpy.
        table = self._vectors.get(kind) or VectorTable(model, self._file.parent, utterances=utterances)
        with self._lock:
            table = self._vectors.setdefault(kind, table)
        while self._try(table.sync, False):
            time.sleep(0)  # lets threads waiting for the lock go first
        return table

    def _measure(self, connection: sqlite3.Connection, scope: Scope) -> tuple[int, float]:
        version = connection.execute("PRAGMA data_version").fetchone()[0], connection.total_changes
        kind = scope.utterances, scope.statements
        cached = self._sizes.get(kind)
        if cached is None or cached[0] != version:
            cached = self._sizes[kind] = version, entry_statistics(connection, scope)
        return cached[1]

    def _write(self, work: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        def within(connection: sqlite3.Connection) -> T:
            with database.transaction(connection):
                return work(connection)

        return self._try(within, otherwise)

    def _try(self, work: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """Return ``work`` on the index, or ``otherwise`` if it is locked or closed; a corrupt one is rebuilt once."""
        with self._lock:
            if self._closed:
                return otherwise
            for where in (self._file, None):
                try:
                    return work(self._connection)
                except sqlite3.Error as error:
                    if database.is_busy(error):
                        return otherwise
                    self._rebuild_words(where)
            return work(self._connection)

    def _rebuild_words(self, where: Path | None) -> None:
        """Rebuild the words, in memory if the disk fails again."""
        self._start_empty(where)
        with suppress(sqlite3.Error):  # reported to the next caller
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


_HEAD_START = 0.5
"""Share of the time before the other ways start: side by side, all of them would be late."""


class DeadlineExecutor:
    """Runs each way on a separate thread, started by the first call."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pools: dict[str, ThreadPoolExecutor] = {}
        self._running: dict[str, Future[object]] = {}
        self._closed = False

    def best_within(self, seconds: float, *ways: Callable[[], list[T]]) -> list[T]:
        """Return the answer of the first way, in order of thoroughness, that is ready in time; else an empty list."""
        until = time.monotonic() + seconds
        started: list[Future[list[T]]] = []
        for number, way in enumerate(ways):
            future = self._begin(f"recall-{number}", way)
            if future is None:
                continue
            started.append(future)
            if number == 0:
                wait([future], seconds * _HEAD_START)
                if future.done() and future.exception() is None:
                    break
        for future in started:
            wait([future], max(0.0, until - time.monotonic()))
            result = _result(future)
            if result is not None:
                return result
        return []

    def close(self) -> None:
        """Wait for running work; later calls do nothing."""
        with self._lock:
            self._closed = True
            pools = list(self._pools.values())
        for pool in pools:
            pool.shutdown(wait=True, cancel_futures=True)

    def _begin(self, name: str, work: Callable[[], list[T]]) -> Future[list[T]] | None:
        """Submit the work; None if the way is still busy or the executor is closed."""
        with self._lock:
            last = self._running.get(name)
            if self._closed or (last is not None and not last.done()):
                return None
            pool = self._pools.get(name)
            if pool is None:
                pool = self._pools[name] = ThreadPoolExecutor(1, thread_name_prefix=name)
            future = pool.submit(work)
            self._running[name] = future  # type: ignore[assignment]  # only its state is read
            return future


class RunOnce:
    """Work that runs once; other callers wait for it."""

    def __init__(self, work: Callable[[], object]) -> None:
        self._work = work
        self._lock = threading.Lock()
        self._done = False

    def __call__(self) -> None:
        with self._lock:
            if not self._done:
                self._work()
                self._done = True


def _result(future: Future[list[T]]) -> list[T] | None:
    if not future.done():
        return None
    fault = future.exception()
    if fault is not None:  # the threads' boundary: replies work without recall
        logging.getLogger(__name__).warning("recall failed: %s", type(fault).__name__, exc_info=fault)
        return None
    return future.result()
