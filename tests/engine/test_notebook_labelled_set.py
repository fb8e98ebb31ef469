"""The labelled requests are consistent, and the way they are judged counts what it says."""

from __future__ import annotations

import json
from collections import Counter
from functools import partial

import pytest

from pet.engine.claim_sentences import WISHES, asks_to_remember
from pet.engine.notebook_corrections import CHANGES, alike, bare
from pet.engine.notebook_decisions import (
    UNASSERTED,
    Correct,
    Decision,
    Note,
    NothingToNote,
    Soul,
    asserts_nothing,
    is_unasserted,
    needs_no_question,
    settle,
)
from pet.engine.notebook_wishes import wants_forgetting, wishes
from pet.language import pattern_rows, read_table
from pet.prompt.small_model_prompts import Line
from tests.local_model_eval.__main__ import cases, judge, numbered, summary

RIGHT: dict[str, Decision] = {"nothing": NothingToNote(), "note": Note(), "soul": Soul()}


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


def test_right_answers_pass_the_guards_and_are_counted_right() -> None:
    """A model that answers every request as labelled: no guard may turn a right answer into a wrong one."""
    outcomes = []
    for case in cases("seen"):
        if case.do == "correct":
            continue  # the words of a right correction are the model's
        decision = settle(RIGHT[case.do], case.message, numbered(case))
        outcomes.append(judge(case, decision, invalid=False, seconds=1.0))
    assert [each.id for each in outcomes if not each.change_right] == []
    assert summary(outcomes)["harmful"] == 0


NEW_LINES = {
    "seen-en-07": "my dentist appointment is on 11 December",
    "seen-en-08": "I work at a bakery in York",
    "seen-en-09": "my brother Tom lives in Bergen",
    "seen-en-10": "I drink my coffee with milk",
    "seen-en-11": "my dog Rufus is nine years old",
    "seen-zh-07": "我12月11日去看牙",
    "seen-zh-08": "我在上海做设计师",
    "seen-zh-09": "我女儿叫朵朵，今年六岁",
    "seen-zh-10": "我每周四晚上上瑜伽课",
    "seen-zh-11": "我喜欢喝美式",
}


def test_right_corrections_pass_the_guards() -> None:
    found = {case.id: case for case in cases("seen") if case.id in NEW_LINES}
    assert found.keys() == NEW_LINES.keys()
    for id_, case in found.items():
        decision = settle(Correct(case.line - 1, NEW_LINES[id_]), case.message, numbered(case))
        assert judge(case, decision, invalid=False, seconds=0.0).change_right, id_


def test_request_that_corrects_nothing_never_replaces_a_line() -> None:
    """Whatever a model answers: the message itself, or any line with the message behind it."""
    for case in cases("seen"):
        lines = numbered(case)
        for place, line in enumerate(lines):
            for new in (case.message, f"{line.text} {case.message}", line.text[:-20] + case.message[-12:]):
                decision = settle(Correct(place, new), case.message, lines)
                if isinstance(decision, Correct):
                    assert case.do == "correct" and decision.line + 1 == case.line, (case.id, decision)


@pytest.mark.parametrize("always_change", [False, True])
def test_blind_requests_replace_no_true_line_and_drop_no_wish(always_change: bool) -> None:
    """With a model that answers as labelled, and with one that takes everything for a change, as small ones do."""
    right = 0
    for case in cases("blind"):
        lines = numbered(case)
        if case.do == "forget":
            assert needs_no_question(case.message), case.id
            right += 1
            continue
        nearest = max(range(len(lines)), key=lambda place: alike(bare(lines[place].text), case.message))
        place = case.line - 1 if case.do == "correct" else nearest
        answer = Correct(place, case.message) if always_change or case.do == "correct" else RIGHT[case.do]
        outcome = judge(case, settle(answer, case.message, lines), invalid=False, seconds=0.0)
        assert not outcome.harmful, case.id
        assert not (case.do == "note" and outcome.got == "nothing"), case.id
        right += outcome.change_right
    assert right >= (93 if always_change else 94), right


