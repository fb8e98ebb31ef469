"""Background work of a pet with windows: file watchers, daily maintenance, reminders, bubble, heartbeat, and the
warm-up when the chat opens. A command line imports none of it."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from importlib import import_module
from threading import Thread
from typing import Any

from pet.access import PetGate
from pet.app.core import App
from pet.app.engine_ports import PetModels
from pet.clock import Clock
from pet.engine.chat_state import OpenTab
from pet.engine.event_loop import EngineLoop
from pet.engine.reminder_scheduler import ReminderScheduler
from pet.engine.services import EngineServices
from pet.events import ChatShown, CopiesFound, Event, PetTravels, SettingsChanged, TurnStarted, WorkspaceChanged
from pet.services.desktop_port import DesktopPort
from pet.services.heartbeat import Heartbeat
from pet.services.offers.bubble import SpeechBubble
from pet.services.offers.kinds import KINDS
from pet.services.offers.replies import HEARTBEAT, heartbeat_line
from pet.services.quick_ask import QuickAsk
from pet.services.rechecks import Rechecks
from pet.services.resting_notes import RestingNotes
from pet.services.shared_life import SharedLife
from pet.settings.connections import UNCHOSEN, is_loopback
from pet.settings.store import SettingsStore, SettingsWatcher
from pet.workspace.daily_maintenance import DailyMaintenance
from pet.workspace.pet_toml import IDENTITY, calls_by_name, display_name
from pet.workspace.store import WorkspaceStore
from pet.workspace.watcher import Watcher

_log = logging.getLogger(__name__)


def make_bubble(app: App, windows: DesktopPort, open_conversation: Callable[[], str | None]) -> SpeechBubble:
    return SpeechBubble(
        conversations=app.conversations,
        book=app.reminders,
        kinds=KINDS,
        proactive=app.proactive,
        settings=app.effective.current,
        texts=app.texts,
        windows=windows,
        chat_in_front=lambda: app.unread.chat_in_front,
        open_conversation=open_conversation,
        in_terminal=app.terminal_turns.follows,
        clock=app.clock,
        emit=app.emitter.emit,
        life=SharedLife(
            store=app.store,
            proactive=app.proactive,
            rechecks=Rechecks(app.store, app.clock),
            reminders=app.reminders.snapshot,
            talks=lambda: len(app.conversations.saved()),
            paused=lambda: app.conversations.paused,
            settings=app.effective.current,
            language=app.effective.language,
            clock=app.clock,
            emit=app.emitter.emit,
        ),
        ask=QuickAsk(
            conversations=app.conversations,
            attachments=app.attachments,
            settings=app.effective.current,
            texts=app.texts,
        ),
    )


def start_background(
    app: App,
    services: EngineServices,
    pet_gate: PetGate,
    *,
    bubble: SpeechBubble,
    open_tab: OpenTab,
    suits: Callable[[], bool],
    get_ready: Callable[[], Coroutine[Any, Any, None]],
) -> None:
    """Start everything, and add its closers to ``app``. ``suits``: whether the model can judge what is worth it."""
    emit, emitter = app.emitter.emit, app.emitter
    heartbeat = app.heartbeat = Heartbeat(
        services,
        pet_gate,
        settings=app.effective.current,
        suits=suits,
        pet_name=lambda: display_name(app.store.root, app.pet_id, app.texts()),
        reminders=app.reminders,
        proactive=app.proactive,
        may_speak=lambda: bubble.shown(None) is None and bubble.may(HEARTBEAT),
        say=lambda text: bubble.offer(heartbeat_line(bubble, text)),
    )
    app.closers += start_watchers(app.store, app.attachments.collect, app.clock, app.settings, emit)
    due = ReminderScheduler(app.reminders.snapshot, app.clock, emit)
    emitter.subscribe(lambda event: forward_file_changes(event, due, emit), WorkspaceChanged, name="files")
    emitter.subscribe(bubble.on_event, *SpeechBubble.EVENTS, name="bubble")
    emitter.subscribe(bubble.life.on_event, *SharedLife.EVENTS, name="life")
    for parts in app.extras:
        parts.start()

    def attend(event: Event) -> None:
        if isinstance(event, TurnStarted) and event.kind == "message":
            name = display_name(app.store.root, app.pet_id, app.texts())
            if calls_by_name(event.text, name):
                emit(PetTravels(dx=0, dy=0, how="follow"))

    emitter.subscribe(attend, TurnStarted, name="called")
    emitter.subscribe(open_tab.on_event, *OpenTab.EVENTS, name="open-tab")
    resting = app.resting = RestingNotes(
        app.conversations, app.effective.current, suits, app.state, app.pet_id, app.clock
    )
    emitter.subscribe_inline(resting.on_event, *RestingNotes.EVENTS, name="resting-notes")
    resting.start()
    app.closers.append(resting.stop)
    app.closers.append(bubble.close)
    app.closers.append(heartbeat.stop)
    Thread(target=heartbeat.run, name="heartbeat", daemon=True).start()
    bubble.owner_came()
    due.start()
    app.closers.append(due.stop)
    emitter.subscribe(lambda event: warm_up_on_open(event, app.loop, get_ready), ChatShown, name="chat-shown")
    app.maintain_index()


async def get_ready(app: App, models: PetModels) -> None:
    """Make the provider of the conversation in front, and let a local model read its prompt and the conversation.
    Nothing is loaded that the owner has not chosen."""
    front = await asyncio.to_thread(app.conversations.find, app.unread.in_front)
    used = app.effective.in_use(front.model if front is not None else None)
    if used.settings.connection == UNCHOSEN:
        return
    await models.provider(used)
    chosen = used.settings
    if is_loopback(chosen.base_url):
        await models.ask_facts(used)
    if models.fixed is None and chosen.local_model:
        await app.warm_local_model(used)
        # Read again: the page may have opened a conversation meanwhile.
        front = await asyncio.to_thread(app.conversations.find, app.unread.in_front)
    if front is not None:
        await front.read_ahead()


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
