"""Tells when promises come due: at start, at local midnight, and when a log changed (PRODUCT §8.7).

One timer, at most an hour long, so that a clock that is set or a machine that slept is noticed; a wake-up on the same
day reads no file. Refuses to know files, windows and settings: the promises come from a function passed in.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from threading import Lock, Timer

from pet.clock import Clock
from pet.events import Event, PromisesChanged
from pet.memory.promises import Promise, Promises
from pet.workspace.daily import seconds_until_tomorrow

_LONGEST = 3600.0


class DueTimer:
    """``start`` looks at once, on a thread of its own."""

    def __init__(self, promises: Callable[[date], Promises], clock: Clock, tell: Callable[[Event], None]) -> None:
        self._promises = promises
        self._clock = clock
        self._tell = tell
        self._lock = Lock()
        self._timer: Timer | None = None
        self._stopped = False
        self._seen: date | None = None
        self._due: tuple[Promise, ...] = ()

    def start(self) -> None:
        self._schedule(0.0)

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            if self._timer is not None:
                self._timer.cancel()

    def look(self) -> None:
        """Read the promises and tell if others are due than before; also to be called when a log changed."""
        today = self._clock.now().date()
        due = self._promises(today).due
        with self._lock:
            news = due != self._due
            self._seen, self._due = today, due
        if news:
            self._tell(PromisesChanged())

    def _wake(self) -> None:
        if self._clock.now().date() != self._seen:
            self.look()
        self._schedule(min(_LONGEST, seconds_until_tomorrow(self._clock.now())))

    def _schedule(self, seconds: float) -> None:
        with self._lock:
            if self._stopped:
                return
            self._timer = Timer(seconds, self._wake)
            self._timer.daemon = True
            self._timer.start()
