"""The pet's ball and its cushion, each a small window that takes no focus: dragged, thrown, kicked, slept on.

On the GUI thread. Nothing moves but a ball that rolls; both are hidden with the pet.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal

from PySide6.QtCore import QByteArray, QPointF, Qt
from PySide6.QtGui import QImage, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QWidget

from pet.body.motion import Press, Vector
from pet.desktop.geometry import Rect, keep_on_screen, monitor_of, primary_of
from pet.desktop.ground import on_top
from pet.desktop.pet_pictures import mask_of
from pet.desktop.placement_store import PlacementStore
from pet.desktop.window_group import Things
from pet.extras.belongings import BelongingSettings
from pet.extras.belongings.ball import STEP_MS, Ball
from pet.paths import assets_folder

if TYPE_CHECKING:
    from pet.desktop.qt_desktop import QtDesktop
    from pet.settings.schema import Settings

BelongingName = Literal["ball", "cushion"]
_SIZES: dict[BelongingName, tuple[int, int]] = {"ball": (48, 48), "cushion": (168, 56)}
_FROM_RIGHT: dict[BelongingName, int] = {"ball": 700, "cushion": 420}  # of the work area, before its owner has put it
_SINKS = 0.36  # share of the cushion's height that a pet sinks into it
_KICK = 0.75, -0.55  # the speed of a ball that is kicked
_SHOWN_MS = 200


class BelongingView(QWidget):
    """``moved``: called with the way since the press, and whether it was let go, with the speed of a throw."""

    def __init__(self, name: BelongingName, size: tuple[int, int]) -> None:
        flags = Qt.WindowType.FramelessWindowHint | Qt.WindowType.WindowStaysOnTopHint
        super().__init__(None, flags | Qt.WindowType.WindowDoesNotAcceptFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_ShowWithoutActivating)
        self.setAttribute(Qt.WidgetAttribute.WA_TranslucentBackground)
        self.setCursor(Qt.CursorShape.OpenHandCursor)
        self.setFixedSize(*size)
        data = (assets_folder() / "bodies" / f"{name}.svg").read_bytes()
        self._drawing = QSvgRenderer(QByteArray(data))
        self.turn = 0.0
        self.moved: Callable[[float, float, bool, Vector | None], object] = lambda *_about: None
        self._press = Press(lambda dx, dy, done: None if done else self.moved(dx, dy, False, None))

    def outline(self) -> list[Rect]:
        """Return where it takes clicks, in device pixels."""
        ratio = self.devicePixelRatioF()
        image = QImage(round(self.width() * ratio), round(self.height() * ratio), QImage.Format.Format_ARGB32)
        image.fill(Qt.GlobalColor.transparent)
        painter = QPainter(image)
        self._drawing.render(painter)
        painter.end()
        return mask_of(image).outline(2)

    def paintEvent(self, _event: QPaintEvent) -> None:  # noqa: N802
        painter = QPainter(self)
        middle = QPointF(self.width() / 2, self.height() / 2)
        painter.translate(middle)
        painter.rotate(self.turn)
        painter.translate(-middle)
        self._drawing.render(painter, self.rect())
        painter.end()

    def mousePressEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        if event.button() == Qt.MouseButton.LeftButton:
            at = event.globalPosition()
            self._press.start(at.x(), at.y(), event.timestamp())

    def mouseMoveEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        at = event.globalPosition()
        self._press.move(at.x(), at.y(), event.timestamp())

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:  # noqa: N802
        at = event.globalPosition()
        dragged, way, speed = self._press.end(at.x(), at.y(), event.timestamp(), throws=True)
        if dragged:
            self.moved(way.x, way.y, True, speed)


class Belongings(Things):
    """The pet's things from the settings, at the place that the owner chose."""

    def __init__(self, platform: QtDesktop, places: PlacementStore) -> None:
        self._platform = platform
        self._screens = platform.screens
        self._places = places
        self._views: dict[BelongingName, BelongingView] = {}
        self._starts: dict[BelongingName, Rect] = {}  # of a drag
        self._at: dict[BelongingName, Rect] = {}
        self._rolling: Ball | None = None
        self._seen = True

    def apply(self, settings: Settings, *, leads: bool) -> None:
        given = settings.of(BelongingSettings)
        wanted = {"ball": given.pet_ball and leads, "cushion": given.pet_cushion and leads}
        for name in _SIZES:
            if wanted[name] and name not in self._views:
                self._bring(name, settings.pet_size)
            elif not wanted[name] and name in self._views:
                view = self._views.pop(name)
                self._at.pop(name)
                self._platform.own.hide(view)
                view.deleteLater()
                if name == "ball":
                    self._rolling = None

    def show(self, seen: bool) -> None:
        if seen != self._seen:
            self._seen = seen
            self._rolling = None
            for view in self._views.values():
                (self._platform.own.show(view, focus=False) if seen else self._platform.own.hide(view))

    @property
    def ball(self) -> Rect | None:
        return self._at.get("ball") if self._rolling is None and self._seen else None

    def bed(self, pet: Rect) -> Rect | None:
        cushion = self._at.get("cushion")
        if cushion is None or not self._seen:
            return None
        above = pet.at(cushion.x + (cushion.width - pet.width) // 2, pet.y)
        return keep_on_screen(on_top(above, cushion.y + round(cushion.height * _SINKS)), self._screens.monitors())

    def kick(self, way: float) -> None:
        across, up = _KICK
        self._throw(across if way > 0 else -across, up)

    def settle(self) -> None:
        self._rolling = None
        self._starts.clear()
        for name, at in self._at.items():
            self._put(name, self._kept_place(name, (at.width, at.height)))

    def _kept_place(self, name: BelongingName, size: tuple[int, int]) -> Rect:
        monitors, (width, height) = self._screens.monitors(), size
        work = primary_of(monitors).work
        first = Rect(work.right - _FROM_RIGHT[name] - width, work.bottom - height, width, height)
        return self._places.thing_place(name, size, monitors) or keep_on_screen(first, monitors)

    def _bring(self, name: BelongingName, pet_size: int) -> None:
        width, height = (round(each * pet_size / 100) for each in _SIZES[name])
        place = self._kept_place(name, (width, height))
        view = self._views[name] = BelongingView(name, (width, height))
        self._at[name] = place
        view.moved = lambda dx, dy, done, speed: self._dragged(name, dx, dy, done, speed)
        self._platform.own.prepare_window(view, kind="bubble")
        self._platform.own.place(view, place)
        if self._seen:
            self._platform.own.show(view, focus=False)
        self._platform.own.set_outline(view, view.outline())
        self._platform.own.set_silhouette(view, view.outline)
        self._platform.after(_SHOWN_MS, lambda: self._platform.own.pet_shown(view) if name in self._views else None)

    def _dragged(self, name: BelongingName, dx: float, dy: float, done: bool, speed: Vector | None) -> None:
        self._rolling = None if name == "ball" else self._rolling
        start = self._starts.setdefault(name, self._at[name])
        self._put(name, start.at(start.x + round(dx), start.y + round(dy)))
        if not done:
            return
        del self._starts[name]
        if name == "ball":
            self._throw(*((speed.x, speed.y) if speed is not None else (0, 0)))
        else:
            self._places.keep_thing(name, self._at[name], self._screens.monitors())

    def _put(self, name: BelongingName, place: Rect) -> None:
        self._at[name] = keep_on_screen(place, self._screens.monitors())
        self._platform.own.place(self._views[name], self._at[name])

    def _throw(self, vx: float, vy: float) -> None:
        at = self._at.get("ball")
        if at is None:
            return
        ball = self._rolling = Ball(at.width)
        ball.x, ball.y, ball.turn = at.x, at.y, self._views["ball"].turn
        ball.kick(vx, vy)
        self._roll(ball)

    def _roll(self, ball: Ball) -> None:
        if ball is not self._rolling:
            return
        work = monitor_of(self._at["ball"], self._screens.monitors()).work
        moves = ball.step(work.x, work.right, work.bottom)
        self._views["ball"].turn = ball.turn
        self._views["ball"].update()
        self._put("ball", self._at["ball"].at(round(ball.x), round(ball.y)))
        if moves:
            self._platform.after(STEP_MS, lambda: self._roll(ball))
        else:
            self._rolling = None
            self._places.keep_thing("ball", self._at["ball"], self._screens.monitors())
