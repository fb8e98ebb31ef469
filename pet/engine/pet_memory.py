"""A pet's memory as turns use it: its index, what entries replaced, and what is maintained of its files.

The memory index is imported and opened with the first turn that needs it.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import TYPE_CHECKING

from pet.access import TurnGate
from pet.clock import Clock
from pet.engine.index_service import IndexService
from pet.engine.memory_maintenance import MaintenanceDay, keep_standing_facts, tidy_if_due
from pet.memory.store.forgetting import ForgetService
from pet.model import Receipt, Source, UsedMemory
from pet.workspace.store import WorkspaceStore

if TYPE_CHECKING:
    from pet.memory.search.gated_memory import GatedMemory
    from pet.settings.effective import PetSettingsSource
    from pet.transcripts.store import TranscriptStore

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class PetMemory:
    """The pet's memory index, and what is maintained of its files."""

    store: WorkspaceStore
    transcripts: TranscriptStore
    index: IndexService
    forgetter: ForgetService
    effective: PetSettingsSource
    maintenance_day: MaintenanceDay
    clock: Clock

    def open(self, gate: TurnGate, conversation: str) -> GatedMemory | None:
        """Return a turn's access to the index; None if there is no usable index."""
        from pet.memory.search.gated_memory import GatedMemory
        from pet.transcripts.fold import fold

        try:
            index = self.index.get()
            return GatedMemory(index, gate, conversation, lambda id_: fold(self.transcripts.open(id_).entries))
        except OSError as error:
            _log.warning("no memory index: %s", type(error).__name__)
            return None

    def earlier(self, gate: TurnGate, message: str, hits: Sequence[UsedMemory], today: date) -> list[UsedMemory]:
        """Return what the recalled entries of core files replaced, for a message about the past; else nothing.
        Raises PetError."""
        from pet.memory.search.query import asks_for_past
        from pet.memory.store.provenance import earlier_lines

        if not hits or not asks_for_past(message, today):
            return []
        gate.check_recall()
        lines = earlier_lines(self.store, hits, self.effective.texts())
        gate.check_recall()
        return lines

    def maintain(self, gate: TurnGate, source: Source) -> list[Receipt]:
        """Maintain nearly full files if that is due. Raises PetError."""
        from pet.memory.store.provenance import message_of

        settings = self.effective.current()
        led = partial(message_of, store=self.store, transcripts=self.transcripts)
        moved = tidy_if_due(self.store, gate, source, self.clock, settings, self.maintenance_day)
        kept = keep_standing_facts(
            self.store, gate, source, self.clock, settings, self.maintenance_day, self.effective.texts(), led
        )
        return [*moved, *kept]
