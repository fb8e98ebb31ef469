"""Compose the object graph of one pet in one function, and run its background work.

Background work: file watchers, daily maintenance, and the warm-up when the chat opens.
"""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING, Any, Literal

from pet.access import MemoryMode, PetGate
from pet.app.command_wiring import make_commands
from pet.app.core import App, PetSettingsSource, choose_pet, is_paused, record_use, recorded_pause
from pet.app.engine_ports import PetMemory, PetModels, PetPrompting, open_pet_index
from pet.app.local_models import (
    LocalProviders,
    answers_well,
    erase_kv_state,
    read_soul,
    settings_without_choice,
    warm_up,
)
from pet.bridge.commands.local_models import local_model_changed
from pet.bridge.dispatch import Commands
from pet.bridge.emitter import Emitter
from pet.clock import Clock, SystemClock
from pet.engine.chat_state import OpenTab, Unread
from pet.engine.conversations import Conversations
from pet.engine.event_loop import EngineLoop
from pet.engine.index_service import IndexService
from pet.engine.mood import MoodTracker
from pet.engine.reminder_scheduler import ReminderScheduler
from pet.engine.services import EngineServices
from pet.engine.token_budget import TokenEstimators
from pet.engine.usage import Limits, UsageLedger
from pet.events import (
    ChatShown,
    ConversationDeleted,
    CopiesFound,
    Event,
    Forgotten,
    MemoryPaused,
    MemorySwitched,
    PetsChanged,
    SettingsChanged,
    WorkspaceChanged,
)
from pet.i18n import Texts
from pet.local_models.catalogue import CATALOGUE, CatalogueEntry
from pet.local_models.library import Library
from pet.local_models.supervisor import Supervisor
from pet.memory.forgetting import ForgetService
from pet.paths import Home
from pet.providers.base import Provider
from pet.providers.faults import RetryPolicy
from pet.providers.model_facts import ModelFactsBook
from pet.providers.provider_cache import ProviderCache
from pet.services.chat_state import ChatRequests, SavedTabs
from pet.services.connections import Connections
from pet.services.desktop_port import DesktopPort, HeadlessDesktop
from pet.services.heartbeat import Heartbeat
from pet.services.proactive_limits import ProactiveLog
from pet.services.reminders import ReminderBook, read_logs
from pet.services.reply_links import open_internet
from pet.services.speech_bubble import SpeechBubble
from pet.services.system_prompt import PromptFactory
from pet.settings.api_keys import KeyStore
from pet.settings.connections import is_loopback
from pet.settings.pet_settings import drop_foreign_connection, own_settings
from pet.settings.program_state import JsonState, machine_id
from pet.settings.schema import Settings
from pet.settings.store import SettingsStore, SettingsWatcher
from pet.transcripts.store import TranscriptStore
from pet.untrusted.regular_files import require_regular
from pet.workspace.attachments import Attachments
from pet.workspace.daily_maintenance import DailyMaintenance
from pet.workspace.file_names import CONVERSATIONS
from pet.workspace.in_flight import RequestsInFlight
from pet.workspace.locked_file import OwnerFiles, require_known_pet
from pet.workspace.pet_registry import display_name, hold_pet
from pet.workspace.pet_toml import IDENTITY, write_value
from pet.workspace.skills import Skills
from pet.workspace.store import FileLimits, WorkspaceStore
from pet.workspace.templates import create_workspace
from pet.workspace.watcher import Watcher

if TYPE_CHECKING:
    from pet.net.fetch import FetchPolicy

_log = logging.getLogger(__name__)


