"""Parse the time of day and the repetition in the text of a moment; pure.

An hour without am, pm or part of the day is the daytime one: 7 to 12 as said, 1 to 6 in the afternoon. Two digits
from 00 or above 12 ("07:30", "15:00") are the 24-hour clock.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import time
from typing import Literal, cast

from pet.language.calendar_words import WORKDAYS, WORKING_DAY, read_nth, unit_of, weekday_number
from pet.language.date_rows import rows_of, take_words
from pet.language.normalization import read_number
from pet.language.repetition import LAST_DAY

Part = str
SMALL_HOURS = 5  # hours of the night after midnight
_DEFAULTS: dict[Part, time] = {
    "early": time(7),
    "morning": time(9),
    "noon": time(12),
    "afternoon": time(15),
    "evening": time(19),
    "night": time(21),
}
"""Time of a part of the day without an hour."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockTime:
    """A time of day. ``later``: the same hour in the evening, if ambiguous; ``days``: 1 if after midnight."""

    at: time
    days: int = 0
    later: time | None = None

    def is_over(self, now: time) -> bool:
        """Whether that time of today is not to come."""
        return not self.days and self.at <= now


def take_part(text: str) -> tuple[str, Part]:
    """Return the text without the part of the day, and that part; "" for none."""
    for row in rows_of("part"):
        if match := row.pattern.search(text):
            return f"{text[: match.start()]} {text[match.end() :]}", row.part
    return text, ""


def take_clock(text: str, part: Part) -> tuple[str, ClockTime | None]:
    """Return the text without its time of day, and that time. Raises ValueError for an impossible one."""
    rest, noon = take_words(text, "noon")
    if noon:
        return rest, ClockTime(at=time(12))
    for kind in ("clock", "bare_hour") if part else ("clock",):
        rest, match = take_words(text, kind)
        if match:
            return rest, _resolved(match, match.groupdict(), part)
    if part == "midnight":
        return text, ClockTime(at=time(), days=1)
    return text, ClockTime(at=_DEFAULTS[part]) if part in _DEFAULTS else None


def _resolved(match: re.Match[str], groups: dict[str, str | None], part: Part) -> ClockTime:
    hour, minute = read_number(match["hour"]), _minutes(groups)
    if minute < 0:
        hour, minute = hour - 1 or 12, minute + 60
    half = groups.get("half")
    if half:
        if not 1 <= hour <= 12:
            raise ValueError(match[0])
        return ClockTime(at=time(hour % 12 + (12 if half == "pm" else 0), minute))
    written = match["hour"]
    if hour == 24 and minute == 0:
        return ClockTime(at=time(), days=1)
    if hour > 12 or hour == 0 or (written.startswith("0") and len(written) == 2 and not part):
        return ClockTime(at=time(hour, minute))
    return _in_part(hour, minute, part)


def _minutes(groups: dict[str, str | None]) -> int:
    if past := groups.get("past"):
        many = 30 if past == "half" else 15 if past.endswith("quarter") else read_number(past.removesuffix("minutes"))
        return -many if groups["side"] == "to" else many
    if groups.get("zh_half"):
        return 30
    if less := groups.get("less"):
        return -read_number(less)
    if less := groups.get("less_quarter"):
        return -15 * read_number(less)
    if quarter := groups.get("quarter"):
        return 15 * read_number(quarter)
    minute = groups.get("minute")
    return read_number(minute) if minute else 0


def _in_part(hour: int, minute: int, part: Part) -> ClockTime:
    """Return ``hour`` (1 to 12) as meant in that part of the day."""
    match part:
        case "early" | "morning":
            return ClockTime(at=time(hour, minute))
        case "small hours":
            return ClockTime(at=time(hour % 12, minute))
        case "midnight" if hour <= SMALL_HOURS:
            return ClockTime(at=time(hour, minute))
        case "noon":
            return ClockTime(at=time(hour + 12 if hour < 10 else hour, minute))
        case "afternoon":
            return ClockTime(at=time(hour % 12 + 12, minute))
        case "evening" | "night" | "midnight":
            if hour == 12 or hour < SMALL_HOURS or (hour == SMALL_HOURS and part == "night"):
                return ClockTime(at=time(hour % 12, minute), days=1)
            return ClockTime(at=time(hour + 12, minute))
        case _:
            if hour < 7:
                return ClockTime(at=time(hour + 12, minute))
            return ClockTime(at=time(hour, minute), later=time(hour + 12, minute) if hour < 12 else None)


Unit = Literal["hour", "day", "week", "month", "year"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatWords:
    """A parsed repetition. ``days`` is empty if none are named; unit ``hour`` means more often than daily."""

    unit: Unit
    interval: int = 1
    days: tuple[int, ...] = ()
    part: Part = ""
    nth: int = 0


def take_repeat(text: str) -> tuple[str, RepeatWords | None]:
    """Return the text without its repetition, and that; None if it has none. Raises ValueError for every 0 days."""
    rest, excepted = take_words(text, "except")
    if excepted:
        rest, words = take_repeat(rest)
        if words is None or words.interval != 1 or (words.unit != "day" and words.days != WORKDAYS):
            raise ValueError(excepted[0])
        named = next(filter(None, excepted.groups()))
        excluded = (5, 6) if named.startswith("weekend") or named.endswith("末") else _weekdays(named)
        days = tuple(sorted({*(words.days or range(7))}.difference(excluded)))
        if not days:
            raise ValueError(excepted[0])
        return rest, RepeatWords(unit="week", days=days, part=words.part)
    rest, match = take_words(text, "repeat")
    if match is None:
        return text, None
    words = _to_repeat({name: value for name, value in match.groupdict().items() if value is not None})
    if words.interval < 1:
        raise ValueError(match[0])
    return rest, words


def _to_repeat(groups: dict[str, str]) -> RepeatWords:
    interval = _interval(groups)
    if "often" in groups:
        return RepeatWords(unit="hour")
    if "nth" in groups:
        of_week = weekday_number(groups["weekday"])
        return RepeatWords(unit="month", interval=interval, days=(of_week,), nth=read_nth(groups["nth"]))
    if "workdays" in groups:
        return RepeatWords(unit="week", days=WORKDAYS)
    if "weekend" in groups:
        return RepeatWords(unit="week", days=(5, 6))
    if "list" in groups:
        return RepeatWords(unit="week", interval=interval, days=_weekdays(groups["list"]))
    if "day" in groups or "last" in groups or "begin" in groups:
        of_month = read_number(groups["day"]) if "day" in groups else LAST_DAY if "last" in groups else 1
        if not 1 <= of_month <= LAST_DAY:
            raise ValueError(groups["day"])
        return RepeatWords(unit="month", interval=interval, days=(of_month,))
    unit = cast("Unit", unit_of(groups["unit"]))
    return RepeatWords(unit=unit, interval=interval, part=groups.get("part", ""))


def _weekdays(text: str) -> tuple[int, ...]:
    numbers = map(weekday_number, re.findall("[a-z]+|[一二三四五六日天]", text))
    return tuple(sorted({number for number in numbers if number != WORKING_DAY}))


def _interval(groups: dict[str, str]) -> int:
    count = groups.get("n", "")
    if groups.get("skip"):  # 隔天, 隔周; 每隔两天 is every third day
        return read_number(count) + 1 if count else 2
    return 2 if count in ("other", "second") else read_number(count) if count else 1
