"""The benchmark of change, contradiction, source and time: its data and some of its cases."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from benchmarks.memory_truth.__main__ import table
from benchmarks.memory_truth.cases import KINDS, LANGUAGES, Case, Result, all_cases, run

CASES = all_cases()


def test_there_are_25_cases_of_each_kind_and_language_none_twice() -> None:
    counts = Counter((each.kind, each.id.split("-")[1]) for each in CASES)
    assert counts == {(kind, language): 25 for kind in KINDS for language in LANGUAGES}
    rows = Counter((each.kind, json.dumps(each.row)) for each in CASES)
    assert max(rows.values()) == 1
    for each in CASES:
        if each.kind == "change":
            book, number, _message, has = each.row
            assert bool(number) is bool(has), each.id
            assert 0 <= number <= len(each.books[book]), each.id
        if each.kind == "time":
            older, newer, _question, key, when = each.row
            assert (key in newer, key in older) == ((True, False) if when == "now" else (False, True)), each.id


@pytest.mark.parametrize("case", CASES[4::43], ids=lambda case: case.id)
def test_a_case_runs_through_the_real_engine(case: Case) -> None:
    result = run(case)
    assert (result.right, result.lost) == (True, 0), result.got


def test_the_table_counts_lines_and_cases_by_language() -> None:
    results = [
        Result(case=CASES[0], right=True, lines=8),
        Result(case=CASES[25], right=False, lines=8, lost=2),
    ]
    change, lost = table(results)
    assert (change["en"], change["zh"], change["all"]) == ("1/1 (100.0%)", "0/1 (0.0%)", "1/2 (50.0%)")
    assert (lost["all"], lost["es"]) == ("2/16 (12.50%)", "")
