"""The running core of one pet: its parts, the prompt preview, and pausing memory."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field, replace

from pet.access.policy import MemoryMode
from pet.app.local_models import local_model_limits, settings_in_use
from pet.app.pet_selection import PetSettingsSource, paused_key, record_pause, record_use
from pet.bridge.dispatch import Commands
from pet.bridge.emitter import Emitter
from pet.clock import Clock
from pet.engine.background.index_service import IndexService
from pet.engine.conversations import Conversations
from pet.engine.event_loop import EngineLoop
from pet.engine.request.prompt_factory import PromptFactory
from pet.engine.unread import Unread
from pet.errors import MemoryInFlight
from pet.i18n import Language, Texts
from pet.local_models.library import Library
from pet.local_models.supervisor import Supervisor
from pet.memory.forget.service import ForgetService
from pet.model import ModelChoice
from pet.paths import Home
from pet.providers.base import Provider
from pet.services.bubble.heartbeat import Heartbeat
from pet.services.bubble.proactive_limits import ProactiveLog
from pet.services.chat_requests import ChatRequests
from pet.services.connections import Connections
from pet.services.prompt_preview import PromptView, preview_prompt, preview_small_prompt
from pet.services.reminders import ReminderBook
from pet.settings.api_keys import KeyStore
from pet.settings.connections import ModelInUse
from pet.settings.json_state import JsonState
from pet.settings.schema import changed
from pet.settings.store import SettingsStore
from pet.transcripts.store import TranscriptStore
from pet.workspace.attachments import Attachments
from pet.workspace.in_flight import RequestsInFlight
from pet.workspace.skills import Skills
from pet.workspace.versioned.store import WorkspaceStore

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
        self.emitter.subscribe(self.index.hear, *IndexService.HEARS, name="index")
        self.index.maintain(after_seconds)

    def close(self) -> None:
        with ExitStack() as closing:  # in reverse order, each of them, also after a failure
            while self.closers:
                closing.callback(self.closers.pop(0))
