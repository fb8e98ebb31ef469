"""Scheduler of due reminders: polls at start, when one comes due, at local midnight, and after a log changed.

One thread that sleeps until the next poll; it reads logs only at start, on a new day, and after one changed. While a
reminder with a time of day comes due within a day, it compares that time with the clock at each full minute, so that
a changed clock, sleep, time zones and daylight saving need no detection. Otherwise it polls once an hour.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import date, datetime, time, timedelta
from threading import Condition, Thread

from pet.access import FileKind
from pet.clock import Clock, follow_time_zone, instant_of
from pet.errors import places_of
from pet.events import DayChanged, Event, RemindersChanged
from pet.memory.reminders.reminder import Reminder, Reminders, split_reminders
from pet.workspace.file_names import kind_of

_LONGEST = 3600.0
_AGAIN = 60.0  # after a failed poll
_SOON = 0.5  # seconds; debounces a turn that writes several entries
_LATE = timedelta(seconds=30)  # after midnight, so that a slightly wrong clock doesn't see one day twice
_NEAR = timedelta(hours=26)  # a day, and what a change of time zone or clock may add


_log = logging.getLogger(__name__)


class ReminderScheduler:
    """``start`` polls immediately; ``read`` is called on the scheduler's own thread."""

    def __init__(
        self,
        read: Callable[[], Reminders],
        clock: Clock,
        emit: Callable[[Event], object],
        *,
        longest: float = _LONGEST,
    ) -> None:
        self._read = read
        self._clock = clock
        self._emit = emit
        self._longest = longest
        self._changed = Condition()
        self._stopped = False
        self._stale = True
        self._day: date | None = None  # of the last reading
        self._open: tuple[Reminder, ...] = ()
        self._due: tuple[Reminder, ...] = ()

    def start(self) -> None:
        Thread(target=self._run, name="reminders", daemon=True).start()

    def stop(self) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify()

    def file_changed(self, file: str) -> None:
        """Poll again soon if the file is a daily log; returns immediately."""
        if kind_of(file) is FileKind.LOG:
            with self._changed:
                self._stale = True
                self._changed.notify()

    def check(self) -> float:
        """Emit RemindersChanged if the due ones changed; return the seconds until the next poll."""
        follow_time_zone()
        now = self._clock.now()
        with self._changed:
            read, self._stale = self._stale or now.date() != self._day, False
        if read:
            before, self._day = self._day, now.date()
            if before not in (None, self._day):
                self._emit(DayChanged())
            stored = self._read()
            self._open = (*stored.due, *stored.coming)
        current = split_reminders(self._open, now)
        if current.due != self._due:
            self._due = current.due
            self._emit(RemindersChanged())
        return min(self._longest, seconds_to_wait(current.coming, now))

    def _run(self) -> None:
        while not self._stopped:
            try:
                seconds = self.check()
            except Exception as error:  # noqa: BLE001  the thread boundary: what can't be read now is read again
                _log.warning("reminders not read: %s", places_of(error))
                seconds, self._day = min(_AGAIN, self._longest), None
            with self._changed:
                if self._changed.wait_for(lambda: self._stopped or self._stale, timeout=seconds):
                    self._changed.wait_for(lambda: self._stopped, timeout=_SOON)


def seconds_to_wait(coming: tuple[Reminder, ...], now: datetime) -> float:
    """Return the seconds to the next full minute while a time of day comes up within a day, else to midnight."""
    near = now.replace(tzinfo=None) + _NEAR
    if any(each.at is not None and each.moment <= near for each in coming):
        return 60 - now.second - now.microsecond / 1e6
    return seconds_until_tomorrow(now)


def seconds_until_tomorrow(now: datetime) -> float:
    """Return the seconds from an aware local time to shortly after the next local midnight, across DST changes."""
    tomorrow = datetime.combine(now.date() + timedelta(days=1), time()) + _LATE
    return max(60.0, (instant_of(tomorrow, now) - now).total_seconds())
