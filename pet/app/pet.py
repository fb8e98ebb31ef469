"""One pet: its parts, made when first used, and the pause of its memory.

A command line that changes a setting makes no engine; a window makes nearly everything. Each part imports what it
needs, so that what isn't used isn't loaded either.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pet.clock import Clock
from pet.paths import Home
from pet.services.pet_files import PetFiles, part, record_use

if TYPE_CHECKING:
    from pet.access import MemoryMode, PetGate, TurnGate
    from pet.bridge.chat_state import ChatRequests, DropBox, OpenTab, SavedTabs, Unread
    from pet.bridge.commands.privacy import Eraser
    from pet.bridge.commands.terminal import TerminalTurns
    from pet.bridge.commands.welcome import FirstStart
    from pet.bridge.dispatch import Commands
    from pet.bridge.emitter import Emitter
    from pet.bridge.reply_links import RemotePictures
    from pet.engine.conversations import Conversations
    from pet.engine.event_loop import EngineLoop
    from pet.engine.index_service import IndexService
    from pet.engine.models import PetModels
    from pet.engine.mood import MoodTracker
    from pet.engine.resting_notes import RestingNotes
    from pet.engine.services import EngineServices
    from pet.engine.system_prompt import PromptView
    from pet.engine.usage import UsageLedger
    from pet.events import Event
    from pet.extra import ExtraParts
    from pet.memory.search.memory_index import MemoryIndex
    from pet.memory.store.forgetting import ForgetService
    from pet.model import Receipt, Source
    from pet.net.fetch import FetchPolicy
    from pet.providers.base import Provider
    from pet.providers.local_models import LocalModels
    from pet.providers.provider_cache import ProviderCache
    from pet.services.connections import Connections
    from pet.services.desktop_port import DesktopPort
    from pet.services.offers.ask_field import AskField
    from pet.services.offers.bubble import SpeechBubble
    from pet.services.proactive_limits import ProactiveLog
    from pet.settings.connections import ModelInUse
    from pet.settings.schema import Settings
    from pet.skins.selection import SkinSelector
    from pet.tools.tool import TurnTools
    from pet.untrusted.regular_files import FromFiles
    from pet.workspace.attachments import Attachments
    from pet.workspace.in_flight import RequestsInFlight
    from pet.workspace.pets import Pets
    from pet.workspace.skills import Skills

Channel = Literal["desktop", "terminal"]
_INDEX_AFTER = 20.0  # seconds after the start, when the windows are drawn


class Pet(PetFiles):
    """A pet, created on the first start; on the desktop its background work runs until ``close``.

    For tests, ``recall_seconds`` replaces the setting, ``pictures_from`` and ``pages_from`` are the fetch
    policies of remote pictures and web pages, and ``local_models`` makes those of this computer.

    Raises BadPetId, UnknownPet for a named pet without a folder, and NewerFormat if a newer program wrote its folder
    or the state.
    """

    def __init__(
        self,
        home: Home,
        *,
        pet_id: str | None = None,
        environ: Mapping[str, str] = os.environ,
        clock: Clock | None = None,
        provider: Provider | None = None,
        channel: Channel = "desktop",
        windows: DesktopPort | None = None,
        recall_seconds: float | None = None,
        pictures_from: Callable[[], FetchPolicy] | None = None,
        pages_from: Callable[[], FetchPolicy] | None = None,
        local_models: Callable[[Pet], LocalModels] | None = None,
    ) -> None:
        super().__init__(home, pet_id=pet_id, environ=environ, clock=clock)
        self.closing.callback(lambda: self.eraser.end() if "eraser" in vars(self) else None)  # runs last
        self.fixed_provider = provider
        self.channel = channel
        self._windows = windows
        self._recall_seconds = recall_seconds
        self.pictures_from = pictures_from
        self._pages_from = pages_from
        self._local_models = local_models
        self.resting: RestingNotes | None = None
        if provider is None:
            self.effective.with_facts = self._with_facts
            if channel == "desktop":
                self.effective.without_choice = self._without_choice
        try:
            _ = self.store  # made now, on the first start
            if channel == "desktop":
                self._start()
        except BaseException:
            self.close()
            raise

    def _start(self) -> None:
        from pet.app.background import start_background

        _ = self.conversations  # closed after everything that starts now
        if self.windows.pets.leads:  # a terminal chat records it itself, others don't open a pet
            self.record_use()
        start_background(self)

    # --- listeners to changes

    @part
    def windows(self) -> DesktopPort:
        from pet.services.desktop_port import DesktopPort

        return self._windows or DesktopPort()

    @part
    def emitter(self) -> Emitter:
        from pet.bridge.emitter import Emitter

        _ = self.index, self.loop  # closed after those that listen
        emitter = Emitter()
        self.closing.callback(emitter.close)
        return emitter

    def emit(self, event: Event) -> None:
        """Emit an event that only windows show; dropped if the emitter is not made yet."""
        if "emitter" in vars(self):
            self.emitter.emit(event)

    def settings_changed(self) -> None:
        if "emitter" in vars(self):
            from pet.events import SettingsChanged

            self.emit(SettingsChanged())

    @part
    def unread(self) -> Unread:
        from pet.bridge.chat_state import Unread

        windows, exists = self.windows, self.transcripts.exists
        unread = Unread(self.state, self.pet_id, self.emit, chat_shown=lambda: windows.chat_shown, stays=exists)
        if self.channel == "desktop":
            self.emitter.subscribe_inline(unread.on_event, *Unread.EVENTS, name="unread")
        return unread

    @part
    def requests(self) -> ChatRequests:
        from pet.bridge.chat_state import ChatRequests

        requests = ChatRequests()
        if self.channel == "desktop":
            self.emitter.subscribe_inline(requests.on_event, *ChatRequests.EVENTS, name="requests")
        return requests

    @part
    def moods(self) -> MoodTracker:
        from pet.engine.mood import MoodTracker

        unread, clock = self.unread, self.clock  # listens before
        moods = MoodTracker(
            self.emitter.emit, unread=lambda: bool(unread.conversations), hour=lambda: clock.now().hour
        )
        self.closing.callback(moods.close)
        self.emitter.subscribe_inline(moods.on_event, *MoodTracker.EVENTS, name="moods")
        return moods

    @part
    def tabs(self) -> SavedTabs:
        from pet.bridge.chat_state import SavedTabs
        from pet.settings.program_state import JsonState

        tabs = SavedTabs(JsonState(self.home.tabs_file), self.pet_id)
        self.emitter.subscribe(tabs.on_event, *SavedTabs.EVENTS, name="tabs")
        return tabs

    @part
    def open_tab(self) -> OpenTab:
        from pet.access import MemoryMode
        from pet.bridge.chat_state import OpenTab

        return OpenTab(self.emit, lambda of: self.conversations.open(of).gate.memory_mode is not MemoryMode.OFF)

    # --- files

    def downloads(self) -> Path:
        """Return the owner's folder of downloads, for exports."""
        from pet.paths import downloads_folder

        return downloads_folder()

    @part
    def pets(self) -> Pets:
        """The pets of this home."""
        from pet.services.home import open_pets

        return open_pets(self.home, self.clock)

    @part
    def wardrobe(self) -> SkinSelector:
        from pet.services.home import wardrobe_for

        return wardrobe_for(self.home, self.store.root, self.clock, self.environ)

    @part
    def first_start(self) -> FirstStart:
        from pet.bridge.commands.welcome import FirstStart
        from pet.workspace.pet_registry import list_ids

        return FirstStart(self.state, used=lambda: len(list_ids(self.home)) > 1 or bool(self.transcripts.list()))

    def name(self) -> str:
        """Return the pet's display name."""
        return self._name.get()

    @part
    def _name(self) -> FromFiles[str]:
        from pet.untrusted.regular_files import FromFiles
        from pet.workspace.pet_toml import NAMED_IN, display_name

        root = self.store.root
        files = (self.home.settings_file, *(root / name for name in NAMED_IN))
        return FromFiles(files, lambda: display_name(root, self.pet_id, self.texts()))

    @part
    def attachments(self) -> Attachments:
        from pet.workspace.attachments import Attachments

        return Attachments(self.store.root, self.clock, drafted=self.tabs.drafted)

    @part
    def skills(self) -> Skills:
        from pet.workspace.skills import Skills

        return Skills(self.store.root, self.home.data / "skills")

    @part
    def proactive(self) -> ProactiveLog:
        from pet.services.proactive_limits import ProactiveLog

        return ProactiveLog(
            forgotten=self.store.forgotten.is_forgotten,
            state=self.state,
            pet=self.pet_id,
            clock=self.clock,
        )

    # --- memory

    @part
    def gate(self) -> PetGate:
        """The pet's part of access: its pause."""
        from pet.access import PetGate
        from pet.events import MemoryPaused
        from pet.untrusted.regular_files import FromFiles

        record = self.pause_record
        gate = PetGate(paused=record.read()[0])
        recorded = FromFiles((self.home.state_file, record.file), record.read, lambda read: not read[0]).get
        gate.set_external_check(recorded, lambda: self.emitter.emit(MemoryPaused(paused=True)))
        return gate

    @part
    def index(self) -> IndexService:
        from pet.engine.index_service import IndexService

        index = IndexService(
            self._open_index,
            self.effective.current,
            self.emit,
            paused=lambda: self.gate.paused,
            monotonic=self.clock.monotonic,
        )
        self.closing.callback(index.close)
        return index

    def _open_index(self) -> MemoryIndex:
        from pet.memory.search.memory_index import open_index

        return open_index(self.store.root, self.home.cache)

    @part
    def forgetting(self) -> ForgetService:
        from pet.events import Forgotten
        from pet.extra import extras
        from pet.memory.store.forgetting import ForgetService

        _ = self.tabs, self.local_models  # they listen to what is forgotten
        for extra in extras():
            if extra.forget is not None:
                self.emitter.subscribe(partial(extra.forget, self), Forgotten, name="extra")
        forgetting = ForgetService(
            self.store,
            self.transcripts,
            self.index.purge,
            texts=self.texts,
            extra_files=(self.home.tabs_file,),
            emit=self.emitter.emit,
        )
        self.emitter.subscribe(forgetting.on_event, *ForgetService.EVENTS, name="forget")
        return forgetting

    # --- models

    @part
    def local_models(self) -> LocalModels:
        from pet.providers.local_models import local_models_kind

        return self._local_models(self) if self._local_models else local_models_kind().of_pet(self)

    def _with_facts(self, settings: Settings) -> Settings:
        return self.facts.applied(settings)

    def _without_choice(self, shipped: Settings) -> Settings:
        from pet.engine.models import settings_without_choice

        return settings_without_choice(self.local_models, self.keys, shipped)

    @part
    def _remote(self) -> ProviderCache:
        from pet.providers.provider_cache import ProviderCache

        named = self.environ.get("ANTHROPIC_BASE_URL", "")
        remote = ProviderCache(self.keys, self.settings.address_problem, self.facts, messages_at=named)
        loop = self.loop
        self.closing.callback(lambda: loop.finish(remote.close()))
        return remote

    @part
    def models(self) -> PetModels:
        from pet.engine.models import PetModels

        return PetModels(
            effective=self.effective,
            local=self.local_models,
            remote=self._remote,
            fixed=self.fixed_provider,
            clock=self.clock,
            recall_seconds=self._recall_seconds,
        )

    async def warm_local_model(self, used: ModelInUse) -> None:
        from pet.settings.connections import UNCHOSEN

        chosen = used.settings
        warms = self.fixed_provider is None and chosen.local_model and chosen.connection != UNCHOSEN
        if warms and not await asyncio.to_thread(self.local_models.runs_elsewhere):
            await self.local_models.warm(chosen.local_model)

    def judges_well(self) -> bool:
        """Return whether the model in use can judge what is worth saying."""
        from pet.engine.models import answers_well

        return self.fixed_provider is not None or answers_well(self.local_models, self.effective.in_use().settings)

    @part
    def connections(self) -> Connections:
        from pet.services.connections import Connections

        return Connections(self.settings, self.keys, self.effective.in_use, self.settings_changed)

    def set_pet_model(self, connection: str, model: str) -> None:
        """Write connection and model to pet.toml, "" for none. Raises SettingsInvalid, FileBroken, OSError."""
        from pet.settings.pet_settings import drop_foreign_connection
        from pet.workspace.locked_file import OwnerFiles
        from pet.workspace.pet_toml import write_value

        if connection:
            self.connections.choice(connection, model)
        owned = OwnerFiles(root=self.store.root, locks=self.home.locks, clock=self.clock)
        write_value(owned, "connection", connection or None)
        write_value(owned, "model", model or None)
        drop_foreign_connection(self.pet_id, self.state)
        self.settings_changed()

    @part
    def usage(self) -> UsageLedger:
        from pet.engine.usage import UsageLedger
        from pet.settings.program_state import JsonState

        return UsageLedger(JsonState(self.home.usage_file), self.clock, self.effective.current)

    # --- conversations

    @part
    def loop(self) -> EngineLoop:
        from pet.engine.event_loop import EngineLoop

        loop = EngineLoop()
        self.closing.callback(loop.close)
        return loop

    @part
    def in_flight(self) -> RequestsInFlight:
        from pet.workspace.in_flight import RequestsInFlight

        return RequestsInFlight(self.home.locks, self.pet_id)

    @part
    def services(self) -> EngineServices:
        """The engine's services, made whole, so that all of it is closed after the conversations."""
        from pet.engine.memory_maintenance import MaintenanceDay
        from pet.engine.services import EngineServices

        return EngineServices(
            loop=self.loop,
            clock=self.clock,
            emit=self.emitter.emit,
            effective=self.effective,
            store=self.store,
            transcripts=self.transcripts,
            attachments=self.attachments,
            skills=self.skills,
            pet_name=self.name,
            channel=self.channel,
            in_flight=self.in_flight,
            usage=self.usage,
            models=self.models,
            index=self.index,
            forgetter=self.forgetting,
            maintenance_day=MaintenanceDay(self.state, self.pet_id),
            fetches=self._pages_from,
            more_tools=self._more_tools,
            more_upkeep=self._more_upkeep,
        )

    async def _more_tools(self, conversation: str, gate: TurnGate) -> TurnTools:
        """Return the tools that extras have for a turn of the conversation."""
        from pet.extra import extras
        from pet.tools.tool import TurnTools

        having = [each.turn_tools for each in extras() if each.turn_tools is not None]
        each = [await tools(self, conversation, gate) for tools in having]
        return TurnTools(
            tools=tuple(tool for part in each for tool in part.tools),
            missing=tuple(problem for part in each for problem in part.missing),
        )

    def _more_upkeep(self, gate: TurnGate, source: Source) -> list[Receipt]:
        """Let extras maintain the pet's files before a turn reads them. Raises PetError."""
        from pet.extra import extras

        return [
            receipt for each in extras() if each.upkeep is not None for receipt in each.upkeep(self, gate, source)
        ]

    @part
    def conversations(self) -> Conversations:
        from pet.engine.conversations import Conversations

        _ = self.requests, self.moods  # they listen, and are closed after the turns
        conversations = Conversations(self.transcripts, self.gate, self.services)
        self.closing.callback(conversations.close)
        return conversations

    @part
    def terminal_turns(self) -> TerminalTurns:
        from pet.bridge.commands.terminal import TerminalTurns

        return TerminalTurns(self.emitter, self.unread.mark_seen)

    def preview_prompt(
        self, *, memory: bool | MemoryMode, conversation: str | None = None, mode: str | None = None
    ) -> PromptView:
        """Return the prompt that would be sent, in a new conversation by default; ``mode``: another prompt mode."""
        return self.conversations.preview_prompt(conversation or None, memory=memory, mode=mode)

    # --- windows and other processes

    @part
    def bubble(self) -> SpeechBubble:
        from pet.services.offers.bubble import SpeechBubble

        return SpeechBubble(self)

    @part
    def field(self) -> AskField:
        """The line beside the pet in which the owner can say something."""
        from pet.services.offers.ask_field import AskField

        return AskField(self.bubble)

    @part
    def drop_box(self) -> DropBox:
        from pet.bridge.chat_state import DropBox

        return DropBox(self.windows, self.emitter.emit)

    @part
    def remote_pictures(self) -> RemotePictures:
        from pet.bridge.reply_links import RemotePictures, open_internet

        pictures = RemotePictures(self.conversations, self.pictures_from or open_internet)
        self.closing.callback(pictures.close)
        return pictures

    @part
    def eraser(self) -> Eraser:
        from pet.bridge.commands.privacy import Eraser

        return Eraser(self.home, self.clock)

    @part
    def extras(self) -> tuple[ExtraParts, ...]:
        """The parts of the extras that are there."""
        from pet.extra import extras

        return tuple(each.make(self) for each in extras())

    @part
    def commands(self) -> Commands:
        """The commands of windows and other processes."""
        from pet.app.commands import make_commands

        return make_commands(self)

    def record_use(self) -> None:
        """Record that this pet was opened, so that the next start opens it."""
        record_use(self.state, self.pet_id)

    # --- the pause

    def pause(self, paused: bool) -> None:
        """Pause or resume memory of this pet, also for the next start.

        Once a pause returns, no request with memory leaves any process. Raises OSError, MemoryInFlight.
        """
        if paused:
            self.conversations.pause(True, self._record_pause)  # gates close before the pause is recorded
        else:
            self.pause_record.end()
            self.conversations.pause(False)

    def _record_pause(self) -> None:
        self.pause_record.start()
        self.in_flight.wait()

    def catch_up(self) -> None:
        """Take over a pause that another process set, for a terminal chat, which receives no calls."""
        from pet.errors import MemoryInFlight

        paused, _ = self.pause_record.read()
        if paused != self.gate.announced:
            with suppress(MemoryInFlight):  # reported by the process that has set it
                self.conversations.pause(paused, self.in_flight.wait if paused else lambda: None)

    def maintain_index(self, after_seconds: float = _INDEX_AFTER) -> None:
        """Keep the memory index current while this program runs, after a delay in seconds."""
        from pet.engine.index_service import IndexService

        self.emitter.subscribe(self.index.on_event, *IndexService.EVENTS, name="index")
        self.index.maintain(after_seconds)
