"""The running core of one pet, its settings, and the choice of the pet to open."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace
from itertools import chain

from pet.access import MemoryMode
from pet.app.local_models import local_model_limits, settings_in_use
from pet.bridge.dispatch import Commands
from pet.bridge.emitter import Emitter
from pet.clock import Clock
from pet.engine.chat_state import Unread
from pet.engine.conversations import Conversations
from pet.engine.event_loop import EngineLoop
from pet.engine.index_service import IndexService
from pet.errors import MemoryInFlight, NewerFormat, SettingsInvalid, UnknownPet
from pet.i18n import Language, Texts, system_language
from pet.ids import check_pet_id
from pet.local_models.library import Library
from pet.local_models.supervisor import Supervisor
from pet.memory.forgetting import ForgetService
from pet.model import ModelChoice
from pet.paths import Home
from pet.providers.base import Provider
from pet.providers.model_facts import ModelFacts
from pet.services.chat_state import ChatRequests
from pet.services.connections import Connections
from pet.services.heartbeat import Heartbeat
from pet.services.proactive_limits import ProactiveLog
from pet.services.reminders import ReminderBook
from pet.services.system_prompt import PromptFactory, PromptView, preview_prompt, preview_small_prompt
from pet.settings.api_keys import KeyStore
from pet.settings.connections import MAIN, ModelInUse, model_in_use
from pet.settings.pet_settings import PetSettings
from pet.settings.program_state import JsonState, note_used, used_pets
from pet.settings.schema import Settings, changed
from pet.settings.store import SettingsStore
from pet.transcripts.store import TranscriptStore
from pet.workspace.attachments import Attachments
from pet.workspace.in_flight import RequestsInFlight
from pet.workspace.pet_registry import DEFAULT_PET, last_written, list_ids
from pet.workspace.skills import Skills
from pet.workspace.store import WorkspaceStore

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class PetSettingsSource:
    """Settings of one pet: environment, then pet.toml, then settings.toml. ``without_choice``: replaces them while no
    model is chosen. ``with_facts``: adds what is known of the model in use."""

    store: SettingsStore
    own: Callable[[], PetSettings]
    without_choice: Callable[[Settings], Settings] = lambda settings: settings
    with_facts: Callable[[Settings], Settings] = lambda settings: settings

    def current(self) -> Settings:
        """Return the settings with address, protocol and model of the connection that this pet uses."""
        return self.in_use().settings

    def in_use(self, chosen: ModelChoice | None = None) -> ModelInUse:
        """Return the model of a conversation, of this pet, or the default. An unreadable choice is its ``problem``:
        no other connection is used instead."""
        used = self._in_use(chosen)
        return replace(used, settings=self.with_facts(used.settings))

    def own_window(self) -> int:
        """Return the context window that the owner set, 0 for none."""
        return self.own().over(self.store.current(), self.store.overridden())[0].context_window

    def _in_use(self, chosen: ModelChoice | None) -> ModelInUse:
        own, overridden = self.own(), self.store.overridden()
        settings = own.over(self.store.current(), overridden)[0]
        model = settings.model if "model" in overridden else own.model or ""
        if chosen is None and not self._is_chosen(own, settings, overridden):
            return ModelInUse(settings=self.without_choice(settings))
        used = model_in_use(settings, self.store.connections()[1:], chosen, model=model)
        if chosen is not None or "base_url" in overridden:
            return used
        return replace(used, problem=self._unreadable_choice(own) or used.problem)

    def _is_chosen(self, own: PetSettings, settings: Settings, overridden: list[str]) -> bool:
        """Return whether the owner, this pet's pet.toml or the environment chose a model."""
        return bool(
            settings.local_model
            or settings.demo
            or settings.connection != MAIN
            or settings.model != Settings().model
            or own.connection
            or own.model
            or {"base_url", "model"} & set(overridden)
            or self.store.main_is_written()
            or self._unreadable_choice(own)
        )

    def _unreadable_choice(self, own: PetSettings) -> SettingsInvalid | None:
        of_pet = (each for each in own.problems if each.args_.get("setting") in (None, "pet.toml: connection"))
        of_all = () if own.connection else (each for each in self.store.problems() if _chooses(each))
        return next(chain(of_pet, of_all), None)

    def language(self) -> Language:
        language = self.current().language
        return system_language() if language == "system" else language


def _chooses(problem: SettingsInvalid) -> bool:
    return problem.args_.get("setting") in ("connection", "local_model", "demo")


def choose_pet(home: Home, pet_id: str | None, state: JsonState) -> str:
    """Return the named pet, else the existing pet opened last, else the one with the newest conversation.

    Without conversations: DEFAULT_PET if it exists, else the first id; without pets DEFAULT_PET. Raises BadPetId, and
    UnknownPet for a named pet without a folder.
    """
    there = list_ids(home)
    if pet_id is not None:
        if check_pet_id(pet_id) not in there:
            raise UnknownPet(pet_id=pet_id)
        return pet_id
    used = next((each for each in used_pets(state) if each in there), None)
    if used is not None:
        return used
    return min(
        there, key=lambda each: (-last_written(home.workspace(each)), each != DEFAULT_PET, each), default=DEFAULT_PET
    )


