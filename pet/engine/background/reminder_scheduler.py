"""Reports due reminders: at start, at local midnight, and after a log changed.

One timer of at most an hour, so that clock changes and system sleep are noticed; a wake-up on the same day reads no
file. The reminders come from an injected function.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from threading import Lock, Timer

from pet.access.policy import FileKind
from pet.clock import Clock
from pet.events import Event, PromisesChanged
from pet.memory.reminders import Reminder, Reminders
from pet.workspace.file_names import kind_of
from pet.workspace.versioned.daily_maintenance import seconds_until_tomorrow

_LONGEST = 3600.0
_SOON = 0.5  # seconds; debounces a turn that writes several entries


class ReminderScheduler:
    """``start`` checks immediately; every check runs on the timer's own thread."""

    def __init__(
        self,
        promises: Callable[[date], Reminders],
        clock: Clock,
        tell: Callable[[Event], None],
        *,
        longest: float = _LONGEST,
    ) -> None:
        self._promises = promises
        self._clock = clock
        self._tell = tell
        self._longest = longest
        self._lock = Lock()
        self._timer: Timer | None = None
        self._stopped = False
        self._seen: date | None = None  # day of the last check; None: check again
        self._due: tuple[Reminder, ...] = ()

    def start(self) -> None:
        self._schedule(0.0)

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            if self._timer is not None:
                self._timer.cancel()

    def file_changed(self, file: str) -> None:
        """Schedule a check if the file is a daily log; returns immediately."""
        if kind_of(file) is FileKind.LOG:
            with self._lock:
                self._seen = None
            self._schedule(_SOON)

    def _wake(self) -> None:
        try:
            today = self._clock.now().date()
            if today != self._seen:
                self._look(today)
        finally:
            self._schedule(min(self._longest, seconds_until_tomorrow(self._clock.now())))

    def _look(self, today: date) -> None:
        with self._lock:
            self._seen = today  # set before reading, so that a concurrent change triggers another check
        due = self._promises(today).due
        with self._lock:
            news, self._due = due != self._due, due
        if news:
            self._tell(PromisesChanged())

    def _schedule(self, seconds: float) -> None:
        with self._lock:
            if self._stopped:
                return
            if self._timer is not None:
                self._timer.cancel()
            if self._seen is None:
                seconds = min(seconds, _SOON)
            self._timer = Timer(seconds, self._wake)
            self._timer.daemon = True
            self._timer.start()
