"""The week of notes that small models are measured by: its labels, and one owner's, played shortly."""

from __future__ import annotations

from pathlib import Path

import pytest

from lab.local_model_eval.week import Speaker, play, summary, weeks


def test_every_request_that_is_noted_is_asked_for() -> None:
    every = [case for said in weeks() for case in said]
    assert (len(weeks()), len(every)) == (9, 150)
    unasked = [case.id for case in every if case.do in ("note", "correct") and not case.question]
    assert unasked == []


@pytest.mark.parametrize("answers", [{}, {"adding-en-03": '{"is":"change","line":1,"new":"x"}'}])
def test_no_true_line_is_lost_in_a_week_and_what_was_said_is_there(answers: dict[str, str], tmp_path: Path) -> None:
    said = next(each for each in weeks() if each[0].id.startswith("adding-en"))
    said = [case for case in said if case.id[-2:] in ("03", "04", "15", "19")]
    week = play(said, Speaker(answers, None), tmp_path, reads=False)
    assert week.lost == ()
    assert [offer.case.id for offer in week.offers if offer.right] == ["adding-en-03", "adding-en-04"]
    made = summary([week])
    assert (made["requests"], made["changes"], made["questions"], made["answered right"]) == (4, 2, 3, 3)
