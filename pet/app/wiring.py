"""Compose the object graph of one pet in one function.

What only windows need, commands and background work, is imported when it is first used: a command line has neither.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

from pet.access import MemoryMode, PetGate
from pet.app.core import App
from pet.app.engine_ports import PetMemory, PetModels, PetPrompting, open_pet_index
from pet.app.local_models import (
    LocalProviders,
    answers_well,
    erase_kv_state,
    read_soul,
    settings_without_choice,
)
from pet.bridge.emitter import Emitter
from pet.bridge.terminal_turns import TerminalTurns
from pet.clock import Clock
from pet.engine.chat_state import OpenTab, Unread
from pet.engine.conversations import Conversations
from pet.engine.event_loop import EngineLoop
from pet.engine.index_service import IndexService
from pet.engine.mood import MoodTracker
from pet.engine.services import EngineServices
from pet.engine.token_budget import TokenEstimators
from pet.engine.usage import Limits, UsageLedger
from pet.events import (
    AgentsChanged,
    ConversationDeleted,
    Forgotten,
    LocalModelChanged,
    MemoryPaused,
    MemorySwitched,
    PetsChanged,
    SettingsChanged,
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
from pet.serde import vars_of
from pet.services.agents import drop_forgotten, open_book
from pet.services.chat_state import ChatRequests, SavedTabs
from pet.services.connections import Connections
from pet.services.desktop_port import DesktopPort, HeadlessDesktop
from pet.services.pet_files import open_pet_files, record_use
from pet.services.proactive_limits import ProactiveLog
from pet.services.reminders import ReminderBook, read_logs
from pet.services.system_prompt import PromptFactory
from pet.services.web_pages import InternetPages
from pet.settings.connections import UNCHOSEN, ModelInUse
from pet.settings.pet_settings import drop_foreign_connection
from pet.settings.program_state import JsonState, machine_id
from pet.settings.schema import Settings
from pet.transcripts.store import TranscriptStore
from pet.workspace.attachments import Attachments
from pet.workspace.file_names import CONVERSATIONS
from pet.workspace.in_flight import RequestsInFlight
from pet.workspace.locked_file import OwnerFiles
from pet.workspace.pet_toml import display_name, write_value
from pet.workspace.skills import Skills

if TYPE_CHECKING:
    from pet.bridge.dispatch import Commands
    from pet.net.fetch import FetchPolicy
    from pet.services.offers.bubble import SpeechBubble


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

    def standing(self) -> tuple[str, tuple[str, ...]]:
        day, *moved = self._strings(f"standing.{self.pet}") or [""]
        return day, tuple(moved)

    def set_standing(self, day: str, moved: Sequence[str]) -> None:
        self.state.update({f"standing.{self.pet}": [day, *moved]})

    def _strings(self, name: str) -> list[str]:
        value = self.state.read_known().get(name)  # it is written back: unreadable is not empty
        return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


Channel = Literal["desktop", "terminal"]


def compose(
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
    local_models_from: Callable[[], FetchPolicy | None] = lambda: None,
    local_model_entries: tuple[CatalogueEntry, ...] = CATALOGUE,
) -> App:
    """Return the running core of one pet; on the first start create the pet.

    For tests, ``recall_seconds`` replaces the setting, ``pictures_from``, ``pages_from`` and ``local_models_from``
    are the fetch policies of remote pictures, web pages and model downloads, and ``local_model_entries`` the
    catalogue.

    Raises BadPetId, UnknownPet for a named pet without a folder, and NewerFormat if a newer program wrote its folder
    or the state.
    """
    windows = windows or HeadlessDesktop()
    emitter = Emitter()
    emit = emitter.emit

    # Settings, keys and files.
    files = open_pet_files(
        home,
        pet_id=pet_id,
        environ=environ,
        clock=clock,
        on_change=emit,
        on_settings=lambda: emit(SettingsChanged()),
    )
    clock, state, pet, store, keys = files.clock, files.state, files.pet_id, files.store, files.keys
    settings, effective, root = files.settings, files.effective, files.store.root
    supervisor = Supervisor(
        home.local_models, home.local_model_state, on_state=lambda state: emit(LocalModelChanged(**vars_of(state)))
    )

    def without_choice(shipped: Settings) -> Settings:
        return settings_without_choice(supervisor, keys, shipped)

    facts = ModelFactsBook(JsonState(home.model_facts_file))
    if provider is None:
        effective.with_facts = facts.applied
        if channel == "desktop":
            effective.without_choice = without_choice
    if channel == "desktop" and windows.pets.leads:  # a terminal chat records it itself, others don't open a pet
        record_use(state, pet)

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
    named = environ.get("ANTHROPIC_BASE_URL", "")
    current = ProviderCache(keys, settings.address_problem, facts, messages_at=named)
    local = LocalProviders(supervisor, soul=partial(read_soul, store), settings=effective.current, texts=texts)
    models = PetModels(
        effective=effective,
        supervisor=supervisor,
        local=local,
        remote=current,
        fixed=provider,
        texts=texts,
        recall_seconds=recall_seconds,
    )

    async def warm_local_model(used: ModelInUse) -> None:
        chosen = used.settings
        warms = provider is None and chosen.local_model and chosen.connection != UNCHOSEN
        if warms and not await asyncio.to_thread(supervisor.runs_elsewhere):
            await local(chosen.local_model).warm()

    pet_gate = PetGate(paused=files.pause_record.read()[0])
    pet_gate.set_external_check(files.pause_record.read, lambda: emit(MemoryPaused(paused=True)))
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
    index = IndexService(
        lambda: open_pet_index(root, home),
        effective.current,
        emit,
        paused=lambda: pet_gate.paused,
        monotonic=clock.monotonic,
    )
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
            transcripts=transcripts,
            index=index,
            forgetter=forgetting,
            effective=effective,
            maintenance_day=StoredMaintenanceDay(state, pet),
            clock=clock,
            texts=texts,
        ),
        prompting=PetPrompting(factory=prompting, models=models, stored_skills=skills, clock=clock),
        pages=InternetPages(pages_from),
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
    agents = open_book(files, lambda reads: emit(AgentsChanged(reads=reads)))
    proactive = ProactiveLog(
        logs=lambda since: read_logs(store, since),
        forgotten=store.forgotten.is_forgotten,
        state=state,
        pet=pet,
        clock=clock,
    )

    def make_commands() -> Commands:
        from pet.app.command_wiring import make_commands
        from pet.app.desktop_wiring import make_bubble
        from pet.services.reply_links import open_internet

        return make_commands(
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
            bubble=bubble or make_bubble(app, windows, lambda: open_tab.conversation),
            pictures_from=pictures_from or open_internet,
        )

    app = App(
        **vars_of(files),
        conversations=conversations,
        make_commands=make_commands,
        emitter=emitter,
        loop=loop,
        prompting=prompting,
        index=index,
        transcripts=transcripts,
        skills=skills,
        forgetting=forgetting,
        windows=windows,
        unread=unread,
        moods=moods,
        terminal_turns=TerminalTurns(emitter, unread.mark_seen),
        requests=requests,
        attachments=attachments,
        in_flight=in_flight,
        supervisor=supervisor,
        library=library,
        connections=connections,
        provider=models.provider,
        window=models.window,
        known_facts=models.known,
        warm_local_model=warm_local_model,
        set_pet_model=set_own,
        reminders=reminders,
        agents=agents,
        proactive=proactive,
    )
    # Closed in reverse order: open turns, then subscribers, then the thread they ran on.
    emitter.subscribe(forgetting.on_event, *ForgetService.EVENTS, name="forget")
    emitter.subscribe(lambda _event: drop_forgotten(app, agents), Forgotten, name="agents")
    emitter.subscribe(tabs.on_event, *SavedTabs.EVENTS, name="tabs")
    erases = (Forgotten, ConversationDeleted, PetsChanged, MemorySwitched, MemoryPaused)
    emitter.subscribe(lambda event: erase_kv_state(event, supervisor), *erases, name="local_model")
    bubble: SpeechBubble | None = None
    if channel == "desktop":
        from pet.app.desktop_wiring import get_ready, make_bubble, start_background

        bubble = make_bubble(app, windows, lambda: open_tab.conversation)
        start_background(
            app,
            services,
            pet_gate,
            bubble=bubble,
            open_tab=open_tab,
            suits=lambda: provider is not None or answers_well(supervisor, effective.in_use().settings),
            get_ready=partial(get_ready, app, models),
        )
    app.closers += [
        index.close,
        loop.close,
        emitter.close,
        moods.close,
        lambda: loop.finish(current.close()),
        lambda: loop.finish(local.close()),
        supervisor.close,  # before the loop ends: a thread of it may be waiting for a model to load
    ]
    app.closers.append(conversations.close)
    return app
