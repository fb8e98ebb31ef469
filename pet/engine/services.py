"""The services that all conversations of a pet share; the composition root makes them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pet.access import TurnGate
from pet.clock import Clock
from pet.engine.event_loop import EngineLoop
from pet.engine.index_service import IndexService
from pet.engine.token_budget import FittingProvider, TokenEstimator, TokenEstimators
from pet.engine.usage import MeteredProvider, UsageLedger
from pet.events import Event
from pet.providers.base import Provider
from pet.providers.faults import RetryPolicy
from pet.settings.connections import ModelInUse
from pet.settings.schema import Settings
from pet.workspace.attachments import Attachments
from pet.workspace.in_flight import RequestsInFlight
from pet.workspace.store import WorkspaceStore

if TYPE_CHECKING:
    from pet.app.engine_ports import PetMemory, PetModels, PetPrompting
    from pet.net.fetch import FetchPolicy
    from pet.tools.tool import TurnTools

FILES_SHARE = 0.4
"""Share of a small model's window for SOUL.md, USER.md and MEMORY.md."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModelLimits:
    """Limits of a small model: ``window`` and ``reply_tokens`` in tokens. ``notes``: whether notes are taken.
    ``warms``: whether reading ahead is free and stays computed, as in a process of our own."""

    window: int = 4_096
    reply_tokens: int = 300
    notes: bool = True
    warms: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnLimits:
    """Limits of a turn, from the settings when it begins. ``settings``: with the model in use, narrowed to a small
    model's limits. ``notebook``: set for small models without tools."""

    settings: Settings
    notebook: LocalModelLimits | None = None


def turn_limits(settings: Settings, local_model: LocalModelLimits | None = None) -> TurnLimits:
    """Return the settings' limits, narrowed to those of a small model on this computer."""
    if local_model is not None:
        reply = min(settings.max_tokens, local_model.reply_tokens)
        settings = replace(settings, max_tokens=reply, context_window=local_model.window)
    return TurnLimits(settings=settings, notebook=local_model)


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
