"""Move a deleted pet to the system's trash, from which the owner can restore it.

Never deletes: without a trash that reliably keeps its items, the folder stays in place.
"""

from __future__ import annotations

import logging
import sys
from pathlib import Path

_log = logging.getLogger(__name__)
_FIXED = 3  # GetDriveType: a disk of this machine


def move_to_trash(folder: Path) -> None:
    """Move the folder to the system's trash, or leave it in place."""
    if not _keeps(folder):
        return
    try:
        from send2trash import send2trash  # lazy: rarely needed

        send2trash(str(folder))
    except OSError as error:  # includes send2trash's own errors: no trash on this disk, no permission
        _log.info("not moved to the system's trash: %s", type(error).__name__)


def _keeps(folder: Path) -> bool:
    """Whether the trash keeps items: on network drives and USB sticks Windows would delete them at once."""
    if sys.platform == "win32":
        import ctypes

        return bool(ctypes.windll.kernel32.GetDriveTypeW(folder.anchor) == _FIXED)
    return True
