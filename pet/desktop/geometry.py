"""Rectangles, monitors, places of the windows, and the outline that takes clicks. Pure.

Rectangles are in the web view's units; an outline is in device pixels.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import groupby
from typing import Literal, NamedTuple

MARGIN = 24
"""Between the pet's initial position and the edges of the work area."""
GAP = 12
"""Between the pet and the chat next to it."""
Strut = tuple[int, ...]
"""The twelve values of ``_NET_WM_STRUT_PARTIAL``, in device pixels."""
_GOOD_TO_READ = 300
_OVERLAP = 26  # of the bubble with a pet of _FULL_WIDTH, which has some space above its head
SHADOW = 12  # margin of the bubble's window for its shadow, which passes clicks
_FULL_WIDTH = 192


class Rect(NamedTuple):
    """A tuple, since an outline has a hundred with each picture."""

    x: int
    y: int
    width: int
    height: int

    @property
    def right(self) -> int:
        return self.x + self.width

    @property
    def bottom(self) -> int:
        return self.y + self.height

    @property
    def centre(self) -> tuple[float, float]:
        return self.x + self.width / 2, self.y + self.height / 2

    def at(self, x: int, y: int) -> Rect:
        return Rect(x, y, self.width, self.height)

    def overlap(self, other: Rect) -> int:
        """Return the shared area in square units; 0 if they don't overlap."""
        width = min(self.right, other.right) - max(self.x, other.x)
        height = min(self.bottom, other.bottom) - max(self.y, other.y)
        return width * height if width > 0 and height > 0 else 0


@dataclass(frozen=True, slots=True)
class Monitor:
    """A monitor. ``name`` is stable for the same screen, so that positions can be stored under it."""

    name: str
    work: Rect  # without panels and docks
    primary: bool = False
    area: Rect | None = None  # including panels and docks
    model: str = ""  # the vendor's model name; may be empty

    @property
    def whole(self) -> Rect:
        return self.area or self.work


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """Visible full-screen windows of other programs, and struts of panels, in device pixels."""

    filled: tuple[Rect, ...] = ()
    struts: tuple[Strut, ...] = ()


def clamp(window: Rect, area: Rect) -> Rect:
    """Move the window entirely into the area; a larger one keeps its top left corner inside."""
    x = max(area.x, min(window.x, area.right - window.width))
    y = max(area.y, min(window.y, area.bottom - window.height))
    return window.at(x, y)


def monitor_of(window: Rect, monitors: Sequence[Monitor]) -> Monitor:
    """Return the monitor that shows most of the window; if none does, the nearest."""

    def fit(monitor: Monitor) -> tuple[int, float]:
        (wx, wy), (mx, my) = window.centre, monitor.work.centre
        return monitor.work.overlap(window), -((wx - mx) ** 2 + (wy - my) ** 2)

    return max(monitors, key=fit)


def keep_on_screen(window: Rect, monitors: Sequence[Monitor]) -> Rect:
    """Clamp to one monitor's work area: never off screen, under a panel, or across two monitors."""
    return clamp(window, monitor_of(window, monitors).work)


def primary_of(monitors: Sequence[Monitor]) -> Monitor:
    return next((monitor for monitor in monitors if monitor.primary), monitors[0])


MENU_EDGE = 8
"""Between a menu and the edges of the work area."""
MENU_GAP = 4


def menu_place(size: tuple[int, int], pet: Rect, work: Rect, near: int) -> tuple[int, int]:
    """Return the place of a menu of this size: beside the pet, without overlap, its top near the height ``near``.

    >>> menu_place((200, 300), Rect(1000, 500, 192, 208), Rect(0, 0, 1280, 800), 600)
    (796, 492)
    """
    width, height = size
    low, high = work.x + MENU_EDGE, work.right - MENU_EDGE - width
    beside = [x for x in (pet.right + MENU_GAP, pet.x - MENU_GAP - width) if low <= x <= high]
    y = max(work.y + MENU_EDGE, min(near, work.bottom - MENU_EDGE - height))
    if beside:
        return beside[0], y
    above = pet.y - MENU_GAP - height
    if above < work.y + MENU_EDGE:
        above = max(work.y + MENU_EDGE, min(pet.bottom + MENU_GAP, work.bottom - MENU_EDGE - height))
    return max(low, min(pet.x, high)), above


