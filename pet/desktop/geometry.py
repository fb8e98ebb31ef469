"""Where the windows may stand: pure arithmetic on rectangles in the desktop's own units.

Owns clamping, the choice of a monitor, the first place of the pet and the place of the chat beside it. Asks no
screen and moves no window.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

MARGIN = 24
"""Between the pet's first place and the edges of the work area."""
GAP = 12
"""Between the pet and the chat beside it."""
Strut = tuple[int, ...]
"""The twelve numbers of ``_NET_WM_STRUT_PARTIAL``, in device pixels."""
_GOOD_TO_READ = 300
_OVERLAP = 26
_SHADOW = 12
_FULL_WIDTH = 192
"""The bubble's window has room for its shadow, and the pet's some air above its head."""


@dataclass(frozen=True, slots=True)
class Rect:
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
        """The shared area in square units; 0 if they don't touch."""
        width = min(self.right, other.right) - max(self.x, other.x)
        height = min(self.bottom, other.bottom) - max(self.y, other.y)
        return width * height if width > 0 and height > 0 else 0


@dataclass(frozen=True, slots=True)
class Monitor:
    """``name`` stays the same for the same screen, so that a place can be remembered under it."""

    name: str
    work: Rect  # without panels and docks
    primary: bool = False
    area: Rect | None = None  # with them
    model: str = ""  # as its maker calls it; may be empty

    @property
    def whole(self) -> Rect:
        return self.area or self.work


@dataclass(frozen=True, slots=True, kw_only=True)
class Around:
    """What other programs show, in device pixels: windows that fill a screen and are seen, and strips of panels."""

    filled: tuple[Rect, ...] = ()
    struts: tuple[Strut, ...] = ()


def clamp(window: Rect, area: Rect) -> Rect:
    """The window moved wholly into the area; one that is larger keeps its top left corner inside."""
    x = max(area.x, min(window.x, area.right - window.width))
    y = max(area.y, min(window.y, area.bottom - window.height))
    return window.at(x, y)


def monitor_of(window: Rect, monitors: Sequence[Monitor]) -> Monitor:
    """The monitor that shows most of the window; for one that is nowhere, the nearest."""

    def fit(monitor: Monitor) -> tuple[int, float]:
        (wx, wy), (mx, my) = window.centre, monitor.work.centre
        return monitor.work.overlap(window), -((wx - mx) ** 2 + (wy - my) ** 2)

    return max(monitors, key=fit)


def keep_on_screen(window: Rect, monitors: Sequence[Monitor]) -> Rect:
    """Never off screen, never under a panel, never half on two monitors."""
    return clamp(window, monitor_of(window, monitors).work)


def primary_of(monitors: Sequence[Monitor]) -> Monitor:
    return next((monitor for monitor in monitors if monitor.primary), monitors[0])


def first_place(size: tuple[int, int], work: Rect) -> Rect:
    """Bottom right, where a pet is least in the way."""
    width, height = size
    return clamp(Rect(work.right - width - MARGIN, work.bottom - height - MARGIN, width, height), work)


def beside(pet: Rect, size: tuple[int, int], work: Rect) -> Rect:
    """The chat next to the pet, on the side with more room, bottoms in line."""
    width, height = min(size[0], work.width), min(size[1], work.height)
    left_room, right_room = pet.x - work.x, work.right - pet.right
    x = pet.x - GAP - width if left_room >= right_room else pet.right + GAP
    return clamp(Rect(x, pet.bottom - height, width, height), work)


def anchored(at: tuple[int, int], size: tuple[int, int], before: tuple[int, int], area: Rect) -> Rect:
    """Where a window stands whose corner was so far from the area's while that had the size ``before``: as far from
    the nearer edges, so that what sat in a corner sits there still after a change of resolution."""
    (x, y), (width, height), (old_width, old_height) = at, size, before
    if x + width / 2 > old_width / 2:
        x += area.width - old_width
    if y + height / 2 > old_height / 2:
        y += area.height - old_height
    return Rect(area.x + x, area.y + y, width, height)


def without_struts(area: Rect, root: tuple[int, int], struts: Iterable[Strut]) -> Rect:
    """What panels leave of a monitor. ``root``: the whole desktop, from whose edges they count. One that would take
    more than half belongs to another monitor that lies behind."""
    for strut in struts:
        for side, reserved in zip(("left", "right", "top", "bottom"), _reserved(strut, root), strict=True):
            if not reserved.overlap(area):
                continue
            left = _less(area, side, reserved)
            if left.width * left.height * 2 >= area.width * area.height:
                area = left
    return area


def _reserved(strut: Strut, root: tuple[int, int]) -> tuple[Rect, Rect, Rect, Rect]:
    """As ``_NET_WM_STRUT_PARTIAL`` says it: four depths, then start and end along each edge, both included."""
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
    """Whether the window has at least this share of the area."""
    return window.overlap(area) >= share * area.width * area.height


def resized(window: Rect, size: tuple[int, int]) -> Rect:
    """Another size around the middle of the lower edge: a pet that grows stays on its feet."""
    width, height = size
    # Rounded towards nothing, so that what grows by a step and shrinks by it is where it was.
    return Rect(window.x + int((window.width - width) / 2), window.bottom - height, width, height)


def corners(size: tuple[int, int], work: Rect) -> list[Rect]:
    """Where a window of this size stands in each corner, clockwise from the top left."""
    width, height = size
    left, top = work.x + MARGIN, work.y + MARGIN
    right, bottom = work.right - width - MARGIN, work.bottom - height - MARGIN
    places = ((left, top), (right, top), (right, bottom), (left, bottom))
    return [clamp(Rect(x, y, width, height), work) for x, y in places]


def next_corner(window: Rect, work: Rect) -> Rect:
    """The nearest one; from a corner the next, clockwise."""
    places = corners((window.width, window.height), work)
    if window in places:
        return places[(places.index(window) + 1) % len(places)]
    return min(places, key=lambda place: (place.x - window.x) ** 2 + (place.y - window.y) ** 2)


def _overlap(pet: Rect) -> int:
    """Of a pet of another size more or less."""
    return _SHADOW + (_OVERLAP - _SHADOW) * pet.width // _FULL_WIDTH


def bubble_height(pet: Rect, wanted: int, work: Rect) -> int:
    """How high a bubble that can be scrolled may be: lower than it could, where it then stays above the pet."""
    above = pet.y - work.y + _overlap(pet)
    return wanted if wanted <= above else above if above >= _GOOD_TO_READ else min(wanted, work.height)


def bubble_tail(pet: Rect, bubble: Rect, side: Literal["above", "left", "right"]) -> int:
    """Where its tail is: from its left edge to the pet's middle, or from its top to the pet's face."""
    return round(pet.centre[0]) - bubble.x if side == "above" else pet.y + pet.height * 2 // 5 - bubble.y


def bubble_place(pet: Rect, size: tuple[int, int], work: Rect) -> tuple[Rect, Literal["above", "left", "right"]]:
    """Above the pet's head where there is room, else beside it, on the side with more."""
    width, height = size
    overlap = _overlap(pet)
    if pet.y - work.y >= height - overlap:
        above = Rect(pet.x + (pet.width - width) // 2, pet.y - height + overlap, width, height)
        return clamp(above, work), "above"
    left_room, right_room = pet.x - work.x, work.right - pet.right
    side: Literal["left", "right"] = "left" if left_room >= right_room else "right"
    x = pet.x - width + overlap if side == "left" else pet.right - overlap
    return clamp(Rect(x, pet.y, width, height), work), side
