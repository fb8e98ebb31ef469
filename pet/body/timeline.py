"""The pet's player: steps of acts on an agenda, while the pet is visible and may move. Held still, the only call is
the end of a reaction."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from typing import Protocol

from pet.body.acts import ACT_OF, LASTING, Act, Step, Timing, performed, resting_frame
from pet.body.agenda import Agenda, DueCall
from pet.body.creature import BARE, Wear
from pet.body.life import Glow, Life, Pokes, Surroundings
from pet.moods import Mood


class Stage(Protocol):
    """Shows one picture at a time."""

    def show(self, act: Act, frame: int, wear: Wear) -> None: ...

    def gaze(self, direction: int, wear: Wear) -> bool:
        """``direction``: 0 to 15, clockwise from up. Returns False if the skin has no such pictures."""
        ...


Directed = Callable[[int | None], None]
Pointer = Callable[[Directed], object]
"""Calls back with the pointer's direction, None if unknown, now or later. Used for glances only."""


def _unknown(directed: Directed) -> None:
    directed(None)


# Moods that pass by themselves, so that a lost event leaves no face frozen, and the glow that they leave.
_PASSING: Mapping[Mood, Glow | None] = {
    Mood.HAPPY: "glad",
    Mood.SAD: "blue",
    Mood.SURPRISED: None,
    Mood.ERROR: "blue",
}
_PASSES_AFTER = 30_000
_GLOWS: Mapping[Glow, str] = {"glad": "curve", "blue": "small"}
# Acts that give way to idle in skins without resting faces, as their format says.
_SETTLES = frozenset({"happy", "failed", "sad", "surprised"})
# Long acts that the pet begins by itself; a mood ends them.
_GIVES_WAY = frozenset({"sit", "spy-left", "spy-right"})
_STILL_MS = 1500  # for which a still picture shows a reaction


