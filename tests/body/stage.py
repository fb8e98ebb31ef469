"""An agenda whose time the test turns, and a player over a stage that records what it shows, with fixed numbers."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from pet.body.acts import Act, Timing
from pet.body.agenda import Agenda
from pet.body.bodies import own_timing
from pet.body.creature import Wear
from pet.body.life import Surroundings
from pet.body.timeline import Player, Pointer


class Time:
    """Milliseconds that pass when ``passes`` is called; counts the times that the agenda woke up."""

    def __init__(self) -> None:
        self.now = 0.0
        self.agenda = Agenda(lambda: self.now)

    def passes(self, milliseconds: float) -> None:
        end = self.now + milliseconds
        while (due := self.agenda.due()) is not None and due <= end:
            self.now = due
            self.agenda.run()
        self.now = end

    @property
    def calls(self) -> int:
        """How many calls are open."""
        return sum(1 for _due, _order, call in self.agenda._calls if call.open)


def dice(seed: int = 7) -> Callable[[], float]:
    """Return the same sequence of numbers from 0 to 1 every time."""
    state = seed

    def roll() -> float:
        nonlocal state
        state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
        return state / 2_147_483_648

    return roll


@dataclass
class Shown:
    act: Act
    frame: int
    wear: Wear


@dataclass
class Recorder:
    shown: list[Shown] = field(default_factory=list)
    glances: list[int] = field(default_factory=list)

    def show(self, act: Act, frame: int, wear: Wear) -> None:
        self.shown.append(Shown(act, frame, wear))

    def gaze(self, direction: int, wear: Wear) -> bool:
        self.glances.append(direction)
        return True

    @property
    def acts(self) -> set[Act]:
        return {each.act for each in self.shown}


@dataclass
class Played:
    time: Time
    stage: Recorder
    pet: Player

    @property
    def last(self) -> Shown:
        return self.stage.shown[-1]


def played(
    timing: Timing = own_timing, *, hour: int = 14, pointer: Pointer = lambda directed: directed(None)
) -> Played:
    time, stage = Time(), Recorder()
    around = Surroundings(dice(), lambda: hour)
    return Played(time, stage, Player(stage, timing, time.agenda, around, pointer))
