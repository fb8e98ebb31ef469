"""Instance lock: one running pet per home.

Imports almost nothing, since the lock is taken before the first window.
"""

from __future__ import annotations

import contextlib
import os
import sys

from pet.paths import Home

_MODE = 0o600

if sys.platform == "win32":
    import msvcrt

    def _take(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _take(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)


class SingleInstance:
    """The lock of the running pet of a home; the system releases it when the process ends."""

    def __init__(self, home: Home) -> None:
        self._file = home.state / "instance.lock"
        self._handle: int | None = None

    @property
    def held(self) -> bool:
        return self._handle is not None

    def acquire(self) -> bool:
        """Take the lock without waiting; return whether this process holds it."""
        if self.held:
            return True
        self._file.parent.mkdir(parents=True, exist_ok=True)
        handle = os.open(self._file, os.O_RDWR | os.O_CREAT, _MODE)
        try:
            _take(handle)
        except OSError:
            os.close(handle)
            return False
        self._handle = handle
        return True

    def release(self) -> None:
        """Release the lock. The file stays: removing it could break the lock of another process."""
        if self._handle is not None:
            with contextlib.suppress(OSError):
                os.close(self._handle)
            self._handle = None
