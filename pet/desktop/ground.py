"""Surroundings of the pet: the ground under it, which is the bottom of the work area or the top edge of a window
beneath it. Pure.

Rectangles are in the web view's units. Where a platform can't tell other windows' places (Wayland), there are only
the work area and the pet's chat.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from pet.desktop.geometry import MARGIN, Monitor, Rect, clamp, monitor_of

Gait = Literal[
    "walk",
    "walk_to_edge",
    "run",
    "hop",
    "climb",
    "fall",
    "peek",
    "leave",
    "back",
    "wave",
    "sit",
    "stretch",
    "rise",
    "kick",
    "play",
    "follow",
    "drag",
    "greet",
    "look",
    "join",
    "lean",
]
_FEET = 194 / 208
"""Share of the pet's height above its feet: the ground of the drawings (creature.ts)."""
_TOLERANCE = 4
"""The feet count as on an edge within this distance: positions are rounded."""
_EDGE_MARGIN = 16
"""The middle of the pet stays this far from both ends of an edge."""
LONGEST_STROLL = 220
SHORTEST_STROLL = 32


@dataclass(frozen=True, slots=True)
class Window:
    """A visible window with its frame. ``handle`` identifies it to the platform; ``own``: it is the pet's chat;
    ``active``: its owner types there."""

    handle: int
    frame: Rect
    own: bool = False
    active: bool = False


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


def reach_of(pet: Rect, windows: Sequence[Window], work: Rect) -> tuple[int, int, bool] | None:
    """Return the least and largest x on the pet's ground, and whether that is a window's edge; None in mid-air."""
    below = window_below(pet, windows, work)
    half = pet.width // 2
    left, right = work.x, work.right - pet.width
    if below is not None and abs(below.frame.y - feet_of(pet)) <= _TOLERANCE:
        frame = below.frame
        return max(left, frame.x + _EDGE_MARGIN - half), min(right, frame.right - _EDGE_MARGIN - half), True
    return (left, right, False) if work.bottom - pet.bottom <= MARGIN else None


def stroll(pet: Rect, way: float, windows: Sequence[Window], work: Rect) -> tuple[int, bool]:
    """Return how far the pet walks along the ground, and whether it stops at the end of an edge.

    ``way``: from -1 (far to the left) to 1. The distance is 0 in mid-air and without room.
    """
    reach = reach_of(pet, windows, work)
    if reach is None:
        return 0, False
    left, right, on_edge = reach
    wanted = pet.x + round(way * LONGEST_STROLL)
    target = min(max(wanted, left), right)
    distance = target - pet.x
    return (distance, on_edge and target != wanted) if abs(distance) >= SHORTEST_STROLL else (0, False)


Leg = tuple[Rect, Gait]
"""A part of a way: where it ends, and how the pet goes there."""
Visit = Callable[[Rect, Sequence[Window], Rect], list[Leg]]
"""Return the way from this place to another pet, by the windows and the work area; none without one."""
FARTHEST_WALK, _FARTHEST_HOP = 700, (420, 360)  # units, of a hop across and up or down
LEVEL = 0.3  # largest difference in height on the same ground, in heights of a pet
_HANGS_BELOW = 40  # a window's top edge, at the end of a climb
_STEPS_ON = 40  # from the corner of a window that it has climbed
_LEAST_SIDE = 120  # units of a side that is climbed


