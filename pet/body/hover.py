"""The pointer on the pet: fading, expecting the chat, and the gaze. Each needs the pointer to rest for a while."""

from __future__ import annotations

from collections.abc import Callable

from pet.body.agenda import Agenda, DueCall

ARRIVED_MS = 80
"""After which a pointer on the pet may be about to open the chat."""
REST_MS = 450
"""Before fading: a pointer that only crosses does not fade the pet."""
_GAZE_MS = 1500  # after which a resting pointer is no longer followed, so that idle life goes on


class Hover:
    """``arrived``: called each time the pointer comes to rest on the pet; ``fade``: as it rests or leaves, where that
    is allowed; ``gaze``: with its direction while it moves, None once it rests or leaves."""

    def __init__(
        self,
        agenda: Agenda,
        arrived: Callable[[], object],
        fade: Callable[[bool], object],
        gaze: Callable[[int | None], object],
    ) -> None:
        self._agenda = agenda
        self._arrived = arrived
        self._fade = fade
        self._gaze = gaze
        self._allowed = False
        self._faded = False
        self._calls: dict[str, DueCall] = {}

    def allow(self, on: bool) -> None:
        """Set whether the owner wants it to fade."""
        self._allowed = on
        if not on:
            self._set(False)

    def enter(self, *, free: bool) -> None:
        """The pointer came; ``free``: it is a mouse that brings nothing along."""
        self._later("arrived", ARRIVED_MS, self._arrived)
        if self._allowed and free:
            self._later("fade", REST_MS, lambda: self._set(True))

    def move(self, direction: int | None) -> None:
        self._gaze(direction)
        self._later("gaze", _GAZE_MS, lambda: self._gaze(None))

    def press(self) -> None:
        """After a press the pet stays as it is until the pointer comes again."""
        self._set(False)
        self._ahead()

    def leave(self) -> None:
        self._cancel("arrived")
        self._set(False)
        self._ahead()

    def _ahead(self) -> None:
        self._cancel("gaze")
        self._gaze(None)

    def _set(self, faded: bool) -> None:
        self._cancel("fade")
        if faded != self._faded:
            self._faded = faded
            self._fade(faded)

    def _later(self, name: str, ms: int, work: Callable[[], object]) -> None:
        self._cancel(name)
        self._calls[name] = self._agenda.after(ms, work)

    def _cancel(self, name: str) -> None:
        call = self._calls.pop(name, None)
        if call is not None:
            call.cancel()


_TEASED_MS, _TURNS, _SWAY = (
    1600,
    4,
    20,
)  # milliseconds; least changes of direction within them; least pixels between two
_TEASED_AGAIN_MS = 9_000


class Teasing:
    """Whether the pointer teases the pet: quickly to and fro over it."""

    def __init__(self) -> None:
        self._far: float | None = None  # the farthest of the present way
        self._way = 0
        self._turns: list[float] = []
        self._before = -_TEASED_AGAIN_MS * 1.0

    def move(self, x: float, at: float) -> bool:
        """Note where the pointer is, at a time in milliseconds; return whether this teases it, once for a while."""
        if self._far is None:
            self._far = x
        way = (x > self._far) - (x < self._far)
        if way == self._way or not self._way:
            self._far = x
            self._way = way or self._way
            return False
        if abs(x - self._far) < _SWAY:
            return False
        self._far, self._way = x, way
        self._turns = [*(each for each in self._turns if at - each <= _TEASED_MS), at]
        if len(self._turns) < _TURNS or at - self._before < _TEASED_AGAIN_MS:
            return False
        self._turns, self._before = [], at
        return True
