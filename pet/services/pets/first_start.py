"""Where the owner is in the first start: one number in the program's state, the same for all pets of a home."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress

from pet.settings.json_state import JsonState

FIRST, LAST, OVER = 1, 3, 0


_STEP = "welcome"


class FirstStart:
    """Which step is to be shown. A home that was used before this was asked has no first start any more."""

    def __init__(self, state: JsonState, used: Callable[[], bool]) -> None:
        self._state = state
        self._used = used

    def step(self) -> int:
        said = self._state.read().get(_STEP)
        if isinstance(said, int) and not isinstance(said, bool) and OVER <= said <= LAST:
            return said
        step = OVER if self._used() else FIRST
        with suppress(OSError):  # asked for again with the next start; the page can be drawn all the same
            self.go(step)
        return step

    def go(self, step: int) -> None:
        self._state.update({_STEP: min(max(step, OVER), LAST)})
