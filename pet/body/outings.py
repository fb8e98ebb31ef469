"""Outings of the idle pet, and when they start. Pure: the shell checks what is possible at its place.

outings = Outings(random)
milliseconds = outings.pause("calm")
what, way = outings.choose()
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Literal

Pace = Literal["calm", "lively", "still"]
Outing = Literal["walk", "run", "hop", "climb", "trip", "ball", "visit", "rise", "nap"]
"""``hop``: onto a window; ``climb``: up a window's side; ``trip``: off the screen and back; ``visit``: another pet;
``rise``: out of a nap; ``nap``: to its cushion. What can't be done becomes a walk."""

_PAUSES: Mapping[Pace, tuple[int, int]] = {"calm": (50_000, 105_000), "lively": (18_000, 45_000)}
_NAPS = (420_000, 840_000)
_AGAIN = 12_000
"""Milliseconds after which a pet that was busy when it was to go gets another chance."""
_WEIGHTS: Mapping[Outing, float] = {"walk": 5, "hop": 3, "climb": 2, "trip": 1, "ball": 3, "visit": 2}


class Outings:
    """``random``: returns a number from 0 to 1."""

    def __init__(self, random: Callable[[], float]) -> None:
        self._random = random
        self._last: Outing = "walk"

    def pause(self, pace: Pace, *, busy: bool = False) -> float | None:
        """Return the milliseconds until it goes somewhere; None: never. ``busy``: it was to go and could not."""
        pauses = _PAUSES.get(pace)
        return None if pauses is None else _AGAIN if busy else self._between(pauses)

    def nap(self) -> float:
        """Return for how many milliseconds it sleeps before it gets up by itself."""
        return self._between(_NAPS)

    def choose(self) -> tuple[Outing, float]:
        """Return what it does next, nothing but a walk twice in a row, and the way: from -1 (left) to 1."""
        free = {what: weight for what, weight in _WEIGHTS.items() if what == "walk" or what != self._last}
        left = self._random() * sum(free.values())
        for what, weight in free.items():
            self._last = what
            left -= weight
            if left < 0:
                break
        return self._last, self._random() * 2 - 1

    def _between(self, limits: tuple[int, int]) -> float:
        least, most = limits
        return least + (most - least) * self._random()
