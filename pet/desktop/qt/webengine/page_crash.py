"""Bring back a page whose renderer process crashed."""

from __future__ import annotations

import logging
from typing import Any

from PySide6.QtCore import QTimer

_RELOADS = 3  # at most, of a page that keeps crashing

_log = logging.getLogger(__name__)


def reload_after_crash(native: Any) -> None:
    """Reload the window's page each time its process ends, a few times."""
    left = _RELOADS

    def died(*_status: object) -> None:
        nonlocal left
        _log.warning("the process of a page ended; %d attempts left to bring it back", left)
        if left > 0:
            left -= 1
            QTimer.singleShot(0, native.webview.reload)

    native.webview.page().renderProcessTerminated.connect(died)
