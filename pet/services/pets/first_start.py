"""Step of the first start: a number in the program's state, common to all pets of a home."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from pet.settings.json_state import JsonState

FIRST, LAST, OVER = 1, 3, 0

_STEP = "welcome"


class FirstStart:
    """The step to show; ``used``: whether the home was used before, which skips the first start."""

    def __init__(self, state: JsonState, used: Callable[[], bool]) -> None:
        self._state = state
        self._used = used

    def step(self) -> int:
        stored = self._state.read().get(_STEP)
        if isinstance(stored, int) and not isinstance(stored, bool) and OVER <= stored <= LAST:
            return stored
        step = OVER if self._used() else FIRST
        with suppress(OSError):  # stored at the next start
            self.go(step)
        return step

    def go(self, step: int) -> None:
        self._state.update({_STEP: min(max(step, OVER), LAST)})
