"""The pet's ways: half behind its chat and back, and fades in place of steps."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from pet.body.bodies import own_timing
from pet.body.life import Surroundings
from pet.body.motion import Slide
from pet.body.timeline import Player
from pet.body.travels import Travels
from tests.body.stage import Recorder, Time


@dataclass
class Move:
    dx: float
    done: bool
    covered: tuple[int, int]
    unseen: bool


class Scene:
    width = 192

    def __init__(self, *, calm: bool = False) -> None:
        self.calm = calm
        self.hidden = False
        self.covered = (0, 0)
        self.faded = False
        self.moves: list[Move] = []
        self.shifted: list[float] = []
        self.heights: list[float] = []
        self.gone = self.found = False
        self.time = Time()
        around = Surroundings(lambda: 1, lambda: 14)
        self.player = Player(Recorder(), own_timing, self.time.agenda, around)
        slide = Slide(self.time.agenda, self.move)
        self.travels = Travels(self, self.player, slide, self.time.agenda, around.random)

    def move(self, dx: float, dy: float, done: bool) -> None:
        self.moves.append(Move(dx, done, self.covered, self.faded))
        self.heights.append(dy)

    def cover(self, left: int, right: int) -> None:
        self.covered = left, right

    def shift(self, dx: float) -> None:
        self.shifted.append(dx)

    def away(self, away: bool) -> None:
        self.gone = away

    def brought(self) -> None:
        self.found = True

    def fade(self, faded: bool) -> None:
        self.faded = faded

    def landed(self) -> None:
        self.player.react("landed")

    @property
    def ends(self) -> int:
        return sum(each.done for each in self.moves)


@pytest.mark.parametrize(("dx", "covered", "act"), [(-150, (96, 0), "spy-right"), (150, (0, 96), "spy-left")])
def test_it_goes_half_behind_a_chat_looks_out_and_comes_back_whole(
    dx: int, covered: tuple[int, int], act: str
) -> None:
    it = Scene()
    it.travels.go(dx, 0, "peek", 1)
    assert it.travels.moving
    it.time.passes(2_000)
    assert (it.player.act, it.covered, it.moves[-1].dx, it.ends) == (act, covered, dx, 1)
    # What is over the chat is left out before each step: nothing of the pet is ever seen there.
    for each in it.moves:
        assert max(each.covered) == max(0, round(abs(each.dx) - (150 - 96)))
    it.moves.clear()
    it.time.passes(5_900)
    assert (it.player.act, it.covered, it.moves[-1].dx) == ("landed", (0, 0), -dx)
    it.time.passes(60_000)
    assert (it.ends, it.travels.moving) == (1, False)


@pytest.mark.parametrize("how", ["taken", "sent"])
def test_in_a_hand_or_sent_elsewhere_it_is_whole_at_once(how: str) -> None:
    it = Scene()
    it.travels.go(-150, 0, "peek", 1)
    it.time.passes(2_000)
    assert it.covered == (96, 0)
    if how == "taken":
        it.travels.take()
    else:
        it.travels.go(90, 0, "walk", 1)
    assert it.covered == (0, 0)
    it.time.passes(20_000)
    assert it.covered == (0, 0)


def test_stopped_on_its_way_it_keeps_its_number_until_its_owner_takes_it() -> None:
    it = Scene()
    it.travels.go(-150, 0, "peek", 1)
    it.time.passes(250)
    it.travels.stop()
    assert it.travels.walk == 1
    it.travels.take()
    assert (it.travels.walk, it.covered, it.moves[-1].done) == (0, (0, 0), True)


def test_hidden_meanwhile_it_is_out_when_it_is_back() -> None:
    it = Scene()
    it.travels.go(-150, 0, "peek", 1)
    it.time.passes(2_000)
    it.hidden = True
    it.travels.come_out()
    it.time.passes(1_000)
    assert (it.covered, it.moves[-1].dx, it.moves[-1].done) == ((0, 0), 150, True)
    it.travels.come_out()
    it.time.passes(10_000)
    assert it.ends == 2


@pytest.mark.parametrize("how", ["walk", "walk_to_edge", "fall"])
def test_with_reduced_motion_it_fades_instead(how: str) -> None:
    it = Scene(calm=True)
    it.travels.go(120, 40, how, 1)
    assert (it.faded, it.moves, it.travels.moving) == (True, [], True)
    it.time.passes(1_000)
    assert it.moves == [Move(120, True, (0, 0), True)]
    assert (it.faded, it.travels.moving) == (False, False)


def test_with_reduced_motion_it_peeks_in_two_fades_and_in_a_hand_it_fades_no_further() -> None:
    it = Scene(calm=True)
    it.travels.go(-150, 0, "peek", 1)
    it.time.passes(1_000)
    assert ([each.dx for each in it.moves], it.covered) == ([-150], (96, 0))
    it.time.passes(10_000)
    assert ([each.dx for each in it.moves], it.covered) == ([-150, 150], (0, 0))
    it.travels.go(80, 0, "walk", 1)
    it.travels.stop()
    it.time.passes(1_000)
    assert [each.dx for each in it.moves] == [-150, 150, 0]  # where it was
    assert not it.faded


def test_unseen_it_is_there_at_once() -> None:
    it = Scene()
    it.hidden = True
    it.travels.go(120, 0, "walk", 1)
    assert [(each.dx, each.done) for each in it.moves] == [(120, True)]


@pytest.mark.parametrize(("how", "there"), [("walk", "landed"), ("walk_to_edge", "peek"), ("fall", "landed")])
def test_where_it_arrives_it_does_what_belongs_there(how: str, there: str) -> None:
    it = Scene()
    it.travels.go(120, 40, how, 1)
    assert it.player.act == ("carried" if how == "fall" else "walk-right")
    for _each in range(100):
        if it.ends:
            break
        it.time.passes(20)
    assert it.player.act == there


def test_it_leaps_in_a_bow_above_both_ends_after_a_crouch() -> None:
    it = Scene()
    it.travels.go(200, -120, "hop", 1)
    assert (it.player.act, it.moves, it.travels.moving) == ("crouch", [], True)
    it.time.passes(300)
    assert it.player.act == "jump-right"
    it.time.passes(2_000)
    assert (it.moves[-1].dx, it.heights[-1], it.moves[-1].done, it.ends) == (200, -120, True, 1)
    assert min(it.heights) < -120 - 20
    assert it.heights == sorted(it.heights[: it.heights.index(min(it.heights))], reverse=True) + sorted(
        it.heights[it.heights.index(min(it.heights)) :]
    )  # up, then down


def test_it_climbs_pull_by_pull_hangs_on_and_leaps_from_there() -> None:
    it = Scene()
    it.travels.go(1, -300, "climb", 1)
    assert it.player.act == "climb-right"
    it.time.passes(3_000)
    assert (it.moves[-1].dx, it.heights[-1], it.moves[-1].done) == (1, -300, True)
    assert it.player.act == "climb-right"
    assert len(it.heights) > len(set(it.heights))  # it rests between two pulls
    it.travels.go(60, -40, "hop", 2)
    it.time.passes(1_500)
    assert (it.player.act, it.moves[-1].dx) == ("landed", 60)


def test_left_hanging_it_lets_go_of_the_pose() -> None:
    it = Scene()
    it.travels.go(-1, -300, "climb", 1)
    it.time.passes(10_000)
    assert (it.player.act, it.travels.moving) == ("idle", False)


def test_off_the_screen_nothing_moves_and_it_brings_something_back() -> None:
    it = Scene()
    it.travels.go(-1, 0, "leave", 0)
    it.time.passes(1_500)
    assert (it.shifted[-1], it.gone, it.moves) == (-192, True, [])
    count = len(it.shifted)
    it.time.passes(10_000)
    assert (len(it.shifted), it.found) == (count, False)
    it.time.passes(6_000)
    assert (it.shifted[-1], it.gone, it.found, it.moves) == (0, False, True, [])
    assert not it.travels.moving


@pytest.mark.parametrize("how", ["called", "taken", "hidden"])
def test_wanted_on_the_screen_it_is_back_from_a_trip(how: str) -> None:
    it = Scene()
    it.travels.go(1, 0, "leave", 0)
    it.time.passes(2_000)
    it.hidden = how == "hidden"
    (it.travels.take if how == "taken" else it.travels.come_out)()
    assert not it.gone
    it.time.passes(2_000)
    assert (it.shifted[-1], it.found) == (0, how == "called")
    it.time.passes(60_000)
    assert it.shifted[-1] == 0


@pytest.mark.parametrize("how", ["hop", "climb", "leave"])
def test_stopped_in_the_middle_it_is_whole_and_still(how: str) -> None:
    it = Scene()
    it.travels.go(1, -200, how, 1)
    it.time.passes(500)
    it.travels.stop()
    assert (it.travels.moving, it.player.act, it.shifted[-1:] in ([], [0])) == (False, "idle", True)
    seen = len(it.moves)
    it.time.passes(20_000)
    assert len(it.moves) == seen
