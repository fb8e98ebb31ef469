"""Moments as people write them in a reminder: read as a whole, or asked for; never half of them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from pet.i18n import day_comes_first
from pet.language.moment import MomentUnclear, parse_moment, split_moment
from pet.language.repetition import plan_text

NOW = datetime(2026, 11, 28, 10, 0, tzinfo=UTC)  # a Saturday


@pytest.mark.parametrize(
    ("text", "moment"),
    [
        ("2.5小时后", "2026-11-28 12:30"),
        ("1.5个小时后", "2026-11-28 11:30"),
        ("0.5小时之后", "2026-11-28 10:30"),
        ("两个半小时后", "2026-11-28 12:30"),
        ("早八点", "2026-11-29 08:00"),
        ("晚八点", "2026-11-28 20:00"),
        ("晚10点半", "2026-11-28 22:30"),
        ("周一早八点", "2026-11-30 08:00"),
        ("每个早上八点", "2026-11-29 08:00 every day"),
        ("每个晚上十点", "2026-11-28 22:00 every day"),
        ("每个下午3点", "2026-11-28 15:00 every day"),
        ("差五分三点", "2026-11-28 14:55"),
        ("差一刻八点", "2026-11-28 19:45"),
        ("明天早上差五分八点", "2026-11-29 07:55"),
        ("下午三点差十分", "2026-11-28 14:50"),
        ("明天差5分9点", "2026-11-29 08:55"),
        ("再下周三", "2026-12-09"),
        ("再下个星期三上午九点", "2026-12-09 09:00"),
        ("下下周三", "2026-12-09"),
        ("再下个月3号", "2027-01-03"),
        ("下下个月3号", "2027-01-03"),
        ("每月十五晚上八点", "2026-12-15 20:00 every month on the 15th"),
        ("每月二十交房租"[:4], "2026-12-20 every month on the 20th"),
        ("12:00 noon tomorrow", "2026-11-29 12:00"),
        ("tomorrow at 12 noon", "2026-11-29 12:00"),
        ("Monday 12:00 midday", "2026-11-30 12:00"),
        ("12:00 midnight", "2026-11-29 00:00"),
        ("in 1h30m", "2026-11-28 11:30"),
        ("in 1h30", "2026-11-28 11:30"),
        ("in 1h 30min", "2026-11-28 11:30"),
        ("in 1 hr 30 mins", "2026-11-28 11:30"),
        ("in 2h", "2026-11-28 12:00"),
        ("in 45m", "2026-11-28 10:45"),
        ("in 90m", "2026-11-28 11:30"),
        ("en 1h30", "2026-11-28 11:30"),
        ("en 1 h 30 min", "2026-11-28 11:30"),
        ("dentro de 2,5 horas", "2026-11-28 12:30"),
        ("in 2,5 hours", "2026-11-28 12:30"),
        ("mañana a las 12:00 del mediodía", "2026-11-29 12:00"),
        ("今晚午夜", "2026-11-29 00:00"),
        ("today at 1h30", "2026-11-28 13:30"),
    ],
)
def test_a_moment_is_read_as_it_is_written(text: str, moment: str) -> None:
    due = parse_moment(text, NOW)
    at = f" {due.at:%H:%M}" if due.at else ""
    series = f" {plan_text(None, due.repeat).split(' at ')[0]}" if due.repeat else ""
    assert f"{due.day}{at}{series}" == moment.replace(", this time", "")


@pytest.mark.parametrize(
    ("text", "day", "rest"),
    [
        ("明早八点起床", "2026-11-29 08:00", "起床"),
        ("每天七点起床", "2026-11-29 07:00", "起床"),
        ("明早六点起飞", "2026-11-29 06:00", "起飞"),
        ("晚十点睡觉", "2026-11-28 22:00", "睡觉"),
        ("2.5小时后关火", "2026-11-28 12:30", "关火"),
        ("差五分三点出门", "2026-11-28 14:55", "出门"),
        ("再下周三体检", "2026-12-09 None", "体检"),
        ("tea in 1h30m", "2026-11-28 11:30", "tea"),
        ("lunch 12:00 noon tomorrow", "2026-11-29 12:00", "lunch"),
        ("每月十五交房租", "2026-12-15 None", "交房租"),
        ("今晚午夜关机", "2026-11-29 00:00", "关机"),
    ],
)
def test_a_reminder_keeps_its_words(text: str, day: str, rest: str) -> None:
    split = split_moment(text, NOW)
    assert split is not None
    assert (f"{split[0].day} {split[0].at and format(split[0].at, '%H:%M')}", split[1]) == (day, rest)


@pytest.mark.parametrize(
    "text",
    [
        "rent on the 1st and 15th of every month",
        "pills every morning and evening",
        "每天8点和20点吃药",
        "class every Tuesday at 9 and Thursday at 5",
        "club every 1st and 3rd Friday",
        "water the plants tomorrow and the day after",
        "water the plants every other day at 9 and 21",
        "pills every day at 8 and 20",
        "pills at 8am and 8pm every day",
        "renew visa in March at 9",
        "dentist in mid-March at 9",
        "每月初一早上八点上香",
        "每月初一十五烧香",
        "每月初一、十五烧香",
        "每月1号和15号交房租",
        "每周二9点和周四17点上课",
        "明天九点和十点开会",
        "下下下周三体检",
        "call bob 3.12. at 9",
        "cita en marzo a las 9",
        "pagar el 1 y el 15 de cada mes",
        "pastillas cada mañana y cada noche",
        "腊月初八早上八点喝粥",
        "早晚八点吃药",
        "两个半小时后",
        "visa by the end of March at 9",
        "tonight at 8 and tomorrow at 9 call Bob",
        "明天和后天浇花",
    ],
)
def test_what_is_not_one_moment_is_asked_for(text: str) -> None:
    try:
        split = split_moment(text, NOW)
    except MomentUnclear:
        split = None
    assert split is None


@pytest.mark.parametrize(
    ("text", "day_first", "day"),
    [
        ("5/6/2027 at 9", True, "2027-06-05"),
        ("5/6/2027 at 9", False, "2027-05-06"),
        ("5-6-2027", True, "2027-06-05"),
        ("on 5/12 at 20:00", True, "2026-12-05"),
        ("on 12/5 at 20:00", False, "2026-12-05"),
        ("el 5/12 a las 9", True, "2026-12-05"),
        ("12/5早上九点", False, "2026-12-05"),
        ("13/12/2026", False, "2026-12-13"),
        ("12/13/2026", True, "2026-12-13"),
        ("2026-12-05", True, "2026-12-05"),
        ("2026/12/05", True, "2026-12-05"),
    ],
)
def test_a_date_in_digits_is_read_in_the_owner_s_order(text: str, day_first: bool, day: str) -> None:
    assert parse_moment(text, NOW, day_first).day.isoformat() == day
    split = split_moment(f"{text} dentist", NOW, day_first)
    assert split is not None
    assert (split[0].day.isoformat(), split[1]) == (day, "dentist")


@pytest.mark.parametrize(
    ("locale", "day_first"),
    [
        ("en_GB.UTF-8", True),
        ("es_ES", True),
        ("de_DE.UTF-8", True),
        ("en_US.UTF-8", False),
        ("zh_CN.UTF-8", False),
        ("ja_JP.UTF-8", False),
        ("C.UTF-8", None),
        ("en", None),
        ("en_CA.UTF-8", None),
        ("", None),
    ],
)
def test_the_order_is_the_locale_s(monkeypatch: pytest.MonkeyPatch, locale: str, day_first: bool | None) -> None:
    monkeypatch.setattr("locale.getlocale", lambda *_: (None, None))
    for name in ("LC_ALL", "LC_TIME", "LANG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("LC_TIME", locale)
    assert day_comes_first() is day_first