def hop(pet: Rect, way: float, windows: Sequence[Window], work: Rect, avoid: Sequence[Rect]) -> list[Leg]:
    """Return the way onto the top edge of a window near by, or down from one, rather in direction ``way``; none
    without."""
    below = window_below(pet, windows, work)
    goals: list[tuple[bool, int, list[Leg]]] = []
    for each in windows:
        if each is below and abs(each.frame.y - feet_of(pet)) <= _TOLERANCE:
            continue
        least, most = each.frame.x + 2 * _EDGE_MARGIN, each.frame.right - 2 * _EDGE_MARGIN
        middle = round(min(max(pet.centre[0], least), most))
        place = on_top(pet, each.frame.y).at(middle - pet.width // 2, on_top(pet, each.frame.y).y)
        dx, dy = place.x - pet.x, place.y - pet.y
        if least > most or abs(dx) > _FARTHEST_HOP[0] or not _TOLERANCE < abs(dy) <= _FARTHEST_HOP[1]:
            continue
        top = window_below(place, windows, work)
        if _is_free(place, work, avoid) and top is each:
            goals.append((dx * way < 0, abs(dx) + abs(dy), [(place, "hop")]))
    goals += _leaps_down(pet, way, windows, work, avoid)
    return min(goals, key=lambda each: each[:2])[2] if goals else []


def _leaps_down(
    pet: Rect, way: float, windows: Sequence[Window], work: Rect, avoid: Sequence[Rect]
) -> Iterator[tuple[bool, int, list[Leg]]]:
    """Yield the moves to both ends of the edge below it and down from there, weighted as in ``hop``."""
    reach = reach_of(pet, windows, work)
    below = window_below(pet, windows, work)
    if reach is None or not reach[2] or below is None:
        return
    for edge_x, x in ((reach[0], below.frame.x - pet.width), (reach[1], below.frame.right)):
        edge, aside = pet.at(edge_x, pet.y), pet.at(x, pet.y)
        under = window_below(aside, windows, work)
        place = aside.at(x, work.bottom - pet.height) if under is None else on_top(aside, under.frame.y)
        free = _is_free(place, work, avoid) and not any(_path(pet, edge).overlap(each) for each in avoid)
        if free and place.y > pet.y:
            yield (x - pet.x) * way < 0, abs(x - pet.x) + place.y - pet.y, [(edge, "walk"), (place, "hop")]


def climb(pet: Rect, way: float, windows: Sequence[Window], work: Rect, avoid: Sequence[Rect]) -> list[Leg]:
    """Return the way to a window's side, up there and onto its edge, rather in direction ``way``; none without."""
    reach = reach_of(pet, windows, work)
    if reach is None:
        return []
    goals: list[tuple[bool, int, list[Leg]]] = []
    feet, half, side = feet_of(pet), pet.width // 2, pet.width // 8
    for at, each in enumerate(windows):
        frame, top = each.frame, on_top(pet, each.frame.y).y
        if frame.bottom < feet - _HANGS_BELOW or feet - frame.y < _LEAST_SIDE + _HANGS_BELOW or top < work.y:
            continue
        for left in (True, False):
            foot = pet.at(frame.x - pet.width + side - 1 if left else frame.right - side + 1, pet.y)
            edge = frame.x + _STEPS_ON if left else frame.right - _STEPS_ON
            goal = pet.at(edge - half, top)
            line = Rect(frame.x if left else frame.right - 1, frame.y, 1, feet - frame.y)
            if any(over.frame.overlap(line) for over in windows[at + 1 :]) or not reach[0] <= foot.x <= reach[1]:
                continue
            walks = abs(foot.x - pet.x)
            path = _path(pet, foot)
            if walks > FARTHEST_WALK or not _is_free(goal, work, avoid) or any(path.overlap(one) for one in avoid):
                continue
            hangs = foot.at(foot.x + (1 if left else -1), top + _HANGS_BELOW)
            if any(body_of(hangs).overlap(one) for one in avoid):
                continue
            goals.append(((foot.x - pet.x) * way < 0, walks, [(foot, "walk"), (hangs, "climb"), (goal, "hop")]))
    return min(goals, key=lambda each: each[:2])[2] if goals else []


def trip(pet: Rect, way: float, windows: Sequence[Window], work: Rect, avoid: Sequence[Rect]) -> list[Leg]:
    """Return the way along the floor to the screen's edge, rather in direction ``way``; none without."""
    reach = reach_of(pet, windows, work)
    if reach is None or reach[2]:
        return []
    ends = sorted(reach[:2], key=lambda x: ((x - pet.x) * way < 0, abs(x - pet.x)))
    for x in ends:
        place = pet.at(x, pet.y)
        if abs(x - pet.x) <= FARTHEST_WALK and not any(_path(pet, place).overlap(each) for each in avoid):
            return [(place, "walk")]
    return []


def to_ball(pet: Rect, ball: Rect, windows: Sequence[Window], work: Rect, avoid: Sequence[Rect]) -> list[Leg]:
    """Return the way to the near side of a ball on the same ground; none without."""
    reach, side = reach_of(pet, windows, work), pet.width // 8
    if reach is None or abs(ball.bottom - feet_of(pet)) > LEVEL * pet.height:
        return []
    x = ball.x - pet.width + side if ball.centre[0] > pet.centre[0] else ball.right - side
    place = pet.at(x, pet.y)
    far = abs(x - pet.x) > 2 * FARTHEST_WALK or not reach[0] <= x <= reach[1]
    return [] if far or any(_path(pet, place).overlap(each) for each in avoid) else [(place, "walk")]


def _path(start: Rect, end: Rect) -> Rect:
    """Return what its body passes on a level way."""
    body = body_of(start)
    return Rect(min(body.x, body.x + end.x - start.x), body.y, body.width + abs(end.x - start.x), body.height)


def _is_free(place: Rect, work: Rect, avoid: Sequence[Rect]) -> bool:
    return clamp(place, work) == place and not any(body_of(place).overlap(each) for each in avoid)


def typed_in(pet: Rect, windows: Sequence[Window]) -> list[Rect]:
    """Return the frames of windows that its owner types in, which the pet doesn't cover unless it does already."""
    return [each.frame for each in windows if each.active and not body_of(pet).overlap(each.frame)]


def clear_of(pet: Rect, chat: Rect, windows: Sequence[Window], work: Rect) -> Rect | None:
    """Return where the pet covers nothing of its chat: beside it on its ground, on its title bar, or on the floor.

    None if it covers nothing, is in mid-air, or has nowhere to go.
    """
    reach = reach_of(pet, windows, work)
    if reach is None or not body_of(pet).overlap(chat):
        return None
    sides = sorted((chat.x - pet.width, chat.right), key=lambda x: abs(x - pet.x))
    beside = [x for x in sides if work.x <= x <= work.right - pet.width]
    near = [x for x in beside if reach[0] <= x <= reach[1]]
    if near:
        return pet.at(near[0], pet.y)
    on_bar = on_top(pet, chat.y)
    if on_bar.y >= work.y:
        return clamp(on_bar.at(max(chat.x, min(pet.x, chat.right - pet.width)), on_bar.y), work)
    return pet.at(beside[0], work.bottom - pet.height) if beside else None


def body_of(pet: Rect) -> Rect:
    """Return the drawing above its feet."""
    side = pet.width // 8  # of nothing, on both sides
    return Rect(pet.x + side, pet.y, pet.width - 2 * side, feet_of(pet) - _TOLERANCE - pet.y)


def covered(pet: Rect, windows: Sequence[Window]) -> list[Window]:
    """Return the windows of other programs in front of which it is, bottom to top."""
    return [each for each in windows if not each.own and body_of(pet).overlap(each.frame)]


def clear_of_newcomer(pet: Rect, known: Collection[int], windows: Sequence[Window], work: Rect) -> Rect | None:
    """Return where the pet covers no window, once one that is not ``known`` covers its place.

    None if the topmost window there is known, or there is no such place: in front of large windows it stays.
    """
    here = covered(pet, windows)
    if not here or here[-1].handle in known:
        return None
    place = clear_of(pet, here[-1].frame, windows, work)
    return None if place is None or any(body_of(place).overlap(each.frame) for each in windows) else place


def peek(pet: Rect, way: float, chat: Rect, windows: Sequence[Window], work: Rect) -> Rect | None:
    """Return the place half behind the near side of its chat in direction ``way``.

    None unless the chat reaches from its head nearly to the ground, with no other window in front of that side.
    """
    reach = reach_of(pet, windows, work)
    on_left = way < 0
    body = body_of(pet)
    gap = body.x - chat.right if on_left else chat.x - body.right
    if reach is None or not -_TOLERANCE <= gap <= LONGEST_STROLL:
        return None
    if chat.y > pet.y or chat.bottom < feet_of(pet) - MARGIN:
        return None
    edge = chat.right if on_left else chat.x
    place = pet.at(edge - pet.width // 2, pet.y)
    at = next((at for at, each in enumerate(windows) if each.own), None)
    if at is None or any(each.frame.overlap(place) for each in windows[at + 1 :]):
        return None
    return place if reach[0] <= place.x <= reach[1] else None
