"""A compaction that the owner requested: runs between two turns and can be stopped like one."""

from __future__ import annotations

from contextlib import suppress

from pet.access.policy import TurnGate
from pet.engine.compaction.plan import CompactionPlan
from pet.engine.compaction.run import Compaction, compaction_ended
from pet.engine.stop_reasons import TurnAborted
from pet.engine.turn_context import TurnContext
from pet.errors import PetError
from pet.events import CompactionEnded, ErrorInfo
from pet.model import TurnEnd


class CompactionJob:
    """A single compaction; see ``Job`` in ``pet.engine.conversation``. Its writes are recorded with the last turn."""

    name = "compaction"

    def __init__(self, p: TurnContext, plan: CompactionPlan) -> None:
        self._p = p
        self._plan = plan
        self.ended: CompactionEnded | None = None

    @property
    def gate(self) -> TurnGate:
        return self._p.gate

    @property
    def compacting(self) -> bool:
        return self._p.progress.compacting

    @property
    def streaming(self) -> tuple[int, str]:
        return 0, ""

    def stop(self) -> None:
        self._p.scope.cancel(TurnEnd.STOPPED)

    def memory_closed(self) -> None:
        if self._p.gate.was_revoked():
            self._p.scope.cancel(TurnEnd.MEMORY_OFF)

    async def run(self) -> None:
        """Run to the end; ``ended`` reports success or failure, and stays None if nothing began."""
        p = self._p
        with suppress(TurnAborted, PetError):
            compaction = Compaction(p, await p.load_tools())
            try:
                await p.scope.run(compaction.run(self._plan))
            finally:
                self.ended = compaction.ended

    def failed(self, error: ErrorInfo) -> None:
        """End after an unexpected exception."""
        self.ended = compaction_ended(self._p, None, error)
