"""The services that all conversations of a pet share; the composition root makes them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pet.access import TurnGate
from pet.clock import Clock
from pet.engine.event_loop import EngineLoop
from pet.engine.index_service import IndexService
from pet.engine.memory_maintenance import MaintenanceDay
from pet.engine.models import PetModels
from pet.engine.token_budget import TokenEstimator
from pet.engine.usage import MeteredProvider, UsageLedger
from pet.events import Event
from pet.memory.store.forgetting import ForgetService
from pet.model import Receipt, Source
from pet.prompt.build import Channel
from pet.providers.faults import RetryPolicy
from pet.settings.connections import ModelInUse
from pet.workspace.attachments import Attachments
from pet.workspace.in_flight import RequestsInFlight
from pet.workspace.skills import Skills
from pet.workspace.store import WorkspaceStore

if TYPE_CHECKING:
    from pet.net.fetch import FetchPolicy
    from pet.settings.effective import PetSettingsSource
    from pet.tools.tool import TurnTools
    from pet.transcripts.store import TranscriptStore


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineServices:
    """Dependencies injected by the composition root. ``sizes``: of each model."""

    loop: EngineLoop
    clock: Clock
    emit: Callable[[Event], object]
    effective: PetSettingsSource
    store: WorkspaceStore
    transcripts: TranscriptStore
    attachments: Attachments
    skills: Skills
    pet_name: Callable[[], str]
    channel: Channel
    in_flight: RequestsInFlight
    usage: UsageLedger
    models: PetModels
    index: IndexService
    forgetter: ForgetService
    maintenance_day: MaintenanceDay
    fetches: Callable[[], FetchPolicy] | None  # of web pages, for tests
    more_tools: Callable[[str, TurnGate], Awaitable[TurnTools]]  # of extras, for a turn of a conversation
    more_upkeep: Callable[[TurnGate, Source], list[Receipt]]  # of extras, before a turn
    retry: RetryPolicy = field(default_factory=RetryPolicy)
    sizes: defaultdict[str, TokenEstimator] = field(default_factory=lambda: defaultdict(TokenEstimator))

    async def provider(self, used: ModelInUse, sizes: TokenEstimator, *, keep: bool) -> MeteredProvider:
        """Return the model's provider, its calls fitted, counted and limited. ``keep`` False: a temporary
        conversation. Raises ProviderFault, SettingsInvalid."""
        inner, local = await self.models.provider(used), await self.models.is_local(used)
        return MeteredProvider(inner, self.usage, sizes, keep=keep, local=local)