HELD_RIGHT = {"held": (102, 102), "fresh": (30, 30), "last": (58, 53), "new": (113, 113), "after": (41, 35)}
"""How many of 102, 31, 60, 114 and 47 are right, as labelled and with "change" to everything. ``held`` were 84 and 68
on their first run, ``new`` 93 and 67, after which the misses were looked at; ``after`` were written together with
``new`` and asked once after that (41 and 34; one line replaced wrongly with "change" to everything, repaired)."""


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


NOT_RECOGNISED = {"last": ["last-en-15"], "after": ["after-en-12", "after-zh-13", "after-es-13", "after-es-14"]}
"""Words for a wish that no row knows: only the model's answer decides about these."""


@pytest.mark.parametrize("half", HELD_RIGHT)
@pytest.mark.parametrize("always_change", [False, True])
def test_held_requests_replace_no_true_line_and_drop_no_wish(half: str, always_change: bool) -> None:
    right = 0
    for case in cases(half):
        lines = numbered(case)
        if needs_no_question(case.message):
            right += case.do == ("forget" if wants_forgetting(case.message) else "nothing")
            continue
        place = case.line - 1
        if always_change:
            place = max(range(len(lines)), key=lambda place: alike(bare(lines[place].text), case.message))
        answer = Correct(place, case.message) if always_change or case.do == "correct" else RIGHT.get(case.do)
        outcome = judge(case, settle(answer, case.message, lines), invalid=False, seconds=0.0)
        assert not outcome.harmful, case.id
        assert not (case.kind == "wish" and outcome.got == "nothing"), case.id
        right += outcome.change_right or outcome.got == case.also
    assert right >= HELD_RIGHT[half][always_change], right


@pytest.mark.parametrize("kind", json.loads(read_table(UNASSERTED)))
def test_each_row_of_what_asserts_nothing_is_as_it_says(kind: str) -> None:
    for row in json.loads(read_table(UNASSERTED))[kind]:
        assert is_unasserted(kind, row["is"]), row["is"]
        assert not is_unasserted(kind, row["is_not"]), row["is_not"]
        if kind == "consequence":  # asserts nothing only after a hypothesis
            assert not asserts_nothing(row["is"]) and asserts_nothing(f"What if it rained? {row['is']}"), row["is"]
        else:
            assert settle(Correct(0, row["is"]), row["is"], LINE) == NothingToNote(), row["is"]
        assert kind == "task" or not asserts_nothing(row["is_not"]), row["is_not"]


LINE = [Line(file="MEMORY.md", index=0, text="- Owner: the roof is made of slate")]


def test_each_row_of_changes_is_as_it_says() -> None:
    for kind, rows in json.loads(read_table(CHANGES)).items():
        for row, pattern in zip(rows, pattern_rows(CHANGES)[kind], strict=True):
            assert pattern.search(row["is"]), row["is"]
            assert not pattern.search(row["is_not"]), row["is_not"]


def test_each_row_of_wishes_is_as_it_says() -> None:
    for kind, rows in json.loads(read_table(WISHES)).items():
        for row in rows:
            is_wish = asks_to_remember if kind == "remember" else partial(wishes, kind)
            assert is_wish(row["is"]), row["is"]
            assert not is_wish(row["is_not"]), row["is_not"]


def test_a_fact_beside_a_hypothesis_is_noted() -> None:
    for message in ("If I moved to Paris I'd sing. My dog is called Rex.", "想象一下我会飞。我的狗叫旺财。"):
        assert settle(Note(), message, []) == Note()
    assert settle(NothingToNote(), "Remember: imagine I'm Ann.", []) == Note()


def test_correction_of_another_line_is_harmful() -> None:
    case = next(case for case in cases("seen") if case.do == "correct")
    wrong = Correct(case.line % len(numbered(case)), "something else")
    outcome = judge(case, wrong, invalid=False, seconds=1.0)
    assert outcome.harmful and not outcome.change_right and not outcome.decision_right
