"""That the session woke: the machine has slept, or the screen was locked. Told by D-Bus, never asked.

Listens to logind on the system's bus and to the screen saver on the session's. A desktop without them tells nothing.
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
    """Lives on the GUI thread. ``react``: what to do when the owner may be back; None for nothing."""

    def __init__(self) -> None:
        super().__init__()
        self.react: Callable[[], None] | None = None
        slot: Any = SLOT("began_or_ended(bool)")  # text, whatever the stubs say
        heard = QDBusConnection.systemBus().connect(*_LOGIN, self, slot)
        for saver in _SAVERS:  # each is at a path of its own, and only one of them is there
            heard = QDBusConnection.sessionBus().connect("", "", saver, "ActiveChanged", self, slot) or heard
        if not heard:
            _log.info("nobody tells of a session that wakes")

    @Slot(bool)
    def began_or_ended(self, began: bool) -> None:
        if not began and self.react is not None:
            self.react()
