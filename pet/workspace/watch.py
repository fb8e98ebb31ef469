"""Notices what other programs do to the files, soon after they did it. Nothing depends on it.

One thread waits for the folder to be quiet, then lets the store compare contents: an event only says "look".
"""

from __future__ import annotations

import logging
import os
from pathlib import Path
from threading import Event, Thread

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

from pet.errors import WorkspaceError
from pet.model import OPTIONAL_FILES
from pet.workspace.names import CORE_NAMES, LOG_FOLDER, parse_name
from pet.workspace.store import WorkspaceStore

_QUIET_SECONDS = 0.2
_EVENTS = frozenset({"created", "modified", "moved", "deleted"})  # not opened or closed: our own reading does that
_log = logging.getLogger(__name__)


class Watcher:
    """``start`` also catches up with what happened while nobody watched; ``stop`` waits for the threads."""

    def __init__(self, store: WorkspaceStore) -> None:
        self._store = store
        self._observer = Observer()
        self._handler = _Handler(self)
        self._changed: set[str] = set()
        self._woken = Event()
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="workspace-watch", daemon=True)
        self._watching_logs = False

    def start(self) -> None:
        """Raises OSError where the system can't watch (out of watches): the pet works without."""
        self._observer.schedule(self._handler, str(self._store.root))
        self._watch_logs()
        self._observer.start()
        self._changed.update(CORE_NAMES, OPTIONAL_FILES)
        self._woken.set()
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._woken.set()
        if self._thread.is_alive():
            self._thread.join()
        if self._observer.is_alive():
            self._observer.stop()
            self._observer.join()

    def noticed(self, path: str) -> None:
        """From the observer's thread: something happened at this path."""
        try:
            name = Path(path).relative_to(self._store.root).as_posix()
            if name != LOG_FOLDER:
                name = parse_name(name)
        except (ValueError, WorkspaceError):
            return  # a temporary file, the history, somebody's notes
        self._changed.add(name)
        self._woken.set()

    def _run(self) -> None:
        while True:
            self._woken.wait()
            while not self._stopping.is_set():  # until nothing happens for a while
                self._woken.clear()
                if not self._woken.wait(_QUIET_SECONDS):
                    break
            if self._stopping.is_set():
                return
            self._look()

    def _look(self) -> None:
        while self._changed:
            name = self._changed.pop()
            if name == LOG_FOLDER:
                self._watch_logs()
                continue
            try:
                self._store.observe(name)
            except WorkspaceError as error:
                _log.info("could not look at %s: %s", name, error.error_code)

    def _watch_logs(self) -> None:
        """The folder of the daily logs may come later than the watcher."""
        folder = self._store.root / LOG_FOLDER
        if not folder.is_dir() or folder.is_symlink():
            self._watching_logs = False
        elif not self._watching_logs:
            self._observer.schedule(self._handler, str(folder))
            self._watching_logs = True
            self._changed.update(self._store.log_names())


class _Handler(FileSystemEventHandler):
    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.event_type in _EVENTS:
            for path in (event.src_path, event.dest_path):
                if path:
                    self._watcher.noticed(os.fsdecode(path))
