"""Screenshot of one monitor, or of an area the owner selects. X11 only: elsewhere Qt can't capture.

All monitors are captured first and the selection is made in those images, so the selection overlay is in none of
them. No image is kept afterwards.
"""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QBuffer, QByteArray, QEvent, QIODevice, QPoint, QRect, QRectF, Qt
from PySide6.QtGui import (
    QColor,
    QCursor,
    QEnterEvent,
    QFont,
    QGuiApplication,
    QImageWriter,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QScreen,
)
from PySide6.QtWidgets import QWidget

from pet.services.desktop_port import Area

_SHADE = QColor(24, 18, 14, 120)
_EDGE = QColor("#e07a5f")
_CROSS = QColor(255, 255, 255, 110)
_PILL, _WORDS = QColor(24, 18, 14, 215), QColor("#fff8f0")
_SMALLEST = 4
"""Smallest selection in units; a smaller drag counts as a click."""


Chosen = Callable[[QPixmap | None], None]


class Screenshot:
    """One capture. ``taken`` is called once, on the GUI thread: with a PNG, or None if cancelled."""

    def __init__(self, area: Area, hint: str, taken: Callable[[bytes | None], None]) -> None:
        self._taken = taken
        self._veils: list[_Veil] = []
        here = QGuiApplication.screenAt(QCursor.pos()) or QGuiApplication.primaryScreen()
        if area == "screen":
            taken(_png(here.grabWindow(0)))
            return
        screens = QGuiApplication.screens()
        self._veils = [_Veil(screen, screen.grabWindow(0), hint, self._chosen, self._whole) for screen in screens]
        for veil in self._veils:
            veil.show()
            veil.raise_()
        first = self._veils[screens.index(here)]
        first.activateWindow()
        first.grabKeyboard()

    def _whole(self) -> None:
        """Capture the monitor at the pointer."""
        here = next((veil for veil in self._veils if veil.geometry().contains(QCursor.pos())), self._veils[0])
        self._chosen(here.picture)

    def _chosen(self, picture: QPixmap | None) -> None:
        veils, self._veils = self._veils, []
        if not veils:
            return
        for veil in veils:
            veil.releaseKeyboard()
            veil.hide()
            veil.deleteLater()
        self._taken(_png(picture) if picture is not None else None)


class _Veil(QWidget):
    """Full-screen overlay on one monitor: its dimmed image, with the selection undimmed."""

    def __init__(
        self, screen: QScreen, picture: QPixmap, hint: str, chosen: Chosen, whole: Callable[[], None]
    ) -> None:
        super().__init__(
            None,
            # Bypass the window manager, which would place it beside panels and report a full-screen program.
            Qt.WindowType.Tool
            | Qt.WindowType.FramelessWindowHint
            | Qt.WindowType.WindowStaysOnTopHint
            | Qt.WindowType.X11BypassWindowManagerHint,
        )
        self.picture, self._hint, self._chosen, self._whole = picture, hint, chosen, whole
        self._from: QPoint | None = None
        self._to = QCursor.pos() - screen.geometry().topLeft()
        self.setWindowTitle(hint)
        self.setGeometry(screen.geometry())
        self.setCursor(Qt.CursorShape.CrossCursor)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def enterEvent(self, _event: QEnterEvent) -> None:  # noqa: N802
        self.update()

    def leaveEvent(self, _event: QEvent) -> None:  # noqa: N802
        self.update()

    # --- input ----------------------------------------------------------------------------------

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if event.button() == Qt.MouseButton.LeftButton:
            self._from = self._to = event.position().toPoint()
            self.update()
        else:
            self._chosen(None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self._to = event.position().toPoint()
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if event.button() != Qt.MouseButton.LeftButton or self._from is None:
            return
        self._to = event.position().toPoint()
        frame = self._frame()
        self._from = None
        if frame.isNull():
            self.update()
        else:
            self._chosen(self.picture.copy(self._in_pixels(frame)))

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() == Qt.Key.Key_Escape:
            self._chosen(None)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._whole()

    # --- selection ------------------------------------------------------------------------

    def _frame(self) -> QRect:
        """Return the selection; null while it is too small."""
        if self._from is None:
            return QRect()
        left, right = sorted((self._from.x(), self._to.x()))
        top, bottom = sorted((self._from.y(), self._to.y()))
        frame = QRect(left, top, right - left, bottom - top).intersected(self.rect())
        return frame if min(frame.width(), frame.height()) >= _SMALLEST else QRect()

    def _in_pixels(self, frame: QRect) -> QRect:
        ratio = self.picture.devicePixelRatio()
        corner = QPoint(round(frame.x() * ratio), round(frame.y() * ratio))
        return QRect(corner.x(), corner.y(), round(frame.width() * ratio), round(frame.height() * ratio))

    # --- painting -----------------------------------------------------------------------------------

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.drawPixmap(0, 0, self.picture)
        painter.fillRect(self.rect(), _SHADE)
        frame = self._frame()
        if frame.isNull():
            if self.underMouse():
                self._paint_cross(painter)
                self._paint_pill(painter, self._hint, QPoint(self.width() // 2, self.height() // 9), 14)
        else:
            self._paint_frame(painter, frame)

    def _paint_cross(self, painter: QPainter) -> None:
        painter.setPen(QPen(_CROSS, 1))
        painter.drawLine(self._to.x(), 0, self._to.x(), self.height())
        painter.drawLine(0, self._to.y(), self.width(), self._to.y())

    def _paint_frame(self, painter: QPainter, frame: QRect) -> None:
        ratio = self.picture.devicePixelRatio()
        pixels = self._in_pixels(frame)
        painter.drawPixmap(frame, self.picture, pixels)
        painter.setPen(QPen(_EDGE, 2))
        painter.drawRect(frame.adjusted(-1, -1, 1, 1))
        size = f"{round(frame.width() * ratio)} × {round(frame.height() * ratio)}"
        below = frame.bottom() + 22
        at = below if below + 16 < self.height() else max(frame.top() - 22, 18)
        self._paint_pill(painter, size, QPoint(frame.center().x(), at), 12)

    def _paint_pill(self, painter: QPainter, words: str, middle: QPoint, points: int) -> None:
        font = QFont(self.font())
        font.setPixelSize(points)
        font.setWeight(QFont.Weight.DemiBold)
        painter.setFont(font)
        room = painter.fontMetrics().boundingRect(words)
        width, height = room.width() + 2 * points, room.height() + points
        left = min(max(middle.x() - width / 2, 6), max(6, self.width() - width - 6))
        pill = QRectF(left, middle.y() - height / 2, width, height)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(_PILL)
        painter.drawRoundedRect(pill, height / 2, height / 2)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(_WORDS)
        painter.drawText(pill, Qt.AlignmentFlag.AlignCenter, words)


def _png(picture: QPixmap) -> bytes:
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"png")).write(picture.toImage())
    return bytes(buffer.data().data())