def first_place(size: tuple[int, int], work: Rect) -> Rect:
    """Return the initial position: bottom right."""
    width, height = size
    return clamp(Rect(work.right - width - MARGIN, work.bottom - height - MARGIN, width, height), work)


def beside(pet: Rect, size: tuple[int, int], work: Rect) -> Rect:
    """Return the chat's position: next to the pet, on the side with more room, bottoms aligned."""
    width, height = min(size[0], work.width), min(size[1], work.height)
    left_room, right_room = pet.x - work.x, work.right - pet.right
    x = pet.x - GAP - width if left_room >= right_room else pet.right + GAP
    return clamp(Rect(x, pet.bottom - height, width, height), work)


def anchored(at: tuple[int, int], size: tuple[int, int], before: tuple[int, int], area: Rect) -> Rect:
    """Translate a position to an area that had size ``before``, keeping the distance to the nearer edges.

    A window in a corner stays there after a change of resolution.
    """
    (x, y), (width, height), (old_width, old_height) = at, size, before
    if x + width / 2 > old_width / 2:
        x += area.width - old_width
    if y + height / 2 > old_height / 2:
        y += area.height - old_height
    return Rect(area.x + x, area.y + y, width, height)


def without_struts(area: Rect, root: tuple[int, int], struts: Iterable[Strut]) -> Rect:
    """Subtract panel struts from a monitor. ``root``: size of the whole desktop, whose edges struts refer to.

    A strut that would take more than half belongs to another monitor behind it.
    """
    for strut in struts:
        for side, reserved in zip(("left", "right", "top", "bottom"), _reserved(strut, root), strict=True):
            if not reserved.overlap(area):
                continue
            left = _less(area, side, reserved)
            if left.width * left.height * 2 >= area.width * area.height:
                area = left
    return area


def _reserved(strut: Strut, root: tuple[int, int]) -> tuple[Rect, Rect, Rect, Rect]:
    """Decode ``_NET_WM_STRUT_PARTIAL``: four depths, then inclusive start and end along each edge."""
    width, height = root
    left, right, top, bottom, left_y0, left_y1, right_y0, right_y1, top_x0, top_x1, bottom_x0, bottom_x1 = strut
    return (
        Rect(0, left_y0, left, left_y1 - left_y0 + 1),
        Rect(width - right, right_y0, right, right_y1 - right_y0 + 1),
        Rect(top_x0, 0, top_x1 - top_x0 + 1, top),
        Rect(bottom_x0, height - bottom, bottom_x1 - bottom_x0 + 1, bottom),
    )


def _less(area: Rect, side: str, reserved: Rect) -> Rect:
    if side == "left":
        return Rect(reserved.right, area.y, area.right - reserved.right, area.height)
    if side == "right":
        return Rect(area.x, area.y, reserved.x - area.x, area.height)
    if side == "top":
        return Rect(area.x, reserved.bottom, area.width, area.bottom - reserved.bottom)
    return Rect(area.x, area.y, area.width, reserved.y - area.y)


def covers(window: Rect, area: Rect, share: float) -> bool:
    """Whether the window covers at least this share of the area."""
    return window.overlap(area) >= share * area.width * area.height


def resized(window: Rect, size: tuple[int, int]) -> Rect:
    """Resize around the middle of the lower edge, so that the pet's feet stay in place."""
    width, height = size
    # Round towards zero, so that growing and shrinking by one step are inverse.
    return Rect(window.x + int((window.width - width) / 2), window.bottom - height, width, height)


def corners(size: tuple[int, int], work: Rect) -> list[Rect]:
    """Return the window's position in each corner, clockwise from the top left."""
    width, height = size
    left, top = work.x + MARGIN, work.y + MARGIN
    right, bottom = work.right - width - MARGIN, work.bottom - height - MARGIN
    places = ((left, top), (right, top), (right, bottom), (left, bottom))
    return [clamp(Rect(x, y, width, height), work) for x, y in places]


def next_corner(window: Rect, work: Rect) -> Rect:
    """Return the nearest corner, or from a corner the next one clockwise."""
    places = corners((window.width, window.height), work)
    if window in places:
        return places[(places.index(window) + 1) % len(places)]
    return min(places, key=lambda place: (place.x - window.x) ** 2 + (place.y - window.y) ** 2)


def _overlap(pet: Rect) -> int:
    """Return the horizontal and vertical overlap of the bubble with a pet of this size."""
    return SHADOW + (_OVERLAP - SHADOW) * pet.width // _FULL_WIDTH


