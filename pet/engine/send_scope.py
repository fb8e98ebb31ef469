"""Scope of one model call: no byte of it leaves after the memory was switched off, in whatever process.

The protocol between processes is in ``pet.workspace.in_flight``. Lives on the engine's thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager, contextmanager

from pet.engine.cancellation import CancelScope
from pet.model import TurnEnd

_WATCH_SECONDS = 0.1


@asynccontextmanager
async def sending(
    course: CancelScope, mark: Callable[[], AbstractContextManager[None]]
) -> AsyncIterator[Callable[[], None]]:
    """Keep the request marked while it may be leaving, and end the course if access shrinks meanwhile.

    Yields a function to call once the reply has begun: the request has left by then. The body must run inside
    ``course.race``, which is what gets cancelled. Raises Ended, WriteFailed.
    """
    with ExitStack() as scope:
        if course.gate.started.memory:
            scope.enter_context(mark())  # before the check: a switch recorded later waits for the mark
            scope.enter_context(_watched(course))
        course.raise_if_cancelled()
        yield scope.close


async def pause(course: CancelScope, seconds: float) -> None:
    """Wait before a retry; inside ``course.race``, as above."""
    with _watched(course):
        await asyncio.sleep(seconds)


@contextmanager
def _watched(course: CancelScope) -> Iterator[None]:
    """End the course if access shrinks, also where another process did it."""
    loop = asyncio.get_running_loop()
    timer: asyncio.TimerHandle

    def look() -> None:
        nonlocal timer
        if course.gate.was_revoked():
            course.cancel(TurnEnd.MEMORY_OFF)
        else:
            timer = loop.call_later(_WATCH_SECONDS, look)

    timer = loop.call_later(_WATCH_SECONDS, look)
    try:
        yield
    finally:
        timer.cancel()
