"""Deliver signals to Python while Qt's loop waits, without polling.

Python's handlers run only when Python code does. pywebview uses a repeating timer for that; this uses a wake-up
socket.
"""

from __future__ import annotations

import contextlib
import os
import signal
from typing import Any

from PySide6.QtCore import QSocketNotifier


class SignalNotifier:
    """Drop-in replacement for pywebview's timer: created on the main thread, once there is an application."""

    def __init__(self) -> None:
        # Both ends stay open for the process lifetime: a signal may arrive after this object is gone.
        self._heard, told = os.pipe()
        for end in (self._heard, told):
            os.set_blocking(end, False)
        self._notifier = QSocketNotifier(self._heard, QSocketNotifier.Type.Read)
        self._notifier.activated.connect(self._ring)
        signal.set_wakeup_fd(told, warn_on_full_buffer=False)

    @property
    def timeout(self) -> Any:
        return self._notifier.activated

    def start(self, _milliseconds: int) -> None:
        """No-op: notification is active from construction."""

    def _ring(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self._heard, 512)
