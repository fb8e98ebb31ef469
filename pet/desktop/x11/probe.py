"""X server queries needed before there is a window: whether it is reachable, and has a compositor.

Uses libX11, which the web view loads anyway; later queries use ``server``.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache


def can_connect(name: str) -> bool:
    with _connection(name) as there:
        return there is not None


def has_compositor(name: str | None = None) -> bool:
    """Whether a compositor is running: without one, transparent pixels are black. None: ``DISPLAY``."""
    with _connection(name) as there:
        if there is None:
            return False
        x = _library()
        atom = x.XInternAtom(there, f"_NET_WM_CM_S{x.XDefaultScreen(there)}".encode(), 0)
        return bool(x.XGetSelectionOwner(there, atom))


@contextmanager
def _connection(name: str | None) -> Iterator[int | None]:
    x = _library()
    there = x.XOpenDisplay(name.encode() if name is not None else None)
    try:
        yield there
    finally:
        if there is not None:
            x.XCloseDisplay(there)


@cache
def _library() -> ctypes.CDLL:
    """Raises ImportError if it is missing, as the web view's own libraries would."""
    try:
        x = ctypes.CDLL("libX11.so.6")
    except OSError as error:
        raise ImportError("libX11 is missing", name="libX11") from error
    x.XOpenDisplay.argtypes, x.XOpenDisplay.restype = [ctypes.c_char_p], ctypes.c_void_p
    x.XCloseDisplay.argtypes = [ctypes.c_void_p]
    x.XDefaultScreen.argtypes = [ctypes.c_void_p]
    x.XInternAtom.argtypes, x.XInternAtom.restype = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_int], ctypes.c_ulong
    x.XGetSelectionOwner.argtypes, x.XGetSelectionOwner.restype = [ctypes.c_void_p, ctypes.c_ulong], ctypes.c_ulong
    return x
