"""The models that a pet's requests go to."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pet.clock import Clock
from pet.engine.model_limits import TurnLimits, local_model_limits, settings_in_use, turn_limits
from pet.providers.base import Provider
from pet.providers.local_models import LocalModels
from pet.providers.model_facts import ModelFacts
from pet.settings.connections import ModelInUse
from pet.settings.schema import Settings

if TYPE_CHECKING:
    from pet.providers.provider_cache import ProviderCache
    from pet.settings.effective import PetSettingsSource


@dataclass(frozen=True, slots=True, kw_only=True)
class PetModels:
    """The models that requests go to. For tests, ``fixed`` is a provider that answers everything, and
    ``recall_seconds`` replaces the setting."""

    effective: PetSettingsSource
    local: LocalModels
    remote: ProviderCache
    fixed: Provider | None
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

            return DemoProvider(self.effective.texts, self.clock.now)
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
