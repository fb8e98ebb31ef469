"""Reload pages whose renderer process crashed."""

from __future__ import annotations

import logging
import time
from collections import deque
from typing import Any

from PySide6.QtCore import QTimer

_RELOADS = 3  # at most, of a page that keeps crashing
_KEEPS_CRASHING = 600.0
"""Seconds after which a crash no longer counts."""

_log = logging.getLogger(__name__)


def reload_after_crash(native: Any) -> None:
    """Reload the window's page each time its process ends, but only a few times in a row."""
    crashes: deque[float] = deque()

    def died(*_status: object) -> None:
        now = time.monotonic()
        while crashes and now - crashes[0] > _KEEPS_CRASHING:
            crashes.popleft()
        _log.warning("a page's process ended; %d reloads left", _RELOADS - len(crashes))
        if len(crashes) < _RELOADS:
            crashes.append(now)
            QTimer.singleShot(0, native.webview.reload)

    native.webview.page().renderProcessTerminated.connect(died)
