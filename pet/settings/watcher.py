"""Watch settings.toml for edits, so that open windows update immediately. Correctness does not depend on it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

_log = logging.getLogger(__name__)


class SettingsWatcher(FileSystemEventHandler):
    """Calls ``look`` on every event of the file; redundant calls must be cheap and have no effect."""

    def __init__(self, file: Path, look: Callable[[], object]) -> None:
        self._file = file
        self._look = look
        self._observer = Observer()

    def start(self) -> None:
        """If the system can't watch, changes are still found before each use."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._observer.schedule(self, str(self._file.parent))
            self._observer.start()
        except OSError as error:
            _log.info("settings are not watched: %s", error)
        self._look()  # what changed since the first reading, while nothing was watched

    def stop(self) -> None:
        if self._observer.is_alive():
            self._observer.stop()
            self._observer.join()

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.event_type in ("opened", "closed_no_write"):
            return  # caused by our own reads
        names = {Path(str(path)).name for path in (event.src_path, event.dest_path) if path}
        if self._file.name in names:
            self._look()
