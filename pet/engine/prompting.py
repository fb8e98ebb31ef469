"""From a snapshot and the settings to the system prompt of one turn (PRODUCT §5)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pet.gate import Access
from pet.model import Present, SystemBlock
from pet.settings.schema import Settings
from pet.texts import Texts
from pet.workspace.gated import Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompting:
    settings: Callable[[], Settings]
    texts: Callable[[], Texts]
    pet_name: Callable[[], str]
    channel: Literal["desktop", "terminal"]
    root: Path

    def make(self, snapshot: Snapshot, access: Access) -> tuple[SystemBlock, ...]:
        allowed = snapshot.shrunk(access).files
        return tuple(
            SystemBlock(text=state.text, cache=True) for state in allowed.values() if isinstance(state, Present)
        )
