"""Local models in the object graph: providers, limits, settings, warm-up, and erasing the KV state."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial

from pet.engine.notebook_messages import warming_requests
from pet.engine.services import LocalModelLimits
from pet.errors import LocalModelRefused
from pet.events import ConversationDeleted, Event, Forgotten, MemoryPaused, MemorySwitched, PetsChanged
from pet.i18n import Texts
from pet.local_models.catalogue import CATALOGUE
from pet.local_models.library import model_name
from pet.local_models.model_store import is_here
from pet.local_models.supervisor import Supervisor
from pet.model import CoreFile, Present
from pet.providers.endpoint import is_near
from pet.providers.local_model import CommonStarts, LocalModelProvider
from pet.settings.api_keys import KeyStore
from pet.settings.connections import UNCHOSEN, origin_of
from pet.settings.schema import Settings, as_used
from pet.workspace.store import WorkspaceStore

_SMALL_WINDOW = 8_192
_REPLY, _TINY_REPLY = 300, 80  # tokens; the tiny model loses coherence in longer replies


class LocalProviders:
    """One provider for each chosen model. For the engine's thread only. ``soul`` reads SOUL.md."""

    def __init__(
        self,
        supervisor: Supervisor,
        *,
        soul: Callable[[], str],
        settings: Callable[[], Settings],
        texts: Callable[[], Texts],
    ) -> None:
        self._supervisor = supervisor
        self._soul = soul
        self._settings = settings
        self._texts = texts
        self._made: dict[str, LocalModelProvider] = {}

    def __call__(self, chosen: str) -> LocalModelProvider:
        if chosen not in self._made:
            starts = partial(self._starts, chosen)
            self._made[chosen] = LocalModelProvider(self._supervisor, chosen, model_name(chosen), starts)
        return self._made[chosen]

    def _starts(self, chosen: str) -> CommonStarts:
        """Return how every reply and question begins; nothing of USER.md, MEMORY.md or a conversation is in it."""
        since = self._supervisor.last_erasure()  # before SOUL.md, of which something may be forgotten
        soul = self._soul()
        limits = local_model_limits(self._supervisor, replace(self._settings(), local_model=chosen))
        requests = () if limits is None else warming_requests(limits, chosen, soul, self._texts())
        return CommonStarts(requests=requests, since=since)

    async def close(self) -> None:
        for provider in self._made.values():
            await provider.close()


def settings_without_choice(supervisor: Supervisor, keys: KeyStore, settings: Settings) -> Settings:
    """Return the settings while no model is chosen: with a downloaded model that runs here, else with the demo, for
    what the bundled model says is seldom sense. A key for the shipped address counts as a choice."""
    if keys.may_have(origin_of(settings.base_url)):
        return settings
    for entry in CATALOGUE:
        if is_here(entry, supervisor.folder):
            with suppress(LocalModelRefused):
                return replace(settings, connection=UNCHOSEN, local_model=supervisor.cached_check(entry.id).id)
    return replace(settings, connection=UNCHOSEN, demo=True)


def local_model_limits(supervisor: Supervisor, settings: Settings) -> LocalModelLimits | None:
    """Return the limits of a small model; None for a model that gets the whole prompt and tools."""
    if settings.notebook == "off":
        return None
    if not settings.local_model:
        small = is_near(settings.base_url) and 0 < settings.context_window <= _SMALL_WINDOW
        window = settings.context_window or _SMALL_WINDOW
        limits = LocalModelLimits(window=window, reply_tokens=_REPLY if window <= _SMALL_WINDOW else window // 8)
        return limits if small or settings.notebook == "on" else None
    try:
        local_model = supervisor.cached_check(settings.local_model)
    except LocalModelRefused:
        return LocalModelLimits()  # the request itself will report the error
    if not local_model.notebook and settings.notebook != "on":
        return None
    reply = _TINY_REPLY if local_model.tiny else _REPLY
    return LocalModelLimits(window=local_model.context, notes=not local_model.tiny, reply_tokens=reply, warms=True)


def answers_well(supervisor: Supervisor, settings: Settings) -> bool:
    """Return whether the model can decide if something is worth saying; false for the demo and small models."""
    return not settings.demo and local_model_limits(supervisor, settings) is None


def settings_in_use(supervisor: Supervisor, settings: Settings) -> Settings:
    """Return the settings with a local model in place of the address, and with its process's context window."""
    used = as_used(settings)
    if not settings.local_model:
        return used
    try:
        local_model = supervisor.cached_check(settings.local_model)
    except LocalModelRefused:
        return used
    return replace(
        used, context_window=local_model.context, max_tokens=min(settings.max_tokens, local_model.context // 4)
    )


def read_soul(store: WorkspaceStore) -> str:
    """Return the text of SOUL.md; "" if it can't be read."""
    state = store.read(CoreFile.SOUL.value)
    return state.text if isinstance(state, Present) else ""


def erase_kv_state(event: Event, supervisor: Supervisor) -> None:
    """Erase the KV state, which contains memory, on forgetting, deletion, pausing, and memory off."""
    match event:
        case (
            Forgotten()
            | ConversationDeleted()
            | PetsChanged()
            | MemorySwitched(memory=False)
            | MemoryPaused(paused=True)
        ):
            supervisor.forget()
        case _:
            return
