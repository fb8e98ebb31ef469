"""The system's own bin: where a deleted pet goes, so that it can be had back the way people know.

Refuses to delete: where there is no bin, or none that is sure to keep what it is given, the folder stays where it is.
"""

from __future__ import annotations

import logging
import sys
from pathlib import Path

_log = logging.getLogger(__name__)
_FIXED = 3  # GetDriveType: a disk of this machine


def move_to_trash(folder: Path) -> None:
    if not _keeps(folder):
        return
    try:
        from send2trash import send2trash  # late: needed once in a pet's life

        send2trash(str(folder))
    except OSError as error:  # also its own kind: no bin on this disk, no permission
        _log.info("left in the bin of ours: %s", type(error).__name__)


def _keeps(folder: Path) -> bool:
    """On a network drive or a stick Windows has no bin and would delete at once."""
    if sys.platform == "win32":
        import ctypes

        return bool(ctypes.windll.kernel32.GetDriveTypeW(folder.anchor) == _FIXED)
    return True
