"""Advisory lock on an open file itself.

Uses no lock file, which a sync program would copy; the lock ends with the process.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager

if sys.platform == "win32":
    import msvcrt
    import os

    _FAR = 2**40  # beyond any transcript: Windows locks are mandatory and must not block readers. Wine takes no more

    @contextmanager
    def locked(handle: int) -> Iterator[None]:
        _at_far(handle, msvcrt.LK_LOCK)
        try:
            yield
        finally:
            _at_far(handle, msvcrt.LK_UNLCK)

    def _at_far(handle: int, mode: int) -> None:
        os.lseek(handle, _FAR, os.SEEK_SET)
        msvcrt.locking(handle, mode, 1)

else:
    import fcntl

    @contextmanager
    def locked(handle: int) -> Iterator[None]:
        """Held by one process at a time for the length of the block."""
        fcntl.flock(handle, fcntl.LOCK_EX)
        try:
            yield
        finally:
            fcntl.flock(handle, fcntl.LOCK_UN)
