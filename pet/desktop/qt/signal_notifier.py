"""Deliver signals to Python while Qt's loop waits, by a wake-up pipe instead of pywebview's repeating timer."""

from __future__ import annotations

import contextlib
import os
import signal
from typing import Any

from PySide6.QtCore import QSocketNotifier


class SignalNotifier:
    """Replacement of pywebview's timer. Create it on the main thread, once the application exists."""

    def __init__(self) -> None:
        # Both ends stay open for the process lifetime: a signal may arrive after this object is gone.
        self._reader, writer = os.pipe()
        for end in (self._reader, writer):
            os.set_blocking(end, False)
        self._notifier = QSocketNotifier(self._reader, QSocketNotifier.Type.Read)
        self._notifier.activated.connect(self._drain)
        signal.set_wakeup_fd(writer, warn_on_full_buffer=False)

    @property
    def timeout(self) -> Any:
        return self._notifier.activated

    def start(self, _milliseconds: int) -> None:
        """No-op: notification is active from construction."""

    def _drain(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self._reader, 512)
