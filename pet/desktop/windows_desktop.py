"""Windows: what Qt leaves out there, which is to say when the session resumes or is unlocked.

Run under Wine by ``make wine``; unproven on Windows itself.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QAbstractNativeEventFilter

from pet.desktop.qt_desktop import QtDesktop

_POWER_BROADCAST, _RESUMED = 0x0218, (0x0007, 0x0012)  # WM_POWERBROADCAST; PBT_APMRESUMESUSPEND, -AUTOMATIC
_SESSION_CHANGE, _UNLOCKED = 0x02B1, (0x0008,)  # WM_WTSSESSION_CHANGE; WTS_SESSION_UNLOCK


class WindowsDesktop(QtDesktop):
    def __init__(self) -> None:
        super().__init__()
        self._woken: Callable[[], None] | None = None
        self._filter = _Messages(self._woke)
        self._app.installNativeEventFilter(self._filter)

    def on_wake(self, react: Callable[[], None] | None) -> None:
        self._woken = react

    def _woke(self) -> None:
        if self._woken is not None:
            self.post(self._woken)


class _Messages(QAbstractNativeEventFilter):
    """Calls ``woke`` for messages that say that the owner may be back."""

    def __init__(self, woke: Callable[[], None]) -> None:
        super().__init__()
        self._woke = woke

    def nativeEventFilter(self, eventType: Any, message: Any) -> tuple[bool, int]:  # noqa: ARG002, N802, N803  Qt's names
        class Message(ctypes.Structure):
            _fields_ = (
                ("window", ctypes.c_void_p),
                ("message", ctypes.c_uint),
                ("first", ctypes.c_size_t),
                ("second", ctypes.c_ssize_t),
            )

        got = Message.from_address(int(message))
        if (got.message, got.first) in _WAKING:
            self._woke()
        return False, 0


_WAKING = {
    *((_POWER_BROADCAST, reason) for reason in _RESUMED),
    *((_SESSION_CHANGE, reason) for reason in _UNLOCKED),
}
