"""The session over D-Bus: a tray comes or goes, resume from sleep, unlock, reduced motion.

Imported late: it loads QtDBus.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import SLOT, QObject, Slot
from PySide6.QtDBus import QDBusConnection, QDBusMessage, QDBusPendingCallWatcher, QDBusServiceWatcher, QDBusVariant

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


_WATCHER = "org.kde.StatusNotifierWatcher"


class StatusNotifierWatch(QObject):
    """Reports whether a D-Bus tray is present: now, and on each change. GUI thread only."""

    def __init__(self, react: Callable[[bool], None]) -> None:
        super().__init__()
        bus = QDBusConnection.sessionBus()
        self._watch = QDBusServiceWatcher(_WATCHER, bus, parent=self)
        self._watch.serviceRegistered.connect(lambda _name: react(True))
        self._watch.serviceUnregistered.connect(lambda _name: react(False))
        interface = bus.interface()
        if interface is not None and interface.isServiceRegistered(_WATCHER).value():
            react(True)


_PORTAL = ("org.freedesktop.portal.Desktop", "/org/freedesktop/portal/desktop", "org.freedesktop.portal.Settings")
_ANIMATIONS = ("org.gnome.desktop.interface", "enable-animations")
"""Other desktops' portals answer for it too (xdg-desktop-portal, Settings, version 1)."""


class MotionWatch(QObject):
    """Whether the desktop's animations are switched off. ``changed``: called on the GUI thread on each change."""

    def __init__(self, changed: Callable[[], None]) -> None:
        super().__init__()
        self.reduced = False
        self._changed = changed
        bus = QDBusConnection.sessionBus()
        slot: Any = SLOT("on_setting(QDBusMessage)")  # str, contrary to the stubs
        bus.connect(*_PORTAL, "SettingChanged", self, slot)
        question = QDBusMessage.createMethodCall(*_PORTAL, "Read")
        question.setArguments(list(_ANIMATIONS))
        question.setAutoStartService(False)
        self._answer = QDBusPendingCallWatcher(bus.asyncCall(question), self)
        self._answer.finished.connect(lambda watcher: self._take(watcher.reply().arguments()[:1]))

    @Slot(QDBusMessage)
    def on_setting(self, message: QDBusMessage) -> None:
        *names, value = message.arguments()
        if tuple(names) == _ANIMATIONS:
            self._take([value])

    def _take(self, values: list[Any]) -> None:
        value = values[0] if values else None
        while isinstance(value, QDBusVariant):  # Read nests one in another
            value = value.variant()
        if isinstance(value, bool) and value is self.reduced:
            self.reduced = not value
            self._changed()
