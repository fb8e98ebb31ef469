"""Instance locks: one program for each pet, and of a home's programs one that leads.

Imports almost nothing, since the lock is taken before the first window.
"""

from __future__ import annotations

import contextlib
import os
import sys

from pet.paths import Home, make_private

_MODE = 0o600

if sys.platform == "win32":
    import msvcrt

    def _take(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

    def _wait(handle: int) -> None:
        while True:
            with contextlib.suppress(OSError):  # after ten seconds
                return msvcrt.locking(handle, msvcrt.LK_LOCK, 1)

else:
    import fcntl

    def _take(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)

    def _wait(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX)


class SingleInstance:
    """A lock that the system releases when the process ends: of the program that leads in a home, which has the tray
    and the home's socket, or of a pet's own program."""

    def __init__(self, home: Home, pet: str = "") -> None:
        self._file = home.state / (f"instance.{pet}.lock" if pet else "instance.lock")
        self._handle: int | None = None

    @property
    def held(self) -> bool:
        return self._handle is not None

    def acquire(self) -> bool:
        """Take the lock without waiting; return whether this process holds it."""
        if self.held:
            return True
        handle = self._open()
        try:
            _take(handle)
        except OSError:
            os.close(handle)
            return False
        self._handle = handle
        return True

    def wait(self) -> None:
        """Take the lock as soon as its holder has released it or ended; idle until then. Raises OSError."""
        if not self.held:
            handle = self._open()
            _wait(handle)
            self._handle = handle

    def _open(self) -> int:
        make_private(self._file.parent)
        return os.open(self._file, os.O_RDWR | os.O_CREAT, _MODE)

    def release(self) -> None:
        """Release the lock. The file stays: removing it could break the lock of another process."""
        if self._handle is not None:
            with contextlib.suppress(OSError):
                os.close(self._handle)
            self._handle = None
