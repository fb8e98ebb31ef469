"""The engine's services (``pet.engine.services``) over the parts of one pet, and the opening of its index.

The memory index is imported and opened with the first turn that needs it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pet.access import TurnGate, VisibleFiles
from pet.app.model_limits import local_model_limits, settings_in_use
from pet.clock import Clock
from pet.engine.index_service import IndexService
from pet.engine.memory_maintenance import MaintenanceDay, keep_standing_facts, tidy_if_due
from pet.engine.services import TurnLimits, turn_limits
from pet.i18n import Texts
from pet.memory.store.forgetting import ForgetService
from pet.model import ContextPart, Receipt, Source, SystemBlock, UsedMemory
from pet.paths import Home
from pet.prompt.context import time_context
from pet.providers.base import Provider
from pet.providers.local_models import LocalModels
from pet.providers.model_facts import ModelFacts
from pet.providers.provider_cache import ProviderCache
from pet.services.pet_files import PetSettingsSource
from pet.services.system_prompt import PromptFactory
from pet.settings.connections import ModelInUse
from pet.settings.program_state import JsonState
from pet.settings.schema import Settings
from pet.workspace.skills import Skills
from pet.workspace.store import WorkspaceStore

if TYPE_CHECKING:
    from pet.memory.search.gated_memory import GatedMemory
    from pet.memory.search.memory_index import MemoryIndex
    from pet.transcripts.store import TranscriptStore
    from pet.workspace.skills import Skill

_log = logging.getLogger(__name__)


def open_pet_index(root: Path, home: Home) -> MemoryIndex:
    from pet.memory.search.memory_index import open_index

    return open_index(root, home.cache)


@dataclass(frozen=True, slots=True, kw_only=True)
class PetModels:
    """The models that requests go to. For tests, ``fixed`` is a provider that answers everything, and
    ``recall_seconds`` replaces the setting."""

    effective: PetSettingsSource
    local: LocalModels
    remote: ProviderCache
    fixed: Provider | None
    texts: Callable[[], Texts]
    clock: Clock
    recall_seconds: float | None

    async def provider(self, used: ModelInUse) -> Provider:
        """Return the provider of a model. Raises ProviderFault, SettingsInvalid."""
        if used.problem is not None:
            raise used.problem
        if self.fixed is not None:
            return self.fixed
        if used.settings.local_model:
            return self.local.provider(used.settings.local_model)
        if used.settings.demo:
            from pet.engine.demo import DemoProvider

            return DemoProvider(self.texts, self.clock.now)
        return await self.remote(used.settings)

    async def ask_facts(self, used: ModelInUse) -> None:
        """Ask the model's server for its window and tools, once or while they may change; never raises."""
        chosen = used.settings
        if used.problem is None and self.fixed is None and not (chosen.local_model or chosen.demo):
            await self.remote.ask_facts(self._unreported(used))

    async def window(self, used: ModelInUse) -> ModelFacts | None:
        """Ask as ``ask_facts``, and return what is known; None for a model that this program runs itself."""
        if used.problem is not None or self.fixed is not None or used.settings.local_model or used.settings.demo:
            return None
        await self.ask_facts(used)
        return self.known(used)

    def known(self, used: ModelInUse) -> ModelFacts:
        """Return what is known of a model elsewhere, without asking."""
        return self.remote.facts.of(self._unreported(used))

    def _unreported(self, used: ModelInUse) -> Settings:
        """Return the settings with the owner's own window in place of the one that the server reported before."""
        return replace(used.settings, context_window=self.effective.own_window())

    async def tools_refused(self, used: ModelInUse) -> None:
        """Record that the server refused tools for this model."""
        await asyncio.to_thread(self.remote.facts.learn_toolless, used.settings)

    async def is_local(self, used: ModelInUse) -> bool:
        """Whether its tokens cost nothing."""
        chosen = used.settings
        return bool(chosen.local_model) or chosen.demo or (self.fixed is None and await self.remote.is_free(chosen))

    def settings(self, used: ModelInUse | None = None) -> Settings:
        """Return the settings with the model in use in place of the address; None: the pet's own model."""
        chosen = (used or self.effective.in_use()).settings
        if self.fixed is None:
            chosen = self.remote.facts.applied(chosen)  # the server may have answered since
        if self.recall_seconds is not None:
            chosen = replace(chosen, recall_seconds=self.recall_seconds)
        return settings_in_use(self.local, chosen)

    def limits(self, used: ModelInUse) -> TurnLimits:
        known = used.settings if self.fixed is not None else self.remote.facts.applied(used.settings)
        small = local_model_limits(self.local, known)
        return turn_limits(self.settings(used), small)


@dataclass(frozen=True, slots=True)
class StoredMaintenanceDay:
    """The day of a pet's last maintenance, in the program's state."""

    state: JsonState
    pet: str

    def get(self) -> str:
        day = self.state.read().get(f"tidied.{self.pet}")
        return day if isinstance(day, str) else ""

    def set(self, day: str) -> None:
        self.state.update({f"tidied.{self.pet}": day})

    def standing(self) -> tuple[str, tuple[str, ...]]:
        day, *moved = self._strings(f"standing.{self.pet}") or [""]
        return day, tuple(moved)

    def set_standing(self, day: str, moved: Sequence[str]) -> None:
        self.state.update({f"standing.{self.pet}": [day, *moved]})

    def _strings(self, name: str) -> list[str]:
        value = self.state.read_known().get(name)  # it is written back: unreadable is not empty
        return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


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
    texts: Callable[[], Texts]

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
        from pet.services.provenance import earlier_lines

        if not hits or not asks_for_past(message, today):
            return []
        gate.check_recall()
        lines = earlier_lines(self.store, hits, self.texts())
        gate.check_recall()
        return lines

    def maintain(self, gate: TurnGate, source: Source) -> list[Receipt]:
        """Maintain nearly full files if that is due. Raises PetError."""
        from pet.services.provenance import message_of

        settings = self.effective.current()
        led = partial(message_of, store=self.store, transcripts=self.transcripts)
        moved = tidy_if_due(self.store, gate, source, self.clock, settings, self.maintenance_day)
        kept = keep_standing_facts(
            self.store, gate, source, self.clock, settings, self.maintenance_day, self.texts(), led
        )
        return [*moved, *kept]


@dataclass(frozen=True, slots=True, kw_only=True)
class PetPrompting:
    """The program's own texts in a request."""

    factory: PromptFactory
    models: PetModels
    stored_skills: Skills
    clock: Clock

    def texts(self) -> Texts:
        return Texts(self.factory.language())

    def skills(self) -> tuple[Skill, ...]:
        """Return the skills on offer, read from disk."""
        return self.stored_skills.offered()

    def system(self, used: ModelInUse, files: VisibleFiles, skills: tuple[Skill, ...]) -> tuple[SystemBlock, ...]:
        return self.factory.build(self.models.settings(used), files, skills).blocks

    def message_context(self) -> tuple[ContextPart, ...]:
        """Return what accompanies every message: the time."""
        return (time_context(self.clock.now(), self.texts()),)
