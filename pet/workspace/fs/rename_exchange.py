"""Exchange two files of one folder atomically, keeping the displaced file.

Linux has renameat2, macOS renameatx_np; Python wraps neither, hence ctypes. Windows' ReplaceFileW lives in
``by_path``.
"""

from __future__ import annotations

import ctypes
import errno
import os
import sys
from collections.abc import Callable
from functools import cache

_LINUX_EXCHANGE = 2
_MACOS_SWAP = 2
# Errors of file systems and kernels without an exchange: the caller falls back to compare-and-replace.
_CANNOT = frozenset({errno.EINVAL, errno.ENOSYS, errno.ENOTSUP, errno.EOPNOTSUPP})

_Rename = Callable[[int, bytes, int, bytes, int], int]


def exchange_files(folder: int, one: str, other: str) -> bool:
    """Exchange both names; False if the system doesn't support it. Raises OSError."""
    rename, flag = _system_call()
    if rename is None:
        return False
    if rename(folder, os.fsencode(one), folder, os.fsencode(other), flag) == 0:
        return True
    code = ctypes.get_errno()
    if code in _CANNOT:
        return False
    raise OSError(code, os.strerror(code), other)


@cache
def _system_call() -> tuple[_Rename | None, int]:
    name, flag = ("renameatx_np", _MACOS_SWAP) if sys.platform == "darwin" else ("renameat2", _LINUX_EXCHANGE)
    function = getattr(ctypes.CDLL(None, use_errno=True), name, None)  # musl and old glibc have none
    if function is None:
        return None, flag
    function.argtypes = [ctypes.c_int, ctypes.c_char_p, ctypes.c_int, ctypes.c_char_p, ctypes.c_uint]
    function.restype = ctypes.c_int
    return function, flag
