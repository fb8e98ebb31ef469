"""Daily backup of the core files and thinning of old versions."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import Lock, Thread

from pet.errors import NewerFormat, WorkspaceError
from pet.workspace.store import WorkspaceStore

_log = logging.getLogger(__name__)


class DailyMaintenance:
    """To be started at the start and on each new local day: runs once, on a separate thread. ``extra_jobs``: run
    after the others."""

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
