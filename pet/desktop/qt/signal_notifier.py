"""Lets Python hear of signals while Qt waits, without looking up twice a second (an idle pet costs nothing).

Python's handlers run only when Python does. pywebview sets a clock for that; this one rings when there is a signal.
"""

from __future__ import annotations

import contextlib
import os
import signal
from typing import Any

from PySide6.QtCore import QSocketNotifier


class SignalNotifier:
    """Stands where pywebview sets its clock: made on the main thread, once there is an application."""

    def __init__(self) -> None:
        # Both ends stay open as long as the program: a signal may come when this object is gone.
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
        """It has begun to listen already."""

    def _ring(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self._heard, 512)
