"""Geometry and outline of native windows on X11."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from shiboken6 import isValid

from pet.desktop.geometry import Rect
from pet.desktop.qt_desktop import is_frameless

if TYPE_CHECKING:
    from pet.desktop.linux.x11_server import XServer

_ASSUMED_FRAME = (1, 28, 1, 1)
_THICKEST_FRAME = 96


class WindowGeometry:
    """Reads and changes window geometry. ``server`` is called on first use."""

    def __init__(self, server: Callable[[], XServer]) -> None:
        self._server = server
        self._last_frame: tuple[int, int, int, int] | None = None
        self._sent_to: dict[int, tuple[int, int]] = {}  # by native handle: the position last requested

    def rect(self, native: Any) -> Rect:
        """Return the rectangle without a frame."""
        area = native.geometry()
        at = (area.x(), area.y())
        if native.isVisible() and is_frameless(native):
            at = self.put_right(native) or at
        return Rect(*at, area.width(), area.height())

    def put_right(self, native: Any) -> tuple[int, int] | None:
        """Return a frameless window's true position, correcting Qt's if it is wrong.

        With a wrong position Qt maps a drop from another program beside the window, and the pet doesn't receive it.
        """
        if not isValid(native) or not native.isVisible():
            return None
        believed: tuple[int, int] = native.x(), native.y()
        if believed == self._sent_to.get(int(native.winId())):
            return believed  # a requested move may still be in progress
        position = self._server_position(native)
        if position is not None and position != believed:
            native.move(*position)
        return position

    def frame(self, native: Any) -> tuple[int, int, int, int]:
        """Return the frame's extents: left, top, right, bottom."""
        if is_frameless(native):
            return 0, 0, 0, 0
        # A hidden window may report no frame; use its last known one.
        self._last_frame = _known_frame(native) or self._server_frame(native) or self._last_frame
        return self._last_frame or _ASSUMED_FRAME

    def place(self, native: Any, rect: Rect) -> None:
        """Move and resize the window so that its frame's corner is the rectangle's."""
        if (native.width(), native.height()) != (rect.width, rect.height):
            if is_frameless(native):
                # not resizable by the owner, and Qt's limits must not interfere
                native.setFixedSize(rect.width, rect.height)
            else:
                native.resize(rect.width, rect.height)
        # Before its first frame Qt positions the client area (static gravity): the title bar would be above the
        # position, and off screen if the pet sits at its top.
        framed = is_frameless(native) or _known_frame(native)
        left, top = (0, 0) if framed else self.frame(native)[:2]
        self._sent_to[int(native.winId())] = rect.x + left, rect.y + top
        native.move(rect.x + left, rect.y + top)

    def _server_position(self, native: Any) -> tuple[int, int] | None:
        """Return the X server's position: Qt may keep (0, 0) if the window manager reparented the window."""
        position = self._server().position(int(native.winId()))
        if position is None:
            return None
        screen = native.windowHandle().screen()  # pywebview overrides native.screen
        origin, ratio = screen.geometry().topLeft(), screen.devicePixelRatio()
        return (
            round((position[0] - origin.x()) / ratio) + origin.x(),
            round((position[1] - origin.y()) / ratio) + origin.y(),
        )

    def _server_frame(self, native: Any) -> tuple[int, int, int, int] | None:
        """Return the frame extents the window manager announced when the window was created."""
        extents, ratio = self._server().frame(int(native.winId())), native.devicePixelRatioF()
        if extents is None or max(extents) > _THICKEST_FRAME * ratio:
            return None
        left, right, top, bottom = (round(edge / ratio) for edge in extents)
        return left, top, right, bottom


def _known_frame(native: Any) -> tuple[int, int, int, int] | None:
    outer, inner = native.frameGeometry(), native.geometry()
    edges = (
        inner.x() - outer.x(),
        inner.y() - outer.y(),
        outer.right() - inner.right(),
        outer.bottom() - inner.bottom(),
    )
    # Before the window manager has framed the window, Qt reports zero or outdated extents.
    known = any(edges) and all(0 <= edge <= _THICKEST_FRAME for edge in edges)
    return edges if known else None


class Outlines:
    """Outlines by native handle, in device pixels. ``server`` is called on first use."""

    def __init__(self, server: Callable[[], XServer], *, blends: bool) -> None:
        self._server = server
        self.blends = blends
        self._painted: dict[int, Sequence[Rect] | None] = {}

    def set(self, handle: int, painted: Sequence[Rect] | None) -> None:
        """Cut the window to what is ``painted`` where a compositor is missing; None: not at all."""
        self._painted[handle] = painted
        self._cut(handle)

    def compositor_changed(self, there: bool) -> None:
        self.blends = there
        for handle in self._painted:
            self._cut(handle)

    def _cut(self, handle: int) -> None:
        self._server().set_bounding_shape(handle, None if self.blends else self._painted[handle])
