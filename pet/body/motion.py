"""Movements of the pet: its gaze, a drag that may become a throw, and slides over the screen. Pure but for the
agenda; distances in pixels of the window, speeds in pixels per millisecond."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from pet.body.agenda import Agenda, DueCall

THRESHOLD = 8
"""A smaller move is a click."""
FACE, DEAD_ZONE = 0.58, 0.16
"""The face's centre from the top, and the radius around it without direction, as shares of the picture's height."""


def direction_of(dx: float, dy: float, dead: float) -> int | None:
    """Return the direction, 0 to 15 clockwise from up; None near the face."""
    if math.hypot(dx, dy) < dead:
        return None
    return (math.floor(math.atan2(dx, -dy) * 8 / math.pi + 0.5) + 16) % 16


def direction_from_face(x: float, y: float, width: float, height: float) -> int | None:
    """Return the direction of a point of the window, seen from the face."""
    return direction_of(x - width / 2, y - height * FACE, height * DEAD_ZONE)


class Mover(Protocol):
    def __call__(self, dx: float, dy: float, done: bool) -> object:
        """Move the window to this offset from the start of the movement. ``done``: it rests there."""


@dataclass(frozen=True, slots=True)
class Vector:
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class Sample:
    """Position of the pointer at a time in milliseconds."""

    x: float
    y: float
    at: float


_THROWN = 0.55  # below it the pet is set down, not thrown
_FASTEST = 2.2
_LET_GO_MS = 60  # of a pause before the release, after which there is no throw
_SWING_MS = 200  # of the trail count for the release
_STEP_MS, _WALK_STEP_MS = 32, 40  # a walk's steps: three to a drawing, so that one wake-up does both
_FRICTION, _ENDS = 0.86, 0.03
_WALKS, _LONGEST_MS = 0.17, 2600
_RUNS = 0.42
_HOP_MS, _HOP_MS_A_PIXEL, _LONGEST_HOP_MS = 380, 0.7, 900
_LIFT, _LIFT_SHARE = 36, 0.35  # of a hop above the straight line: pixels, and a share of its height
_PULL, _PULL_MS, _MOST_PULLS, _PULLS_FOR = 46, 340, 14, 0.6  # of a climb: a pull moves for a share of its time
_GRAVITY = 0.0032  # per square millisecond: a fall over a whole screen takes under a second


def speed_of(trail: Sequence[Sample], now: float) -> Vector | None:
    """Return the release speed; None if it is no throw."""
    if not trail:
        return None
    last = trail[-1]
    first = next(each for each in trail if last.at - each.at <= _SWING_MS)
    if last.at <= first.at or now - last.at > _LET_GO_MS:
        return None
    time = last.at - first.at
    x, y = (last.x - first.x) / time, (last.y - first.y) / time
    speed = math.hypot(x, y)
    if speed < _THROWN:
        return None
    share = min(1, _FASTEST / speed)
    return Vector(x * share, y * share)


class Press:
    """One press of the first button, from ``start`` to ``end``; a drag once it has moved far enough."""

    def __init__(self, move: Mover) -> None:
        self._move = move
        self._from: Vector | None = None
        self._trail: list[Sample] = []
        self.dragging = False

    @property
    def held(self) -> bool:
        return self._from is not None

    def start(self, x: float, y: float, at: float) -> None:
        self._from, self.dragging = Vector(x, y), False
        self._trail = [Sample(x, y, at)]  # a busy computer reports a single move of a quick throw

    def move(self, x: float, y: float, at: float) -> bool:
        """Return whether this is a drag by now."""
        if self._from is None:
            return False
        dx, dy = x - self._from.x, y - self._from.y
        self.dragging = self.dragging or math.hypot(dx, dy) >= THRESHOLD
        if self.dragging:
            self._trail = [*self._trail[-5:], Sample(x, y, at)]
            self._move(dx, dy, False)
        return self.dragging

    def end(self, x: float, y: float, at: float, *, throws: bool) -> tuple[bool, Vector, Vector | None]:
        """End the press: return whether it was a drag, after which the click does not count, the distance, and the
        speed of a throw. Without one the pet rests where it was dropped."""
        begun, dragged = self._from, self.dragging
        self._from, self.dragging = None, False
        if begun is None or not dragged:
            return False, Vector(0, 0), None
        moved = Vector(x - begun.x, y - begun.y)
        speed = speed_of(self._trail, at) if throws else None
        if speed is None:
            self._move(moved.x, moved.y, True)
        return True, moved, speed

    def drop(self) -> bool:
        """Forget the press without a move: it is no longer held. Return whether it was a drag."""
        dragged, self._from, self.dragging = self.dragging, None, False
        return dragged


class Slide:
    """A movement by itself. A new one, or ``stop``, ends the one before where the pet is."""

    def __init__(self, agenda: Agenda, move: Mover) -> None:
        self._agenda = agenda
        self._move = move
        self._next: DueCall | None = None
        self._at = Vector(0, 0)

    @property
    def moving(self) -> bool:
        return self._next is not None

    def throw(self, start: Vector, speed: Vector, ended: Callable[[], object]) -> None:
        """Slide from ``start`` with ``speed``, decelerating."""
        self.stop()
        vx, vy = speed.x, speed.y
        self._at = start

        def advance() -> bool:
            nonlocal vx, vy
            self._at = Vector(self._at.x + vx * _STEP_MS, self._at.y + vy * _STEP_MS)
            vx, vy = vx * _FRICTION, vy * _FRICTION
            return math.hypot(vx, vy) < _ENDS

        self._go(advance, ended)

    def walk(
        self,
        dx: float,
        dy: float,
        ended: Callable[[], object],
        step: Callable[[float, float], object] = lambda _before, _after: None,
        *,
        runs: bool = False,
    ) -> None:
        """Walk to a place, with even steps, or run. ``step``: called before each with the offsets from the start
        before and after it."""

        def at(part: float) -> Vector:
            eased = part * part * (3 - 2 * part)
            step(self._at.x, dx * eased)
            return Vector(dx * eased, dy * eased)

        ms = min(_LONGEST_MS, math.hypot(dx, dy) / (_RUNS if runs else _WALKS))
        self._along(ms, at, ended, _STEP_MS if runs else _WALK_STEP_MS)

    def hop(self, dx: float, dy: float, ended: Callable[[], object]) -> None:
        """Leap to a place, in a bow that is above both ends."""
        lift = _LIFT + _LIFT_SHARE * abs(dy)
        ms = min(_LONGEST_HOP_MS, _HOP_MS + _HOP_MS_A_PIXEL * math.hypot(dx, dy))
        self._along(ms, lambda part: Vector(dx * part, dy * part - 4 * lift * part * (1 - part)), ended)

    def climb(self, dx: float, dy: float, ended: Callable[[], object]) -> None:
        """Climb up, pull by pull."""
        pulls = max(1, min(_MOST_PULLS, round(abs(dy) / _PULL)))

        def at(part: float) -> Vector:
            whole, rest = divmod(min(part * pulls, pulls - 1e-9), 1)
            pull = min(1, rest / _PULLS_FOR)
            return Vector(dx * part, dy * min(1, (whole + 1 - (1 - pull) ** 2) / pulls))

        self._along(pulls * _PULL_MS, at, ended)

    def fall(self, dy: float, ended: Callable[[], object]) -> None:
        """Fall straight down, faster and faster."""
        self._along(math.sqrt(2 * abs(dy) / _GRAVITY), lambda part: Vector(0, dy * part**2), ended)

    def stop(self) -> None:
        """End where the pet is."""
        if self._next is not None:
            self._next.cancel()
            self._next = None
            self._move(self._at.x, self._at.y, True)

    def _along(
        self, ms: float, at: Callable[[float], Vector], ended: Callable[[], object], every: int = _STEP_MS
    ) -> None:
        """Move for this time; ``at``: returns the offset from the start after a share of it."""
        self.stop()
        steps = max(1, round(ms / every))
        taken = 0
        self._at = Vector(0, 0)

        def advance() -> bool:
            nonlocal taken
            taken += 1
            self._at = at(taken / steps)
            return taken >= steps

        self._go(advance, ended, every)

    def _go(self, advance: Callable[[], bool], ended: Callable[[], object], every: int = _STEP_MS) -> None:
        def step() -> None:
            last = advance()
            self._next = None if last else self._agenda.after(every, step)
            if last:
                ended()  # first: at rest, the shell may let it fall at once
            self._move(self._at.x, self._at.y, last)

        self._next = self._agenda.after(every, step)