def record_use(state: JsonState, pet_id: str) -> None:
    """Record that this pet is opened; a failure to write is only logged."""
    try:
        note_used(state, pet_id)
    except OSError as error:
        _log.warning("the pet that is open could not be recorded: %s", error)


def record_choice(home: Home, state: JsonState) -> None:
    """Record the pet that would open next, before another is made, which could be chosen instead. Raises OSError."""
    if list_ids(home):
        note_used(state, choose_pet(home, None, state))


def is_paused(state: JsonState, pet: str) -> bool:
    """Return whether memory of the pet is paused."""
    return state.read().get(paused_key(pet)) is True


def paused_key(pet: str) -> str:
    return f"paused.{pet}"


def recorded_pause(state: JsonState, pet: str) -> tuple[bool, int]:
    """Return whether memory is paused, and the number of pauses so far, since a past pause still ends the turns it
    interrupted. A state that can't be read or is of a newer program counts as paused."""
    values = state.read()
    if not values and _is_unknown(state):
        return True, 0
    count = values.get(_pauses_key(pet))
    return values.get(paused_key(pet)) is True, count if isinstance(count, int) else 0


def _is_unknown(state: JsonState) -> bool:
    try:
        state.require_known_format()
    except (NewerFormat, OSError):
        return True
    return False


def record_pause(state: JsonState, pet: str) -> None:
    """Record a pause and count it. Raises OSError."""
    with state.held():
        count = state.read_known().get(_pauses_key(pet))
        state.update({paused_key(pet): True, _pauses_key(pet): (count if isinstance(count, int) else 0) + 1})


def _pauses_key(pet: str) -> str:
    return f"pauses.{pet}"


_INDEX_AFTER = 20.0  # seconds after the start, when the windows are drawn


@dataclass(slots=True, kw_only=True)
class App:
    """The parts of one pet's core. ``close`` refuses open proposals and ends every thread of the program."""

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
    prompting: PromptFactory
    state: JsonState
    index: IndexService
    transcripts: TranscriptStore
    skills: Skills
    forgetting: ForgetService
    clock: Clock
    unread: Unread
    requests: ChatRequests
    attachments: Attachments
    in_flight: RequestsInFlight
    supervisor: Supervisor
    library: Library
    connections: Connections
    provider: Callable[[ModelInUse], Awaitable[Provider]]
    window: Callable[[ModelInUse], Coroutine[object, object, ModelFacts | None]]
    known_facts: Callable[[ModelInUse], ModelFacts]
    set_pet_model: Callable[[str, str], None]  # connection and model in pet.toml, "" for none
    reminders: ReminderBook
    proactive: ProactiveLog
    heartbeat: Heartbeat | None = None
    closers: list[Callable[[], object]] = field(default_factory=list)

    def language(self) -> Language:
        return self.effective.language()

    def texts(self) -> Texts:
        return Texts(self.language())

    def preview_prompt(
        self, *, memory: bool | MemoryMode, conversation: str | None = None, mode: str | None = None
    ) -> PromptView:
        """Return the prompt that would be sent, in a new conversation by default; ``mode``: another prompt mode."""
        live = self.conversations.open(conversation) if conversation else None
        turns = live.folded().turns if live else ()
        view = self._preview_prompt(live.model if live else None, memory=memory, mode=mode)
        return replace(view, recall_way=turns[-1].recall_way) if turns and memory is not False else view

    def _preview_prompt(
        self, chosen: ModelChoice | None, *, memory: bool | MemoryMode, mode: str | None
    ) -> PromptView:
        used = self.effective.in_use(chosen).settings
        small = local_model_limits(self.supervisor, used)
        if small is not None:
            return preview_small_prompt(self.store, small, self.texts(), memory=memory)
        settings = settings_in_use(self.supervisor, used)
        if mode is not None:
            settings = changed(settings, {"prompt_mode": mode})
        return preview_prompt(self.store, self.prompting, settings, self.skills.offered(), memory=memory)

    def record_use(self) -> None:
        """Record that this pet was opened, so that the next start opens it."""
        record_use(self.state, self.pet_id)

    def pause(self, paused: bool) -> None:
        """Pause or resume memory of this pet, also for the next start.

        Once a pause returns, no request with memory leaves any process. Raises OSError, MemoryInFlight.
        """
        if paused:
            self.conversations.pause(True, self._record_pause)  # gates close before the pause is recorded
        else:
            self.state.update({paused_key(self.pet_id): False})
            self.conversations.pause(False)

    def _record_pause(self) -> None:
        record_pause(self.state, self.pet_id)
        self.in_flight.wait()

    def catch_up(self) -> None:
        """Take over a pause that another process set, for a terminal chat, which receives no calls."""
        paused = self.state.read().get(paused_key(self.pet_id))
        if isinstance(paused, bool) and paused != self.conversations.paused:
            with suppress(MemoryInFlight):  # reported by the process that has set it
                self.conversations.pause(paused, self.in_flight.wait if paused else lambda: None)

    def maintain_index(self, after_seconds: float = _INDEX_AFTER) -> None:
        """Keep the memory index current while this program runs, after a delay in seconds."""
        self.emitter.subscribe(self.index.on_event, *IndexService.EVENTS, name="index")
        self.index.maintain(after_seconds)

    def close(self) -> None:
        with ExitStack() as closing:  # in reverse order, each of them, also after a failure
            while self.closers:
                closing.callback(self.closers.pop(0))
