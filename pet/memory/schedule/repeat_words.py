"""Parse a repetition: "every Monday and Thursday", "every other week", 每天, 每两周的周三, 每月1号; pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from pet.memory.schedule.clock_words import ZH_NUMBER, Part
from pet.memory.schedule.repetition import LAST_DAY, WORKDAYS
from pet.memory.text.numbers import read_number
from pet.text.lazy_pattern import lazy_pattern

_ABBREVIATED = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_ZH_DAYS = "一二三四五六日"
_NAMES = r"mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?"
WEEKDAY = rf"(?P<weekday>{_NAMES})"
ZH_WEEK = "(?:周|星期|礼拜)"
_COUNT = r"(?P<n>other|second|[0-9]{1,2}|two|three|four|five|six)\s+"
_LIST = rf"(?:{_NAMES})s?\b(?:\s*(?:,|and|&|/|, and)\s*(?:every\s+|each\s+|on\s+)?(?:{_NAMES})s?\b)*"
_ZH_LIST = f"[一二三四五六日天](?:[、,和及]?(?:每?{ZH_WEEK})?[一二三四五六日天](?![点时十半]))*"
_ZH_EVERY = f"(?:(?P<skip>每?隔)|每)(?P<n>{ZH_NUMBER})?个?"
_ZH_ORDINAL = f"(?P<day>{ZH_NUMBER})[号日]|(?P<last>最后一天|月?底|月?末)|(?P<begin>月?初)"

Unit = Literal["hour", "day", "week", "month", "year"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RepeatWords:
    """A parsed repetition. ``days`` is empty if none are named; unit ``hour`` means more often than daily."""

    unit: Unit
    interval: int = 1
    days: tuple[int, ...] = ()
    part: Part = ""


def take_repeat(text: str) -> tuple[str, RepeatWords | None]:
    """Return the text without its repetition, and that; None if it has none. Raises ValueError for every 0 days."""
    for pattern in _PATTERNS:
        match = pattern.search(text)
        if match:
            words = _to_repeat({name: value for name, value in match.groupdict().items() if value is not None})
            if words.interval < 1:
                raise ValueError(match[0])
            return f"{text[: match.start()]} {text[match.end() :]}", words
    return text, None


def weekday_number(match: re.Match[str]) -> int:
    """Return the weekday, 0 for Monday, from the group ``zh`` or ``weekday``."""
    groups = match.groupdict()
    if groups.get("zh"):
        return _ZH_DAYS.index(groups["zh"].replace("天", "日"))
    return _ABBREVIATED.index(match["weekday"][:3])


def _to_repeat(groups: dict[str, str]) -> RepeatWords:
    interval = _interval(groups)
    if "often" in groups:
        return RepeatWords(unit="hour")
    if "workdays" in groups:
        return RepeatWords(unit="week", days=WORKDAYS)
    if "weekend" in groups:
        return RepeatWords(unit="week", days=(5, 6))
    if "list" in groups:
        return RepeatWords(unit="week", interval=interval, days=_days(groups["list"]))
    if "day" in groups or "last" in groups or "begin" in groups:
        of_month = read_number(groups["day"]) if "day" in groups else LAST_DAY if "last" in groups else 1
        if not 1 <= of_month <= LAST_DAY:
            raise ValueError(groups["day"])
        return RepeatWords(unit="month", interval=interval, days=(of_month,))
    return RepeatWords(unit=_unit(groups["unit"]), interval=interval, part=groups.get("part", ""))


def _interval(groups: dict[str, str]) -> int:
    count = groups.get("n", "")
    if groups.get("skip"):  # 隔天, 隔周; 每隔两天 is every third day
        return read_number(count) + 1 if count else 2
    return 2 if count in ("other", "second") else read_number(count) if count else 1


def _unit(word: str) -> Unit:
    for unit, words in _UNITS.items():
        if word in words:
            return unit
    raise ValueError(word)


_UNITS: dict[Unit, tuple[str, ...]] = {
    "day": ("day", "days", "daily", "morning", "afternoon", "evening", "night", "天", "日"),
    "week": ("week", "weeks", "weekly", "周", "星期", "礼拜"),
    "month": ("month", "months", "monthly", "月"),
    "year": ("year", "years", "yearly", "annually", "年"),
}


def _days(text: str) -> tuple[int, ...]:
    if text[0].isascii():
        return tuple(sorted({_ABBREVIATED.index(each[:3]) for each in re.findall(_NAMES, text)}))
    return tuple(
        sorted({_ZH_DAYS.index(each.replace("天", "日")) for each in re.findall("[一二三四五六日天]", text)})
    )


_OFTEN = r"hours?|minutes?|mins?|secs?|seconds|second(?! [a-z])"
_EVERY = r"\b(?:every|each)\s+"
_MONTHS = rf"(?:{_COUNT})?months?"
_ORDINAL = r"(?:(?P<day>[0-9]{1,2})(?:st|nd|rd|th)|(?P<last>last day)|(?P<begin>first(?: day)?))"
_WORKDAYS = "|".join(
    (
        rf"{_EVERY}(?:weekday|workday|working day)s?\b",
        r"\bon\s+(?:weekdays|workdays)\b",
        "每?个?工作日(?:每天)?",
        f"每?个?{ZH_WEEK}一[到至]{ZH_WEEK}?五(?:每天)?",
    )
)
_PATTERNS = tuple(
    lazy_pattern(each)
    for each in (
        rf"(?P<often>{_EVERY}(?:[a-z0-9]+\s+)?(?:{_OFTEN})\b|\bhourly\b)",
        f"(?P<often>每隔?(?:半|{ZH_NUMBER})?个?半?(?:小时|钟头|分钟?|秒钟?|刻钟)|每时每刻)",
        f"(?P<workdays>{_WORKDAYS})",
        rf"(?P<weekend>{_EVERY}weekend\b|每个?{ZH_WEEK}末)",
        rf"{_EVERY}(?:{_COUNT})?(?P<list>{_LIST})",
        r"\b(?:on\s+)?(?P<list>(?:mon|tues|wednes|thurs|fri|satur|sun)days\b(?:\s*(?:,|and)\s*\w+days\b)*)",
        rf"(?:{_EVERY}(?:{_COUNT})?weeks?|\bweekly)\s+on\s+(?P<list>{_LIST})",
        rf"{_EVERY}(?P<day>[0-9]{{1,2}})(?:st|nd|rd|th)\b(?:\s+of\s+the\s+month)?",
        rf"(?:{_EVERY}{_MONTHS}|\bmonthly)\s+on\s+(?:the\s+)?{_ORDINAL}\b",
        rf"\b(?:on\s+)?(?:the\s+)?{_ORDINAL}\s+of\s+(?:every|each)\s+{_MONTHS}\b",
        rf"{_EVERY}(?:{_COUNT})?(?P<unit>days?|weeks?|months?|years?)\b",
        rf"{_EVERY}(?P<unit>(?P<part>morning|afternoon|evening|night))\b",
        r"\b(?P<unit>daily|weekly|monthly|yearly|annually)\b",
        f"{_ZH_EVERY}{ZH_WEEK}的?{ZH_WEEK}?(?P<list>{_ZH_LIST})",
        f"{_ZH_EVERY}月的?(?:{_ZH_ORDINAL})",
        f"{_ZH_EVERY}(?P<unit>天|日|周|星期|礼拜|月|年)",
        "(?P<unit>天)天",
    )
)
