"""Open the memory index; it is imported with the first turn that needs it."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from pet.access.policy import TurnGate
from pet.engine.background.index_service import IndexService
from pet.paths import Home

if TYPE_CHECKING:
    from pet.memory.gated_memory import GatedMemory
    from pet.memory.index.memory_index import MemoryIndex

_log = logging.getLogger(__name__)


def open_pet_index(root: Path, home: Home) -> MemoryIndex:
    from pet.memory.index.memory_index import open_index

    return open_index(root, home.cache)


def gated_memory(index: IndexService, gate: TurnGate, conversation: str) -> GatedMemory | None:
    """Return a turn's gated access to the index; None if the index can't be opened."""
    from pet.memory.gated_memory import GatedMemory

    try:
        return GatedMemory(index.get(), gate, conversation)
    except OSError as error:
        _log.warning("no memory index: %s", type(error).__name__)
        return None
