"""The moment that a text names, in English and Chinese, and what names none."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.language.calendar_words import WORKDAYS
from pet.language.moment import Due, MomentUnclear, parse_moment, split_moment
from pet.language.repetition import Repeat, plan_text
from pet.memory.store.daily_log import parse_log, render_entry

NOW = datetime(2026, 2, 24, 14, 30, 15, tzinfo=timezone(timedelta(hours=8)))  # a Tuesday


@pytest.mark.parametrize(
    ("said", "day", "at"),
    [
        ("2026-12-01T15:00", "2026-12-01", "15:00"),
        ("2026-12-01 15:00:30", "2026-12-01", "15:00"),
        ("2026-12-01T15:00:00Z", "2026-12-01", "23:00"),
        ("2026-12-01T00:00", "2026-12-01", ""),
        ("2026-12-01", "2026-12-01", ""),
        ("1.12.2026 at 15:00", "2026-12-01", "15:00"),
        ("2026-03-02 (Monday) 3pm", "2026-03-02", "15:00"),
        ("13/12/2026 at 9", "2026-12-13", "09:00"),
        ("12/13/2026 3pm", "2026-12-13", "15:00"),
        ("on 24/12 at 20:00", "2026-12-24", "20:00"),
        ("12/25", "2026-12-25", ""),
        ("5/5/2026", "2026-05-05", ""),
        ("13-12-2026", "2026-12-13", ""),
        ("el 13/12/2026 a las 9", "2026-12-13", "09:00"),
        ("tomorrow", "2026-02-25", ""),
        ("tomorrow at three", "2026-02-25", "15:00"),
        ("Tomorrow, at 3 o'clock", "2026-02-25", "15:00"),
        ("three in the afternoon tomorrow", "2026-02-25", "15:00"),
        ("tomorrow at 3 in the morning", "2026-02-25", "03:00"),
        ("tomorrow at 03:00", "2026-02-25", "03:00"),
        ("tomorrow at seven", "2026-02-25", "07:00"),
        ("tomorrow at six", "2026-02-25", "18:00"),
        ("tomorrow at 6:30 a.m.", "2026-02-25", "06:30"),
        ("day after tomorrow at noon", "2026-02-26", "12:00"),
        ("tomorrow at 2:30", "2026-02-25", "14:30"),
        ("2:30 am", "2026-02-25", "02:30"),
        ("at 2:30 at night", "2026-02-25", "02:30"),
        ("tomorrow at 2:30 at night", "2026-02-26", "02:30"),  # of that night
        ("tomorrow at 2:30 in the small hours", "2026-02-25", "02:30"),
        ("in the middle of the night at 2:30", "2026-02-25", "02:30"),
        ("at 5 at night", "2026-02-25", "05:00"),
        ("today at 02:30", "2026-02-25", "02:30"),  # this night is over
        ("half past eight", "2026-02-24", "20:30"),
        ("quarter to one tomorrow", "2026-02-25", "12:45"),
        ("at eight", "2026-02-24", "20:00"),  # this morning's is past
        ("at two", "2026-02-25", "14:00"),
        ("at 3", "2026-02-24", "15:00"),
        ("in 1 minute", "2026-02-24", "14:31"),
        ("in 2 minutes", "2026-02-24", "14:32"),
        ("in 30 seconds", "2026-02-24", "14:31"),
        ("at 14:30", "2026-02-25", "14:30"),
        ("tonight", "2026-02-24", "21:00"),
        ("tonight at 8", "2026-02-24", "20:00"),
        ("this evening", "2026-02-24", "19:00"),
        ("midnight", "2026-02-25", "00:00"),
        ("12am", "2026-02-25", "00:00"),
        ("in 20 minutes", "2026-02-24", "14:50"),
        ("in half an hour", "2026-02-24", "15:00"),
        ("in an hour and a half", "2026-02-24", "16:00"),
        ("in 1.5 hours", "2026-02-24", "16:00"),
        ("in two hours and 10 minutes", "2026-02-24", "16:40"),
        ("two days from now", "2026-02-26", ""),
        ("in three days at 9", "2026-02-27", "09:00"),
        ("in a month", "2026-03-24", ""),
        ("Friday", "2026-02-27", ""),
        ("next Friday at 18:00", "2026-02-27", "18:00"),
        ("Friday next week", "2026-03-06", ""),
        ("on Tuesday", "2026-03-03", ""),  # today is one
        ("on Tuesday at 4pm", "2026-02-24", "16:00"),
        ("next Monday 9am", "2026-03-02", "09:00"),
        ("Monday, 2 March at 10", "2026-03-02", "10:00"),
        ("March 3rd at 5pm", "2026-03-03", "17:00"),
        ("3 February", "2027-02-03", ""),
        ("29 February", "2028-02-29", ""),
        ("the 3rd", "2026-03-03", ""),
        ("明天下午三点", "2026-02-25", "15:00"),
        ("明天下午三點", "2026-02-25", "15:00"),
        ("明早七点", "2026-02-25", "07:00"),
        ("今晚八点半", "2026-02-24", "20:30"),
        ("今晚午夜", "2026-02-25", "00:00"),
        ("明晚半夜十二点", "2026-02-26", "00:00"),
        ("晚上十二点", "2026-02-25", "00:00"),
        ("凌晨两点", "2026-02-25", "02:00"),
        ("凌晨两点半", "2026-02-25", "02:30"),
        ("今天凌晨两点半", "2026-02-25", "02:30"),
        ("半夜两点半", "2026-02-25", "02:30"),
        ("三点一刻", "2026-02-24", "15:15"),
        ("十五点三十分", "2026-02-24", "15:30"),
        ("后天中午", "2026-02-26", "12:00"),
        ("下周一早上九点", "2026-03-02", "09:00"),
        ("周二下午四点", "2026-02-24", "16:00"),
        ("下下周三", "2026-03-11", ""),
        ("5号", "2026-03-05", ""),
        ("下个月3号", "2026-03-03", ""),
        ("3月5日下午两点", "2026-03-05", "14:00"),
        ("２０２６年１２月１日下午３点", "2026-12-01", "15:00"),
        ("十二月二十五日", "2026-12-25", ""),
        ("二十分钟后", "2026-02-24", "14:50"),
        ("半小时后", "2026-02-24", "15:00"),
        ("一个半小时后", "2026-02-24", "16:00"),
        ("过五分钟", "2026-02-24", "14:35"),
        ("三天后上午十点", "2026-02-27", "10:00"),
        ("两三天后", "2026-02-26", ""),
        ("三五天后", "2026-02-27", ""),
        ("十五六天后", "2026-03-11", ""),
        ("二十三天后", "2026-03-19", ""),
        ("一两个小时后", "2026-02-24", "15:30"),
        ("三四个月后", "2026-05-24", ""),
        ("明天两三点", "2026-02-25", "14:00"),
        ("明天下午三四点", "2026-02-25", "15:00"),
        ("在明天下午3点提醒我", "2026-02-25", "15:00"),
    ],
)
def test_one_moment(said: str, day: str, at: str) -> None:
    due = parse_moment(said, NOW)
    assert (due.day.isoformat(), f"{due.at:%H:%M}" if due.at else "", due.repeat) == (day, at, None)


@pytest.mark.parametrize(
    ("said", "day", "plan"),
    [
        ("every day", "2026-02-24", "every day"),
        ("every day at 8", "2026-02-25", "every day at 08:00"),
        ("每天早上八点", "2026-02-25", "every day at 08:00"),
        ("每晚九点", "2026-02-24", "every day at 21:00"),
        ("every night at 2:30", "2026-02-25", "every day at 02:30"),
        ("every day at 2:30 am", "2026-02-25", "every day at 02:30"),
        ("每天半夜两点半", "2026-02-25", "every day at 02:30"),
        ("every evening", "2026-02-24", "every day at 19:00"),
        ("every other day at 9", "2026-02-25", "every 2 days at 09:00"),
        ("每隔一天", "2026-02-24", "every 2 days"),
        ("every Monday", "2026-03-02", "every Monday"),
        ("every Monday at 9:00", "2026-03-02", "every Monday at 09:00"),
        ("每周一", "2026-03-02", "every Monday"),
        ("每周一三点", "2026-03-02", "every Monday at 15:00"),
        ("every Monday and Thursday at 09:00", "2026-02-26", "every Monday and Thursday at 09:00"),
        ("每周一三五晚上七点", "2026-02-25", "every Monday and Wednesday and Friday at 19:00"),
        ("every weekday at 7:30", "2026-02-25", "every weekday at 07:30"),
        ("工作日早上九点", "2026-02-25", "every weekday at 09:00"),
        ("every other Monday", "2026-03-02", "every 2 weeks on Monday"),
        ("隔周三", "2026-02-25", "every 2 weeks on Wednesday"),
        ("Mondays at 9", "2026-03-02", "every Monday at 09:00"),
        ("weekly", "2026-02-24", "every Tuesday"),
        ("every month on the 1st", "2026-03-01", "every month on the 1st"),
        ("last day of every month", "2026-02-28", "every month on the last day"),
        ("每月最后一天", "2026-02-28", "every month on the last day"),
        ("每个月15号下午3点", "2026-03-15", "every month on the 15th at 15:00"),
        ("every year on 3 May", "2026-05-03", "every year on 3 May"),
        ("每年5月3日", "2026-05-03", "every year on 3 May"),
        ("every day starting tomorrow at 10", "2026-02-25", "every day at 10:00"),
    ],
)
def test_a_series(said: str, day: str, plan: str) -> None:
    due = parse_moment(said, NOW)
    assert (due.day.isoformat(), plan_text(due.at, due.repeat)) == (day, plan)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        *((each, "unclear") for each in ("soon", "later", "next week", "tomorrow or Friday", "1", "{}", "25:00", "")),
        *(
            (each, "unclear")
            for each in (
                "2026-02-30",
                "5/6",
                "5/6/2026",
                "5-6-2026",
                "1/2 hour",
                "24/7",
                "tomorrow midnight",
                "at 13 pm",
            )
        ),
        *((each, "unclear") for each in ("every 0 days", "x" * 999, "13/12/26", "3/14/15", "31/2/2026")),
        *(
            (each, "unclear")  # two moments, of which one would be lost
            for each in (
                "the 1st and 15th of every month",
                "every month on the 1st and 15th",
                "every morning and evening",
                "every day at 8 and at 20:00",
                "every Tuesday at 9 and Thursday at 5",
                "every 1st and 3rd Friday",
                "tomorrow and the day after",
                "tomorrow and Friday",
                "every Monday on Tuesday",
                "every day on Friday",
                "el 1 y el 15 de cada mes",
                "cada mañana y cada noche",
                "todos los días a las 8 y a las 20",
                "mañana y pasado mañana",
                "每天8点和20点",
                "每月1号和15号",
                "每天早上和晚上",
                "明天和后天",
                "每月初一早上八点",
                "每月十五和初一",
            )
        ),
        *((each, "unclear") for each in ("尽快", "下周", "二月三十日", "yesterday", "昨天")),
        *(
            (each, "often")
            for each in ("every hour", "every second", "hourly", "每小时", "每隔五分钟", "every 5 minutes")
        ),
        *((each, "past") for each in ("1900-01-01", "1900-01-01T08:00", "2026年2月1日", "2026-02-23")),
        *((each, "past") for each in ("2026-02-24T14:30", "2026-02-24 09:00", "today at two", "今天上午九点")),
        *((each, "far") for each in ("9999-01-01", "in 500 years", "9999-12-31T23:59")),
    ],
)
def test_what_names_no_moment_is_refused(said: str, why: str) -> None:
    with pytest.raises(MomentUnclear) as refused:
        parse_moment(said, NOW)
    assert refused.value.why == why


@pytest.mark.parametrize(
    ("said", "day"),
    [
        ("at 2:30 at night", "2026-02-24"),
        ("tonight at 2:30", "2026-02-24"),
        ("凌晨两点半", "2026-02-24"),
        ("esta noche a las 2:30", "2026-02-24"),
        ("tomorrow at 2:30 am", "2026-02-25"),
        ("at one at night", "2026-02-25"),
    ],
)
def test_in_the_night_the_hours_to_come_are_of_this_night(said: str, day: str) -> None:
    due = parse_moment(said, NOW.replace(hour=1, minute=10))
    assert (due.day.isoformat(), due.at and due.at.hour < 5) == (day, True)


@given(st.text(max_size=60) | st.text(alphabet="0123456789:-T明天后下周一每月点半号atinevery mondpr", max_size=30))
def test_any_text_is_a_moment_or_refused(said: str) -> None:
    try:
        due = parse_moment(said, NOW)
    except MomentUnclear:
        return
    assert date(2025, 2, 23) <= due.day <= date(2076, 12, 31)


@pytest.mark.parametrize(
    "said",
    ["the first of every month", "on the first of every month", "every month on the first", "the 1st of each month"],
)
def test_the_first_of_every_month_is_its_first_day(said: str) -> None:
    due = parse_moment(said, NOW)
    assert due.day == date(2026, 3, 1)
    assert due.repeat is not None and (due.repeat.unit, due.repeat.days) == ("month", (1,))


ZONES = st.sampled_from(sorted(available_timezones())).map(ZoneInfo)
MOMENTS = st.datetimes(datetime(2020, 1, 1), datetime(2037, 12, 31), timezones=st.just(UTC))


@given(ZONES, MOMENTS, st.integers(1, 600))
def test_minutes_from_now_are_counted_on_the_clock_that_never_jumps(
    zone: ZoneInfo, at: datetime, minutes: int
) -> None:
    now = at.astimezone(zone)
    due = parse_moment(f"in {minutes} minutes", now)
    assert due.at is not None
    end = at + timedelta(minutes=minutes, seconds=30)  # the nearest whole minute
    full = end.replace(second=0, microsecond=0)
    full = max(full, at.replace(second=0, microsecond=0) + timedelta(minutes=1))
    assert datetime.combine(due.day, due.at) == full.astimezone(zone).replace(tzinfo=None)


REPEATS = st.one_of(
    st.builds(Repeat, unit=st.just("day"), interval=st.integers(1, 6)),
    st.builds(
        Repeat,
        unit=st.just("week"),
        interval=st.integers(1, 6),
        days=st.sets(st.integers(0, 6), min_size=1).map(lambda days: tuple(sorted(days))),
    ),
    st.builds(Repeat, unit=st.just("week"), days=st.just(WORKDAYS)),
    st.builds(Repeat, unit=st.just("month"), interval=st.integers(1, 6), days=st.tuples(st.integers(1, 31))),
    st.builds(
        Repeat,
        unit=st.just("year"),
        interval=st.integers(1, 6),
        days=st.dates(date(2000, 1, 1), date(2000, 12, 31)).map(lambda day: (day.month, day.day)),
    ),
)
TIMES = st.none() | st.times().map(lambda at: at.replace(second=0, microsecond=0))


@given(REPEATS, TIMES, TIMES, st.dates(date(2020, 1, 1), date(2060, 1, 1)))
def test_a_plan_reads_back_as_it_was_written(
    repeat: Repeat, series: time | None, this: time | None, day: date
) -> None:
    repeat = Repeat(unit=repeat.unit, interval=repeat.interval, days=repeat.days, at=series)
    this = this or series
    entry = render_entry("x", at=time(9), category="todo", due=day, due_at=this, repeat=repeat)
    (read,) = parse_log(entry.split("\n"))
    assert (read.category, read.due, read.due_at, read.repeat) == ("todo", day, this, repeat)


@given(REPEATS, TIMES, st.datetimes(datetime(2020, 1, 1), datetime(2060, 1, 1)))
def test_a_series_goes_on_in_order_and_on_its_days(repeat: Repeat, at: time | None, now: datetime) -> None:
    repeat = Repeat(unit=repeat.unit, interval=repeat.interval, days=repeat.days, at=at)
    day = repeat.first(now)
    assert (day - now.date()).days >= 0
    for _ in range(5):
        following = repeat.next_after(datetime.combine(day, at or time()), day)
        assert following > day
        if repeat.unit == "week":
            assert following.weekday() in repeat.days
        if repeat.unit == "day":
            assert (following - day).days == repeat.interval
        day = following


def test_due_is_a_value() -> None:
    assert parse_moment("tomorrow", NOW) == Due(date(2026, 2, 25))


OLDER = re.compile(  # how versions that know only days read a heading
    r"##[ \t]+\[(?P<hour>[0-9]{1,2}):(?P<minute>[0-9]{2})(?::(?P<second>[0-9]{2}))?\]"
    r"[ \t]*(?P<category>[^@]*?)(?:[ \t]*@(?P<due>[0-9]{4}-[0-9]{2}-[0-9]{2}))?"
    r"(?:[ \t]+\(was (?P<first>[0-9]{4}-[0-9]{2}-[0-9]{2})\))?"
    r"(?P<done>[ \t]*[\u2713\u2714](?:[ \t]?[0-9]{4}-[0-9]{2}-[0-9]{2})?)?[ \t]*"
)


@given(REPEATS | st.none(), TIMES, st.dates(date(2020, 1, 1), date(2060, 1, 1)))
def test_older_versions_read_the_day(repeat: Repeat | None, at: time | None, day: date) -> None:
    heading = render_entry("x", at=time(9), category="todo", due=day, due_at=at, repeat=repeat).split("\n")[0]
    found = OLDER.fullmatch(heading)
    assert found is not None and found["due"] == day.isoformat()
    assert len(heading) <= 300


@pytest.mark.parametrize(
    ("said", "day", "at", "what"),
    [
        ("in 20 minutes take the tea off", "2026-11-27", "22:20", "take the tea off"),
        ("tomorrow at 9 the bank", "2026-11-28", "09:00", "the bank"),
        ("tomorrow at 9am: dentist, 3rd floor", "2026-11-28", "09:00", "dentist, 3rd floor"),
        ("2026-12-01 rest", "2026-12-01", "", "rest"),
        ("buy milk on Friday", "2026-12-04", "", "buy milk"),
        ("9 eggs tomorrow", "2026-11-28", "", "9 eggs"),
        ("tomorrow call Bob at 9", "2026-11-28", "09:00", "call Bob"),
        ("明天九点给妈妈打电话", "2026-11-28", "09:00", "给妈妈打电话"),
        ("给妈妈打电话，明天九点", "2026-11-28", "09:00", "给妈妈打电话"),
        ("每周一早上九点开会", "2026-11-30", "09:00", "开会"),
        ("下周五下午三点整 牙医", "2026-12-04", "15:00", "牙医"),
        ("mañana a las nueve la cena", "2026-11-28", "09:00", "la cena"),
        ("llamar a Ana el viernes a las tres", "2026-12-04", "15:00", "llamar a Ana"),
    ],
)
def test_a_text_begins_or_ends_with_its_moment(said: str, day: str, at: str, what: str) -> None:
    split = split_moment(said, datetime(2026, 11, 27, 22, tzinfo=UTC))
    assert split is not None
    assert (split[0].day.isoformat(), f"{split[0].at:%H:%M}" if split[0].at else "", split[1]) == (day, at, what)


@pytest.mark.parametrize(
    "said", ["", "tomorrow", "call Anna", "9 eggs", "yesterday call", "call Anna soon", "今天九点开会"]
)
def test_a_text_without_a_moment_to_come_or_anything_else_is_none(said: str) -> None:
    assert split_moment(said, datetime(2026, 11, 27, 22, tzinfo=UTC)) is None


HALF = (
    "renew visa in March at 9",
    "dentist on 5/6/2026 at 9",
    "party on 5/6 at 20:00",
    "dentist 13/12/26 at 9",
    "water the plants on the 1st and 15th of every month",
    "on the 1st and 15th of every month water the plants",
    "take pills every morning and evening",
    "every morning and evening take pills",
    "yoga every Tuesday at 9 and Thursday at 5",
    "pay the rent every 1st and 3rd Friday",
    "tomorrow and the day after call Anna",
    "call Anna on Christmas Eve and New Year's Eve",
    "at 9 and 17:00 feed the cat",
    "trip from 3 to 5 May at 9",
    "meet Bob next month at 9",
    "regar las plantas el 1 y el 15 de cada mes",
    "renovar el visado en marzo a las 9",
    "pastillas cada mañana y cada noche a las 9",
    "reunión la semana que viene a las 9",
    "sacar la tarta en 20 minutos a las 9",
    "check the oven in 2h at 9",
    "每月初一早上八点上香",
    "吃药每天8点和20点",
    "每天8点和20点吃药",
    "每月1号和15号交房租",
    "明天和后天九点开会",
    "三月续签证九点",
    "下个月九点体检",
)
WHOLE = (
    ("dentist on 13/12/2026 at 9", "dentist"),
    ("meeting 12/13/2026 3pm", "meeting"),
    ("party on 24/12 at 20:00", "party"),
    ("dentista el 13/12/2026 a las 9", "dentista"),
    ("今晚午夜关机", "关机"),
    ("tomorrow at 9 buy sun cream and 2 kg of flour", "buy sun cream and 2 kg of flour"),
    ("look at two flats on the 3rd floor tomorrow", "look at two flats on the 3rd floor"),
    ("call the 24/7 line 555-1234 tomorrow at 9", "call the 24/7 line 555-1234"),
    ("march with Anna on Saturday", "march with Anna"),
    ("明天九点买三斤苹果、一点月饼，3号楼", "买三斤苹果、一点月饼，3号楼"),
    ("mañana a las nueve comprar 2 entradas de la película", "comprar 2 entradas de la película"),
)


@pytest.mark.parametrize("said", HALF)
def test_words_of_a_date_beside_the_moment_are_never_noted_silently(said: str) -> None:
    try:
        split = split_moment(said, datetime(2026, 11, 27, 22, tzinfo=UTC))
    except MomentUnclear:
        return
    assert split is None


@pytest.mark.parametrize(("said", "what"), WHOLE)
def test_words_that_only_look_like_a_date_are_the_reminders_own(said: str, what: str) -> None:
    split = split_moment(said, datetime(2026, 11, 27, 22, tzinfo=UTC))
    assert split is not None and split[1] == what
