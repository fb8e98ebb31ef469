"""In-flight requests with memory, visible to every process of this machine.

Each request that may carry gated text has a mark: a file in the lock folder, locked by the sending process. The
protocol guarantees that no such request is sent after "memory is off" was answered:

- The sender sets the mark, then checks the recorded switch and the recorded pause, then connects and writes. It
  watches both until the reply begins. If access shrinks, it cancels the request and resets the connection: the system
  drops unsent bytes. Only then does it remove the mark. A retry is a new request with a new mark.
- The process that switches off records it, waits for all existing marks, and only then answers.

In either order, the sender's check sees the record or the wait sees the mark. A lock ends with its process, so a
killed sender doesn't block (the system resets its sockets). A suspended sender blocks the wait, which then raises
MemoryInFlight. On other machines the switch takes effect once it is synced.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from pet.errors import MemoryInFlight
from pet.fs.locks import as_write_errors, try_lock
from pet.paths import make_private

_FLAGS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_NOFOLLOW", 0)
_WAIT_SECONDS = 5.0
_POLL_SECONDS = 0.01


class RequestsInFlight:
    """The request marks of one pet. Thread-safe; the folder need not exist yet."""

    def __init__(self, folder: Path, pet: str) -> None:
        self._folder = folder
        self._prefix = f"in-flight-{hashlib.sha256(pet.encode()).hexdigest()[:16]}-"

    @contextmanager
    def marked(self, conversation: str) -> Iterator[None]:
        """Mark a request of this conversation as in flight. Raises WriteFailed; nothing may be sent then."""
        with as_write_errors(""):
            path, handle = self._mark(conversation)
        try:
            yield
        finally:
            _remove(path, handle)

    def wait(self, conversation: str | None = None, seconds: float | None = None) -> None:
        """Wait until the requests marked now have ended; None: those of all conversations.

        Not for the engine's thread, which ends them. Raises MemoryInFlight on timeout, or if the marks can't be read.
        """
        end = time.monotonic() + (_WAIT_SECONDS if seconds is None else seconds)
        try:
            for path in self._marks(conversation):
                while not _ended(path):
                    if time.monotonic() > end:
                        raise MemoryInFlight
                    time.sleep(_POLL_SECONDS)
        except OSError as problem:
            raise MemoryInFlight from problem

    def _mark(self, conversation: str) -> tuple[Path, int]:
        make_private(self._folder)
        while True:
            path = self._folder / f"{self._prefix}{conversation}-{secrets.token_hex(8)}.lock"
            handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _FLAGS, 0o600)
            if try_lock(handle) and os.fstat(handle).st_nlink:
                return path, handle
            os.close(handle)  # a waiting process removed it as abandoned before it was locked

    def _marks(self, conversation: str | None) -> list[Path]:
        start = self._prefix if conversation is None else f"{self._prefix}{conversation}-"
        try:
            return [path for path in self._folder.iterdir() if path.name.startswith(start)]
        except FileNotFoundError:
            return []


def _ended(path: Path) -> bool:
    """Whether no process holds this mark; removes one left by a killed process."""
    try:
        handle = os.open(path, os.O_RDWR | _FLAGS)
    except FileNotFoundError:
        return True
    if not try_lock(handle):
        os.close(handle)
        return False
    _remove(path, handle)
    return True


def _remove(path: Path, handle: int) -> None:
    if os.name == "nt":  # an open file can't be removed there
        os.close(handle)
        with suppress(OSError):
            path.unlink()
        return
    try:
        with suppress(OSError):
            path.unlink()  # unlink before unlocking: no process may lock a file that is about to be removed
    finally:
        os.close(handle)
