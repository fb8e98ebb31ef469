"""The model on this computer in the object graph: its provider, its limits, and when what it computed is erased."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import replace

from pet.engine.notebook.warming import warming_requests
from pet.engine.request.turn_limits import LocalModelLimits
from pet.errors import LocalModelRefused
from pet.events import ConversationDeleted, Event, Forgotten, MemoryPaused, MemorySwitched, PetsChanged
from pet.i18n import Texts, system_language
from pet.local_models.catalogue import CATALOGUE
from pet.local_models.library import model_name
from pet.local_models.model_store import TINY
from pet.local_models.supervisor import Supervisor
from pet.model import CoreFile, Present
from pet.providers.local_model import LocalModelProvider
from pet.settings.api_keys import KeyStore
from pet.settings.connections import UNCHOSEN
from pet.settings.schema import Settings, as_used
from pet.settings.server_address import is_loopback, origin_of
from pet.workspace.versioned.store import WorkspaceStore

_SMALL_WINDOW = 8_192
_REPLY, _TINY_REPLY = 300, 80  # tokens; the tiny one says less sense the longer it goes on


class LocalProviders:
    """One provider for each model that was chosen. Used on the engine's thread only."""

    def __init__(self, supervisor: Supervisor) -> None:
        self._supervisor = supervisor
        self._made: dict[str, LocalModelProvider] = {}

    def __call__(self, chosen: str) -> LocalModelProvider:
        if chosen not in self._made:
            self._made[chosen] = LocalModelProvider(self._supervisor, chosen, model_name(chosen))
        return self._made[chosen]

    async def close(self) -> None:
        for provider in self._made.values():
            await provider.close()


def settings_without_choice(supervisor: Supervisor, keys: KeyStore, settings: Settings) -> Settings:
    """The settings while nobody has chosen what answers: with a model of this computer that runs here, else with the
    demo. A key for the shipped address is a choice of that address."""
    if keys.may_have(origin_of(settings.base_url)):
        return settings
    language = system_language() if settings.language == "system" else settings.language
    candidates = [entry.id for entry in CATALOGUE] + (
        [TINY] if language == "en" else []
    )  # the tiny one speaks English
    for chosen in candidates:
        with suppress(LocalModelRefused):
            return replace(settings, connection=UNCHOSEN, local_model=supervisor.look(chosen).id)
    return replace(settings, connection=UNCHOSEN, demo=True)


def local_model_limits(supervisor: Supervisor, settings: Settings) -> LocalModelLimits | None:
    """How a small model is asked; None: with the whole prompt and tools."""
    if settings.notebook == "off":
        return None
    if not settings.local_model:
        small = is_loopback(settings.base_url) and 0 < settings.context_window <= _SMALL_WINDOW
        window = settings.context_window or _SMALL_WINDOW
        return LocalModelLimits(window=window) if small or settings.notebook == "on" else None
    try:
        local_model = supervisor.look(settings.local_model)
    except LocalModelRefused:
        return LocalModelLimits()  # the call itself will say why it can't run
    if not local_model.notebook and settings.notebook != "on":
        return None
    reply = _TINY_REPLY if local_model.tiny else _REPLY
    return LocalModelLimits(window=local_model.context, notes=not local_model.tiny, reply_tokens=reply, warms=True)


def answers_well(supervisor: Supervisor, settings: Settings) -> bool:
    """Whether the model can decide by itself if something is worth saying: neither the demo nor a small one."""
    return not settings.demo and local_model_limits(supervisor, settings) is None


def settings_in_use(supervisor: Supervisor, settings: Settings) -> Settings:
    """The settings with the model on this computer in place of the address. One that is large enough for tools gets
    the window that its process has, whatever is set for a service."""
    used = as_used(settings)
    if not settings.local_model:
        return used
    try:
        local_model = supervisor.look(settings.local_model)
    except LocalModelRefused:
        return used
    return replace(
        used, context_window=local_model.context, max_tokens=min(settings.max_tokens, local_model.context // 4)
    )


def read_soul(store: WorkspaceStore) -> str:
    """ "" where there is none to read."""
    state = store.read(CoreFile.SOUL.value)
    return state.text if isinstance(state, Present) else ""


async def warm_up(local: LocalProviders, supervisor: Supervisor, settings: Settings, soul: str, texts: Texts) -> None:
    """Load the chosen model and let it read what every message needs. Nothing of USER.md, MEMORY.md or a conversation
    is in that."""
    limits = await asyncio.to_thread(local_model_limits, supervisor, settings)
    requests = () if limits is None else warming_requests(limits, settings.local_model, soul, texts)
    await local(settings.local_model).warm(requests)


def erase_what_it_computed(event: Event, supervisor: Supervisor) -> None:
    """A KV state is memory in another form: it goes with forgetting, with memory going OFF, and with deletion."""
    match event:
        case Forgotten() | ConversationDeleted() | PetsChanged():
            supervisor.forget()
        case MemorySwitched(memory=False) | MemoryPaused(paused=True):
            supervisor.forget()
        case _:
            return
