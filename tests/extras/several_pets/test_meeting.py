"""What pets make of one another: greetings, visits, sleep side by side."""

from __future__ import annotations

import pytest

from pet.extras.several_pets.companions import Neighbour
from pet.extras.several_pets.meeting import Pair, leaning, noticed, visit
from tests.desktop.test_ground import FLOOR, WORK


def pair(other: int, *, here: int = 0, mine: bool = False, its: bool = False, shown: bool = True, y: int = 0) -> Pair:
    """Return this pet and another at these places. ``mine``, ``its``: asleep."""
    return (
        Neighbour(pet="", x=here, y=0, width=192, height=208, shown=True, asleep=mine),
        Neighbour(pet="two", x=other, y=y, width=192, height=208, shown=shown, asleep=its),
    )


@pytest.mark.parametrize(
    ("before", "now", "does"),
    [
        (None, pair(200), "greet"),  # it came
        (pair(900), pair(-300), "greet"),
        (pair(300, here=900), pair(300), "greet"),  # this one came near
        (pair(200, shown=False), pair(200), "greet"),
        (None, pair(200, its=True), "look"),
        (pair(200), pair(260), "look"),
        (pair(200), pair(200, here=20), None),  # its own step
        (pair(200), pair(200), None),
        (pair(200), pair(900), None),
        (None, pair(200, y=400), None),  # on a window above
        (None, pair(200, shown=False), None),
        (pair(200), pair(200, its=True), "join"),
        (pair(200, mine=True), pair(200, mine=True, its=True), None),
        (None, pair(200, mine=True), None),
        (pair(200, its=True), pair(200), None),  # it woke
    ],
)
def test_a_pet_notices_what_another_does_near_it(before: Pair | None, now: Pair, does: str | None) -> None:
    assert noticed(before, now) == does


@pytest.mark.parametrize(
    ("others", "side"),
    [([140], 1), ([-140], -1), ([-140, 90], 1), ([300], 0), ([], 0)],
)
def test_asleep_it_leans_to_the_next_one_asleep_beside_it(others: list[int], side: int) -> None:
    here = pair(0, mine=True)[0]
    assert leaning(here, [pair(each, its=True)[1] for each in others]) == side
    assert leaning(here, [pair(each)[1] for each in others]) == 0
    assert leaning(pair(0)[0], [pair(each, its=True)[1] for each in others]) == 0


def test_it_visits_the_nearest_pet_that_is_awake_on_the_same_ground() -> None:
    def other(x: int, y: int = FLOOR.y, **how: bool) -> Neighbour:
        return Neighbour(pet="b", x=x, y=y, width=192, height=208, **{"shown": True, **how})

    assert visit(FLOOR, [other(900), other(0)], [], WORK) == [(FLOOR.at(900 - 173, FLOOR.y), "walk")]
    assert visit(FLOOR, [other(0), other(900, asleep=True)], [], WORK) == [(FLOOR.at(173, FLOOR.y), "walk")]
    for nobody in ([], [other(900, 100)], [other(900, shown=False)]):
        assert visit(FLOOR, nobody, [], WORK) == []
