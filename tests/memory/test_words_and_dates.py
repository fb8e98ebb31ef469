"""What a question names: its words in one form, and its days."""

from __future__ import annotations

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.memory.dates import asks_lately, find_days, without
from pet.memory.question import read_question, to_day
from pet.memory.stem import stem
from pet.memory.words import query_tokens, tokens
from tests.memory.workspaces import TODAY

D = date.fromisoformat


@pytest.mark.parametrize(
    ("question", "first", "last"),
    [
        ("上周二我说了什么", "2026-11-10", "2026-11-10"),
        ("三天前", "2026-11-18", "2026-11-18"),
        ("12月15号这天", "2025-12-15", "2025-12-15"),
        ("去年三月五日", "2025-03-05", "2025-03-05"),
        ("十二月二十三号", "2025-12-23", "2025-12-23"),
        ("大前天", "2026-11-18", "2026-11-18"),
        ("前天", "2026-11-19", "2026-11-19"),
        ("2025年3月", "2025-03-01", "2025-03-31"),
        ("三月份", "2026-03-01", "2026-03-31"),
        ("两个月前", "2026-09-01", "2026-09-30"),
        ("过去三天", "2026-11-18", "2026-11-21"),
        ("下周三", "2026-11-25", "2026-11-25"),
        ("去年", "2025-01-01", "2025-12-31"),
        ("last Tuesday", "2026-11-17", "2026-11-17"),
        ("in March", "2026-03-01", "2026-03-31"),
        ("on 2026-03-01?", "2026-03-01", "2026-03-01"),
        ("June 16, 2023", "2023-06-16", "2023-06-16"),
        ("on 12 June", "2026-06-12", "2026-06-12"),
        ("the 3rd of May 2024", "2024-05-03", "2024-05-03"),
        ("the day before yesterday", "2026-11-19", "2026-11-19"),
        ("a couple of weeks ago", "2026-11-04", "2026-11-10"),
        ("three days ago", "2026-11-18", "2026-11-18"),
        ("last month", "2026-10-01", "2026-10-31"),
        ("this weekend", "2026-11-21", "2026-11-22"),
        ("in 2025", "2025-01-01", "2025-12-31"),
        ("29 February", "2024-02-29", "2024-02-29"),
    ],
)
def test_days_are_understood(question: str, first: str, last: str) -> None:
    (days,) = find_days(question, TODAY)
    assert (days.first, days.last) == (D(first), D(last))


@pytest.mark.parametrize(
    "question", ["may I ask", "31 February", "99999-99-99", "10000000 days ago", "I march on", ""]
)
def test_what_is_no_date_is_left_alone(question: str) -> None:
    assert find_days(question, TODAY) == []


@given(st.text(), st.dates(min_value=date(1, 1, 1), max_value=date(9999, 12, 31)))
def test_no_question_breaks_the_reading(question: str, today: date) -> None:
    days = find_days(question, today)
    assert all(stretch.first <= stretch.last for stretch in days)
    without(question, days)
    read_question(question, today)


def test_words_meet_in_one_form() -> None:
    assert {stem(word) for word in ("painted", "painting", "paints")} == {"paint"}
    assert stem("went") == stem("going") == stem("goes")
    assert tokens("ＦＵＬＬ width") == ["full", "width"]
    assert "云台" in tokens("去了云台山") and "山" in tokens("云台山")


def test_a_question_s_own_words_are_not_looked_for() -> None:
    assert query_tokens("When did Caroline go to the support group?") == ["carolin", "go", "support", "group"]
    assert "什么" not in query_tokens("我买了什么连衣裙？")
    assert query_tokens("what was that") == ["what", "be", "that"]  # nothing else: then these


def test_asking_for_a_day_is_told_from_asking_about_it() -> None:
    assert read_question("What did we talk about yesterday?", TODAY).whole_days
    assert read_question("在2月8号我们聊了哪些话题呢？", TODAY).whole_days
    assert not read_question("What cake did I bake yesterday?", TODAY).whole_days
    assert read_question("What have we talked about lately?", TODAY).whole_days
    assert asks_lately("我最近在做什么") and not asks_lately("我以前在做什么")


def test_of_a_very_long_question_the_beginning_is_embedded() -> None:
    assert read_question("Where is Anna?", TODAY).meaning == "Where is Anna?"
    assert 80 <= len(read_question("日出" * 5_000, TODAY).meaning) <= 100
    assert len(read_question("sunrise " * 1_300, TODAY).meaning) <= 400


def test_now_is_a_date_or_iso_text() -> None:
    assert to_day("2026-03-01") == to_day(D("2026-03-01")) == to_day("2026-03-01T23:59:59+08:00") == D("2026-03-01")
    assert to_day(None) == to_day("nonsense") == date.today()
