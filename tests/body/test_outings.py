"""What the pet goes about by itself, with fixed dice."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise

from pet.body.outings import Outings
from tests.body.stage import dice


def test_it_does_everything_now_and_then_and_nothing_but_a_walk_twice_in_a_row() -> None:
    outings = Outings(dice())
    done = [outings.choose() for _ in range(400)]
    counts = Counter(what for what, _way in done)
    assert set(counts) == {"walk", "hop", "climb", "trip", "ball", "visit"}
    assert min(counts, key=counts.__getitem__) == "trip"
    assert all(one[0] == "walk" or one[0] != two[0] for one, two in pairwise(done))
    assert {way < 0 for _what, way in done} == {True, False}


def test_it_never_waits_longer_than_two_minutes_and_still_it_never_goes() -> None:
    outings = Outings(dice())
    pauses = [outings.pause("calm") or 0 for _ in range(50)]
    assert 45_000 < min(pauses) < max(pauses) < 120_000
    assert max(outings.pause("lively") or 0 for _ in range(50)) < min(pauses)
    assert outings.pause("still") is None
