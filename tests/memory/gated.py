"""Memory as a turn with access sees it, and what goes along with a message under the settings as they come."""

from __future__ import annotations

from datetime import date

from pet.access import ConversationGate, PetGate
from pet.engine.recall import RECALL_CHARACTERS
from pet.memory.search.gated_memory import GatedMemory
from pet.memory.search.memory_index import MemoryIndex
from pet.memory.search.recall_selection import Hit
from pet.settings.schema import Settings


def gated(index: MemoryIndex, conversation: str = "c") -> GatedMemory:
    return GatedMemory(index, ConversationGate(PetGate(), memory=True).begin_turn(), conversation)


def recalled(index: MemoryIndex, message: str, today: date) -> list[Hit]:
    given = Settings()
    return (
        gated(index)
        .recall(
            message,
            today,
            count=given.recall_count,
            characters=RECALL_CHARACTERS,
            threshold=given.recall_threshold,
            seconds=120,
        )
        .hits
    )
