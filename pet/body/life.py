"""The pet's idle life: breath, glances, fidgets, twitches of a nap, and reactions to pokes."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from pet.body.acts import WAYS, Act, Step, Timing, steps_of

_ANSWERS: tuple[Act, ...] = ("poked", "giggle", "shy", "leap", "huff", "sneeze")
_JOKE: Act = "faint"
_JOKE_AT = 10
_ROW_MS = 5000  # between pokes of one row

Random = Callable[[], float]
"""Returns a number from 0 to 1."""


class Pokes:
    """Answers to pokes: never the same twice in a row; the tenth of a row is a joke."""

    def __init__(self) -> None:
        self._count = 0
        self._at = -math.inf
        self._last: Act | None = None

    def answer(self, now: float, random: Random, has: Callable[[Act], bool]) -> Act:
        self._count = self._count + 1 if now - self._at <= _ROW_MS else 1
        self._at = now
        if self._count == _JOKE_AT and has(_JOKE):
            self._count = 0
            self._last = _JOKE
            return _JOKE
        free = [act for act in _ANSWERS if act != self._last and has(act)]
        self._last = free[min(int(random() * len(free)), len(free) - 1)] if free else "poked"
        return self._last


@dataclass(frozen=True, slots=True)
class Surroundings:
    """``hour``: returns the hour of the day, 0 to 23, local time."""

    random: Random
    hour: Callable[[], int]


# Ranges in milliseconds, shortest and longest.
_PAUSE = (2200, 4400)
_BLINK_AFTER = (2000, 7000)
_GLANCE_AFTER = (8000, 19_000)
_GLANCE_HOLDS = (900, 2200)
_FIDGET_AFTER = (12_000, 26_000)
_TWITCH_AFTER = (22_000, 50_000)
_STIR_AFTER = (180_000, 420_000)
_LINGER = (4000, 8000)
_AFTERGLOW = 180_000
_LONG_WORK = 60_000
# Frames of a sheet's idle row shorter than this are blinks and keep their time.
_SHORT = 180
_SLOWEST = 1000
_DROWSY_AFTER = 120_000

_Weights = dict[Act, float]
_FIDGETS: Mapping[Act, float] = {
    "flick": 5,
    "sway": 4,
    "shift": 4,
    "wag": 3,
    "hum": 2,
    "scratch": 2,
    "peek": 3,
    "sniff": 2,
    "hop": 1,
    "stretch": 1,
    "yawn": 0.3,
}
_GLAD: Mapping[Act, float] = {"wag": 6, "hum": 6, "hop": 3}
_BLUE: Mapping[Act, float] = {"wag": 0.2, "hum": 0, "hop": 0, "sway": 6}
_NEAR: Mapping[Act, float] = {**_BLUE, "dance": 0, "soap": 0, "nod": 5, "lean": 6}
_WITH_NOTE: Mapping[Act, float] = {"note-read": 9}
_WITH_MAIL: tuple[Act, ...] = ("mail-wave", "mail-peek", "mail-tuck", "ready")
_OF_WAYS: Mapping[Act, float] = {"nod": 4, "lean": 3, "dance": 2, "treasure": 2, "soap": 2}

Glow = Literal["glad", "blue"]
"""A face left behind by a passing mood for a few minutes."""


class Life:
    """Behaviour of the idle pet. ``weather`` and ``ways``: what the life together brings, as the core says;
    ``holds``: it has a note in its paws."""

    def __init__(self, around: Surroundings) -> None:
        self._around = around
        self._blink = self._between(_BLINK_AFTER)
        self._glance = self._between(_GLANCE_AFTER)
        self._fidget = self._between(_FIDGET_AFTER)
        self._twitch = self._between(_TWITCH_AFTER)
        self._stir = self._between(_STIR_AFTER)
        self._quiet = 0
        self._work = 0
        self._glow: Glow | None = None
        self._glows = 0
        self._last: Act | None = None
        self.weather = ""
        self.holds = False
        self.ways: Collection[str] = ()

    @property
    def glow(self) -> Glow | None:
        return self._glow

    @glow.setter
    def glow(self, glow: Glow | None) -> None:
        self._glow, self._glows = glow, 0

    def stirred(self) -> None:
        """Note an event: the pet gets drowsy only after a long quiet."""
        self._quiet = 0

    def awake(self, timing: Timing, *, looks: bool) -> list[Step]:
        """Return the next steps of an awake, idle pet; none for a skin with one picture and no looks."""
        steps = self._breath(timing) if timing("breath") else self._sheet(timing)
        if not steps:
            return steps
        if self._glance <= 0 and looks:
            self._glance = self._between(_GLANCE_AFTER)
            steps.append(Step("idle", 0, self._between(_GLANCE_HOLDS), glance=True))
        if self._fidget <= 0:
            self._fidget = self._between(_FIDGET_AFTER) * (2 if self._glow == "blue" else 1)
            fidget = self._choose(timing)
            if fidget:
                steps += steps_of(fidget, timing)
        self._spend(steps)
        return steps

    def asleep(self, timing: Timing) -> list[Step]:
        """Return the next steps of a nap: breath, sometimes a twitch, rarely half an eye."""
        steps = steps_of("asleep", timing)
        if len(steps) < 2:
            return []
        spent = _length(steps)
        self._twitch -= spent
        self._stir -= spent
        if self._stir <= 0:
            self._stir = self._between(_STIR_AFTER)
            steps += steps_of("stir", timing)
        elif self._twitch <= 0:
            self._twitch = self._between(_TWITCH_AFTER)
            steps += steps_of("twitch", timing)
        return steps

    def lingering(self, act: Act, frame: int, timing: Timing) -> list[Step]:
        """Return the steps of a lasting mood: its resting frame for a while, then its frames again. With an envelope
        it does something else each time."""
        steps = steps_of(self._with_mail(timing) if act == "ready" else act, timing)
        return [] if len(steps) < 2 else [Step(act, frame, self._between(_LINGER)), *steps]

    def _with_mail(self, timing: Timing) -> Act:
        free = [each for each in _WITH_MAIL if each != self._last and timing(each) is not None]
        self._last = free[min(int(self._around.random() * len(free)), len(free) - 1)] if free else None
        return self._last or "ready"

    def lasting(self, act: Act, timing: Timing) -> list[Step]:
        """Return the steps of a lasting act; long thinking shows effort now and then."""
        steps = steps_of(act, timing)
        if len(steps) < 2 or act != "thinking":
            return steps if len(steps) >= 2 else []
        before = self._work
        self._work += _length(steps)
        toils = self._work // _LONG_WORK > before // _LONG_WORK
        return [*steps, *steps_of("toil", timing)] if toils else steps

    def worked(self) -> bool:
        """Whether the work that just ended was long enough for a stretch; restarts the count."""
        long = self._work >= _LONG_WORK
        self._work = 0
        return long

    @property
    def _late(self) -> bool:
        hour = self._around.hour()
        return hour >= 21 or hour < 6

    def _breath(self, timing: Timing) -> list[Step]:
        rest, *breath = steps_of("breath", timing)
        pause = self._between(_PAUSE)
        self._blink -= pause + _length(breath)
        steps = [replace(rest, ms=pause)]
        if self._blink <= 0:
            self._blink = self._between(_BLINK_AFTER)
            blink = steps_of("blink", timing)
            steps += blink  # then the next breath: each frame costs
            if self._around.random() < 0.2:
                steps += [replace(rest, ms=160), *blink]
        if self._late and self._quiet > _DROWSY_AFTER and self._around.random() < 0.15:
            steps += steps_of("drowsy", timing)
        return [*steps, *breath]

    def _sheet(self, timing: Timing) -> list[Step]:
        """Return a sheet's own idle row, slowed, with varying pauses on its first frame."""
        frames = steps_of("idle", timing)
        if len(frames) < 2:
            return []
        slow = [step if step.ms <= _SHORT else replace(step, ms=max(step.ms, _SLOWEST)) for step in frames]
        return [replace(slow[0], ms=slow[0].ms + self._between(_PAUSE)), *slow[1:]]

    def _choose(self, timing: Timing) -> Act | None:
        hour = self._around.hour()
        weights: _Weights = {**_FIDGETS, **{way: _OF_WAYS[way] for way in WAYS if way in self.ways}}
        weights |= _WITH_NOTE if self.holds else {}
        glow = self._glow or ("glad" if self.weather == "bright" else None)
        weights |= _GLAD if glow == "glad" else _BLUE if glow == "blue" else {}
        if self.weather == "near":
            weights |= {act: weight for act, weight in _NEAR.items() if act in weights}
        if self._late:
            weights |= {"yawn": 7, "hop": 0, "stretch": 2}
        elif hour < 10:
            weights |= {"stretch": 5, "yawn": 2}
        free = {act: weight for act, weight in weights.items() if act != self._last and timing(act) is not None}
        left = self._around.random() * sum(free.values())
        self._last = None
        for act, weight in free.items():
            left -= weight
            if left < 0:
                self._last = act
                break
        return self._last

    def _spend(self, steps: list[Step]) -> None:
        spent = _length(steps)
        self._glance -= spent
        self._fidget -= spent
        self._quiet += spent
        self._glows += spent
        if self._glow and self._glows >= _AFTERGLOW:
            self._glow = None

    def _between(self, limits: tuple[int, int]) -> int:
        least, most = limits
        return math.floor(least + (most - least) * self._around.random() + 0.5)


def _length(steps: list[Step]) -> int:
    return sum(step.ms for step in steps)
