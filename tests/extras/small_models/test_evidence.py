"""Evidence besides a small model's answer: the kind of a message, and which line it replaces."""

from __future__ import annotations

import numpy as np
import pytest

from lab.local_model_eval.__main__ import HERE, cases, evidence_of, is_asked, outcome_of, recorded_answers
from pet.extras.small_models.decisions import (
    FILE,
    KINDS,
    NO_EVIDENCE,
    Decision,
    Evidence,
    Note,
    NothingToNote,
    Soul,
    is_wish_to_forget,
    is_wish_to_remember,
    needs_no_question,
    notes_first,
    settle,
    weigh,
    word_features,
)
from pet.extras.small_models.prompts import Line

LINES = [
    Line(file="USER.md", index=2, text="- Likes: rain"),
    Line(file="MEMORY.md", index=2, text="- Owner: my aunt Vera runs a kiosk (2026-01-02)"),
]


def evidence(kind: str, share: float = 0.97, replaced: tuple[float, ...] = (0.0, 0.0)) -> Evidence:
    rest = (1 - share) / (len(KINDS) - 1)
    return Evidence({each: share if each == kind else rest for each in KINDS}, replaced)


@pytest.mark.parametrize(
    ("answer", "message", "kind", "decision"),
    [
        (Note(), "The kettle has declared its independence.", "joke", NothingToNote()),
        (Note(1), "Were Vera a kite, we'd all look up.", "hypothesis", NothingToNote()),
        (NothingToNote(), "Not once have I seen a whale.", "fact", Note()),
        (Soul(), "The brother of Vera drums in a band.", "fact", Note()),
        (Note(), "Kindly wrap every answer in a limerick.", "soul", Soul()),
        (NothingToNote(), "Kindly wrap every answer in a limerick.", "soul", Soul()),
        (None, "What did Vera say?", "fact", NothingToNote()),
    ],
)
def test_a_clear_kind_decides_whatever_the_model_takes_the_message_for(
    answer: Decision | None, message: str, kind: str, decision: Decision
) -> None:
    assert settle(answer, message, LINES, evidence(kind)) == decision


def test_a_wish_to_remember_is_noted_whatever_its_kind() -> None:
    assert settle(NothingToNote(), "Remember that I knit.", LINES, evidence("joke")) == Note()
    assert not is_wish_to_forget("Don't forget that I knit.", evidence("forget"))


@pytest.mark.parametrize(("chances", "older"), [((0.0, 0.99), 1), ((0.3, 0.5), None), ((0.0, 0.0), None)])
def test_the_line_that_is_surely_answered_anew_is_offered(chances: tuple[float, ...], older: int | None) -> None:
    message = "Vera gave the kiosk away, she paints."
    assert settle(Note(0), message, LINES, evidence("change", replaced=chances)) == Note(older)


def test_line_that_the_model_saw_cut_is_never_offered() -> None:
    lines = [LINES[0], Line(file="MEMORY.md", index=2, text="- Owner: my aunt Vera " + "runs a kiosk and " * 20)]
    assert settle(Note(), "She paints.", lines, evidence("change", replaced=(0.0, 1.0))) == Note()


def test_wishes_in_unknown_words() -> None:
    keep, drop = "Tie a knot in your hanky: my aunt is Vera.", "My aunt is none of your business from here on."
    assert is_wish_to_remember(keep, evidence("wish")) and notes_first(keep, evidence("wish"))
    assert settle(None, keep, LINES, evidence("wish")) == Note()
    assert is_wish_to_forget(drop, evidence("forget")) and needs_no_question(drop, evidence("forget"))
    assert not notes_first(drop) and not notes_first(keep)


@pytest.mark.parametrize("vectors", [None, np.zeros((1, 3), np.float32), np.zeros((1, 512), np.float32)])
def test_without_vectors_of_the_message_and_lines_there_is_no_evidence(vectors: np.ndarray | None) -> None:
    assert weigh("I knit.", ["my aunt knits"], vectors) is NO_EVIDENCE


@pytest.mark.parametrize("message", ["", "?", "\0", "\ud800", "我" * 5_000, "a" * 5_000])
def test_any_message_has_finite_features(message: str) -> None:
    assert np.isfinite(word_features(message)).all(), FILE


@pytest.mark.parametrize(("half", "count", "least", "offers"), [("unasked", 120, 114, 30), ("adding", 60, 59, 25)])
def test_recorded_answers_of_a_real_model_are_settled_right(half: str, count: int, least: int, offers: int) -> None:
    """The sets that nothing was fitted to; docs/local-models.md has their scores."""
    answers = recorded_answers(HERE / f"{half}_answers.json")
    weighed = [(case, evidence_of(case)) for case in cases(half)]
    assert [case.id for case, each in weighed if case.id not in answers and is_asked(case, each)] == []
    outcomes = [(case, outcome_of(case, answers.get(case.id, ""), each)) for case, each in weighed]
    assert len(outcomes) == count
    assert [case.id for case, outcome in outcomes if case.kind == "wish" and outcome.got == "nothing"] == []
    assert sum(outcome.right for _, outcome in outcomes) >= least
    made = [outcome for _, outcome in outcomes if outcome.offered]
    assert sum(outcome.offer_right for outcome in made) >= offers
    assert sum(not outcome.offer_right for outcome in made) <= 2
