"""Scope of one model call: no byte of it leaves after any process has answered that the memory is off.

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
    scope: CancelScope, mark: Callable[[], AbstractContextManager[None]]
) -> AsyncIterator[Callable[[], None]]:
    """Keep the request marked while it may be leaving, and cancel the scope if access is revoked meanwhile.

    Yields a function to call once the reply has begun: the request has left by then. The body must run inside
    ``scope.run``, which is what gets cancelled. Raises TurnAborted, WriteFailed.
    """
    with ExitStack() as held:
        if scope.gate.started.memory:
            held.enter_context(mark())  # mark before the check: a switch recorded later waits for the mark
            held.enter_context(_watched(scope))
        scope.raise_if_cancelled()
        yield held.close


async def wait_before_retry(scope: CancelScope, seconds: float) -> None:
    """Wait before a retry; inside ``scope.run``, as above."""
    with _watched(scope):
        await asyncio.sleep(seconds)


@contextmanager
def _watched(scope: CancelScope) -> Iterator[None]:
    """Cancel the scope if access is revoked, also by another process."""
    loop = asyncio.get_running_loop()
    timer: asyncio.TimerHandle

    def look() -> None:
        nonlocal timer
        if scope.gate.was_revoked():
            scope.cancel(TurnEnd.MEMORY_OFF)
        else:
            timer = loop.call_later(_WATCH_SECONDS, look)

    timer = loop.call_later(_WATCH_SECONDS, look)
    try:
        yield
    finally:
        timer.cancel()
