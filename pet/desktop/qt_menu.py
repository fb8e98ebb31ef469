"""Qt menu styled like the pages: background, font and icons, light or dark.

The entries come from ``pet.desktop.platform``; submenus are filled when they open.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict

from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QAction, QActionGroup, QColor, QGuiApplication, QIcon, QPainter, QPixmap, QWindow
from PySide6.QtWidgets import QMenu, QSystemTrayIcon, QWidget

from pet.desktop.platform import MenuItem
from pet.desktop.qt_style import DARK, LIGHT, Colours, font, plain_font, sign
from pet.paths import assets_folder

_SHEET = """
QMenu {{
  background: {raised}; color: {ink}; border: 1px solid {line}; border-radius: {radius}px; padding: 6px;
}}
QMenu::item {{ padding: 6px 26px 6px 15px; border-radius: 8px; margin: 0; min-width: 132px; }}
QMenu::icon {{ left: 11px; }}
QMenu::item:selected {{ background: {chosen}; color: {ink}; }}
QMenu::item:disabled {{ color: {soft}; }}
QMenu::separator {{ height: 1px; background: {line}; margin: 5px 11px; }}
QMenu::indicator {{ width: 16px; height: 16px; left: 11px; }}
QMenu::indicator:non-exclusive:checked {{ image: url("{pictures}/tick-{name}.svg"); }}
QMenu::indicator:exclusive:checked {{ image: url("{pictures}/dot-{name}.svg"); }}
QMenu::indicator:unchecked {{ image: none; }}
QMenu::right-arrow {{ image: url("{pictures}/more-{name}.svg"); width: 16px; height: 16px; right: 8px; }}
"""
_SIGN = 16  # pixels


class Menu(QMenu):
    """A menu. ``see_through``: a compositor runs, so corners can be round. ``signs``: use our font and icons."""

    def __init__(self, *, see_through: bool, signs: bool = True, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._see_through = see_through
        self._signs = signs
        self._dark = False
        self.setFont(font() if signs else plain_font())
        if see_through:
            self.setWindowFlag(Qt.WindowType.FramelessWindowHint, True)
            self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)

    def fill(self, items: Sequence[MenuItem], *, dark: bool) -> None:
        self.clear()
        for of_before in (*self.findChildren(Menu), *self.findChildren(QActionGroup)):  # clearing leaves them
            of_before.deleteLater()
        self._dark = dark
        self.setStyleSheet(_sheet(DARK if dark else LIGHT, round_corners=self._see_through))
        group = QActionGroup(self)
        for place, item in enumerate(items):
            if item.starts_group and place:
                self.addSeparator()
            if item.children is not None:
                self.addMenu(self._within(item))
                continue
            action = self._action(item)
            if item.one_of:
                group.addAction(action)
            self.addAction(action)

    def _action(self, item: MenuItem) -> QAction:
        action = QAction(item.text, self)
        if item.checked is not None:
            action.setCheckable(True)
            action.setChecked(item.checked)
        if not item.checked:  # a checked entry shows the tick instead
            action.setIcon(self._sign(item))
        if item.act is None:
            action.setEnabled(False)
        else:
            action.triggered.connect(lambda _checked=False, act=item.act: act())
        return action

    def _within(self, item: MenuItem) -> Menu:
        inner = Menu(see_through=self._see_through, signs=self._signs, parent=self)
        inner.setTitle(item.text)
        inner.setIcon(self._sign(item))
        inner.fill([MenuItem(text="…")], dark=self._dark)  # an empty submenu would not open
        children, dark = item.children, self._dark
        inner.aboutToShow.connect(lambda: inner.fill(children() if children else (), dark=dark))
        return inner

    def _sign(self, item: MenuItem) -> QIcon:
        if not (self._signs and item.sign):
            return QIcon()
        ratio = self.devicePixelRatioF()
        return sign(item.sign, (DARK if self._dark else LIGHT).soft, round(_SIGN * ratio), ratio)


class FocusHolder(QWidget):
    """One invisible pixel that has the keyboard focus while a menu is open, on Wayland.

    There an X program gets no clicks and keys outside its own windows, so an open menu would stay open; losing the
    focus closes it. ``tool``: a tool window, not an ordinary one.
    """

    def __init__(self, menu: Menu, *, tool: bool) -> None:
        kind = Qt.WindowType.Tool if tool else Qt.WindowType.Window
        super().__init__(None, kind | Qt.WindowType.FramelessWindowHint)
        self._menu = menu
        self._held = False
        self.setAttribute(Qt.WidgetAttribute.WA_QuitOnClose, False)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.setFixedSize(1, 1)
        menu.aboutToHide.connect(self._end)
        QGuiApplication.instance().focusWindowChanged.connect(self._moved)  # type: ignore[union-attr]

    def hold(self, at: QPoint) -> None:
        self.move(at)
        self.show()
        self.activateWindow()

    def _moved(self, window: QWindow | None) -> None:
        if window is not None:
            self._held = True
        elif self._held:  # before that, the menu opens while another program has the focus
            self._menu.close()

    def _end(self) -> None:
        QGuiApplication.instance().focusWindowChanged.disconnect(self._moved)  # type: ignore[union-attr]
        self.close()
        self.deleteLater()


def _sheet(colours: Colours, *, round_corners: bool) -> str:
    pictures = (assets_folder() / "menu").as_posix()
    return _SHEET.format(**asdict(colours), radius=12 if round_corners else 0, pictures=pictures)


_PROGRAM = str(assets_folder() / "icon" / "soulpet-64.png")
_SIZES = (16, 22, 24, 32, 48, 64)
_MARK = QColor("#d1481a")
_RIM = QColor("#fffdf9")
_SHARE = 0.46  # of the icon's side


class Tray:
    """Tray icon with its menu. Create it only if there is a tray. ``dark``: evaluated when its menu opens."""

    def __init__(
        self,
        items: Callable[[], Sequence[MenuItem]],
        *,
        on_click: Callable[[], None],
        dark: Callable[[], bool],
        see_through: bool,
    ) -> None:
        self._items, self._dark = items, dark
        # Rendered by the desktop on a background of unknown colour: use its font and no icons of ours.
        self._menu = Menu(see_through=see_through, signs=False)
        self._menu.aboutToShow.connect(self._fill)
        self._fill()  # over D-Bus the menu is read before aboutToShow
        self._worn: tuple[bytes | None, bool] = None, False
        self._icon = QSystemTrayIcon(icon_of(QPixmap(_PROGRAM), unread=False))
        self._icon.setContextMenu(self._menu)
        click = QSystemTrayIcon.ActivationReason.Trigger
        self._icon.activated.connect(lambda reason: on_click() if reason == click else None)
        self._icon.show()

    def update(self, tooltip: str, *, unread: bool, picture: bytes | None) -> None:
        self._icon.setToolTip(tooltip)
        if (picture, unread) != self._worn:
            self._worn = picture, unread
            pet = QPixmap()
            if picture is None or not pet.loadFromData(picture):
                pet = QPixmap(_PROGRAM)
            self._icon.setIcon(icon_of(pet, unread=unread))

    def hide(self) -> None:
        self._icon.hide()

    def _fill(self) -> None:
        self._menu.fill(self._items(), dark=self._dark())


def icon_of(pet: QPixmap, *, unread: bool) -> QIcon:
    """Return an icon in every size a tray may request, so that the badge is sharp."""
    icon = QIcon()
    for size in _SIZES:
        icon.addPixmap(_tray_icon(pet, size, unread=unread))
    return icon


def _silhouette(pet: QPixmap) -> QPixmap:
    """Return its outline, filled with a light colour."""
    light = QPixmap(pet.size())
    light.fill(Qt.GlobalColor.transparent)
    painter = QPainter(light)
    painter.drawPixmap(0, 0, pet)
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceIn)
    painter.fillRect(light.rect(), _RIM)
    painter.end()
    return light


def _tray_icon(pet: QPixmap, size: int, *, unread: bool) -> QPixmap:
    picture = QPixmap(size, size)
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    halo = max(1, round(size / 24))
    room = size - 2 * halo
    whole = pet.scaled(room, room, Qt.AspectRatioMode.KeepAspectRatio, Qt.TransformationMode.SmoothTransformation)
    x, y = (size - whole.width()) // 2, (size - whole.height()) // 2
    light = _silhouette(whole)
    for dx in (-halo, 0, halo):  # a dark pet is seen on a dark panel
        for dy in (-halo, 0, halo):
            painter.drawPixmap(x + dx, y + dy, light)
    painter.drawPixmap(x, y, whole)
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
