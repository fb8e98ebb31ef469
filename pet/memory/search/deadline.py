"""Two ways to the same answer and a time by which it is wanted.

Owns the two threads that recall runs on, kept for the next time. Refuses to wait for a thorough answer that is late,
to queue behind one that still runs, and to let a failure out.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from typing import TypeVar

T = TypeVar("T")
_log = logging.getLogger(__name__)

_HEAD_START = 0.5
"""Share of the time that the most thorough way has to itself."""


class DeadlineExecutor:
    """The threads are started by the first question."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._pools: dict[str, ThreadPoolExecutor] = {}
        self._running: dict[str, Future[object]] = {}
        self._closed = False

    def best_within(self, seconds: float, *ways: Callable[[], list[T]]) -> list[T]:
        """The answer of the first way that comes in time, the most thorough way first; else an empty list.

        The others begin when the first one has had its head start: side by side, all of them are late.
        """
        until = time.monotonic() + seconds
        begun: list[Future[list[T]]] = []
        for number, way in enumerate(ways):
            future = self._begin(f"recall-{number}", way)
            if future is None:
                continue
            begun.append(future)
            if number == 0:
                wait([future], seconds * _HEAD_START)
                if future.done() and future.exception() is None:
                    break
        for future in begun:
            wait([future], max(0.0, until - time.monotonic()))
            found = _result(future)
            if found is not None:
                return found
        return []

    def close(self) -> None:
        """Wait for what still runs; nothing new is begun."""
        with self._lock:
            self._closed = True
            pools = list(self._pools.values())
        for pool in pools:
            pool.shutdown(wait=True, cancel_futures=True)

    def _begin(self, name: str, work: Callable[[], list[T]]) -> Future[list[T]] | None:
        """None: the last question's answer is still being looked for."""
        with self._lock:
            last = self._running.get(name)
            if self._closed or (last is not None and not last.done()):
                return None
            pool = self._pools.get(name)
            if pool is None:
                pool = self._pools[name] = ThreadPoolExecutor(1, thread_name_prefix=name)
            future = pool.submit(work)
            self._running[name] = future  # type: ignore[assignment]  # only asked whether it is done
            return future


class RunOnce:
    """Work that both ways need first: whoever comes first does it, the other waits for it."""

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
    if fault is not None:  # the threads' boundary: a message is answered with or without what was recalled
        _log.warning("recall failed: %s", type(fault).__name__, exc_info=fault)
        return None
    return future.result()
