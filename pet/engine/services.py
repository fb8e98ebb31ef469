"""The services that all conversations of a pet share; the composition root makes them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pet.access import TurnGate
from pet.clock import Clock
from pet.engine.event_loop import EngineLoop
from pet.engine.index_service import IndexService
from pet.engine.models import PetModels
from pet.engine.pet_memory import PetMemory
from pet.engine.system_prompt import PetPrompting
from pet.engine.token_budget import FittingProvider, TokenEstimator, TokenEstimators
from pet.engine.usage import MeteredProvider, UsageLedger
from pet.events import Event
from pet.providers.base import Provider
from pet.providers.faults import RetryPolicy
from pet.settings.connections import ModelInUse
from pet.workspace.attachments import Attachments
from pet.workspace.in_flight import RequestsInFlight
from pet.workspace.store import WorkspaceStore

if TYPE_CHECKING:
    from pet.net.fetch import FetchPolicy
    from pet.tools.tool import TurnTools


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineServices:
    """Dependencies injected by the composition root."""

    loop: EngineLoop
    clock: Clock
    emit: Callable[[Event], object]
    store: WorkspaceStore
    attachments: Attachments
    in_flight: RequestsInFlight
    usage: UsageLedger
    retry: RetryPolicy
    sizes: TokenEstimators
    models: PetModels
    index: IndexService
    memory: PetMemory
    prompting: PetPrompting
    fetches: Callable[[], FetchPolicy] | None  # of web pages, for tests
    more_tools: Callable[[str, TurnGate], Awaitable[TurnTools]]  # of extras, for a turn of a conversation

    async def provider(self, used: ModelInUse, sizes: TokenEstimator, *, keep: bool) -> Provider:
        """Return the model's provider, its calls counted and limited. ``keep`` False: a temporary conversation.
        Raises ProviderFault, SettingsInvalid."""
        inner, local = FittingProvider(await self.models.provider(used), sizes), await self.models.is_local(used)
        return MeteredProvider(inner, self.usage, sizes.tokens, keep=keep, local=local)
