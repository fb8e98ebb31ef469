"""Background work of a pet with windows: file watchers, daily maintenance, reminders, bubble, and the
warm-up when the chat opens. A command line imports none of it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Future
from importlib import import_module
from threading import Lock, Thread
from typing import TYPE_CHECKING

from pet.bridge.chat_state import OpenTab
from pet.engine.resting_notes import RestingNotes
from pet.errors import NewerFormat, WorkspaceError
from pet.events import (
    ChatShown,
    CopiesFound,
    DayChanged,
    Event,
    PetTravels,
    SettingsChanged,
    TurnStarted,
    WorkspaceChanged,
)
from pet.memory.reminders.scheduler import ReminderScheduler
from pet.services.offers.bubble import SpeechBubble
from pet.services.offers.shared_life import SharedLife
from pet.settings.connections import UNCHOSEN, is_loopback
from pet.settings.store import SettingsStore, SettingsWatcher
from pet.workspace.pet_toml import IDENTITY, calls_by_name
from pet.workspace.store import WorkspaceStore
from pet.workspace.watcher import Watcher

if TYPE_CHECKING:
    from pet.app.pet import Pet
    from pet.engine.index_service import IndexService

_log = logging.getLogger(__name__)


class DailyMaintenance:
    """Daily backup of the core files and thinning of old versions, started with the program and on each new local
    day: runs once, on a separate thread. ``extra_jobs``: run after the others."""

    def __init__(self, store: WorkspaceStore, *extra_jobs: Callable[[], object]) -> None:
        self._store = store
        self._extra_jobs = extra_jobs
        self._lock = Lock()  # runs don't overlap
        self._stopped = False

    def start(self) -> None:
        Thread(target=self.run, name="daily-maintenance", daemon=True).start()

    def stop(self) -> None:
        self._stopped = True

    def run(self) -> None:
        """Run the day's backup, pruning and extra jobs. A failure is logged and retried the next day."""
        with self._lock:
            for job in (self._store.backup, self._store.prune, *self._extra_jobs):
                if self._stopped:
                    return
                try:
                    job()
                except NewerFormat as error:  # a newer program's folder must not change any more
                    _log.warning("daily maintenance: %s", error)
                    return
                except (WorkspaceError, OSError) as error:  # the next job and the next day are not concerned
                    _log.warning("daily maintenance: %s", error)


def start_background(pet: Pet) -> None:
    """Start everything that a pet with windows does by itself."""
    bubble, emitter, closing = pet.bubble, pet.emitter, pet.closing
    emit = emitter.emit
    pet.moods.reading()  # from now on it may fall asleep
    for stop in start_watchers(pet.store, pet.settings, pet.index, emit):
        closing.callback(stop)
    care = DailyMaintenance(pet.store, pet.attachments.collect)
    care.start()
    closing.callback(care.stop)
    emitter.subscribe_inline(lambda _event: care.start(), DayChanged, name="daily-maintenance")
    due = ReminderScheduler(pet.reminders.snapshot, pet.clock, emit)
    emitter.subscribe(lambda event: forward_file_changes(event, due, emit), WorkspaceChanged, name="files")
    emitter.subscribe(bubble.on_event, *SpeechBubble.EVENTS, name="bubble")
    emitter.subscribe(bubble.life.on_event, *SharedLife.EVENTS, name="life")
    for parts in pet.extras:
        parts.start()

    def attend(event: Event) -> None:
        if isinstance(event, TurnStarted) and event.kind == "message" and calls_by_name(event.text, pet.name()):
            emit(PetTravels(dx=0, dy=0, how="follow"))

    emitter.subscribe(attend, TurnStarted, name="called")
    emitter.subscribe(pet.open_tab.on_event, *OpenTab.EVENTS, name="open-tab")
    resting = pet.resting = RestingNotes(
        pet.conversations, pet.effective.current, pet.judges_well, pet.state, pet.pet_id, pet.clock
    )
    emitter.subscribe_inline(resting.on_event, *RestingNotes.EVENTS, name="resting-notes")
    resting.start()
    closing.callback(resting.stop)
    closing.callback(bubble.close)
    bubble.owner_came()
    due.start()
    closing.callback(due.stop)
    emitter.subscribe(lambda event: warm_up_on_open(event, pet), ChatShown, name="chat-shown")
    pet.maintain_index()


async def get_ready(pet: Pet) -> None:
    """Make the provider of the conversation in front, and let a local model read its prompt and the conversation.
    Nothing is loaded that the owner has not chosen."""
    front = await asyncio.to_thread(pet.conversations.find, pet.unread.in_front)
    used = pet.effective.in_use(front.model if front is not None else None)
    if used.settings.connection == UNCHOSEN:
        return
    await pet.models.provider(used)
    chosen = used.settings
    if is_loopback(chosen.base_url):
        await pet.models.ask_facts(used)
    if pet.fixed_provider is None and chosen.local_model:
        await pet.warm_local_model(used)
        # Read again: the page may have opened a conversation meanwhile.
        front = await asyncio.to_thread(pet.conversations.find, pet.unread.in_front)
    if front is not None:
        await front.read_ahead()


def warm_up_on_open(event: Event, pet: Pet) -> None:
    """Warm up when the chat opens: import the claim detection, and run ``get_ready`` on the engine's loop.

    An SDK takes over a second to import, and a local model some seconds to load.
    """
    if isinstance(event, ChatShown) and event.shown:
        import_module("pet.language.claims")
        pet.loop.submit(get_ready(pet)).add_done_callback(_log_fault)


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
    store: WorkspaceStore, settings: SettingsStore, index: IndexService, emit: Callable[[Event], object]
) -> list[Callable[[], object]]:
    """Start the watchers of files and settings; return their stop functions."""
    watcher = Watcher(store, lambda count: emit(CopiesFound(count=count)))
    setting_watcher = SettingsWatcher(settings.file, settings.current)
    try:
        watcher.start()
    except OSError as error:
        _log.warning("the workspace is not watched: %s", error)
    index.is_watched = watcher.is_alive
    setting_watcher.start()
    return [watcher.stop, setting_watcher.stop]
