"""The labelled requests are consistent, and wishes to remember are noted whatever a model says."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from functools import partial

import pytest

from lab.local_model_eval.__main__ import cases, numbered
from pet.extras.small_models.decisions import Note, settle
from pet.language import pattern_rows, read_table
from pet.language.wishes import asks_to_remember, begins_with


def test_set_is_large_balanced_and_its_halves_differ() -> None:
    seen, unseen = cases("seen"), cases("unseen")
    assert (len(seen), len(unseen)) == (288, 48)
    assert not {case.message for case in seen} & {case.message for case in unseen}
    assert Counter(case.do for case in seen) == {"note": 80, "correct": 60, "nothing": 106, "soul": 42}
    assert Counter(case.do for case in unseen) == {"note": 14, "correct": 10, "nothing": 20, "soul": 4}
    for half in (seen, unseen):
        assert Counter("-en-" in case.id for case in half) == {True: len(half) // 2, False: len(half) // 2}


def test_labels_name_lines_that_are_there() -> None:
    for case in cases("both"):
        if case.do == "correct":
            assert 1 <= case.line <= len(numbered(case)), case.id
            assert case.has, case.id


def test_held_requests_are_of_all_kinds_and_other_owners() -> None:
    held = cases("held")
    assert len(held) == len({case.id for case in held}) == 102
    assert not {case.message for case in held} & {case.message for case in cases("fresh")}
    assert not {case.message for case in held} & {case.message for case in (*cases("both"), *cases("blind"))}
    assert Counter(case.id[5:7] for case in held) == {"en": 36, "zh": 34, "es": 32}
    assert min(Counter(case.kind for case in held).values()) >= 3
    for case in held:
        assert case.do != "correct" or (1 <= case.line <= len(numbered(case)) and case.has), case.id


@pytest.mark.parametrize("half", ["last", "new", "after"])
@pytest.mark.parametrize("kind", ["wish"])
def test_explicit_wish_is_noted_also_when_the_model_takes_it_for_talk(half: str, kind: str) -> None:
    dropped = [case.id for case in cases(half) if case.kind == kind and settle(None, case.message, []) != Note()]
    assert dropped == NOT_RECOGNISED.get(half, []), dropped


NOT_RECOGNISED = {"last": ["last-en-15"], "after": ["after-zh-13", "after-es-14"]}
"""Words for a wish that no row knows: only the model's answer decides about these."""


def test_each_row_of_wishes_is_as_it_says() -> None:
    for kind, patterns in pattern_rows("wishes.json").items():
        begins = kind in ("forget", "unnoted", "fact")
        for row, pattern in zip(json.loads(read_table("wishes.json"))[kind], patterns, strict=True):
            is_wish: Callable[[str], object] = partial(begins_with, kind) if begins else pattern.search
            is_wish = asks_to_remember if kind == "remember" else is_wish
            assert is_wish(row["is"]), row["is"]
            assert not is_wish(row["is_not"]), row["is_not"]
