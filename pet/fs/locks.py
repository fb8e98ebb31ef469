"""One lock per workspace file, across threads and processes; lock files live outside the workspace.

Foreign editors take no lock: their writes are detected by comparison (``commit``), not prevented here.
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from threading import Lock

from pet.errors import WriteFailed
from pet.paths import make_private

_WAIT_SECONDS = 20.0
_POLL_SECONDS = 0.002

_threads: defaultdict[Path, Lock] = defaultdict(Lock)
_guard = Lock()


class LockBusy(OSError):
    """The file's lock was held by another process beyond the timeout."""


def lock_file(folder: Path, root: Path, name: str) -> Path:
    """Return the lock file's path. Root and name are hashed, so that any path fits in a file name."""
    digest = hashlib.sha256(os.fsencode(root) + b"\0" + name.encode()).hexdigest()
    return folder / f"{digest[:32]}.lock"


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Hold the lock for one thread of one process. Not reentrant. Raises LockBusy."""
    from filelock import FileLock, Timeout  # late: what only reads takes no lock

    with _guard:
        thread_lock = _threads[file]
    # Threads of this process queue here without polling; the file lock is for the other processes.
    if not thread_lock.acquire(timeout=_WAIT_SECONDS):
        raise LockBusy
    try:
        make_private(file.parent)
        held = FileLock(file, timeout=_WAIT_SECONDS, thread_local=False)
        try:
            held.acquire(poll_interval=_POLL_SECONDS)
        except Timeout:
            raise LockBusy from None
        try:
            yield
        finally:
            with suppress(OSError):  # what was done under the lock is done
                held.release()
    finally:
        thread_lock.release()


if sys.platform == "win32":
    import msvcrt

    def try_lock(handle: int) -> bool:
        """Lock an open file until it is closed. False if another handle holds it. Raises OSError."""
        os.lseek(handle, 0, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

else:
    import fcntl

    def try_lock(handle: int) -> bool:
        """Lock an open file until it is closed. False if another handle holds it. Raises OSError."""
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


@contextmanager
def as_write_errors(file: str) -> Iterator[None]:
    """Convert OSError and LockBusy to WriteFailed for ``file``."""
    try:
        yield
    except LockBusy:
        raise WriteFailed(file) from None
    except OSError as error:
        raise WriteFailed.from_os_error(file, error) from error
