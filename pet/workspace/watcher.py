"""Watch a pet's folder for changes by other programs. An optimisation: correctness does not depend on it.

One thread waits until the folder is quiet, then makes the store compare contents: an event is only a hint.
"""

from __future__ import annotations

import logging
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from threading import Event, Thread

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer
from watchdog.observers.api import ObservedWatch

from pet.errors import WorkspaceError
from pet.fs.directory import temp_owner
from pet.model import OPTIONAL_FILES
from pet.workspace.conflict_copies import ConflictCopy, Marked, find_copies
from pet.workspace.file_names import ARCHIVE, ASIDE, CORE_NAMES, LOG_FOLDER, parse_name
from pet.workspace.store import WorkspaceStore

_QUIET_SECONDS = 0.2
_EVENTS = frozenset({"created", "modified", "moved", "deleted"})  # not opened or closed: our own reads cause those
_log = logging.getLogger(__name__)
# Of a new folder the library hears twice, and would say so on the terminal.
warnings.filterwarnings("ignore", "Callback with id", RuntimeWarning)


class Watcher:
    """Reports other programs' changes to the store. ``stop`` joins the threads.

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
        """Start watching, and pick up earlier changes. Raises OSError if out of watches; the pet works without."""
        self._observer.schedule(self._handler, str(self._store.root))
        self._watch_logs()
        self._observer.start()
        self._changed.update(CORE_NAMES, OPTIONAL_FILES, (ASIDE, ARCHIVE))
        self._woken.set()
        self._thread.start()

    def is_alive(self) -> bool:
        """Whether changes of the core files and below ``memory`` are noticed."""
        return self._logs is not None and self._thread.is_alive() and self._observer.is_alive()

    def stop(self) -> None:
        self._stopping.set()
        self._woken.set()
        if self._thread.is_alive():
            self._thread.join()
        if self._observer.is_alive():
            self._observer.stop()
            self._observer.join()

    def on_event(self, path: str, *, gone: bool = False, folder: bool = False) -> None:
        """Handle a change at this path, on the observer's thread. ``gone``: it was deleted or moved away. ``folder``:
        with all that is in it, of which there may be no other event."""
        try:
            name = Path(path).relative_to(self._store.root).as_posix()
        except ValueError:
            return
        try:
            if folder and name.startswith(f"{LOG_FOLDER}/"):
                self._changed.add(f"{name}/")
            elif name != LOG_FOLDER:
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
            self._refresh()

    def _refresh(self) -> None:
        while self._changed and not self._stopping.is_set():
            name = self._changed.pop()
            if name == LOG_FOLDER:
                self._watch_logs()
                continue
            if name.endswith("/"):
                self._changed.update(each for each in self._store.names() if each.startswith(name))
                continue
            try:
                self._store.observe(name)
            except WorkspaceError as error:
                _log.info("could not read %s: %s", name, error.error_code)
        self._refresh_copies()

    def _refresh_copies(self) -> None:
        if self._on_copies is None:
            return
        copies = find_copies(self._store.root, self._marked)
        if copies != self._copies:
            self._copies = copies
            self._on_copies(len(copies))

    def _watch_logs(self) -> None:
        """Watch the folder of the logs and notes, also when it is created later or recreated: a watch ends with its
        folder."""
        folder = self._store.root / LOG_FOLDER
        is_there = folder.is_dir() and not folder.is_symlink()
        gone = not is_there
        if self._logs_gone:  # reset only if seen: the observer's thread may set it at any time
            gone, self._logs_gone = True, False
        if gone and self._logs is not None:
            self._observer.unschedule(self._logs)
            self._logs = None
        if is_there and self._logs is None:
            try:
                self._logs = self._observer.schedule(self._handler, str(folder), recursive=True)
            except OSError as error:  # out of watches, or gone again
                _log.info("the daily logs are not watched: %s", error)
            self._changed.update(self._store.log_names(), self._store.unrecorded_notes())


class _Handler(FileSystemEventHandler):
    def __init__(self, watcher: Watcher) -> None:
        self._watcher = watcher

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.event_type in _EVENTS:
            gone = event.event_type in ("deleted", "moved")
            folder = event.is_directory and event.event_type != "modified"  # that only says that something in it was
            self._watcher.on_event(os.fsdecode(event.src_path), gone=gone, folder=folder)
            if event.dest_path:
                self._watcher.on_event(os.fsdecode(event.dest_path), folder=folder)
