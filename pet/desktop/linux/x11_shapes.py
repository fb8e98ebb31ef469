"""Shapes of this program's windows on an X server: what takes clicks, and what is painted without a compositor."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from itertools import chain
from typing import TYPE_CHECKING

from Xlib import X
from Xlib.ext import shape
from Xlib.protocol import rq

from pet.desktop.geometry import Rect

if TYPE_CHECKING:
    from pet.desktop.linux.x11_server import XConnection

_XWAYLAND_WITH_SHAPES = 12302000


class _ShapeOfRectangles(rq.Request):  # type: ignore[misc]
    """The request of ``shape.rectangles``, packed at once: the library packs field by field, with each frame of a
    pet's hundred rectangles for longer than all else that the frame takes."""

    _request = rq.Struct(
        rq.Card8("opcode"),
        rq.Opcode(1),
        rq.RequestLength(),
        rq.Card8("operation"),
        rq.Card8("destination_kind"),
        rq.Card8("ordering"),
        rq.Pad(1),
        rq.Window("destination_window"),
        rq.Int16("x_offset"),
        rq.Int16("y_offset"),
        rq.Binary("rectangles", pad=0),
    )


class WindowShapes:
    """Shapes by native handle, in device pixels."""

    def __init__(self, display: XConnection) -> None:
        self._display = display

    def takes_input(self, *, xwayland: bool) -> bool:
        """Whether clicks beside a shape reach the programs below; XWayland forwards shapes since 23.2."""
        forwards = not xwayland or self._display.display.info.release_number >= _XWAYLAND_WITH_SHAPES
        return bool(forwards and self._display.has_extension("SHAPE"))

    def set_input(self, window: int, rects: Sequence[Rect] | None) -> None:
        """Restrict clicks to these rectangles; None: the whole window. Painting is unaffected."""
        self._set(window, shape.SK.Input, rects)

    def set_bounding(self, window: int, rects: Sequence[Rect] | None) -> None:
        """Cut the window: nothing outside is painted or takes clicks; None: the whole window."""
        self._set(window, shape.SK.Bounding, rects)

    def _set(self, window: int, kind: int, rects: Sequence[Rect] | None) -> None:
        if rects is None:
            target = self._display.create_resource_object("window", window)
            target.shape_mask(shape.SO.Set, kind, 0, 0, X.NONE)
        else:
            _ShapeOfRectangles(
                display=self._display.display,
                opcode=self._display.display.get_extension_major(shape.extname),
                destination_window=window,
                operation=shape.SO.Set,
                destination_kind=kind,
                ordering=X.Unsorted,
                x_offset=0,
                y_offset=0,
                rectangles=array("h", chain.from_iterable(rects)).tobytes(),
            )
        self._display.flush()  # with each frame: an answer is not worth a round trip


class Outlines:
    """Outlines by native handle, in device pixels. ``shapes`` is called on first use."""

    def __init__(self, shapes: Callable[[], WindowShapes], *, blends: bool) -> None:
        self._shapes = shapes
        self.blends = blends
        self._painted: dict[int, Callable[[], Sequence[Rect]]] = {}
        self._whole: set[int] = set()

    def set(self, handle: int, painted: Callable[[], Sequence[Rect]]) -> None:
        """Cut the window to what is ``painted``, which is called only where a compositor is missing."""
        self._painted[handle] = painted
        if not self.blends or handle not in self._whole:
            self._cut(handle)

    def compositor_changed(self, there: bool) -> None:
        self.blends = there
        for handle in self._painted:
            self._cut(handle)

    def _cut(self, handle: int) -> None:
        (self._whole.add if self.blends else self._whole.discard)(handle)
        self._shapes().set_bounding(handle, None if self.blends else self._painted[handle]())
