"""Where the windows may stand: pure arithmetic on rectangles in the desktop's own units (PRODUCT §8.1).

Owns clamping, the choice of a monitor, the first place of the pet and the place of the chat beside it. Asks no
screen and moves no window.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

MARGIN = 24
"""Between the pet's first place and the edges of the work area."""
GAP = 12
"""Between the pet and the chat beside it."""
_OVERLAP = 26
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


def resized(window: Rect, size: tuple[int, int]) -> Rect:
    """Another size around the middle of the lower edge: a pet that grows stays on its feet."""
    width, height = size
    return Rect(window.x + (window.width - width) // 2, window.bottom - height, width, height)


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


def bubble_place(pet: Rect, size: tuple[int, int], work: Rect) -> tuple[Rect, Literal["above", "left", "right"]]:
    """Above the pet's head where there is room, else beside it, on the side with more."""
    width, height = size
    if pet.y - work.y >= height - _OVERLAP:
        above = Rect(pet.x + (pet.width - width) // 2, pet.y - height + _OVERLAP, width, height)
        return clamp(above, work), "above"
    left_room, right_room = pet.x - work.x, work.right - pet.right
    side: Literal["left", "right"] = "left" if left_room >= right_room else "right"
    x = pet.x - width + _OVERLAP if side == "left" else pet.right - _OVERLAP
    return clamp(Rect(x, pet.y, width, height), work), side
