"""Builds the object graph by hand: one function, read from top to bottom, used by shell, terminal and tests alike.

Owns the wiring and nothing else. Windows and, in tests, clock and provider are passed in.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import Future
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pet.bridge.api import PromptView
from pet.bridge.dispatch import Commands
from pet.bridge.emitter import Emitter
from pet.bridge.handlers.app import AppCommands
from pet.bridge.handlers.attachments import AttachmentCommands
from pet.bridge.handlers.bind import bind_commands
from pet.bridge.handlers.bubble import BubbleCommands
from pet.bridge.handlers.cards import CardCommands
from pet.bridge.handlers.conversations import ConversationCommands
from pet.bridge.handlers.copies import CopyCommands
from pet.bridge.handlers.dropped import DropCommands
from pet.bridge.handlers.files import FileCommands
from pet.bridge.handlers.forget import ForgetCommands
from pet.bridge.handlers.history import HistoryCommands
from pet.bridge.handlers.memory import MemoryCommands
from pet.bridge.handlers.pets import PetCommands, open_pets
from pet.bridge.handlers.privacy import Eraser, PrivacyCommands
from pet.bridge.handlers.promises import PromiseCommands, read_promises
from pet.bridge.handlers.settings import SettingsCommands
from pet.bridge.handlers.skills import SkillCommands
from pet.bridge.handlers.skins import SkinCommands, wardrobe_for
from pet.bridge.handlers.usage import UsageCommands
from pet.bridge.handlers.welcome import FirstStart, WelcomeCommands
from pet.bridge.preview import preview_prompt
from pet.bridge.windows import NoWindows, Windows
from pet.clock import Clock, SystemClock
from pet.engine.conversations import Conversations
from pet.engine.due import DueTimer
from pet.engine.limits import turn_limits
from pet.engine.loop import EngineLoop
from pet.engine.mood import MoodTeller
from pet.engine.prompting import Prompting
from pet.engine.shared_index import SharedIndex
from pet.engine.sizes import SizesByModel
from pet.engine.surroundings import Surroundings
from pet.engine.tidying import tidy_if_due
from pet.engine.usage import Limits, UsageBook
from pet.errors import BadPetId, UnknownPet
from pet.events import ChatShown, CopiesFound, Event, SettingsChanged, WorkspaceChanged
from pet.gate import PetGate, TurnGate
from pet.ids import check_pet_id
from pet.memory.forgetting import Forgetting
from pet.model import Receipt, Source
from pet.paths import Home, downloads_folder
from pet.prompt.context import time_context
from pet.providers.base import Provider
from pet.providers.current import CurrentProvider
from pet.providers.retry import RetryPolicy
from pet.settings.keys import KeyStore
from pet.settings.schema import Settings
from pet.settings.state import JsonState, machine_id
from pet.settings.store import PetSettings, SettingsStore, read_pet_settings
from pet.settings.watch import SettingsWatcher
from pet.texts import Language, Texts, system_language
from pet.transcripts.store import TranscriptStore
from pet.workspace.attachments import Attachments
from pet.workspace.copies import Copies
from pet.workspace.daily import DailyCare
from pet.workspace.pets import DEFAULT_PET, display_name, hold_pet
from pet.workspace.skills import Skills
from pet.workspace.store import FileLimits, WorkspaceStore
from pet.workspace.templates import create_workspace, own_templates
from pet.workspace.watch import Watcher

if TYPE_CHECKING:
    from pet.memory.gated import GatedMemory
    from pet.memory.index import MemoryIndex

Channel = Literal["desktop", "terminal"]
_LOOK_UP_SECONDS = 0.15  # PRODUCT §6.4
_INDEX_AFTER = 20.0  # seconds after the start: by then the windows are there
_log = logging.getLogger(__name__)


@dataclass(slots=True)
class PetSettingsSource:
    """The settings as one pet has them: environment, then pet.toml, then settings.toml."""

    store: SettingsStore
    own: Callable[[], PetSettings]

    def current(self) -> Settings:
        return self.own().over(self.store.current(), self.store.overridden())[0]

    def language(self) -> Language:
        language = self.current().language
        return system_language() if language == "system" else language


@dataclass(slots=True, kw_only=True)
class App:
    """The parts, for those on top. ``close`` refuses what is open and ends every thread of ours."""

    home: Home
    pet_id: str
    settings: SettingsStore
    effective: PetSettingsSource
    keys: KeyStore
    store: WorkspaceStore
    conversations: Conversations
    commands: Commands
    emitter: Emitter
    loop: EngineLoop
    prompting: Prompting
    state: JsonState
    index: SharedIndex
    transcripts: TranscriptStore
    skills: Skills
    forgetting: Forgetting
    clock: Clock
    closers: list[Callable[[], object]] = field(default_factory=list)

    def language(self) -> Language:
        return self.effective.language()

    def texts(self) -> Texts:
        return Texts(self.language())

    def preview_prompt(self, *, memory: bool) -> PromptView:
        return preview_prompt(self.store, self.prompting, self.skills.offered(), memory=memory)

    def pause(self, paused: bool) -> None:
        """Pause the brain of this pet, also for the next start (PRODUCT §3.6)."""
        if paused:
            self.conversations.pause(True)  # before it is written down, and off only when that is written
        self.state.update({_paused_key(self.pet_id): paused})
        if not paused:
            self.conversations.pause(False)

    def catch_up(self) -> None:
        """Take over the pause that another process of this pet has set: a terminal chat can not be told of it."""
        paused = self.state.read().get(_paused_key(self.pet_id))
        if isinstance(paused, bool) and paused != self.conversations.paused:
            self.conversations.pause(paused)

    def look_after_index(self, after_seconds: float = _INDEX_AFTER) -> None:
        """Keep the memory index current while this program runs, beginning so long from now."""
        self.emitter.add_callback(lambda _seq, event: self.index.hear(event), name="index")
        self.index.look_after(after_seconds)

    def close(self) -> None:
        with ExitStack() as closing:  # from the last to the first, each of them, also after one that failed
            while self.closers:
                closing.callback(self.closers.pop(0))


def pets_in(home: Home) -> list[str]:
    """The ids of the pets that have a folder."""
    if not home.pets.is_dir():
        return []
    return sorted(folder.name for folder in home.pets.iterdir() if folder.is_dir() and _is_pet_id(folder.name))


def compose(
    home: Home,
    *,
    pet_id: str | None = None,
    environ: Mapping[str, str] = os.environ,
    clock: Clock | None = None,
    provider: Provider | None = None,
    channel: Channel = "desktop",
    windows: Windows | None = None,
    look_up_seconds: float = _LOOK_UP_SECONDS,
) -> App:
    """The running core of one pet; on the first start the pet itself (PRODUCT §2.2).

    ``look_up_seconds``: so long may a message wait for what is looked up for it. Raises BadPetId, and UnknownPet
    for a named pet that has no folder.
    """
    clock = clock or SystemClock()
    windows = windows or NoWindows()
    state = JsonState(home.state / "state.json")
    emitter = Emitter()

    # Settings and keys.
    settings = SettingsStore(home.settings_file, environ, lambda: _tell(emitter, SettingsChanged()))
    pet = choose_pet(home, pet_id, state)
    root = home.workspace(pet)
    effective = PetSettingsSource(settings, lambda: read_pet_settings(root))
    keys = KeyStore(home, environ)

    # Files.
    hold = hold_pet(home, pet)
    create_workspace(root, effective.language())
    shown = effective.current()
    store = WorkspaceStore(
        root,
        locks=home.locks,
        clock=clock,
        limits=FileLimits(history_days=shown.history_days),
        on_change=lambda event: _tell(emitter, event),
    )

    attachments = Attachments(root, clock)

    # The engine.
    loop = EngineLoop()

    def texts() -> Texts:
        return Texts(effective.language())

    def pet_name() -> str:
        return display_name(root, pet, texts())

    prompting = Prompting(settings=effective.current, language=effective.language, pet_name=pet_name, channel=channel)
    current = CurrentProvider(effective.current, keys, settings.address_problem)
    fixed = provider

    async def provide() -> Provider:
        if fixed is not None:
            return fixed
        if effective.current().demo:
            from pet.providers.demo import DemoProvider

            return DemoProvider(texts)
        return await current()

    pet_gate = PetGate(paused=_is_paused(state, pet))
    pet_gate.follow(lambda: _is_paused(state, pet))
    moods = MoodTeller(
        lambda event: _tell(emitter, event), chat_shown=lambda: channel == "terminal" or windows.chat_shown
    )

    def emit(event: Event) -> None:
        emitter.emit(event)
        moods(event)

    transcripts = TranscriptStore(root / "conversations", machine_id(home.machine_file), clock)
    skills = Skills(root, home.data / "skills")
    index = SharedIndex(
        lambda chosen: _open_index(root, home, chosen), effective.current, emit, paused=lambda: pet_gate.paused
    )
    forgetting = Forgetting(store, transcripts, index, texts=texts, look_at=(home.tabs_file,), tell=emit)
    tidy_day = TidyDay(state, pet)

    def tidy(gate: TurnGate, source: Source) -> list[Receipt]:
        return tidy_if_due(store, gate, source, clock, effective.current(), tidy_day)

    def usage_limits() -> Limits:
        now = effective.current()
        return Limits(daily_tokens=now.daily_tokens, price_input=now.price_input, price_output=now.price_output)

    usage = UsageBook(JsonState(home.usage_file), clock, usage_limits)
    around = Surroundings(
        loop=loop,
        store=store,
        attachments=attachments,
        clock=clock,
        emit=emit,
        provider=provide,
        usage=usage,
        make_prompt=prompting.make,
        make_context=lambda: (time_context(clock.now(), texts()),),
        texts=texts,
        limits=lambda: turn_limits(effective.current(), look_up_seconds=look_up_seconds),
        retry=RetryPolicy(),
        sizes=SizesByModel(),
        open_memory=lambda gate, conversation: _gated_memory(index, gate, conversation),
        find_skills=skills.offered,
        forget=forgetting,
        is_forgotten=store.forgotten.holds,
        tidy=tidy,
    )
    conversations = Conversations(transcripts, pet_gate, around)

    # The bridge.
    eraser = Eraser(home, clock)
    first_start = FirstStart(state, used=lambda: len(pets_in(home)) > 1 or bool(transcripts.list()))
    file_commands = FileCommands(
        store, effective.current, effective.language, lambda: own_templates(home.data / "templates")
    )
    setting_commands = SettingsCommands(settings, effective.own, keys, provide, loop, clock, emit)
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
    )
    bubble = BubbleCommands(
        conversations=conversations,
        promises=lambda day: read_promises(store, day),
        settings=effective.current,
        texts=texts,
        state=state,
        pet=pet,
        windows=windows,
        clock=clock,
        emit=emit,
    )
    app.commands = bind_commands(
        AppCommands(
            home=home,
            pet=pet,
            pet_name=pet_name,
            settings=effective.current,
            language=effective.language,
            key_state=setting_commands.key_state,
            conversations=conversations,
            store=store,
            preview=app.preview_prompt,
            windows=windows,
            pause=app.pause,
            welcome=first_start.step,
            forgotten=forgetting.elsewhere,
        ),
        PrivacyCommands(
            home=home,
            root=root,
            eraser=eraser,
            clock=clock,
            pet_name=pet_name,
            pet_id=pet,
            delete_key=setting_commands.delete_key,
            downloads=downloads_folder,
            windows=windows,
        ),
        WelcomeCommands(first_start, store, loop, effective.current, effective.language, windows),
        ConversationCommands(conversations, attachments, lambda: effective.current().memory_default, emitter.fence),
        file_commands,
        setting_commands,
        MemoryCommands(store, index.get, effective.current, clock, file_commands.read_file, index.notice),
        SkillCommands(store, conversations, skills.found),
        ForgetCommands(forgetting),
        PromiseCommands(store, clock, emit),
        bubble,
        DropCommands(windows, emit),
        PetCommands(
            open_pets(home, clock), state, current=pet, language=effective.language, windows=windows, emit=emit
        ),
        CopyCommands(Copies(store, home.locks, clock), effective.current, emit),
        UsageCommands(usage, usage_limits),
        AttachmentCommands(attachments, conversations),
        HistoryCommands(transcripts, conversations, texts, pet_name, downloads_folder),
        CardCommands(store, effective.current, effective.language, pet_name, downloads_folder),
        SkinCommands(
            wardrobe=wardrobe_for(home, root, clock, environ),
            moods=moods,
            paused=lambda: pet_gate.paused,
            settings=effective.current,
            language=effective.language,
            pet_name=pet_name,
            downloads=downloads_folder,
            emit=emit,
        ),
    )
    # Closed from the last to the first: open turns, then who listens, then the thread they ran on.
    app.closers += [eraser.end, hold.release]
    emitter.add_callback(lambda _seq, event: forgetting.hear(event), name="forget")
    if channel == "desktop":
        app.closers += _look_after(store, attachments, clock, settings, emit)
        due = DueTimer(lambda day: read_promises(store, day), clock, emit)
        emitter.add_callback(lambda _seq, event: _hear_of_logs(event, due), name="due")
        emitter.add_callback(lambda _seq, event: bubble.hear(event), name="bubble")
        app.closers.append(bubble.close)
        bubble.greet()
        due.start()
        app.closers.append(due.stop)
        emitter.add_callback(lambda _seq, event: _chat_came(event, loop, provide, moods), name="chat-came")
        app.look_after_index()
    app.closers += [
        index.close,
        loop.close,
        emitter.close,
        moods.close,
        lambda: loop.submit(current.close()).result(timeout=5),
        conversations.close,
    ]
    return app


def _chat_came(
    event: Event, loop: EngineLoop, provide: Callable[[], Coroutine[Any, Any, Provider]], moods: MoodTeller
) -> None:
    """The chat opens: what came meanwhile is seen now, and the SDK takes over a second to import, which the first
    message should not wait for."""
    if isinstance(event, ChatShown) and event.shown:
        moods(event)
        loop.submit(provide()).add_done_callback(_log_fault)


def _hear_of_logs(event: Event, due: DueTimer) -> None:
    if isinstance(event, WorkspaceChanged):
        due.file_changed(event.file)


def _log_fault(future: Future[Provider]) -> None:
    """No key yet, say: the first message will tell the owner; here nobody has asked for anything."""
    if not future.cancelled() and (fault := future.exception()) is not None:
        _log.info("not warmed: %s", type(fault).__name__)


def _look_after(
    store: WorkspaceStore,
    attachments: Attachments,
    clock: Clock,
    settings: SettingsStore,
    emit: Callable[[Event], None],
) -> list[Callable[[], object]]:
    """What a program that runs all day does besides: watch for outside changes, and the daily care."""
    watcher, setting_watcher, care = (
        Watcher(store, lambda count: emit(CopiesFound(count=count))),
        SettingsWatcher(settings.file, settings.current),
        DailyCare(store, clock, attachments.collect),
    )
    try:
        watcher.start()
    except OSError as error:
        _log.warning("the workspace is not watched: %s", error)
    setting_watcher.start()
    care.start()
    return [watcher.stop, setting_watcher.stop, care.stop]


@dataclass(frozen=True, slots=True)
class TidyDay:
    """When a pet's files were tidied last, in the program's state."""

    state: JsonState
    pet: str

    def get(self) -> str:
        day = self.state.read().get(f"tidied.{self.pet}")
        return day if isinstance(day, str) else ""

    def set(self, day: str) -> None:
        self.state.update({f"tidied.{self.pet}": day})


def _open_index(root: Path, home: Home, settings: Settings) -> MemoryIndex:
    from pet.memory.index import open_index
    from pet.memory.options import index_options

    return open_index(root, home.cache, options=index_options(settings))


def _gated_memory(index: SharedIndex, gate: TurnGate, conversation: str) -> GatedMemory | None:
    """A turn's way to the index; None where there can be no index: it goes on without."""
    from pet.memory.gated import GatedMemory

    try:
        return GatedMemory(index.get(), gate, conversation)
    except OSError as error:
        _log.warning("no memory index: %s", type(error).__name__)
        return None


def choose_pet(home: Home, pet_id: str | None, state: JsonState) -> str:
    """The named pet, else the one used last, else the first there is, else a new one."""
    there = pets_in(home)
    if pet_id is not None:
        if check_pet_id(pet_id) not in there:
            raise UnknownPet(pet_id=pet_id)
        return pet_id
    last = state.read().get("pet")
    if isinstance(last, str) and last in there:
        return last
    return there[0] if there else DEFAULT_PET


def _is_pet_id(name: str) -> bool:
    try:
        return bool(check_pet_id(name))
    except BadPetId:
        return False


def _is_paused(state: JsonState, pet: str) -> bool:
    return state.read().get(_paused_key(pet)) is True


def _paused_key(pet: str) -> str:
    return f"paused.{pet}"


def _tell(emitter: Emitter, event: Event) -> None:
    emitter.emit(event)