def warm_up_on_open(event: Event, loop: EngineLoop, get_ready: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Warm up when the chat opens: import the claim detection, and run ``get_ready`` on the engine's loop.

    An SDK takes over a second to import, and a local model some seconds to load.
    """
    if isinstance(event, ChatShown) and event.shown:
        import_module("pet.engine.claim_patterns")
        loop.submit(get_ready()).add_done_callback(_log_fault)


def forward_file_changes(event: Event, due: ReminderScheduler, emit: Callable[[Event], object]) -> None:
    """Report a changed file to the scheduler; emit SettingsChanged if it holds the pet's name."""
    if isinstance(event, WorkspaceChanged):
        due.file_changed(event.file)
        if event.file == IDENTITY:
            emit(SettingsChanged())


def _log_fault(future: Future[None]) -> None:
    """Log a fault, for example a missing key; the first message reports it to the owner."""
    if not future.cancelled() and (fault := future.exception()) is not None:
        _log.info("not warmed: %s", type(fault).__name__)


def start_watchers(
    store: WorkspaceStore,
    collect: Callable[[], None],
    clock: Clock,
    settings: SettingsStore,
    emit: Callable[[Event], object],
) -> list[Callable[[], object]]:
    """Start the watchers of files and settings and the daily maintenance; return their stop functions."""
    watcher, setting_watcher, care = (
        Watcher(store, lambda count: emit(CopiesFound(count=count))),
        SettingsWatcher(settings.file, settings.current),
        DailyMaintenance(store, clock, collect),
    )
    try:
        watcher.start()
    except OSError as error:
        _log.warning("the workspace is not watched: %s", error)
    setting_watcher.start()
    care.start()
    return [watcher.stop, setting_watcher.stop, care.stop]


@dataclass(frozen=True, slots=True)
class StoredMaintenanceDay:
    """The day of a pet's last maintenance, in the program's state."""

    state: JsonState
    pet: str

    def get(self) -> str:
        day = self.state.read().get(f"tidied.{self.pet}")
        return day if isinstance(day, str) else ""

    def set(self, day: str) -> None:
        self.state.update({f"tidied.{self.pet}": day})


Channel = Literal["desktop", "terminal"]
_RECALL_SECONDS = 1.5


def compose(
    home: Home,
    *,
    pet_id: str | None = None,
    environ: Mapping[str, str] = os.environ,
    clock: Clock | None = None,
    provider: Provider | None = None,
    channel: Channel = "desktop",
    windows: DesktopPort | None = None,
    recall_seconds: float = _RECALL_SECONDS,
    pictures_from: Callable[[], FetchPolicy] = open_internet,
    local_models_from: Callable[[], FetchPolicy | None] = lambda: None,
    local_model_entries: tuple[CatalogueEntry, ...] = CATALOGUE,
) -> App:
    """Return the running core of one pet; on the first start create the pet.

    ``recall_seconds``: the time a message waits for recall. For tests, ``pictures_from`` and ``local_models_from``
    are the fetch policies of remote pictures and model downloads, and ``local_model_entries`` the catalogue.

    Raises BadPetId, UnknownPet for a named pet without a folder, and NewerFormat if a newer program wrote its folder
    or the state.
    """
    clock = clock or SystemClock()
    windows = windows or HeadlessDesktop()
    require_regular(home.state_file)  # an unreadable state would end a pause
    state = JsonState(home.state_file)
    state.require_known_format()
    emitter = Emitter()
    emit = emitter.emit

    # Settings and keys.
    settings = SettingsStore(home.settings_file, environ, lambda: emit(SettingsChanged()))
    pet = choose_pet(home, pet_id, state)
    root = home.workspace(pet)
    require_known_pet(root)
    keys = KeyStore(home, environ)
    supervisor = Supervisor(
        home.local_models, home.local_model_state, on_state=lambda state: emit(local_model_changed(state))
    )

    def without_choice(shipped: Settings) -> Settings:
        return settings_without_choice(supervisor, keys, shipped)

    own = partial(own_settings, root, pet, state)
    facts = ModelFactsBook(JsonState(home.model_facts_file))
    effective = PetSettingsSource(settings, own)
    if provider is None:
        effective.with_facts = facts.applied
        if channel == "desktop":
            effective.without_choice = without_choice

    # Files.
    hold = hold_pet(home, pet)
    create_workspace(root, effective.language())
    if channel == "desktop":  # a terminal chat records it itself, other commands don't open a pet
        record_use(state, pet)
    shown = effective.current()
    store = WorkspaceStore(
        root,
        locks=home.locks,
        clock=clock,
        limits=FileLimits(history_days=shown.history_days),
        on_change=emit,
    )

    tabs = SavedTabs(JsonState(home.tabs_file), pet)
    attachments = Attachments(root, clock, drafted=tabs.drafted)

    # The engine.
    loop = EngineLoop()

    def texts() -> Texts:
        return Texts(effective.language())

    def pet_name() -> str:
        return display_name(root, pet, texts())

    library = Library(
        supervisor, language=effective.language, environ=environ, reach=local_models_from, entries=local_model_entries
    )
    prompting = PromptFactory(language=effective.language, pet_name=pet_name, channel=channel)
    current = ProviderCache(keys, settings.address_problem, facts)
    local = LocalProviders(supervisor)
    models = PetModels(
        effective=effective,
        supervisor=supervisor,
        local=local,
        remote=current,
        fixed=provider,
        texts=texts,
        recall_seconds=recall_seconds,
    )

    async def get_ready() -> None:
        front = await asyncio.to_thread(conversations.find, unread.in_front)
        used = effective.in_use(front.model if front is not None else None)
        await models.provider(used)
        chosen = used.settings
        if is_loopback(chosen.base_url):
            await models.ask_facts(used)
        if provider is None and chosen.local_model:
            await warm_up(local, supervisor, chosen, await asyncio.to_thread(read_soul, store), texts())
            # Read again: the page may have opened a conversation meanwhile.
            front = await asyncio.to_thread(conversations.find, unread.in_front)
        if front is not None:
            await front.read_ahead()

    pet_gate = PetGate(paused=is_paused(state, pet))
    pet_gate.set_external_check(lambda: recorded_pause(state, pet))
    transcripts = TranscriptStore(root / CONVERSATIONS, machine_id(home.machine_file), clock)

    unread = Unread(state, pet, emit, chat_shown=lambda: windows.chat_shown, stays=transcripts.exists)
    moods = MoodTracker(emit, unread=lambda: bool(unread.conversations), hour=lambda: clock.now().hour)
    requests = ChatRequests()
    if channel == "desktop":
        emitter.subscribe_inline(unread.on_event, *Unread.EVENTS, name="unread")
        emitter.subscribe_inline(requests.on_event, *ChatRequests.EVENTS, name="requests")
        moods.reading()  # from now on it may fall asleep
    emitter.subscribe_inline(moods.on_event, *MoodTracker.EVENTS, name="moods")
    skills = Skills(root, home.data / "skills")
    index = IndexService(lambda: open_pet_index(root, home), effective.current, emit, paused=lambda: pet_gate.paused)
    forgetting = ForgetService(store, transcripts, index, texts=texts, extra_files=(home.tabs_file,), emit=emit)

    def usage_limits() -> Limits:
        now = effective.current()
        return Limits(daily_tokens=now.daily_tokens, price_input=now.price_input, price_output=now.price_output)

    in_flight = RequestsInFlight(home.locks, pet)
    usage = UsageLedger(JsonState(home.usage_file), clock, usage_limits)
    services = EngineServices(
        loop=loop,
        store=store,
        attachments=attachments,
        clock=clock,
        emit=emit,
        in_flight=in_flight,
        usage=usage,
        retry=RetryPolicy(),
        sizes=TokenEstimators(),
        models=models,
        memory=PetMemory(
            store=store,
            index=index,
            forgetter=forgetting,
            effective=effective,
            maintenance_day=StoredMaintenanceDay(state, pet),
            clock=clock,
        ),
        prompting=PetPrompting(factory=prompting, models=models, stored_skills=skills, clock=clock),
    )
    conversations = Conversations(transcripts, pet_gate, services)

    open_tab = OpenTab(emit, lambda of: conversations.open(of).gate.memory_mode is not MemoryMode.OFF)

    connections = Connections(settings, keys, effective.in_use, lambda: emit(SettingsChanged()))
    owned = OwnerFiles(root=root, locks=home.locks, clock=clock)

    def set_own(connection: str, model: str) -> None:
        if connection:
            connections.choice(connection, model)
        write_value(owned, "connection", connection or None)
        write_value(owned, "model", model or None)
        drop_foreign_connection(pet, state)
        emit(SettingsChanged())

    reminders = ReminderBook(store, clock)
    proactive = ProactiveLog(
        logs=lambda since: read_logs(store, since),
        forgotten=store.forgotten.is_forgotten,
        state=state,
        pet=pet,
        clock=clock,
    )
    app = App(
        home=home,
        pet_id=pet,
        settings=settings,
        effective=effective,
        keys=keys,
        store=store,
        conversations=conversations,
        commands=Commands(),
        emitter=emitter,
        loop=loop,
        prompting=prompting,
        state=state,
        index=index,
        transcripts=transcripts,
        skills=skills,
        forgetting=forgetting,
        clock=clock,
        unread=unread,
        requests=requests,
        attachments=attachments,
        in_flight=in_flight,
        supervisor=supervisor,
        library=library,
        connections=connections,
        provider=models.provider,
        window=models.window,
        known_facts=models.known,
        set_pet_model=set_own,
        reminders=reminders,
        proactive=proactive,
    )
    bubble = SpeechBubble(
        conversations=conversations,
        reminders=reminders.snapshot,
        proactive=proactive,
        settings=effective.current,
        texts=texts,
        windows=windows,
        chat_in_front=lambda: unread.chat_in_front,
        clock=clock,
        emit=emit,
    )
    heartbeat = app.heartbeat = Heartbeat(
        services,
        pet_gate,
        settings=effective.current,
        suits=lambda: provider is not None or answers_well(supervisor, effective.in_use().settings),
        pet_name=pet_name,
        reminders=reminders,
        proactive=proactive,
        may_speak=lambda: bubble.may_speak_up,
        say=bubble.say,
    )
    # Closed in reverse order: open turns, then subscribers, then the thread they ran on.
    app.closers += [hold.release]
    emitter.subscribe(forgetting.on_event, *ForgetService.EVENTS, name="forget")
    emitter.subscribe(tabs.on_event, *SavedTabs.EVENTS, name="tabs")
    erases = (Forgotten, ConversationDeleted, PetsChanged, MemorySwitched, MemoryPaused)
    emitter.subscribe(lambda event: erase_kv_state(event, supervisor), *erases, name="local_model")
    if channel == "desktop":
        app.closers += start_watchers(store, attachments.collect, clock, settings, emit)
        due = ReminderScheduler(reminders.snapshot, clock, emit)
        emitter.subscribe(lambda event: forward_file_changes(event, due, emit), WorkspaceChanged, name="files")
        emitter.subscribe(bubble.on_event, *SpeechBubble.EVENTS, name="bubble")
        emitter.subscribe(open_tab.on_event, *OpenTab.EVENTS, name="open-tab")
        app.closers.append(bubble.close)
        app.closers.append(heartbeat.stop)
        Thread(target=heartbeat.run, name="heartbeat", daemon=True).start()
        bubble.owner_came()
        due.start()
        app.closers.append(due.stop)
        emitter.subscribe(lambda event: warm_up_on_open(event, loop, get_ready), ChatShown, name="chat-shown")
        app.maintain_index()
    app.closers += [
        index.close,
        loop.close,
        emitter.close,
        moods.close,
        lambda: loop.finish(current.close()),
        lambda: loop.finish(local.close()),
        supervisor.close,  # before the loop ends: a thread of it may be waiting for a model to load
    ]
    app.commands = make_commands(
        app,
        windows=windows,
        environ=environ,
        pet_name=pet_name,
        thinking=models.settings,
        pet_gate=pet_gate,
        usage=usage,
        usage_limits=usage_limits,
        tabs=tabs,
        open_tab=open_tab,
        moods=moods,
        bubble=bubble,
        pictures_from=pictures_from,
    )
    app.closers.append(conversations.close)
    return app
