"""Daily backup of the core files and thinning of old versions.

One timer until the next local midnight; nothing runs in between.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, time, timedelta
from threading import Lock, Timer

from pet.clock import Clock, instant_of
from pet.errors import NewerFormat, WorkspaceError
from pet.workspace.store import WorkspaceStore

_log = logging.getLogger(__name__)
_LATE = timedelta(seconds=30)  # after midnight, so that a slightly wrong clock doesn't run it twice for one day


class DailyMaintenance:
    """Runs at each local midnight, and at ``start``, on a separate thread. ``extra_jobs`` run daily too."""

    def __init__(self, store: WorkspaceStore, clock: Clock, *extra_jobs: Callable[[], object]) -> None:
        self._store = store
        self._extra_jobs = extra_jobs
        self._clock = clock
        self._lock = Lock()
        self._timer: Timer | None = None
        self._stopped = False

    def start(self) -> None:
        self._schedule(0.0)

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            if self._timer is not None:
                self._timer.cancel()

    def run(self) -> None:
        """Run today's backup, pruning and extra jobs. A failure is logged and retried the next day."""
        for job in (self._store.backup, self._store.prune, *self._extra_jobs):
            try:
                job()
            except NewerFormat as error:  # a newer program's folder must not change any more
                _log.warning("daily maintenance: %s", error)
                return
            except (WorkspaceError, OSError) as error:  # must not stop the timer for the next day
                _log.warning("daily maintenance: %s", error)

    def _run(self) -> None:
        self.run()
        self._schedule(seconds_until_tomorrow(self._clock.now()))

    def _schedule(self, seconds: float) -> None:
        with self._lock:
            if self._stopped:
                return
            self._timer = Timer(seconds, self._run)
            self._timer.daemon = True
            self._timer.start()


def seconds_until_tomorrow(now: datetime) -> float:
    """Return the seconds from an aware local time to shortly after the next local midnight, across DST changes."""
    tomorrow = datetime.combine(now.date() + timedelta(days=1), time()) + _LATE
    return max(60.0, (instant_of(tomorrow, now) - now).total_seconds())
