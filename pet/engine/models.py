"""The models that a pet's requests go to: their providers, the limits of a turn, and the port to small models.

A small model gets no tools but a short prompt, and a question about what to note; an extra has that way.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from pet.clock import Clock
from pet.errors import LocalModelRefused
from pet.extra import is_provided, provided
from pet.providers.base import Provider
from pet.providers.endpoint import is_near
from pet.providers.local_models import LocalModels
from pet.providers.model_facts import ModelFacts
from pet.settings.connections import UNCHOSEN, ModelInUse, origin_of
from pet.settings.schema import THIS_COMPUTER, Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pet.access import VisibleFiles
    from pet.engine.turn_context import ReplyStrategy, TurnContext
    from pet.i18n import Texts
    from pet.model import Request
    from pet.prompt.build import Section
    from pet.providers.provider_cache import ProviderCache
    from pet.settings.api_keys import KeyStore
    from pet.settings.effective import PetSettingsSource

FILES_SHARE = 0.4
"""Share of a small model's window for SOUL.md, USER.md and MEMORY.md."""
_SMALL_WINDOW = 8_192
_REPLY, _TINY_REPLY = 300, 80  # tokens; the tiny model loses coherence in longer replies


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


def settings_without_choice(models: LocalModels, keys: KeyStore, settings: Settings) -> Settings:
    """Return the settings while no model is chosen: with a downloaded model that runs here, else with the demo. A key
    for the shipped address counts as a choice."""
    if keys.may_have(origin_of(settings.base_url)):
        return settings
    downloaded = models.downloaded()
    return replace(settings, connection=UNCHOSEN, local_model=downloaded, demo=not downloaded)


def local_model_limits(models: LocalModels, settings: Settings) -> LocalModelLimits | None:
    """Return the limits of a small model; None for a model that gets the whole prompt and tools."""
    if settings.notebook == "off" or not is_provided("small_models"):
        return None
    if not settings.local_model:
        small = 0 < settings.context_window <= _SMALL_WINDOW and is_near(settings.base_url)
        window = settings.context_window or _SMALL_WINDOW
        limits = LocalModelLimits(window=window, reply_tokens=_REPLY if window <= _SMALL_WINDOW else window // 8)
        return limits if small or settings.notebook == "on" else None
    try:
        local_model = models.check(settings.local_model, cached=True)
    except LocalModelRefused:
        return LocalModelLimits()  # the request itself will report the error
    if not local_model.notebook and settings.notebook != "on":
        return None
    reply = _TINY_REPLY if local_model.tiny else _REPLY
    return LocalModelLimits(window=local_model.context, notes=not local_model.tiny, reply_tokens=reply, warms=True)


def answers_well(models: LocalModels, settings: Settings) -> bool:
    """Return whether the model can decide if something is worth saying; false for the demo and small models."""
    return not settings.demo and local_model_limits(models, settings) is None


def settings_in_use(models: LocalModels, settings: Settings) -> Settings:
    """Return the settings with a local model in place of the address, and with its process's context window."""
    if not settings.local_model:
        return settings
    used = replace(settings, base_url=THIS_COMPUTER, model=settings.local_model, demo=False)
    try:
        local_model = models.check(settings.local_model, cached=True)
    except LocalModelRefused:
        return used
    return replace(
        used, context_window=local_model.context, max_tokens=min(settings.max_tokens, local_model.context // 4)
    )


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

    async def ask_facts(self, used: ModelInUse) -> ModelFacts | None:
        """Ask the model's server for its window and tools, once or while they may change, and return what is known;
        None for a model that this program runs itself. Never raises."""
        chosen = used.settings
        if used.problem is not None or self.fixed is not None or chosen.local_model or chosen.demo:
            return None
        # With the owner's own window in place of the one that the server reported before.
        unreported = replace(chosen, context_window=self.effective.own_window())
        await self.remote.ask_facts(unreported)
        return self.remote.facts.of(unreported)

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
        settings = self.settings(used)
        return turn_limits(settings, local_model_limits(self.local, settings))


class SmallWay(Protocol):
    def strategy(self, context: TurnContext, limits: LocalModelLimits, *, recalled: bool = False) -> ReplyStrategy:
        """Return the strategy of one turn. ``recalled``: whether the message has its recall results already."""

    def sections(self, files: VisibleFiles, limits: LocalModelLimits, texts: Texts) -> Sequence[Section]:
        """Return the prompt of the replies by subject. The request that decides what to note contains the lines of
        USER.md and MEMORY.md, and nothing else of the files."""

    def warming_requests(self, limits: LocalModelLimits, model: str, soul: str, texts: Texts) -> tuple[Request, ...]:
        """Return requests that make a server compute the beginning of each reply and question, without gated
        files."""


def small_way() -> SmallWay | None:
    """Return the way of small models; None without the extra: then every model gets the whole prompt and tools."""
    way = provided("small_models")
    return way() if way else None
