"""Run several ways to an answer at once and take the most thorough one that is ready within a deadline."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TypeVar

Answer = TypeVar("Answer")

_HEAD_START = 0.5
"""Share of the time before the other ways start: side by side, all of them would be late."""


class DeadlineExecutor:
    """Runs each way on a separate thread, started by the first call."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pools: dict[str, ThreadPoolExecutor] = {}
        self._running: dict[str, Future[object]] = {}
        self._closed = False

    def best_within(self, seconds: float, *ways: Callable[[], list[Answer]]) -> list[Answer]:
        """Return the answer of the first way, in order of thoroughness, that is ready in time; else an empty list."""
        until = time.monotonic() + seconds
        started: list[Future[list[Answer]]] = []
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

    def _begin(self, name: str, work: Callable[[], list[Answer]]) -> Future[list[Answer]] | None:
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


def _result(future: Future[list[Answer]]) -> list[Answer] | None:
    if not future.done():
        return None
    fault = future.exception()
    if fault is not None:  # the threads' boundary: replies work without recall
        logging.getLogger(__name__).warning("recall failed: %s", type(fault).__name__, exc_info=fault)
        return None
    return future.result()