def bubble_height(pet: Rect, wanted: int, work: Rect) -> int:
    """Return the maximum height of a scrollable bubble, reduced where that keeps it above the pet."""
    above = pet.y - work.y + _overlap(pet)
    return wanted if wanted <= above else above if above >= _GOOD_TO_READ else min(wanted, work.height)


def bubble_tail(pet: Rect, bubble: Rect, side: Literal["above", "left", "right"]) -> int:
    """Return the tail's offset: from the bubble's left edge to the pet's middle, or from its top to the face."""
    return round(pet.centre[0]) - bubble.x if side == "above" else pet.y + pet.height * 2 // 5 - bubble.y


def bubble_place(pet: Rect, size: tuple[int, int], work: Rect) -> tuple[Rect, Literal["above", "left", "right"]]:
    """Return the bubble's position and side: above the pet's head if there is room, otherwise where more room is."""
    width, height = size
    overlap = _overlap(pet)
    if pet.y - work.y >= height - overlap:
        above = Rect(pet.x + (pet.width - width) // 2, pet.y - height + overlap, width, height)
        return clamp(above, work), "above"
    left_room, right_room = pet.x - work.x, work.right - pet.right
    side: Literal["left", "right"] = "left" if left_room >= right_room else "right"
    x = pet.x - width + overlap if side == "left" else pet.right - overlap
    return clamp(Rect(x, pet.y, width, height), work), side


GROW = 4
"""Pixels around the drawing that take clicks as well."""
OPAQUE = 24
"""Alpha threshold; soft shadows and antialiased edges are below it."""

_SOLID = bytes(b"01"[value >= OPAQUE] for value in range(256))
_MARGIN = 24  # cells after each row, or what grows would come into the next one; the most that anything grows
_LEAST, _MOST = 1, 8  # pixels around the drawing between which an outline of before stays


@dataclass(frozen=True, slots=True)
class Mask:
    """The opaque cells of a picture, as the bits of one number: a shift moves the whole picture, which costs a
    tenth of working through its runs. ``cell``: its side in pixels."""

    bits: int
    width: int
    height: int
    cell: int = 1

    @classmethod
    def of(cls, alpha: Sequence[bytes], cell: int = 1) -> Mask:
        """``alpha``: one byte for each cell, row by row."""
        width = len(alpha[0]) if alpha else 0
        cells = b"".join(row.translate(_SOLID).ljust(width + _MARGIN, b"0") for row in alpha)
        return cls(int(cells or b"0", 2), width, len(alpha), cell)

    def outline(self, grow: float) -> list[Rect]:
        """Return rectangles that cover every pixel within ``grow`` of an opaque one; none for an empty picture.

        Runs that repeat in the next row are merged into one taller rectangle.
        """
        pitch, rects, y = self.width + _MARGIN, list[Rect](), 0
        size = self.height * pitch
        cells = f"{self.grown(grow) & (1 << size) - 1:0{size}b}" if size else ""
        for row, same in groupby(cells[at : at + self.width] for at in range(0, size, pitch)):
            height = len(list(same))
            x = row.find("1")
            while x >= 0:  # a search for runs by a pattern takes twice as long
                end = row.find("0", x) % (self.width + 1)
                rects.append(Rect(x, y, end - x, height))
                x = row.find("1", end)
            y += height
        return rects if self.cell == 1 else [Rect(*(side * self.cell for side in rect)) for rect in rects]

    def grown(self, by: float) -> int:
        """Return the bits of every cell within ``by`` pixels of an opaque one."""
        bits, most = self.bits, min(math.ceil(by / self.cell), _MARGIN)
        for step in (1, self.width + _MARGIN):
            reach = 0
            while reach < most:
                further = min(2 * reach + 1, most - reach)
                bits |= bits << further * step | bits >> further * step
                reach += further
        return bits


@lru_cache(maxsize=64)
def outline_stays(before: Mask, now: Mask, scale: float) -> bool:
    """Whether the outline of a picture, grown by ``GROW``, may stay for the next: it is within some pixels of that.
    ``scale``: device pixels for each of them."""
    if (before.width, before.height, before.cell) != (now.width, now.height, now.cell):
        return False
    least, there, most = now.grown(_LEAST * scale), before.grown(GROW * scale), now.grown(_MOST * scale)
    return least | there == there and there | most == most
