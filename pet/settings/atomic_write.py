"""Atomic replacement of a small file by its path.

For settings, keys and state; a pet's own files go through the workspace store, which keeps their history.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from pet.untrusted.regular_files import require_regular
from pet.workspace.fs.directory import temp_beside, write_atomically
from pet.workspace.fs.open_folder import open_folder


def replace_file(file: Path, content: bytes, *, mode: int | None = None) -> None:
    """Replace the file's content, synced to disk on return. ``mode`` None keeps the existing file's mode.

    Raises OSError, with the old file unchanged; NotRegular for a pipe or a device.
    """
    target = Path(os.path.realpath(file))  # a symlink is kept: its target is replaced
    require_regular(target)
    target.parent.mkdir(parents=True, exist_ok=True)
    mode = _mode_of(target) if mode is None else mode
    with open_folder(target.parent) as folder:
        write_atomically(folder, target.name, content, mode=mode, temp=temp_beside(target.name))


def _mode_of(target: Path) -> int:
    try:
        return stat.S_IMODE(target.stat().st_mode)
    except FileNotFoundError:
        return 0o644
