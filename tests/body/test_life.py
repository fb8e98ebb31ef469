"""The idle life, naps, and pokes."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import pytest

from pet.body.acts import WAYS
from pet.body.creature import Wear
from pet.events import Mood
from tests.body.stage import Played, played

_HOUR = 3_600_000


def _awake(**given: int) -> Played:
    it = played(**given)  # type: ignore[arg-type]
    it.pet.play(Mood.NEUTRAL)
    return it


def test_it_never_ends_never_rests_on_one_picture_and_takes_fewer_than_two_frames_a_second() -> None:
    it = _awake()
    before = 0
    for _minute in range(60):
        it.time.passes(60_000)
        assert len({(each.act, each.frame) for each in it.stage.shown[before:]}) > 1
        before = len(it.stage.shown)
    assert before / 3600 < 1.7
    assert it.time.calls == 1


def test_it_breathes_blinks_every_few_seconds_glances_and_fidgets() -> None:
    it = _awake()
    it.time.passes(300_000)
    assert 30 < sum(each.act == "blink" for each in it.stage.shown) < 120
    assert len(it.stage.glances) > 5
    assert len(it.stage.acts) > 6


def test_ways_that_came_with_acquaintance_show_and_after_a_hard_day_the_quiet_ones() -> None:
    def hours(weather: str = "", ways: tuple[str, ...] = ()) -> set[str]:
        it = played()
        it.pet.live(weather, ways)
        it.pet.play(Mood.NEUTRAL)
        it.time.passes(2 * _HOUR)
        return it.stage.acts

    assert not hours() & set(WAYS)
    assert set(WAYS) <= hours(ways=WAYS)
    near = hours("near", WAYS)
    assert "nod" in near
    assert not near & {"dance", "hop", "soap", "hum"}


def test_it_glances_at_the_pointer_where_the_desktop_tells_where_that_is() -> None:
    it = played(pointer=lambda directed: directed(12))
    it.pet.play(Mood.NEUTRAL)
    it.time.passes(120_000)
    assert set(it.stage.glances) == {12}


def test_a_late_answer_about_the_pointer_turns_no_head() -> None:
    waiting: list[Callable[[int | None], None]] = []
    it = played(pointer=waiting.append)
    it.pet.play(Mood.NEUTRAL)
    it.time.passes(60_000)
    it.pet.play(Mood.TALKING)
    for directed in waiting:
        directed(3)
    assert waiting
    assert it.stage.glances == []


def test_it_naps_when_the_core_says_so_twitches_and_wakes_at_the_pointer() -> None:
    it = _awake()
    it.time.passes(900_000)
    assert it.pet.mood is Mood.NEUTRAL
    assert not it.pet.wake()
    it.pet.play(Mood.ASLEEP)
    assert it.pet.act == "doze"
    it.time.passes(120_000)
    assert "twitch" in it.stage.acts
    assert it.pet.wake()
    assert it.pet.act == "wake"
    it.time.passes(5_000)
    assert it.pet.act == "idle"


def test_it_stays_awake_while_its_owner_reads_and_goes_on_breathing() -> None:
    it = _awake(hour=23)
    for _each in range(30):
        it.time.passes(119_000)
        before = len(it.stage.shown)
        it.pet.play(Mood.NEUTRAL)
        assert len(it.stage.shown) == before
    assert "drowsy" not in it.stage.acts


def test_late_and_left_alone_it_gets_drowsy() -> None:
    it = _awake(hour=23)
    it.time.passes(900_000)
    assert "drowsy" in it.stage.acts


def test_it_yawns_in_the_evening_more_than_at_noon() -> None:
    def yawns(hour: int) -> int:
        it = _awake(hour=hour)
        it.time.passes(400_000)
        return sum(each.act == "yawn" and each.frame == 0 for each in it.stage.shown)

    assert yawns(22) > yawns(13)


@pytest.mark.parametrize("mood", [each for each in Mood if each not in (Mood.REMEMBERED, Mood.SAD, Mood.SURPRISED)])
def test_held_still_it_has_no_call(mood: Mood) -> None:
    it = played()
    it.pet.hold(True)
    it.pet.play(mood)
    it.time.passes(120_000)
    assert it.time.calls == 0


def test_a_mood_fades_its_face_for_half_a_minute_then_a_trace_of_it_then_none() -> None:
    it = played()
    it.pet.play(Mood.HAPPY)
    it.time.passes(31_000)
    assert it.pet.mood is Mood.NEUTRAL
    it.time.passes(10_000)
    assert it.last.wear.mouth == "curve"
    it.time.passes(240_000)
    assert it.last.wear.mouth == ""


def test_long_thinking_shows_effort_and_a_stretch_when_it_is_done() -> None:
    it = played()
    it.pet.play(Mood.THINKING)
    it.time.passes(130_000)
    assert "toil" in it.stage.acts
    it.pet.play(Mood.TALKING)
    it.pet.play(Mood.NEUTRAL)
    assert it.pet.act == "stretch"


@pytest.mark.parametrize("mood", [Mood.WAITING, Mood.READY])
def test_it_keeps_moving_while_it_waits_for_its_owner(mood: Mood) -> None:
    it = played()
    it.pet.play(mood)
    it.time.passes(60_000)
    before = len(it.stage.shown)
    it.time.passes(60_000)
    assert len(it.stage.shown) > before + 5


def test_pokes_are_answered_differently_each_time_and_the_tenth_of_a_row_is_a_joke() -> None:
    it = played()
    answers = []
    for _each in range(10):
        it.pet.poke()
        answers.append(it.pet.act)
        it.time.passes(500)
    assert answers.index("faint") == 9
    assert all(one != other for one, other in itertools.pairwise(answers))
    assert len(set(answers)) > 3


def test_pokes_with_pauses_are_no_row() -> None:
    it = played()
    for _each in range(12):
        it.pet.poke()
        assert it.pet.act != "faint"
        it.time.passes(20_000)


def test_a_thousand_pokes_leave_one_call_and_the_pet_as_it_was() -> None:
    it = _awake()
    for _each in range(1000):
        it.pet.poke()
        it.time.passes(20)
    assert it.time.calls == 1
    it.time.passes(20_000)
    assert it.pet.act == "idle"


def test_a_poke_wakes_a_sleeping_pet() -> None:
    it = played()
    it.pet.play(Mood.ASLEEP)
    it.pet.poke()
    assert it.pet.mood is Mood.NEUTRAL


def test_with_an_envelope_it_does_something_with_it_again_and_again_and_reads_a_note() -> None:
    it = played()
    it.pet.play(Mood.READY)
    it.time.passes(_HOUR / 6)
    assert {"mail-wave", "mail-peek", "mail-tuck", "ready"} <= it.stage.acts
    note = _awake()
    note.pet.state(Wear(holds=True))
    note.time.passes(_HOUR / 4)
    assert "note-read" in note.stage.acts
    assert "note-read" not in it.stage.acts
