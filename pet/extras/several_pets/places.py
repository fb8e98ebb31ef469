"""Places for pets that join others on the desktop. Pure but for what the store keeps."""

from __future__ import annotations

from collections.abc import Sequence

from pet.desktop.geometry import Monitor, Rect, clamp, monitor_of
from pet.desktop.placement_store import PlacementStore


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
