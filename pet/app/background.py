"""Background work of a running program: file watchers, daily maintenance, and the warm-up when the chat opens."""

from __future__ import annotations

import logging
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from pet.clock import Clock
from pet.engine.event_loop import EngineLoop
from pet.engine.reminder_scheduler import ReminderScheduler
from pet.events import ChatShown, CopiesFound, Event, SettingsChanged, WorkspaceChanged
from pet.settings.program_state import JsonState
from pet.settings.store import SettingsStore, SettingsWatcher
from pet.workspace.daily_maintenance import DailyMaintenance
from pet.workspace.pet_toml import IDENTITY
from pet.workspace.store import WorkspaceStore
from pet.workspace.watcher import Watcher

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
