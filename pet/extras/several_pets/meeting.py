"""Meetings of pets, from their places: visits, greetings, sleep side by side; and a place for one that comes too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from pet.desktop.geometry import Monitor, Rect, clamp, monitor_of
from pet.desktop.ground import FARTHEST_WALK, LEVEL, SHORTEST_STROLL, Leg, Window, reach_of
from pet.desktop.placement_store import PlacementStore
from pet.extras.several_pets.companions import Neighbour

_NEAR, _BESIDE = 2.0, 0.9  # distance of two pets' middles, in widths of a pet
Pair = tuple[Neighbour, Neighbour]
"""This pet and another."""
Notice = Literal["greet", "look", "join", "play"]


def noticed(before: Pair | None, now: Pair) -> Notice | None:
    """Return what this pet does about the other: it greets one that has come near, plays with one that came for that,
    watches one that moves near it, and goes to sleep beside one that has fallen asleep. None: nothing. ``before``:
    as they were last."""
    here, other = now
    if here.asleep or not _within(now, _NEAR):
        return None
    if other.plays and not (before is not None and before[1].plays):
        return "play"
    if before is None or not _within(before, _NEAR):
        return "look" if other.asleep else "greet"
    if other.asleep and not before[1].asleep:
        return "join"
    return "look" if way_to(before) != way_to(now) and before[0] == here else None


def leaning(here: Neighbour, others: Iterable[Neighbour]) -> int:
    """Return to which side this pet leans in its sleep, -1 for the left: to another that sleeps beside it; else 0."""
    beside = ((here, other) for other in others if here.asleep and other.asleep)
    ways = (way_to(pair) for pair in beside if _within(pair, _BESIDE))
    dx, _dy = min(ways, key=lambda way: abs(way[0]), default=(0, 0))
    return (dx > 0) - (dx < 0)


def way_to(pair: Pair) -> tuple[int, int]:
    """Return the way from the middle of this pet to that of the other, in units."""
    (x, y), (to_x, to_y) = ((each.x + each.width // 2, each.y + each.height // 2) for each in pair)
    return to_x - x, to_y - y


def _within(pair: Pair, widths: float) -> bool:
    """Whether both are shown, at about the same height and within this distance."""
    here, other = pair
    dx, dy = way_to(pair)
    near = abs(dx) <= widths * max(here.width, other.width) and abs(dy) <= LEVEL * max(here.height, other.height)
    return near and here.shown and other.shown


def visit(pet: Rect, others: Iterable[Neighbour], windows: Sequence[Window], work: Rect) -> list[Leg]:
    """Return the way to the nearest other pet on the same ground that is awake; none without one."""
    reach = reach_of(pet, windows, work)
    if reach is None:
        return []
    goals: list[tuple[int, Rect]] = []
    for other in others:
        dx, dy = other.x - pet.x, other.y + other.height - pet.bottom
        if not other.shown or other.asleep or abs(dy) > LEVEL * pet.height or abs(dx) > 2 * FARTHEST_WALK:
            continue
        x = other.x - round(pet.width * _BESIDE) if dx > 0 else other.x + round(other.width * _BESIDE)
        if reach[0] <= x <= reach[1] and abs(x - pet.x) >= SHORTEST_STROLL:
            goals.append((abs(x - pet.x), pet.at(x, pet.y)))
    return [(min(goals, key=lambda each: each[0])[1], "walk")] if goals else []


def make_room(
    places: PlacementStore, taken: Sequence[Rect], monitors: Sequence[Monitor], chat: Rect | None = None
) -> None:
    """Give a pet that comes too a place beside the others, unless its last one is free.

    ``places``: its own; ``taken``: those of the others, first the one that it comes to. ``chat``: where that one's
    chat is in sight: a place off it is preferred, since it covers what the owner just clicked on.
    """
    here = taken[0]
    size, work = (here.width, here.height), monitor_of(here, monitors).work
    last = [places.pet_place(size, monitors)] if places.has_place else []
    across = [here.x + step * here.width for step in (-1, 1, -2, 2)]
    if chat is not None:
        across += [chat.x - here.width, chat.right, chat.x - 2 * here.width, chat.right + here.width]
    candidates = [*last, *(clamp(here.at(x, here.y), work) for x in across)]
    free = [place for place in candidates if not any(place.overlap(each) for each in taken)]
    off = [place for place in free if chat is None or not place.overlap(chat)]
    if best := off or free:
        places.keep_pet(best[0], monitors)
