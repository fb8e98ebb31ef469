"""Cancel scope of one turn or compaction, its end reasons, and the scope of one model call.

On the engine's thread; the gate may close from any thread. No byte of a request with memory leaves after any process
has answered that memory is off.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from contextlib import AbstractContextManager, ExitStack, asynccontextmanager, contextmanager
from typing import Any, TypeVar

from pet.access import TurnGate
from pet.errors import PetError, ProviderFault
from pet.model import OpaquePart, ReplyPart, StopReason, TextPart, ToolCallPart, TurnEnd


class TurnAborted(Exception):
    """Aborts the turn from any depth."""

    def __init__(self, end: TurnEnd, error: PetError | None = None) -> None:
        super().__init__(end)
        self.end = end
        self.error = error


def turn_end_for(stop: StopReason) -> TurnEnd:
    """Map a round's stop reason to the turn's end. Raises TurnAborted for CUT, REPEATS and WINDOW_EXCEEDED."""
    match stop:
        case StopReason.MAX_TOKENS:
            return TurnEnd.MAX_TOKENS
        case StopReason.REFUSAL:
            return TurnEnd.REFUSED
        case StopReason.CUT:
            raise TurnAborted(TurnEnd.CUT, ProviderFault("cut_short", retryable=True))
        case StopReason.REPEATS:
            raise TurnAborted(TurnEnd.FAILED, ProviderFault("repeating"))
        case StopReason.WINDOW_EXCEEDED:
            raise TurnAborted(TurnEnd.FAILED, ProviderFault("window_exceeded"))
        case _:
            return TurnEnd.DONE


def without_reply(thinking: int) -> TurnAborted:
    """Return the end of a turn whose reply is empty; ``thinking``: its characters."""
    return TurnAborted(TurnEnd.FAILED, ProviderFault("only_thinking" if thinking else "empty_reply", retryable=True))


def reply_text(text: str) -> tuple[ReplyPart, ...]:
    """Return the text as reply parts; none for empty text."""
    return (TextPart(text=text),) if text else ()


def replayable_parts(parts: tuple[ReplyPart, ...]) -> tuple[ReplyPart, ...]:
    """Return the parts that the next round sends back: all but empty text, thinking unchanged."""
    return tuple(
        part for part in parts if isinstance(part, OpaquePart | ToolCallPart) or (part.text and part.text.strip())
    )


T = TypeVar("T")


class CancelScope:
    """Cancel scope of one turn, or of one compaction the owner requested."""

    def __init__(self, gate: TurnGate) -> None:
        self.gate = gate
        self.ending: TurnEnd | None = None
        self._work: asyncio.Future[Any] | None = None  # the awaitable to cancel

    def reason(self) -> TurnEnd | None:
        """Return the reason for cancellation; the first one wins. None while active."""
        if self.ending is not None:
            return self.ending
        if self.gate.stopped:
            return TurnEnd.STOPPED
        return TurnEnd.MEMORY_OFF if self.gate.was_revoked() else None

    def raise_if_cancelled(self) -> None:
        """Raises TurnAborted if cancelled."""
        end = self.reason()
        if end is not None:
            raise TurnAborted(end)

    def cancel(self, end: TurnEnd) -> None:
        """Cancel the pending work; the first reason given is kept. On the engine's thread."""
        if self.ending is None:
            self.ending = end
            if self._work is not None:
                self._work.cancel()  # synchronously: not one more step runs, so not one more byte is sent

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the work's result; cancels the work at once if the scope is cancelled."""
        task = asyncio.ensure_future(work)
        self._work = task
        if self.ending is not None:
            task.cancel()
        try:
            await asyncio.wait({task})
            if task.cancelled() and self.ending is not None:
                raise TurnAborted(self.ending)
            return task.result()
        finally:
            self._work = None
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


_WATCH_SECONDS = 0.1


@asynccontextmanager
async def sending(
    scope: CancelScope, mark: Callable[[], AbstractContextManager[None]]
) -> AsyncIterator[Callable[[], None]]:
    """Keep the request marked while it may be leaving, and cancel the scope if access is revoked meanwhile.

    Yields a function to call at the first event of the reply: the request has left by then. The body must run inside
    ``scope.run``, which is cancelled. Raises TurnAborted, WriteFailed.
    """
    with ExitStack() as held:
        if scope.gate.started.memory:
            held.enter_context(mark())  # mark before the check: a switch recorded later waits for the mark
            held.enter_context(_watched(scope))
        scope.raise_if_cancelled()
        yield held.close


async def wait_before_retry(scope: CancelScope, seconds: float) -> None:
    """Wait before a retry; call it inside ``scope.run``."""
    with _watched(scope):
        await asyncio.sleep(seconds)


@contextmanager
def _watched(scope: CancelScope) -> Iterator[None]:
    """Cancel the scope if access is revoked, also by another process."""
    loop = asyncio.get_running_loop()
    timer: asyncio.TimerHandle

    def poll() -> None:
        nonlocal timer
        if scope.gate.was_revoked():
            scope.cancel(TurnEnd.MEMORY_OFF)
        else:
            timer = loop.call_later(_WATCH_SECONDS, poll)

    timer = loop.call_later(_WATCH_SECONDS, poll)
    try:
        yield
    finally:
        timer.cancel()
