"""Qt's tray icon, and session events over D-Bus: a tray comes or goes, resume from sleep, unlock.

Imported late: it loads QtDBus.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from PySide6.QtCore import SLOT, QObject, QRectF, Qt, Slot
from PySide6.QtDBus import QDBusConnection, QDBusServiceWatcher
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QSystemTrayIcon

from pet.desktop.linux.menu import Menu
from pet.desktop.platform import TraySpec

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


_SIZES = (16, 22, 24, 32, 48, 64)
_WATCHER = "org.kde.StatusNotifierWatcher"
_MARK = QColor("#d1481a")
_RIM = QColor("#fffdf9")
_SHARE = 0.46  # of the icon's side


class Tray:
    """Tray icon with its menu. Create it only if there is a tray."""

    def __init__(self, tray: TraySpec, *, see_through: bool) -> None:
        self._spec = tray
        # Rendered by the desktop on a background of unknown colour: use its font and no icons of ours.
        self._menu = Menu(see_through=see_through, signs=False)
        self._menu.aboutToShow.connect(self._fill)
        self._fill()  # over D-Bus the menu is read before aboutToShow
        self._worn: tuple[bytes | None, bool] = None, False
        self._icon = QSystemTrayIcon(icon_of(QPixmap(str(tray.icon)), unread=False))
        self._icon.setToolTip(tray.tooltip)
        self._icon.setContextMenu(self._menu)
        click = QSystemTrayIcon.ActivationReason.Trigger
        self._icon.activated.connect(lambda reason: tray.on_click() if reason == click else None)
        self._icon.show()

    def update(self, tooltip: str, *, unread: bool, picture: bytes | None) -> None:
        self._icon.setToolTip(tooltip)
        if (picture, unread) != self._worn:
            self._worn = picture, unread
            pet = QPixmap()
            if picture is None or not pet.loadFromData(picture):
                pet = QPixmap(str(self._spec.icon))
            self._icon.setIcon(icon_of(pet, unread=unread))

    def hide(self) -> None:
        self._icon.hide()

    def _fill(self) -> None:
        self._menu.fill(self._spec.items(), dark=self._spec.dark())


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


def icon_of(pet: QPixmap, *, unread: bool) -> QIcon:
    """Return an icon in every size a tray may request, so that the badge is sharp."""
    icon = QIcon()
    for size in _SIZES:
        icon.addPixmap(_drawn(pet, size, unread=unread))
    return icon


def _drawn(pet: QPixmap, size: int, *, unread: bool) -> QPixmap:
    picture = QPixmap(size, size)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    whole = pet.scaled(size, size, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation)
    painter.drawPixmap((size - whole.width()) // 2, (size - whole.height()) // 2, whole)
    if unread:
        side = size * _SHARE
        rim = max(1.0, size / 22)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(_RIM)
        painter.drawEllipse(QRectF(size - side, 0, side, side))
        painter.setBrush(_MARK)
        painter.drawEllipse(QRectF(size - side + rim, rim, side - 2 * rim, side - 2 * rim))
    painter.end()
    return picture
