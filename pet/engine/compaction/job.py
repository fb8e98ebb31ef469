"""Compaction job requested by the owner: runs between two turns and can be stopped like one."""

from __future__ import annotations

from contextlib import suppress
from typing import Protocol

from pet.access.policy import TurnGate
from pet.engine.cancellation import CancelScope
from pet.engine.compaction.plan import CompactionPlan
from pet.engine.compaction.run import Compaction
from pet.engine.request.turn_context import TurnContext
from pet.engine.stop_reasons import TurnAborted
from pet.errors import PetError
from pet.model import TurnEnd


class Job(Protocol):
    """A conversation's active job: a turn or a compaction. Call ``stop`` and ``memory_closed`` on the engine's
    thread.
    """

    @property
    def gate(self) -> TurnGate: ...
    @property
    def streaming(self) -> tuple[int, str]: ...
    def stop(self) -> None: ...
    def memory_closed(self) -> None: ...


class CompactionJob:
    """A single compaction. Its writes are recorded with the last turn."""

    def __init__(self, parts: TurnContext, plan: CompactionPlan) -> None:
        self._p = parts
        self._plan = plan
        self._course = CancelScope(parts.gate)

    @property
    def gate(self) -> TurnGate:
        return self._p.gate

    @property
    def streaming(self) -> tuple[int, str]:
        return 0, ""

    def stop(self) -> None:
        self._course.cancel(TurnEnd.STOPPED)

    def memory_closed(self) -> None:
        if self._p.gate.was_revoked():
            self._course.cancel(TurnEnd.MEMORY_OFF)

    async def run(self) -> None:
        """Run to the end; emits an event for success and failure."""
        with suppress(TurnAborted, PetError):  # reported by the event
            tools = await self._course.run(self._p.load_tools("", self._p.confirm))
            await self._course.run(Compaction(self._p, self._course, tools).run(self._plan))
