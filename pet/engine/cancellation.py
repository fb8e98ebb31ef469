"""Cancel scope for one turn or one compaction.

Cancelled by Stop or by memory going OFF, from any point; records the first reason and cancels the pending awaitable.
Lives on the engine's thread; the gate may close from any thread.
"""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from pet.access.policy import TurnGate
from pet.engine.stop_reasons import TurnAborted
from pet.model import TurnEnd

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
        over = self.reason()
        if over is not None:
            raise TurnAborted(over)

    def cancel(self, end: TurnEnd) -> None:
        """Cancel what runs, with the first reason given. On the engine's thread."""
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
