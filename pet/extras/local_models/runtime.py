"""The port ``LocalModels`` over the supervisor, the library and a provider for each chosen model."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pet.engine.models import local_model_limits, small_way
from pet.errors import LocalModelRefused
from pet.events import ConversationDeleted, ErrorInfo, Event, Forgotten, MemoryPaused, MemorySwitched, PetsChanged
from pet.extras.local_models.catalogue import BY_ID, CATALOGUE, CatalogueEntry
from pet.extras.local_models.events import LocalModelChanged, LocalModelOffered
from pet.extras.local_models.library import Library
from pet.extras.local_models.local_servers import LOCAL_SERVERS, find_local_servers
from pet.extras.local_models.model_store import TINY, TINY_NAME, is_here
from pet.extras.local_models.supervisor import SavedSlots, State, Supervisor
from pet.i18n import Language, Texts
from pet.model import CoreFile, Present
from pet.providers.local_models import FILE, LocalModel, LocalModels, LocalServer, ModelOffer
from pet.serde import vars_of
from pet.settings.schema import Settings
from pet.workspace.store import WorkspaceStore

if TYPE_CHECKING:
    from pet.app.pet import Pet
    from pet.extras.local_models.provider import CommonStarts, LocalModelProvider
    from pet.net.fetch import FetchPolicy
    from pet.paths import Home

_ERASING = (Forgotten, ConversationDeleted, PetsChanged, MemorySwitched, MemoryPaused)


class OwnLocalModels(LocalModels):
    """``reach`` and ``entries`` of downloads are for tests; ``soul`` and ``settings``: of the pet whose prompts are
    computed ahead."""

    servers = LOCAL_SERVERS

    def __init__(
        self,
        home: Home,
        *,
        language: Callable[[], Language],
        environ: Mapping[str, str] = os.environ,
        supervisor: Supervisor | None = None,
        emit: Callable[[Event], object] = lambda _event: None,
        soul: Callable[[], str] = lambda: "",
        settings: Callable[[], Settings] = Settings,
        reach: Callable[[], FetchPolicy | None] = lambda: None,
        entries: tuple[CatalogueEntry, ...] = CATALOGUE,
    ) -> None:
        super().__init__(home, language=language)
        self._emit = emit
        self._soul = soul
        self._settings = settings
        self._made: dict[str, LocalModelProvider] = {}
        self.files: list[ModelOffer] = []
        """Files of other programs, and those that were dropped or chosen."""
        self.supervisor = supervisor or Supervisor(home.local_models, home.local_model_state, on_state=self._on_state)
        self.library = Library(self.supervisor, language=language, environ=environ, reach=reach, entries=entries)

    @classmethod
    def of_pet(
        cls,
        pet: Pet,
        *,
        reach: Callable[[], FetchPolicy | None] = lambda: None,
        entries: tuple[CatalogueEntry, ...] = CATALOGUE,
    ) -> OwnLocalModels:
        models = cls(
            pet.home,
            language=pet.effective.language,
            environ=pet.environ,
            emit=pet.emit,
            soul=lambda: read_soul(pet.store),  # not made yet: its texts need the language
            settings=pet.effective.current,
            reach=reach,
            entries=entries,
        )
        pet.emitter.subscribe(models.on_event, *_ERASING, name="local_model")
        loop, supervisor = pet.loop, models.supervisor
        pet.closing.callback(lambda: loop.finish(models.close_providers()))
        pet.closing.callback(supervisor.close)  # before: a thread of a provider may wait for a model to load
        pet.closing.callback(models.library.stop_fetching)  # the part of a download is kept
        return models

    @staticmethod
    def name(chosen: str) -> str:
        if chosen in BY_ID:
            return BY_ID[chosen].name
        return TINY_NAME if chosen == TINY else LocalModels.name(chosen)

    def problem(self) -> str:
        return self.library.problem()

    def check(self, chosen: str, *, cached: bool = False) -> LocalModel:
        return self.supervisor.cached_check(chosen) if cached else self.supervisor.check(chosen)

    def downloaded(self) -> str:
        """Not the bundled model: what it says is seldom sense."""
        for entry in self.library.entries.values():
            if is_here(entry, self.supervisor.folder):
                with suppress(LocalModelRefused):
                    return self.supervisor.cached_check(entry.id).id
        return ""

    def choices(self) -> list[ModelOffer]:
        return self.library.choices()

    def scan_other_programs(self) -> list[ModelOffer]:
        return self.library.scan_other_programs()

    async def find_servers(self) -> tuple[LocalServer, ...]:
        return await find_local_servers()

    def offer_file(self, path: Path) -> None:
        chosen = f"{FILE}{path}"
        try:
            checked = self.check(chosen)
        except LocalModelRefused as refused:
            offered = LocalModelOffered(
                local_model=chosen, name=path.name, size=0, need=0, error=ErrorInfo.of(refused)
            )
        else:
            self.add_file(chosen)
            offered = LocalModelOffered(
                local_model=chosen, name=checked.name, size=checked.size, need=checked.need, error=None
            )
        self._emit(offered)

    def add_file(self, chosen: str) -> None:
        """Add a file to those that can be chosen."""
        self.files += [each for each in self.library.scan_file(chosen) if each not in self.files]

    def runs_elsewhere(self) -> bool:
        return self.supervisor.runs_elsewhere()

    def provider(self, chosen: str) -> LocalModelProvider:
        from pet.extras.local_models.provider import LocalModelProvider

        if chosen not in self._made:
            starts = partial(self.starts, chosen)
            self._made[chosen] = LocalModelProvider(self.supervisor, chosen, self.name(chosen), starts)
        return self._made[chosen]

    async def warm(self, chosen: str) -> None:
        await self.provider(chosen).warm()

    def starts(self, chosen: str) -> CommonStarts:
        """Return how every reply and question begins; nothing of USER.md, MEMORY.md or a conversation is in it."""
        from pet.extras.local_models.provider import CommonStarts

        since = self.supervisor.last_erasure()  # before SOUL.md, of which something may be forgotten
        soul = self._soul()
        limits = local_model_limits(self, replace(self._settings(), local_model=chosen))
        small, texts = small_way(), Texts(self.language())
        requests = () if limits is None or small is None else small.warming_requests(limits, chosen, soul, texts)
        return CommonStarts(requests=requests, since=since)

    def erase_saved(self) -> None:
        SavedSlots(self.home.local_model_state).delete()

    def on_event(self, event: Event) -> None:
        """Erase the KV state, which contains memory, on forgetting, deletion, pausing, and memory off."""
        match event:
            case MemorySwitched(memory=True) | MemoryPaused(paused=False):
                return
            case _:
                self.supervisor.forget()

    async def close_providers(self) -> None:
        for provider in self._made.values():
            await provider.close()

    def _on_state(self, state: State) -> None:
        self._emit(LocalModelChanged(**vars_of(state)))


def own_models(pet: Pet) -> OwnLocalModels:
    """Return the local models of a pet, for commands of this extra."""
    models = pet.local_models
    assert isinstance(models, OwnLocalModels)
    return models


def read_soul(store: WorkspaceStore) -> str:
    """Return the text of SOUL.md; "" if it can't be read."""
    state = store.read(CoreFile.SOUL.value)
    return state.text if isinstance(state, Present) else ""
