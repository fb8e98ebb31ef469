"""The running core of one pet, and the pause of its memory."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, field, replace
from threading import RLock
from typing import TYPE_CHECKING

from pet.access import MemoryMode, VisibleFiles
from pet.agents.book import AgentBook
from pet.bridge.emitter import Emitter
from pet.bridge.terminal_turns import TerminalTurns
from pet.engine.chat_state import Unread
from pet.engine.conversations import Conversations
from pet.engine.event_loop import EngineLoop
from pet.engine.index_service import IndexService
from pet.engine.mood import MoodTracker
from pet.errors import MemoryInFlight
from pet.extra import ExtraParts, extras
from pet.local_models.library import Library
from pet.local_models.supervisor import Supervisor
from pet.memory.forgetting import ForgetService
from pet.model import ModelChoice
from pet.prompt.context import SentFiles
from pet.providers.base import Provider
from pet.providers.model_facts import ModelFacts
from pet.services.chat_state import ChatRequests
from pet.services.connections import Connections
from pet.services.desktop_port import DesktopPort
from pet.services.pet_files import PetFiles, record_use
from pet.services.proactive_limits import ProactiveLog
from pet.services.reminders import ReminderBook
from pet.services.system_prompt import PromptFactory, PromptView, preview_prompt, preview_small_prompt
from pet.settings.connections import ModelInUse
from pet.settings.schema import changed
from pet.transcripts.store import TranscriptStore
from pet.workspace.attachments import Attachments
from pet.workspace.in_flight import RequestsInFlight
from pet.workspace.skills import Skills

if TYPE_CHECKING:
    from pet.bridge.dispatch import Commands
    from pet.services.heartbeat import Heartbeat
    from pet.services.resting_notes import RestingNotes


_INDEX_AFTER = 20.0  # seconds after the start, when the windows are drawn


@dataclass(slots=True, kw_only=True)
class App(PetFiles):
    """The parts of one pet's core. ``close`` refuses open proposals and ends every thread of the program."""

    conversations: Conversations
    make_commands: Callable[[], Commands]
    emitter: Emitter
    loop: EngineLoop
    prompting: PromptFactory
    index: IndexService
    transcripts: TranscriptStore
    skills: Skills
    forgetting: ForgetService
    windows: DesktopPort
    unread: Unread
    moods: MoodTracker
    terminal_turns: TerminalTurns
    requests: ChatRequests
    attachments: Attachments
    in_flight: RequestsInFlight
    supervisor: Supervisor
    library: Library
    connections: Connections
    provider: Callable[[ModelInUse], Awaitable[Provider]]
    window: Callable[[ModelInUse], Coroutine[object, object, ModelFacts | None]]
    known_facts: Callable[[ModelInUse], ModelFacts]
    warm_local_model: Callable[[ModelInUse], Coroutine[object, object, None]]
    set_pet_model: Callable[[str, str], None]  # connection and model in pet.toml, "" for none
    reminders: ReminderBook
    agents: AgentBook
    proactive: ProactiveLog
    heartbeat: Heartbeat | None = None
    resting: RestingNotes | None = None
    _commands: Commands | None = None
    _extras: tuple[ExtraParts, ...] | None = None
    _making: RLock = field(default_factory=RLock)

    @property
    def commands(self) -> Commands:
        """The commands of windows and other processes, made at their first use: a command line needs none."""
        with self._making:
            if self._commands is None:
                self._commands = self.make_commands()
            return self._commands

    @property
    def extras(self) -> tuple[ExtraParts, ...]:
        """The parts of the extras that are there, made at the first use."""
        with self._making:
            if self._extras is None:
                self._extras = tuple(each.make(self) for each in extras())
            return self._extras

    def preview_prompt(
        self, *, memory: bool | MemoryMode, conversation: str | None = None, mode: str | None = None
    ) -> PromptView:
        """Return the prompt that would be sent, in a new conversation by default; ``mode``: another prompt mode."""
        live = self.conversations.open(conversation) if conversation else None
        turns = live.folded().turns if live else ()
        view = self._preview_prompt(live.model if live else None, memory=memory, mode=mode, conversation=conversation)
        return replace(view, recall_way=turns[-1].recall_way) if turns and memory is not False else view

    def _preview_prompt(
        self, chosen: ModelChoice | None, *, memory: bool | MemoryMode, mode: str | None, conversation: str | None
    ) -> PromptView:
        limits = self.conversations.limits(chosen)
        if limits.notebook is not None:
            return preview_small_prompt(self.store, limits.notebook, self.texts(), memory=memory)
        settings = limits.settings if mode is None else changed(limits.settings, {"prompt_mode": mode})
        skills = self.skills.offered()

        def sent(files: VisibleFiles) -> SentFiles:
            if conversation is None:
                return SentFiles(key=None, base=files)
            return self.conversations.files_to_send(conversation, files, settings, skills)

        return preview_prompt(self.store, self.prompting, settings, skills, memory=memory, sent=sent)

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
            self.pause_record.end()
            self.conversations.pause(False)

    def _record_pause(self) -> None:
        self.pause_record.start()
        self.in_flight.wait()

    def catch_up(self) -> None:
        """Take over a pause that another process set, for a terminal chat, which receives no calls."""
        paused, _ = self.pause_record.read()
        if paused != self.conversations.announced_pause:
            with suppress(MemoryInFlight):  # reported by the process that has set it
                self.conversations.pause(paused, self.in_flight.wait if paused else lambda: None)

    def maintain_index(self, after_seconds: float = _INDEX_AFTER) -> None:
        """Keep the memory index current while this program runs, after a delay in seconds."""
        self.emitter.subscribe(self.index.on_event, *IndexService.EVENTS, name="index")
        self.index.maintain(after_seconds)
