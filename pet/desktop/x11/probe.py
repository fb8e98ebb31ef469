"""X server queries needed before there is a window: whether it is reachable, and has a compositor.

Uses libX11, which the web view loads anyway.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ctypes


def can_connect(name: str) -> bool:
    with _connection(name) as display:
        return display is not None


def has_compositor(name: str | None = None) -> bool:
    """Whether a compositor runs on ``name``, by default ``DISPLAY``: without one, transparent pixels are black."""
    with _connection(name) as display:
        if display is None:
            return False
        x = _library()
        atom = x.XInternAtom(display, f"_NET_WM_CM_S{x.XDefaultScreen(display)}".encode(), 0)
        return bool(x.XGetSelectionOwner(display, atom))


@contextmanager
def _connection(name: str | None) -> Iterator[int | None]:
    x = _library()
    display = x.XOpenDisplay(name.encode() if name is not None else None)
    try:
        yield display
    finally:
        if display is not None:
            x.XCloseDisplay(display)


@cache
def _library() -> ctypes.CDLL:
    """Load libX11. Raises ImportError if it is missing, as the web view's own libraries would."""
    import ctypes

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
