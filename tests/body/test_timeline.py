"""Moods and reactions in time."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from pet.body.acts import Act
from pet.body.bodies import own_timing
from pet.body.creature import Wear
from pet.events import Mood
from tests.body.stage import played


def test_a_passing_mood_is_neutral_again_after_half_a_minute() -> None:
    it = played()
    it.pet.play(Mood.HAPPY)
    it.time.passes(30_000)
    assert it.pet.mood is Mood.NEUTRAL


def test_it_thinks_as_long_as_that_lasts_and_stands_still_when_it_may_not_move() -> None:
    it = played()
    it.pet.play(Mood.THINKING)
    it.time.passes(120_000)
    assert it.pet.moving
    it.pet.hold(True)
    assert it.time.calls == 0
    it.pet.play(Mood.TALKING)
    assert it.time.calls == 0
    assert it.last.act == "talking"
    it.pet.hold(False)
    assert it.pet.moving


def test_a_reaction_shows_at_once_then_the_mood_that_came_meanwhile() -> None:
    it = played()
    it.pet.play(Mood.THINKING)
    it.pet.play(Mood.REMEMBERED)
    assert it.last.act == "remembered"
    it.pet.play(Mood.TALKING)
    assert it.last.act == "remembered"
    it.time.passes(3_000)
    assert it.pet.act == "talking"


def test_a_reaction_ends_under_reduced_motion_too() -> None:
    it = played()
    it.pet.hold(True)
    it.pet.react("poked")
    assert it.last.act == "poked"
    it.time.passes(2_000)
    assert (it.last.act, it.last.frame, it.time.calls) == ("idle", 0, 0)


@pytest.mark.parametrize("settles", [True, False])
def test_a_skin_of_gestures_is_idle_after_them_and_a_drawn_one_keeps_its_face(settles: bool) -> None:
    it = played()
    it.pet.wear(own_timing, settles=settles)
    it.pet.play(Mood.HAPPY)
    it.time.passes(6_000)
    assert (it.last.act == "happy") is not settles
    assert it.pet.mood is Mood.HAPPY


def test_it_looks_to_the_pointer_and_ahead_again_when_that_rests() -> None:
    it = played()
    it.pet.play(Mood.NEUTRAL)
    it.pet.gaze(4)
    assert (it.stage.glances, it.time.calls) == ([4], 0)
    it.pet.gaze(None)
    assert it.last.act == "breath"
    it.pet.play(Mood.TALKING)
    it.pet.gaze(4)
    assert it.stage.glances == [4]


def test_its_state_shows_in_every_act() -> None:
    it = played()
    it.pet.play(Mood.NEUTRAL)
    state = Wear(bud=True, hush=True)
    it.pet.state(state)
    assert it.last.wear == state
    it.pet.play(Mood.TALKING)
    assert it.last.wear == state


def _none(_act: Act) -> Sequence[int] | None:
    return None


def _one(_act: Act) -> Sequence[int] | None:
    return (0,)


def _idle_alone(act: Act) -> Sequence[int] | None:
    return (200,) if act == "idle" else None


@pytest.mark.parametrize("timing", [_none, _one, _idle_alone])
def test_a_pet_with_few_pictures_stands_still_instead_of_turning_in_circles(timing: object) -> None:
    assert callable(timing)
    it = played(timing)
    for mood in (Mood.THINKING, Mood.TALKING, Mood.NEUTRAL, Mood.WAITING, Mood.THINKING):
        it.pet.play(mood)
    assert it.time.calls == 0
    assert len(it.stage.shown) < 8
    it.pet.react("carried")
    it.pet.react(None)
    assert it.time.calls == 0


def test_stopped_it_leaves_no_call() -> None:
    it = played()
    it.pet.play(Mood.HAPPY)
    it.pet.stop()
    assert it.time.calls == 0
