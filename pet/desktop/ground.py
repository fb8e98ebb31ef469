"""The ground under the pet: the bottom of the work area, or the top edge of a window beneath it. Pure.

Rectangles are in the web view's units. Where a platform can't tell other windows' places (Wayland), there is only the
work area.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from pet.desktop.geometry import MARGIN, Monitor, Rect, clamp, monitor_of

Gait = Literal["walk", "walk_to_edge", "fall", "wave", "sit", "follow", "drag", "greet", "look", "join", "lean"]
_FEET = 194 / 208
"""Share of the pet's height above its feet: the ground of the drawings (creature.ts)."""
_TOLERANCE = 4
"""The feet count as on an edge within this distance: positions are rounded."""
_EDGE_MARGIN = 16
"""The middle of the pet stays this far from both ends of an edge."""
_LONGEST_STROLL = 220
_SHORTEST_STROLL = 32


@dataclass(frozen=True, slots=True)
class Window:
    """A visible window with its frame. ``handle`` identifies it to the platform."""

    handle: int
    frame: Rect


def feet_of(pet: Rect) -> int:
    """Return the height at which the pet's feet are."""
    return pet.y + round(pet.height * _FEET)


def on_top(pet: Rect, top: int) -> Rect:
    """Return the place with the feet at this height."""
    return pet.at(pet.x, top - round(pet.height * _FEET))


def window_below(pet: Rect, windows: Sequence[Window], work: Rect) -> Window | None:
    """Return the nearest window whose visible top edge is under the middle of the pet, at its feet or lower.

    ``windows``: bottom to top. An edge counts only where the pet has room above it within the work area.
    """
    middle, feet = round(pet.centre[0]), feet_of(pet)
    best: Window | None = None
    for place, window in enumerate(windows):
        top = window.frame.y
        under = window.frame.x + _EDGE_MARGIN <= middle <= window.frame.right - _EDGE_MARGIN
        if not under or top < feet - _TOLERANCE or top > work.bottom - _TOLERANCE:
            continue
        if on_top(pet, top).y < work.y or (best is not None and top >= best.frame.y):
            continue
        if not any(_covers(over.frame, middle, top) for over in windows[place + 1 :]):
            best = window
    return best


def _covers(frame: Rect, x: int, y: int) -> bool:
    return frame.x <= x < frame.right and frame.y <= y < frame.bottom


def landing(pet: Rect, windows: Sequence[Window], monitors: Sequence[Monitor]) -> Rect:
    """Return where the pet comes to rest when it is let go: straight down."""
    work = monitor_of(pet, monitors).work
    below = window_below(pet, windows, work)
    if below is not None:
        return on_top(pet, below.frame.y)
    return clamp(pet.at(pet.x, max(pet.y, work.bottom - pet.height)), work)


def at_rest(pet: Rect, place: Rect) -> bool:
    """Whether the pet is where it would come to rest."""
    return abs(place.y - pet.y) <= _TOLERANCE


def stroll(pet: Rect, way: float, windows: Sequence[Window], work: Rect) -> tuple[int, bool]:
    """Return how far the pet walks along the ground, and whether it stops at the end of an edge.

    ``way``: from -1 (far to the left) to 1. The distance is 0 in mid-air and without room.
    """
    below = window_below(pet, windows, work)
    half = pet.width // 2
    if below is not None and abs(below.frame.y - feet_of(pet)) <= _TOLERANCE:
        left, right = below.frame.x + _EDGE_MARGIN - half, below.frame.right - _EDGE_MARGIN - half
    elif work.bottom - pet.bottom <= MARGIN:
        left, right = work.x, work.right - pet.width
    else:
        return 0, False
    wanted = pet.x + round(way * _LONGEST_STROLL)
    target = min(max(wanted, left, work.x), right, work.right - pet.width)
    distance = target - pet.x
    return (distance, below is not None and target != wanted) if abs(distance) >= _SHORTEST_STROLL else (0, False)
