"""Session resume notifications through D-Bus: after sleep or screen lock. No polling.

Subscribes to logind on the system bus and to the screen saver on the session bus. Without them nothing is reported.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import SLOT, QObject, Slot
from PySide6.QtDBus import QDBusConnection

_log = logging.getLogger(__name__)

_LOGIN = ("org.freedesktop.login1", "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PrepareForSleep")
_SAVERS = ("org.freedesktop.ScreenSaver", "org.gnome.ScreenSaver")


class ResumeWatcher(QObject):
    """Watches for resume, on the GUI thread. ``react``: called when the owner may be back; None to stop."""

    def __init__(self) -> None:
        super().__init__()
        self.react: Callable[[], None] | None = None
        slot: Any = SLOT("began_or_ended(bool)")  # str, contrary to the stubs
        connected = QDBusConnection.systemBus().connect(*_LOGIN, self, slot)
        for saver in _SAVERS:  # each has its own path; at most one exists
            connected = QDBusConnection.sessionBus().connect("", "", saver, "ActiveChanged", self, slot) or connected
        if not connected:
            _log.info("no service reports session resume")

    @Slot(bool)
    def began_or_ended(self, began: bool) -> None:
        if not began and self.react is not None:
            self.react()
