"""The benchmark of change, contradiction, source and time: its data, some of its cases, and the foreign format."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.memory_truth.__main__ import table
from benchmarks.memory_truth.cases import KINDS, LANGUAGES, Case, Result, all_cases, run
from benchmarks.memory_truth.longmemeval import measure, moment, questions

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


def given(kind: str, name: str) -> dict[str, object]:
    evidence = {"role": "user", "content": "My new job is at the harbour office.", "has_answer": True}
    return {
        "question_id": name,
        "question_type": kind,
        "question": "Where is my job at the harbour?",
        "answer": "the harbour office",
        "question_date": "2023/06/20 (Tue) 10:00",
        "haystack_session_ids": ["s1", "s2"],
        "haystack_dates": ["2023/05/20 (Sat) 02:21", "2023/05/21 (Sun) 09:00"],
        "haystack_sessions": [
            [evidence, {"role": "assistant", "content": "Congratulations!"}],
            [{"role": "user", "content": "How do I boil an egg?"}, {"role": "assistant", "content": "In water."}],
        ],
        "answer_session_ids": ["s1"],
    }


def test_longmemeval_is_read_by_its_own_format(tmp_path: Path) -> None:
    file = tmp_path / "data.json"
    rows = [
        given("knowledge-update", "q1"),
        given("temporal-reasoning", "q2"),
        given("multi-session", "q3"),
        given("knowledge-update", "q4_abs"),
    ]
    file.write_text(json.dumps(rows))
    assert [each["question_id"] for each in questions(rows)] == ["q1", "q2"]
    told = measure(file, 1, None, tmp_path / "answers.jsonl")
    assert "| knowledge-update | 1 | 1 |" in told
    assert json.loads((tmp_path / "answers.jsonl").read_text())["question_id"] == "q1"


def test_its_dates_are_read_and_others_refused() -> None:
    assert moment("2023/05/20 (Sat) 02:21").isoformat() == "2023-05-20T02:21:00+00:00"
    assert moment("2023/05/20").hour == 0
    with pytest.raises(ValueError, match="today"):
        moment("today")
