"""The engine's asyncio thread: all model communication runs here, so the GUI never blocks on it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from contextlib import suppress
from threading import Event, Thread, current_thread
from typing import Any, TypeVar

T = TypeVar("T")

_CLOSING_SECONDS = 5.0


class EngineLoop:
    """An event loop on its own thread.

    >>> loop = EngineLoop()
    >>> loop.submit(asyncio.sleep(0, "done")).result()
    'done'
    >>> loop.close()
    """

    def __init__(self) -> None:
        self._ready = Event()
        self._thread = Thread(target=self._run, name="engine", daemon=True)
        self._thread.start()
        self._ready.wait()

    def submit(self, work: Coroutine[Any, Any, T]) -> Future[T]:
        """Run a coroutine on the engine's thread; callable from any thread."""
        return asyncio.run_coroutine_threadsafe(work, self._loop)

    def finish(self, work: Coroutine[Any, Any, object]) -> None:
        """Run a closing coroutine for a few seconds at most; the rest ends with the process."""
        with suppress(TimeoutError):
            self.submit(work).result(timeout=_CLOSING_SECONDS)

    def call(self, function: Callable[[], object]) -> None:
        """Run a plain function on the engine's thread, soon."""
        self._loop.call_soon_threadsafe(function)

    def call_now(self, function: Callable[[], object]) -> None:
        """Run a plain function on the engine's thread and wait for it; on that thread, run it directly.

        After the timeout it still runs later: the gates refuse what must not happen until then.
        """
        if current_thread() is self._thread:
            function()
            return
        done = Event()

        def run() -> None:
            try:
                function()
            finally:
                done.set()

        self._loop.call_soon_threadsafe(run)
        done.wait(_CLOSING_SECONDS)

    def close(self) -> None:
        """Cancel pending tasks and join the thread; waits ten seconds at most."""
        if self._thread.is_alive():
            # One loop iteration later: a submitted task is cancelled only once it has started.
            self._loop.call_soon_threadsafe(self._loop.call_soon, self._loop.stop)
            self._thread.join(timeout=10)

    def _run(self) -> None:
        with asyncio.Runner() as runner:
            self._loop = runner.get_loop()
            self._loop.call_soon(self._ready.set)
            self._loop.run_forever()
