"""Daily backup of the core files and thinning of old versions.

One timer until the next local midnight; nothing runs in between.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, time, timedelta
from threading import Lock, Timer

from pet.clock import Clock
from pet.errors import NewerFormat, WorkspaceError
from pet.workspace.versioned.store import WorkspaceStore

_log = logging.getLogger(__name__)
_LATE = timedelta(seconds=30)  # after midnight, so that a slightly wrong clock doesn't run it twice for one day


class DailyMaintenance:
    """``start`` runs today's maintenance immediately, on its own thread."""

    def __init__(self, store: WorkspaceStore, clock: Clock, *besides: Callable[[], object]) -> None:
        self._store = store
        self._besides = besides  # additional daily jobs
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
        """Run today's backup and pruning. A file that fails is logged and retried the next day."""
        for each in (self._store.backup, self._store.prune, *self._besides):
            try:
                each()
            except NewerFormat as error:  # nothing in this folder is ours to tidy any more
                _log.warning("daily care: %s", error)
                return
            except (WorkspaceError, OSError) as error:  # else no day after this one would be looked after
                _log.warning("daily care: %s", error)

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
    return max(60.0, tomorrow.astimezone().timestamp() - now.timestamp())
