"""Notices that settings.toml was edited by hand, so that open windows follow at once. Nothing depends on it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

_log = logging.getLogger(__name__)


class SettingsWatcher:
    """Calls ``look`` for whatever happens to the file; looking twice must cost nothing and tell nothing."""

    def __init__(self, file: Path, look: Callable[[], object]) -> None:
        self._file = file
        self._observer = Observer()
        self._handler = _Handler(file.name, look)

    def start(self) -> None:
        """Where the system can't watch the pet works without: the file is looked at before each use anyway."""
        self._file.parent.mkdir(parents=True, exist_ok=True)
        try:
            self._observer.schedule(self._handler, str(self._file.parent))
            self._observer.start()
        except OSError as error:
            _log.info("settings are not watched: %s", error)

    def stop(self) -> None:
        if self._observer.is_alive():
            self._observer.stop()
            self._observer.join()


class _Handler(FileSystemEventHandler):
    def __init__(self, name: str, look: Callable[[], object]) -> None:
        self._name = name
        self._look = look

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.event_type in ("opened", "closed_no_write"):
            return  # our own reading
        names = {Path(str(path)).name for path in (event.src_path, event.dest_path) if path}
        if self._name in names:
            self._look()
