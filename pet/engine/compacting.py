"""A compaction that the owner asked for: it runs between two turns, and can be stopped like one (PRODUCT §6.5)."""

from __future__ import annotations

from contextlib import suppress
from typing import Protocol

from pet.engine.compaction import Compaction
from pet.engine.course import Course
from pet.engine.ends import Ended
from pet.engine.parts import Equipment, TurnParts, equip, tool_context
from pet.engine.planning import Plan
from pet.errors import PetError
from pet.gate import TurnGate
from pet.model import TurnEnd
from pet.tools.spec import ToolContext


class Job(Protocol):
    """What keeps a conversation busy: a turn, or this. ``stop`` and ``memory_closed``: on the engine's thread."""

    @property
    def gate(self) -> TurnGate: ...
    @property
    def streaming(self) -> tuple[int, str]: ...
    def stop(self) -> None: ...
    def memory_closed(self) -> None: ...


class Compacting:
    """One compaction by itself. What it wrote down is recorded with the last turn there is."""

    def __init__(self, parts: TurnParts, plan: Plan) -> None:
        self._p = parts
        self._plan = plan
        self._course = Course(parts.gate)

    @property
    def gate(self) -> TurnGate:
        return self._p.gate

    @property
    def streaming(self) -> tuple[int, str]:
        return 0, ""

    def stop(self) -> None:
        self._course.end_soon(TurnEnd.STOPPED)

    def memory_closed(self) -> None:
        if self._p.gate.shrank():
            self._course.end_soon(TurnEnd.MEMORY_OFF)

    async def run(self) -> None:
        """To its end, which is told as an event; a failure too."""
        with suppress(Ended, PetError):  # those are told with the event
            equipment = await self._course.race(equip(self._p))
            compaction = Compaction(self._p, self._course, equipment, lambda: self._context(equipment))
            await self._course.race(compaction.run(self._plan))

    def _context(self, equipment: Equipment) -> ToolContext:
        return tool_context(self._p, equipment, said="", confirm=self._p.confirm)