class Player:
    """Plays the mood, and reactions over it. ``timing`` and ``settles`` are the skin's: its moods are gestures, after
    which it is idle."""

    def __init__(
        self, stage: Stage, timing: Timing, agenda: Agenda, around: Surroundings, pointer: Pointer = _unknown
    ) -> None:
        self._stage = stage
        self._timing = timing
        self._agenda = agenda
        self._around = around
        self._pointer = pointer
        self._settles = False
        self._life = Life(around)
        self._pokes = Pokes()
        self._mood = Mood.NEUTRAL
        self._reaction: Act | None = None
        self._looking: int | None = None
        self._follows = False
        self._state = BARE
        self._still = False
        self._next: DueCall | None = None
        self._passes: DueCall | None = None
        self._run = 0  # number of the current run of steps, for late answers

    @property
    def mood(self) -> Mood:
        return self._mood

    @property
    def act(self) -> Act:
        """The act shown now."""
        return self._reaction or ("idle" if self._follows else ACT_OF[self._mood])

    @property
    def idle(self) -> bool:
        """Whether it is awake with nothing to do."""
        return self._mood is Mood.NEUTRAL and self._reaction is None

    @property
    def free(self) -> bool:
        """Whether it may go somewhere: it is idle, or only waits with an envelope."""
        return self._mood in (Mood.NEUTRAL, Mood.READY) and self._reaction is None

    @property
    def moving(self) -> bool:
        """Whether any frame will follow by itself."""
        return self._next is not None

    def wear(self, timing: Timing, *, settles: bool) -> None:
        """Change the skin, keeping the mood."""
        self._timing, self._settles = timing, settles
        self._begin()

    def play(self, mood: Mood) -> None:
        """Set the mood the core reports. ``remembered`` is an event, not a state."""
        if mood is Mood.REMEMBERED:
            self.react("remembered")
            return
        before, self._mood = self._mood, mood
        if self._passes is not None:
            self._passes.cancel()
            self._passes = None
        if self._reaction in _GIVES_WAY and mood is not Mood.NEUTRAL:
            self._reaction = None
        if mood in _PASSING:
            self._passes = self._agenda.after(_PASSES_AFTER, lambda: self.play(Mood.NEUTRAL))
        if mood is not Mood.ASLEEP:
            self._life.stirred()
        if mood is Mood.NEUTRAL and before in _PASSING:
            self._life.glow = _PASSING[before]
        elif mood in _PASSING:
            self._life.glow = None
        if self._reaction or (mood is before is Mood.NEUTRAL and self.moving):
            return  # its breath goes on
        if mood is Mood.ASLEEP and before is not Mood.ASLEEP and self._has("doze"):
            self.react("doze")
        elif mood in (Mood.NEUTRAL, Mood.READY) and self._life.worked() and self._has("stretch"):
            self.react("stretch")
        else:
            self._begin()

    def react(self, act: Act | None) -> None:
        """Show a reaction once, at once, then the mood again; None ends it."""
        self._reaction = act
        if act != "doze":
            self._life.stirred()
        self._begin()

    def poke(self) -> None:
        """React to a poke."""
        if self._mood is Mood.ASLEEP:
            self._mood = Mood.NEUTRAL
        now = self._agenda.clock()
        self.react(self._pokes.answer(now, self._around.random, lambda act: self._has(act) or act == "poked"))

    def wake(self) -> bool:
        """End a nap, before the core does: the pointer came. Return whether there was one."""
        if self._mood is not Mood.ASLEEP or self._reaction not in (None, "doze"):
            return False
        self.play(Mood.NEUTRAL)
        self.react("wake" if self._has("wake") else None)
        return True

    def state(self, state: Wear) -> None:
        """Set the state shown on every pose."""
        if state != self._state:
            self._state = state
            self._life.holds = state.holds
            if not self._reaction:
                self._begin()

    def live(self, weather: str, ways: Collection[str]) -> None:
        """Set what the life together brings to its idle life."""
        self._life.weather, self._life.ways = weather, ways

    def gaze(self, direction: int | None) -> None:
        """Set the pointer's direction. Only a pet at rest watches it; a resting pointer lets it look ahead again."""
        if direction != self._looking:
            self._looking = direction
            if self.act == "idle" and not self._still:
                self._begin()

    def follow(self, on: bool, direction: int | None = None) -> None:
        """Look in a direction whatever the mood, such as at what called it; None ahead. ``on`` False: no longer."""
        if (on, direction) != (self._follows, self._looking):
            self._follows, self._looking = on, direction
            if not self._reaction and not self._still:
                self._begin()

    def hold(self, still: bool) -> None:
        """Stop animating (hidden, or reduced motion), or resume."""
        if still != self._still:
            self._still = still
            self._begin()

    def stop(self) -> None:
        """Stop for good: no call is left."""
        self._cancel()
        if self._passes is not None:
            self._passes.cancel()

    @property
    def _wears(self) -> Wear:
        glow = self._life.glow
        return replace(self._state, mouth=_GLOWS[glow]) if glow else self._state

    def _has(self, act: Act) -> bool:
        return self._timing(act) is not None

    def _cancel(self) -> None:
        if self._next is not None:
            self._next.cancel()
            self._next = None
        self._run += 1

    def _begin(self) -> None:
        act = self.act
        self._cancel()
        if self._still:
            self._rest(act)
        elif act == "idle" and self._looking is not None and self._stage.gaze(self._looking, self._wears):
            return
        else:
            self._step(act, [] if act in ("idle", "asleep") else performed(act, self._timing), 0)

    def _step(self, act: Act, steps: list[Step], index: int) -> None:
        if index >= len(steps):
            self._ended(act)
            return
        step = steps[index]
        if step.glance:
            self._glance()
        else:
            self._stage.show(step.act, step.frame, self._wears)
        self._next = self._agenda.after(step.ms, lambda: self._step(act, steps, index + 1))

    def _ended(self, act: Act) -> None:
        """Repeat after the last step, or go on to the next act."""
        self._next = None
        if self._reaction == act and act not in LASTING:
            if self._timing(act):
                self.react(None)
            else:
                self._rest(act)
            return
        more = self._more(act)
        if more:
            self._step(act, more, 0)
        else:
            self._rest(act)

    def _more(self, act: Act) -> list[Step]:
        if act == "idle":
            return self._life.awake(self._timing, looks=True)
        if act == "asleep":
            return self._life.asleep(self._timing)
        if act in LASTING:
            return self._life.lasting(act, self._timing)
        if self._settles and act in _SETTLES:
            return self._life.awake(self._timing, looks=False)
        return self._life.lingering(act, resting_frame(act, self._timing, still=False), self._timing)

    def _rest(self, act: Act) -> None:
        """Show a still picture; a reaction only for a while."""
        self._stage.show(act, resting_frame(act, self._timing, still=self._still), self._wears)
        if self._reaction == act and act not in LASTING:
            self._next = self._agenda.after(_STILL_MS, lambda: self.react(None))

    def _glance(self) -> None:
        """Glance at the pointer if its direction is known, else anywhere."""
        run, anywhere = self._run, int(self._around.random() * 16) % 16

        def directed(direction: int | None) -> None:
            if run == self._run:
                self._stage.gaze(anywhere if direction is None else direction, self._wears)

        self._pointer(directed)
