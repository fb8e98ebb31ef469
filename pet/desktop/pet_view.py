"""The native pet: a widget that draws it and passes the owner's input on. The content of the pet's window.

    view = PetView(port, body="soulpet/moss")
    view.on_outline = lambda outline: ...
    view.show()
    view.actor.on_event(MoodChanged(mood=Mood.HAPPY))

Everything on the GUI thread; all commands go through ``PetOrders``. One single-shot timer runs
what is due next; hidden or held still only acts that end by themselves have one.
"""

from __future__ import annotations

import logging
import math
import random
import time
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import (
    QCloseEvent,
    QColor,
    QContextMenuEvent,
    QDragEnterEvent,
    QDragLeaveEvent,
    QDragMoveEvent,
    QDropEvent,
    QEnterEvent,
    QGuiApplication,
    QHideEvent,
    QImage,
    QInputDevice,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPointingDevice,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import QWidget

from pet.body.acts import Act, Timing
from pet.body.agenda import Agenda, DueCall
from pet.body.creature import HEIGHT, WIDTH, Wear
from pet.body.life import Surroundings
from pet.body.motion import THRESHOLD
from pet.body.travels import FADE_MS
from pet.desktop.dropped_things import read_drag
from pet.desktop.geometry import GROW, Mask, Rect
from pet.desktop.pet_actor import PetActor, Worn
from pet.desktop.pet_pictures import (
    BodyPictures,
    Drawn,
    PetPicture,
    PictureCache,
    SheetPictures,
    Size,
    UnusableSheet,
)

if TYPE_CHECKING:
    from pet.bridge.commands.skins import SkinSheet
    from pet.desktop.core_client import PetOrders

_log = logging.getLogger(__name__)

_DOUBLE_MS = 500  # at least, in which a click may become a double click
_HOLD_MS = 600  # of a finger that rests, until the menu opens
_FADE_STEPS = 5
_MARK = 7  # diameter of the mark that another agent was given lines of memory


def _nothing() -> None:
    """Do nothing."""


def _now() -> float:
    return time.monotonic() * 1000


def _here() -> Surroundings:
    return Surroundings(random.random, lambda: datetime.now().hour)


class PetView(QWidget):
    """``body``: the skin's id of the body to draw at once, ``pet_actor.UNKNOWN_BODY`` for none before the core
    has reported the look. ``calm``: whether the system asks for reduced motion; call ``actor.settle`` when that
    changes.

    ``on_drawn``: called once, with its first frame, which is empty for an unknown body. ``on_shown``: called
    each time the window is shown. ``on_closed``: called when a window manager closes it.
    ``on_changed``: called when what it draws has changed, before it is shown.
    """

    def __init__(
        self,
        port: PetOrders,
        body: str = "",
        *,
        calm: Callable[[], bool] = lambda: False,
        around: Surroundings | None = None,
        clock: Callable[[], float] = _now,
        parent: QWidget | None = None,
    ) -> None:
        flags = Qt.WindowType.FramelessWindowHint | Qt.WindowType.WindowStaysOnTopHint
        super().__init__(parent, flags | Qt.WindowType.WindowDoesNotAcceptFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.on_drawn: Callable[[], object] = _nothing
        self.on_closed: Callable[[], object] = _nothing
        self.on_shown: Callable[[], object] = _nothing
        self.on_changed: Callable[[], object] = _nothing
        self._port = port
        self.wants_calm = calm
        self._hides: tuple[int, int] = (0, 0)
        self._shift = 0
        self._opacity = 1.0
        self._fading: DueCall | None = None
        self._marked = False
        self._drawn: Drawn | None = None
        self._picture: PetPicture | None = None  # of ``_drawn``, once it was wanted
        self.drawn_size: Size = (0, 0)  # in device pixels
        self._ratio = 1.0
        self._pictures = PictureCache()
        self._held: DueCall | None = None  # a finger rests
        self._pressed_at = QPointF()
        self._dragged: tuple[list[Path], str] = [], ""  # over it
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._run)
        self._agenda = Agenda(clock, self._reckon)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent, False)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setMouseTracking(True)
        self.setAcceptDrops(True)
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self.resize(WIDTH, HEIGHT)
        hints = QGuiApplication.styleHints()
        double_ms = max(_DOUBLE_MS, hints.mouseDoubleClickInterval())
        self.actor = PetActor(self, port, self._agenda, around or _here(), body, double_ms)
        self._resized()
        self.actor.begin()

    # --- for the window -------------------------------------------------------------------------

    def outline(self) -> list[Rect]:
        """Return where it takes clicks, in device pixels: the drawing and some pixels around it (``geometry.GROW``);
        empty for nothing drawn yet. Known before it is shown."""
        return self._seen_part(GROW) or ([Rect(0, 0, 1, 1)] if self._shift else [])

    def silhouette(self) -> list[Rect]:
        """Return what is drawn and one pixel around it, in device pixels: all of a window without a compositor."""
        return self._seen_part(1)

    @property
    def drawn_mask(self) -> Mask | None:
        """The opaque part of its picture; None if that is not drawn whole."""
        picture = self._shown
        return None if picture is None or any(self._hides) or self._shift else picture.mask

    def stop(self) -> None:
        """End for good: no timer is left."""
        self._agenda.clear()
        self._timer.stop()

    @property
    def hidden(self) -> bool:
        return not self.isVisible() or self.isMinimized()

    # --- time -----------------------------------------------------------------------------------

    def _reckon(self) -> None:
        due = self._agenda.due()
        if due is None:
            self._timer.stop()
        else:
            self._timer.start(max(0, math.ceil(due - self._agenda.clock())))

    def _run(self) -> None:
        self._agenda.run()

    # --- drawing --------------------------------------------------------------------------------

    def put(self, drawn: Drawn) -> None:
        """Show a picture; drawn once its outline or pixels are wanted, unless it is one of the last ones."""
        if self._drawn is not None and drawn[0] == self._drawn[0]:
            return
        self._drawn, self._picture = drawn, None
        self._changed()

    def _changed(self) -> None:
        self.on_changed()
        self.update()

    @property
    def _shown(self) -> PetPicture | None:
        if self._picture is None and self._drawn is not None:
            self._picture = self._pictures.get(*self._drawn)
        return self._picture

    def _seen_part(self, grow: float) -> list[Rect]:
        picture = self._shown
        if picture is None:
            return []
        ratio = self.devicePixelRatioF()
        outline = picture.mask.outline(grow * ratio)
        left, right = (round(each * ratio) for each in self._hides)
        aside = round(self._shift * ratio)
        if not left and not right and not aside:
            return outline
        end = picture.image.width() - right
        moved = [(each.x + aside, each.y, each.right + aside, each.height) for each in outline]
        cut = [(max(x, left), y, min(edge, end), height) for x, y, edge, height in moved]
        return [Rect(x, y, edge - x, height) for x, y, edge, height in cut if edge > x]

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        drawn, self.on_drawn = self.on_drawn, _nothing
        picture = self._shown
        if picture is not None:
            self._paint(picture.image)
        drawn()

    def _paint(self, image: QImage) -> None:
        ratio = self.devicePixelRatioF()
        if ratio != self._ratio:
            self._agenda.after(0, self._resized)  # there is no event of it before Qt 6.6
        painter = QPainter(self)
        if self._opacity < 1:
            painter.setOpacity(self._opacity)
        left, right = self._hides
        if left or right:
            painter.setClipRect(self.rect().adjusted(left, 0, -right, 0))
        # Pixel by pixel, or a fractional scale would blur it.
        painter.drawImage(QRectF(self._shift, 0, image.width() / ratio, image.height() / ratio), image)
        if self._marked:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(QColor("#fffdf9"), 1.5))
            painter.setBrush(QColor("#d9822b"))
            place = QPointF(self.width() / 2, self.height() - 4 - _MARK / 2)
            painter.drawEllipse(place, _MARK / 2, _MARK / 2)
        painter.end()

    def sizeHint(self) -> QSize:  # noqa: N802
        return QSize(WIDTH, HEIGHT)

    def body(self, body: str) -> Worn:
        """Draw one of our own bodies from now on, the first for an unknown name."""
        return _Worn(self, BodyPictures(body))

    def sheet(self, sheet: SkinSheet) -> Worn | None:
        """Draw a skin of pictures from now on; None if they can't be drawn."""
        try:
            return _Worn(self, SheetPictures(sheet, self.drawn_size))
        except UnusableSheet:
            _log.warning("a skin's picture can't be drawn: our own body is shown")
            return None

    def carried(self, held: bool) -> None:
        """Whether a hand drags it."""
        self.setCursor(Qt.CursorShape.ClosedHandCursor if held else Qt.CursorShape.OpenHandCursor)

    def cover(self, left: int, right: int) -> None:
        """Leave ``left`` and ``right`` pixels at its sides undrawn."""
        if (left, right) != self._hides:
            self._hides = left, right
            self._changed()

    def shift(self, dx: float) -> None:
        """Draw everything this far to the side, cut at the window's edges."""
        if round(dx) != self._shift:
            self._shift = round(dx)
            self._changed()

    def fade(self, faded: bool) -> None:
        """Vanish or appear, within ``travels.FADE_MS``."""
        if self._fading is not None:
            self._fading.cancel()
        goal, step = (0.0, -1 / _FADE_STEPS) if faded else (1.0, 1 / _FADE_STEPS)

        def fade_on() -> None:
            opacity = min(1.0, max(0.0, self._opacity + step))
            done = abs(opacity - goal) < 0.01
            self._opacity = goal if done else opacity
            self.update()
            self._fading = None if done else self._agenda.after(FADE_MS / _FADE_STEPS, fade_on)

        fade_on()

    def mark_read(self, marked: bool) -> None:
        """Show or remove the mark that another program was given lines of memory."""
        self._marked = marked
        self.update()

    # --- the window's events --------------------------------------------------------------------

    def showEvent(self, event: QShowEvent) -> None:  # noqa: N802
        super().showEvent(event)
        self.actor.visibility_changed()
        self.on_shown()

    def hideEvent(self, event: QHideEvent) -> None:  # noqa: N802
        super().hideEvent(event)
        self.actor.visibility_changed()

    def closeEvent(self, event: QCloseEvent) -> None:  # noqa: N802
        if event.spontaneous():
            event.ignore()
            self.on_closed()

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        super().resizeEvent(event)
        self._resized()

    def changeEvent(self, event: QEvent) -> None:  # noqa: N802
        super().changeEvent(event)
        if event.type() == QEvent.Type.WindowStateChange:
            self.actor.visibility_changed()

    def _resized(self) -> None:
        before, self._ratio = self.drawn_size, self.devicePixelRatioF()
        width, height = (max(1, round(side * self._ratio)) for side in (self.width(), self.height()))
        self.drawn_size = width, height
        if before not in (self.drawn_size, (0, 0)):
            self._pictures.clear()
            self.actor.resized()

    # --- the pointer ----------------------------------------------------------------------------

    def enterEvent(self, event: QEnterEvent) -> None:  # noqa: N802
        mouse = event.pointerType() == QPointingDevice.PointerType.Generic
        self.actor.entered(free=mouse and event.buttons() == Qt.MouseButton.NoButton)

    def leaveEvent(self, _event: QEvent) -> None:  # noqa: N802
        self.actor.left()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self._press(event, double=False)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        self._press(event, double=True)

    def _press(self, event: QMouseEvent, *, double: bool) -> None:
        if event.button() != Qt.MouseButton.LeftButton:
            return
        at = event.globalPosition()
        self.actor.pressed(at.x(), at.y(), event.timestamp(), double=double)
        if event.device().type() == QInputDevice.DeviceType.TouchScreen:
            self._pressed_at = at
            self._held = self._agenda.after(_HOLD_MS, self.actor.held_long)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        at = event.globalPosition()
        if event.buttons() & Qt.MouseButton.LeftButton:
            if (at - self._pressed_at).manhattanLength() >= THRESHOLD:
                self._let_go()
            self.actor.dragged(at.x(), at.y(), event.timestamp())
        elif event.buttons() == Qt.MouseButton.NoButton:
            here = event.position()
            self.actor.hovered(here.x(), here.y())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if event.button() != Qt.MouseButton.LeftButton:
            return
        self._let_go()
        at, shift = event.globalPosition(), bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        self.actor.released(at.x(), at.y(), event.timestamp(), shift=shift)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:  # noqa: N802
        event.accept()
        self.actor.menu()

    def _let_go(self) -> None:
        if self._held is not None:
            self._held.cancel()
            self._held = None

    # --- what is dragged over it ----------------------------------------------------------------

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:  # noqa: N802
        self._dragged = read_drag(event.mimeData())
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        self.actor.drag_entered()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:  # noqa: N802
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()

    def dragLeaveEvent(self, _event: QDragLeaveEvent) -> None:  # noqa: N802
        self.actor.drag_left()

    def dropEvent(self, event: QDropEvent) -> None:  # noqa: N802
        event.setDropAction(Qt.DropAction.CopyAction)
        event.accept()
        if self.actor.dropped():
            self._take(*(self._dragged if any(self._dragged) else read_drag(event.mimeData())))
        self._dragged = [], ""

    def _take(self, files: list[Path], text: str) -> None:
        """Send what was dropped to the field, or to the composer; with nothing in it, open the chat."""
        if files or text:
            self._port.drop(files, text)
        else:
            self._port.show_chat()


class _Worn:
    """Pictures of a skin on the view."""

    def __init__(self, view: PetView, pictures: BodyPictures | SheetPictures) -> None:
        self._view = view
        self._pictures = pictures
        self.settles = pictures.settles
        self.timing: Timing = pictures.timing

    def show(self, act: Act, frame: int, wear: Wear) -> None:
        self._view.put(self._pictures.act(act, frame, wear, self._view.drawn_size))

    def gaze(self, direction: int, wear: Wear) -> bool:
        drawn = self._pictures.gaze(direction, wear, self._view.drawn_size)
        if drawn is not None:
            self._view.put(drawn)
        return drawn is not None
