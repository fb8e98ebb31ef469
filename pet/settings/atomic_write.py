"""Atomically replace a small file: temporary file in the same folder, fsync, rename.

For settings, key and state only; the pet's own files go through the workspace store, which also keeps their history.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path

from pet.untrusted.regular_files import require_regular


def replace_file(file: Path, content: bytes, *, mode: int | None = None) -> None:
    """Replace the file's content. ``mode`` None keeps the existing file's mode. Raises OSError, with the old file
    unchanged; NotRegular for a pipe or a device.
    """
    target = Path(os.path.realpath(file))  # a symlink is kept: its target is replaced
    require_regular(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as out:
            out.write(content)
            out.flush()
            os.fsync(out.fileno())
        Path(name).chmod(_mode_of(target) if mode is None else mode)
        Path(name).replace(target)
    except BaseException:  # also on interruption: leave no temporary file
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise
    _sync_folder(target.parent)


def _mode_of(target: Path) -> int:
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        return 0o644


def _sync_folder(folder: Path) -> None:
    if os.name == "nt":  # Windows can't open a directory, and NTFS journals the rename
        return
    with contextlib.suppress(OSError):  # some network file systems can't; the file is replaced by now
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
