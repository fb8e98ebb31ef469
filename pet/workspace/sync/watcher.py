"""Watch a pet's folder for changes by other programs. An optimisation: correctness does not depend on it.

One thread waits until the folder is quiet, then makes the store compare contents: an event is only a hint.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import ObservedWatch

from pet.errors import WorkspaceError
from pet.model import OPTIONAL_FILES
from pet.workspace.file_names import CORE_NAMES, LOG_FOLDER, parse_name
from pet.workspace.fs.directory import temp_owner
from pet.workspace.sync.conflicts import ConflictCopy, Marked, find_copies
from pet.workspace.versioned.store import WorkspaceStore

_QUIET_SECONDS = 0.2
_EVENTS = frozenset({"created", "modified", "moved", "deleted"})  # not opened or closed: our own reads cause those
_log = logging.getLogger(__name__)


class Watcher:
    """``start`` also picks up changes made while nothing was watching; ``stop`` joins the threads.

    ``on_copies`` is called with the number of conflict copies whenever the set changes.
    """

    def __init__(self, store: WorkspaceStore, on_copies: Callable[[int], object] | None = None) -> None:
        self._store = store
        self._on_copies = on_copies
        self._copies: tuple[ConflictCopy, ...] = ()
        self._marked: Marked = {}
        self._observer = Observer()
        self._handler = _Handler(self)
        self._changed: set[str] = set()
        self._woken = Event()
        self._stopping = Event()
        self._thread = Thread(target=self._run, name="workspace-watch", daemon=True)
        self._logs: ObservedWatch | None = None
        self._logs_gone = False

    def start(self) -> None:
        """Raises OSError if the system can't watch (out of watches); the pet works without."""
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

    def noticed(self, path: str, *, gone: bool = False) -> None:
        """Called on the observer's thread: something happened at this path. ``gone``: what was there is there no
        more."""
        try:
            name = Path(path).relative_to(self._store.root).as_posix()
        except ValueError:
            return
        try:
            if name != LOG_FOLDER:
                self._changed.add(parse_name(name))
            else:
                self._logs_gone = self._logs_gone or gone
                self._changed.add(name)
        except WorkspaceError:
            if Path(name).suffix not in (".md", ".toml") or temp_owner(Path(name).name) is not None:
                return  # a temporary file, the history, an unrelated file
        self._woken.set()  # possibly a conflict copy

    def _run(self) -> None:
        while True:
            self._woken.wait()
            while not self._stopping.is_set():  # until the folder is quiet
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
        self._look_for_copies()

    def _look_for_copies(self) -> None:
        if self._on_copies is None:
            return
        found = find_copies(self._store.root, self._marked)
        if found != self._copies:
            self._copies = found
            self._on_copies(len(found))

    def _watch_logs(self) -> None:
        """Watch the daily logs' folder, which may be created after the watcher, or anew by another program: a watch
        ends with its folder."""
        folder = self._store.root / LOG_FOLDER
        is_there = folder.is_dir() and not folder.is_symlink()
        gone = not is_there
        if self._logs_gone:  # only then: the observer's thread may say so at any time
            gone, self._logs_gone = True, False
        if gone and self._logs is not None:
            self._observer.unschedule(self._logs)
            self._logs = None
        if is_there and self._logs is None:
            try:
                self._logs = self._observer.schedule(self._handler, str(folder))
            except OSError as error:  # out of watches, or gone again
                _log.info("the daily logs are not watched: %s", error)
            self._changed.update(self._store.log_names())


class _Handler(FileSystemEventHandler):
    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.event_type in _EVENTS:
            gone = event.event_type in ("deleted", "moved")
            self._watcher.noticed(os.fsdecode(event.src_path), gone=gone)
            if event.dest_path:
                self._watcher.noticed(os.fsdecode(event.dest_path))
