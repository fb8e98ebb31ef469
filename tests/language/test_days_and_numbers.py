"""Moments and ranges of days named in three languages, with their meaning from one fixed moment."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from pet.i18n import LANGUAGES, Texts
from pet.language.calendar_words import WORKING_DAY
from pet.language.holidays import HOLIDAYS
from pet.language.moment import Due, MomentUnclear, parse_moment, parse_plan
from pet.language.ranges import find_ranges
from pet.language.repetition import Repeat, plan_text, repeat_words

NOW = datetime(2026, 10, 21, 10, 20, 10, tzinfo=ZoneInfo("Europe/Madrid"))
_ROWS = [
    tuple(line.split(" | "))
    for line in Path(__file__).with_name("days_and_numbers.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
]
_DUE = [(phrase, meaning) for _language, use, phrase, meaning in _ROWS if use == "due"]
_SEARCH = [(phrase, meaning) for _language, use, phrase, meaning in _ROWS if use == "search"]


@pytest.mark.parametrize(("phrase", "meaning"), _DUE)
def test_a_reminder_is_due_at_the_moment_named(phrase: str, meaning: str) -> None:
    if meaning == "refused":
        with pytest.raises(MomentUnclear):
            parse_moment(phrase, NOW)
        return
    due = parse_moment(phrase, NOW)
    wanted = [each.split() for each in meaning.split(", ")]
    assert bool(due.repeat) == (len(wanted) > 1)
    assert [str(day) for day in _days(due, len(wanted))] == [day for day, _at in wanted]
    assert wanted[0][1] in ("*", f"{due.at:%H:%M}" if due.at else "")


@pytest.mark.parametrize("phrase", [phrase for phrase, meaning in _DUE if ", " in meaning])
def test_what_is_written_for_a_repetition_is_read_again(phrase: str) -> None:
    due = parse_moment(phrase, NOW)
    assert parse_plan(plan_text(due.at, due.repeat), due.day) == (due.at, due.repeat)


@pytest.mark.parametrize(
    "repeat",
    [
        *(Repeat(unit="month", interval=many, days=(4,), nth=nth) for nth in (1, 2, 3, 4, -1) for many in (1, 3)),
        *(Repeat(unit="year", days=(5, 6), nth=nth) for nth in (1, 2, 3, 4, -1)),
        *(Repeat(unit="month", interval=many, days=(WORKING_DAY,), nth=nth) for nth in (1, 3, -1) for many in (1, 2)),
        Repeat(unit="year", days=(12, WORKING_DAY), nth=-1),
        *(Repeat(unit="year", holiday=each.name) for each in HOLIDAYS if each.key),
        *(Repeat(unit="week", days=tuple(day for day in range(7) if day != out)) for out in range(7)),
    ],
)
def test_a_series_is_read_as_written_in_a_log_and_as_shown(repeat: Repeat) -> None:
    timed = replace(repeat, at=time(9))
    assert parse_plan(plan_text(time(9), timed), NOW.date()) == (time(9), timed)
    for language in LANGUAGES:
        assert parse_moment(repeat_words(repeat, Texts(language)), NOW).repeat == repeat


def test_no_lunar_day_is_known_outside_the_table() -> None:
    with pytest.raises(MomentUnclear):
        parse_moment("2041年除夕晚上八点", NOW)
    assert [each.first for each in find_ranges("2019年除夕", NOW.date())] == [date(2019, 1, 1)]  # of the whole year


@pytest.mark.parametrize(
    "habit",
    [
        "how long do hedgehogs sleep in winter?",
        "Which film do I watch every Christmas Eve?",
        "agreed to pay by the end of the month",
        "The wine for Christmas is stored at my parents' cellar",
        "Where is the box for the Christmas tree?",
        "圣诞节前有什么 paperwork 一定不能忘？",
        "中秋节的来历是什么？",
        "我的车为什么没通过年检?",
        "¿qué suelo hacer en verano?",
    ],
)
def test_a_name_without_a_year_in_a_habit_or_a_plan_is_no_day(habit: str) -> None:
    assert not find_ranges(habit, NOW.date())


@pytest.mark.parametrize(("phrase", "meaning"), _SEARCH)
def test_a_question_is_about_the_days_named(phrase: str, meaning: str) -> None:
    found = [(each.first, each.last) for each in find_ranges(phrase, NOW.date())]
    if meaning == "none":
        assert not found
        return
    first, _, last = meaning.removeprefix("~").partition("..")
    wanted = (date.fromisoformat(first), date.fromisoformat(last or first))
    slack = timedelta(1 if meaning.startswith("~") else 0)
    assert len(found) == 1
    assert all(abs(one - other) <= slack for one, other in zip(found[0], wanted, strict=True)), found


def _days(due: Due, many: int) -> list[date]:
    days = [due.day]
    while due.repeat and len(days) < many:
        after = datetime.combine(days[-1], due.at or time())
        days.append(due.repeat.next_after(after, due.day))
    return days
