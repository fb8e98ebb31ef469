"""How something that runs is ended from outside: by Stop, by the brain going OFF, at once and from any place in it.

Owns the one answer to "is it over, and how", and the cancelling of whatever is waited for. Lives on the engine's
thread; the gate in it may close from any.
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
    """The course of one turn, or of one compaction that the owner asked for."""

    def __init__(self, gate: TurnGate) -> None:
        self.gate = gate
        self.ending: TurnEnd | None = None
        self._work: asyncio.Future[Any] | None = None  # what is cancelled when it has to end

    def reason(self) -> TurnEnd | None:
        """How it must end, once it must: what was asked first counts."""
        if self.ending is not None:
            return self.ending
        if self.gate.over == "stopped":
            return TurnEnd.STOPPED
        return TurnEnd.MEMORY_OFF if self.gate.was_revoked() else None

    def raise_if_cancelled(self) -> None:
        """Raises Ended once it must end."""
        over = self.reason()
        if over is not None:
            raise TurnAborted(over)

    def cancel(self, end: TurnEnd) -> None:
        if self.ending is None:
            self.ending = end
            self.gate.end("stopped" if end is TurnEnd.STOPPED else "memory_off")
            if self._work is not None:
                self._work.cancel()  # here and now: not one more step of it, so not one more byte

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """The work's result, unless the course is ended first: then the work is cancelled at once."""
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
