"""The model on this computer in the object graph: its provider, its limits, and when what it computed is erased."""

from __future__ import annotations

from pet.engine.request.turn_context import MindLimits
from pet.errors import MindRefused
from pet.events import BrainPaused, ConversationDeleted, Event, Forgotten, MemorySwitched, PetsChanged
from pet.minds.keeper import Keeper
from pet.minds.library import name_of
from pet.providers.base import Provider
from pet.providers.mind import MindProvider
from pet.settings.api_keys import is_loopback
from pet.settings.schema import Settings

_SMALL_WINDOW = 8_192
_REPLY, _TINY_REPLY = 300, 80  # tokens; the tiny one says less sense the longer it goes on


class LocalProviders:
    """One provider for each model that was chosen. Used on the engine's thread only."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper
        self._made: dict[str, MindProvider] = {}

    def __call__(self, chosen: str) -> Provider:
        if chosen not in self._made:
            self._made[chosen] = MindProvider(self._keeper, chosen, name_of(chosen))
        return self._made[chosen]

    async def close(self) -> None:
        for provider in self._made.values():
            await provider.close()


def mind_limits(keeper: Keeper, settings: Settings) -> MindLimits | None:
    """How a small model is asked; None: with the whole prompt and tools."""
    if settings.notebook == "off":
        return None
    if not settings.mind:
        small = is_loopback(settings.base_url) and 0 < settings.context_window <= _SMALL_WINDOW
        window = settings.context_window or _SMALL_WINDOW
        return MindLimits(window=window) if small or settings.notebook == "on" else None
    try:
        mind = keeper.look(settings.mind)
    except MindRefused:
        return MindLimits()  # the call itself will say why it can't run
    if not mind.notebook and settings.notebook != "on":
        return None
    return MindLimits(window=mind.context, notes=not mind.tiny, reply_tokens=_TINY_REPLY if mind.tiny else _REPLY)


def erase_what_it_computed(event: Event, keeper: Keeper) -> None:
    """A KV state is memory in another form: it goes with forgetting, with the brain going OFF, and with deletion."""
    match event:
        case Forgotten() | ConversationDeleted() | PetsChanged():
            keeper.forget()
        case MemorySwitched(memory=False) | BrainPaused(paused=True):
            keeper.forget()
        case _:
            return
