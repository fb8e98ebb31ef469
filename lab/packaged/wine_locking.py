"""What Windows' C library does and Wine's forgets: say that a lock was refused. Imported before what takes locks.

Wine's kernel refuses as Windows' does (ERROR_LOCK_VIOLATION), but its ``_locking`` fails without setting ``errno``.
"""

from __future__ import annotations

import ctypes
import errno
import sys

_LOCK_VIOLATION = 33

if sys.platform == "win32":
    import msvcrt

    _of_wine = msvcrt.locking

    def _locking(handle: int, mode: int, count: int, /) -> None:
        try:
            _of_wine(handle, mode, count)
        except OSError as error:
            if error.errno == 0 and ctypes.windll.kernel32.GetLastError() == _LOCK_VIOLATION:
                raise PermissionError(errno.EACCES, "locked") from None
            raise

    msvcrt.locking = _locking
