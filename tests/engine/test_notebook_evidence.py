"""Evidence besides a small model's answer: the kind of a message, and which line it replaces."""

from __future__ import annotations

import numpy as np
import pytest

from pet.engine.notebook_decisions import (
    Correct,
    Decision,
    Note,
    NothingToNote,
    Soul,
    is_wish_to_forget,
    is_wish_to_remember,
    needs_no_question,
    notes_first,
    settle,
    settle_wish,
)
from pet.engine.notebook_evidence import FILE, KINDS, NO_EVIDENCE, Evidence, weigh, word_features
from pet.prompt.small_model_prompts import Line
from tests.local_model_eval.__main__ import cases, evidence_of, is_asked, outcome_of, recorded_answers

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
        (Correct(1, "my aunt Vera is a kite"), "Were Vera a kite, we'd all look up.", "hypothesis", NothingToNote()),
        (NothingToNote(), "Not once have I seen a whale.", "fact", Note()),
        (Soul(), "The brother of Vera drums in a band.", "fact", Note()),
        (Note(), "Kindly wrap every answer in a limerick.", "soul", Soul()),
        (NothingToNote(), "Kindly wrap every answer in a limerick.", "soul", Soul()),
        (None, "What did Vera say?", "fact", NothingToNote()),
    ],
)
def test_what_the_rules_leave_open_is_decided_by_the_kind(
    answer: Decision | None, message: str, kind: str, decision: Decision
) -> None:
    assert settle(answer, message, LINES, evidence(kind)) == decision


def test_rules_win_over_the_kind() -> None:
    assert settle(NothingToNote(), "Remember that I knit.", LINES, evidence("joke")) == Note()
    assert settle(Note(), "Imagine I had a crocodile.", LINES, evidence("fact")) == NothingToNote()
    assert not is_wish_to_forget("Don't forget that I knit.", evidence("forget"))


def test_line_that_is_surely_replaced_gets_the_owners_sentence() -> None:
    message = "Vera gave the kiosk away, she paints."
    assert settle(Note(), message, LINES, evidence("change", replaced=(0.0, 0.99))) == Correct(
        1, "my aunt Vera gave the kiosk away, she paints"
    )
    assert settle(Note(), message, LINES, evidence("change", replaced=(0.0, 0.5))) == Note()


@pytest.mark.parametrize(
    "message",
    [
        "My uncle gave the kiosk away, he paints.",  # somebody else
        "My brother gave the kiosk away, he paints.",
        "Perhaps Vera gave the kiosk away.",
        "Vera gave the kiosk away, did you know?",
        "Vera " + "gave the kiosk away and " * 20,  # too long for a line
    ],
)
def test_line_is_never_replaced_by_what_is_uncertain_or_of_somebody_else(message: str) -> None:
    assert not isinstance(settle(Note(), message, LINES, evidence("change", replaced=(0.0, 1.0))), Correct)


def test_line_that_the_model_saw_cut_is_never_replaced() -> None:
    lines = [LINES[0], Line(file="MEMORY.md", index=2, text="- Owner: my aunt Vera " + "runs a kiosk and " * 20)]
    decision = settle(Note(), "Vera gave the kiosk away, she paints.", lines, evidence("change", replaced=(0.0, 1.0)))
    assert decision == Note()


def test_wishes_in_unknown_words() -> None:
    keep, drop = "Tie a knot in your hanky: my aunt is Vera.", "My aunt is none of your business from here on."
    assert is_wish_to_remember(keep, evidence("wish")) and notes_first(keep, evidence("wish"))
    assert settle_wish(keep, LINES, evidence("wish")) == Note()
    assert is_wish_to_forget(drop, evidence("forget")) and needs_no_question(drop, evidence("forget"))
    assert not notes_first(drop) and not notes_first(keep)


@pytest.mark.parametrize("vectors", [None, np.zeros((1, 3), np.float32), np.zeros((1, 512), np.float32)])
def test_without_vectors_of_the_message_and_lines_there_is_no_evidence(vectors: np.ndarray | None) -> None:
    assert weigh("I knit.", ["my aunt knits"], vectors) is NO_EVIDENCE


@pytest.mark.parametrize("message", ["", "?", "\0", "\ud800", "我" * 5_000, "a" * 5_000])
def test_any_message_has_finite_features(message: str) -> None:
    assert np.isfinite(word_features(message)).all(), FILE


def test_correction_that_neither_kind_nor_nearness_speaks_for_is_a_note() -> None:
    message = "I moved from Lyon to Nice."
    lines = [Line(file="MEMORY.md", index=2, text="- Owner: I live in Lyon (2026-01-02)")]
    given = Correct(0, "I live in Nice")
    assert isinstance(settle(given, message, lines, evidence("change", replaced=(0.9,))), Correct)
    assert settle(given, message, lines, evidence("fact", replaced=(0.05,))) == Note()
    certain = "I live in Nice, not in Lyon."
    assert isinstance(settle(given, certain, lines, evidence("fact", replaced=(0.05,))), Correct)


def test_recorded_answers_of_a_real_model_lose_no_line_and_drop_no_wish() -> None:
    """The set that was asked once and that nothing was fitted to; docs/local-models.md has its first score."""
    answers = recorded_answers()
    weighed = [(case, evidence_of(case)) for case in cases("unasked")]
    assert [case.id for case, each in weighed if case.id not in answers and is_asked(case, each)] == []
    outcomes = [(case, outcome_of(case, answers.get(case.id, ""), each)) for case, each in weighed]
    assert len(outcomes) == 120
    # Of this one the right line is replaced, in other words than the label's.
    assert [case.id for case, outcome in outcomes if outcome.harmful] == ["unasked-es-09"]
    assert [case.id for case, outcome in outcomes if case.kind == "wish" and outcome.got == "nothing"] == []
    right = sum(outcome.change_right for _, outcome in outcomes)
    assert right >= 0.9 * len(outcomes), [case.id for case, outcome in outcomes if not outcome.change_right]
