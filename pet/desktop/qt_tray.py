"""Qt's tray icon with its menu. Imported late."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QIcon, QPainter, QPixmap
from PySide6.QtWidgets import QSystemTrayIcon

from pet.desktop.platform import TraySpec
from pet.desktop.qt_menu import Menu

_SIZES = (16, 22, 24, 32, 48, 64)
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
