"""Throws, walks, falls, drags, the gaze, and the pointer on the pet."""

from __future__ import annotations

import itertools

import pytest

from pet.body.hover import ARRIVED_MS, REST_MS, Hover
from pet.body.motion import THRESHOLD, Press, Sample, Slide, Vector, direction_of, speed_of
from tests.body.stage import Time

Move = tuple[float, float, bool]


def _trail(step: float) -> list[Sample]:
    return [Sample(index * step, 0, index * 16) for index in range(4)]


def test_a_throw_needs_a_fast_hand_that_does_not_pause_before_it_lets_go() -> None:
    thrown = speed_of(_trail(20), 50)
    assert thrown is not None
    assert thrown.x == pytest.approx(1.25)
    assert speed_of(_trail(3), 50) is None
    assert speed_of(_trail(20), 500) is None
    assert speed_of([], 0) is None


def test_the_press_and_one_move_are_a_throw_where_a_busy_computer_reports_no_more() -> None:
    press = Sample(0, 0, 0)
    thrown = speed_of([press, Sample(-240, 0, 120)], 125)
    assert thrown is not None
    assert thrown.x == pytest.approx(-2)
    assert speed_of([press, Sample(-240, 0, 900)], 905) is None  # held at an unknown time


class Moved:
    def __init__(self) -> None:
        self.time = Time()
        self.moves: list[Move] = []
        self.ended = 0
        self.slide = Slide(self.time.agenda, lambda *move: self.moves.append(move))

    def end(self) -> None:
        self.ended += 1

    def last(self) -> Move:
        return self.moves[-1]


def test_a_throw_slides_slower_and_slower_and_ends_with_one_last_move() -> None:
    it = Moved()
    it.slide.throw(Vector(10, 0), Vector(1, 0), it.end)
    it.time.passes(3000)
    ways = [10, *(x for x, _y, _done in it.moves)]
    steps = [after - before for before, after in itertools.pairwise(ways)]
    assert steps == sorted(steps, reverse=True)
    assert [done for _x, _y, done in it.moves].count(True) == 1
    assert (it.last()[2], it.ended, it.time.calls) == (True, 1, 0)


def test_a_walk_arrives_where_it_should_and_a_hand_stops_it() -> None:
    it = Moved()
    it.slide.walk(-300, 120, it.end)
    it.time.passes(3000)
    assert it.last() == (-300, 120, True)
    it.slide.walk(500, 0, it.end)
    it.time.passes(200)
    it.slide.stop()
    stopped = len(it.moves)
    assert it.last()[2]
    it.time.passes(3000)
    assert (len(it.moves), it.ended) == (stopped, 1)


def test_a_fall_is_faster_and_faster() -> None:
    it = Moved()
    it.slide.fall(400, it.end)
    it.time.passes(1000)
    ways = [0, *(y for _x, y, _done in it.moves)]
    steps = [after - before for before, after in itertools.pairwise(ways)]
    assert steps == sorted(steps)
    assert it.last() == (0, 400, True)


def test_the_pet_has_landed_before_the_shell_hears_of_it() -> None:
    """The shell may let it fall at once, and that must win."""
    time = Time()
    order: list[str] = []
    slide = Slide(time.agenda, lambda _dx, _dy, done: order.append("moved") if done else None)
    slide.fall(1, lambda: order.append("landed"))
    time.passes(100)
    assert order == ["landed", "moved"]


@pytest.mark.parametrize(
    ("dx", "dy", "direction"),
    [(0, -50, 0), (50, 0, 4), (0, 50, 8), (-50, 0, 12), (-1, -50, 0), (3, 3, None)],
)
def test_the_gaze_has_16_directions_clockwise_from_up_and_none_near_the_face(
    dx: int, dy: int, direction: int | None
) -> None:
    assert direction_of(dx, dy, 20) == direction


def test_a_press_that_hardly_moves_is_a_click() -> None:
    moves: list[Move] = []
    press = Press(lambda *move: moves.append(move))
    press.start(100, 100, 0)
    assert not press.move(100 + THRESHOLD - 1, 100, 10)
    assert press.end(105, 100, 20, throws=True)[0] is False
    assert moves == []


def test_a_drag_moves_at_once_and_ends_where_it_is_dropped() -> None:
    moves: list[Move] = []
    press = Press(lambda *move: moves.append(move))
    press.start(0, 0, 0)
    assert press.move(10, 0, 100)
    dragged, moved, speed = press.end(40, 5, 500, throws=True)
    assert (dragged, moved, speed) == (True, Vector(40, 5), None)
    assert moves == [(10, 0, False), (40, 5, True)]


def test_a_thrown_pet_is_not_set_down() -> None:
    moves: list[Move] = []
    press = Press(lambda *move: moves.append(move))
    press.start(0, 0, 0)
    press.move(60, 0, 50)
    assert press.end(60, 0, 52, throws=True)[2] is not None
    assert moves == [(60, 0, False)]
    assert not press.drop()


class Hovered:
    def __init__(self, *, allowed: bool = True) -> None:
        self.time = Time()
        self.faded: list[bool] = []
        self.looks: list[int | None] = []
        self.arrivals = 0
        self.hover = Hover(self.time.agenda, self._arrive, self.faded.append, self.looks.append)
        self.hover.allow(allowed)

    def _arrive(self) -> None:
        self.arrivals += 1


def test_the_chat_is_expected_once_the_pointer_rests_on_it_not_where_it_only_crosses() -> None:
    it = Hovered()
    it.hover.enter(free=True)
    it.hover.leave()
    it.time.passes(ARRIVED_MS)
    assert it.arrivals == 0
    it.hover.enter(free=True)
    it.time.passes(ARRIVED_MS)
    assert it.arrivals == 1


def test_it_fades_once_the_pointer_rests_and_comes_back_when_that_leaves() -> None:
    it = Hovered()
    it.hover.enter(free=True)
    it.time.passes(REST_MS - 1)
    assert it.faded == []
    it.time.passes(1)
    it.hover.leave()
    assert (it.faded, it.time.calls) == ([True, False], 0)


def test_it_stays_as_it_is_for_a_pointer_that_only_crosses_it_or_brings_something() -> None:
    it = Hovered()
    it.hover.enter(free=True)
    it.hover.leave()
    it.hover.enter(free=False)
    it.time.passes(10 * REST_MS)
    assert it.faded == []


def test_it_is_there_again_for_a_press_until_the_pointer_comes_anew() -> None:
    it = Hovered()
    it.hover.enter(free=True)
    it.time.passes(REST_MS)
    it.hover.press()
    it.time.passes(10 * REST_MS)
    assert it.faded == [True, False]
    it.hover.leave()
    it.hover.enter(free=True)
    it.time.passes(REST_MS)
    assert it.faded == [True, False, True]


def test_it_fades_only_where_its_owner_wants_that_and_is_back_at_once_when_no_longer() -> None:
    it = Hovered()
    it.hover.enter(free=True)
    it.time.passes(REST_MS)
    it.hover.allow(False)
    assert it.faded == [True, False]
    it.hover.enter(free=True)
    it.time.passes(REST_MS)
    assert it.faded == [True, False]


def test_the_gaze_follows_a_moving_pointer_and_goes_ahead_when_it_rests() -> None:
    it = Hovered()
    it.hover.move(3)
    it.time.passes(1000)
    it.hover.move(4)
    it.time.passes(1499)
    assert it.looks == [3, 4]
    it.time.passes(1)
    assert it.looks == [3, 4, None]
