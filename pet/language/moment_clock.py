"""Parse the time of day and the repetition in a text, English and Chinese; pure.

An hour without am, pm or part of the day is the daytime one: 7 to 12 as said, 1 to 6 in the afternoon. Two digits
from 00 or above 12 ("07:30", "15:00") are the 24-hour clock.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import time
from typing import Literal

from pet.language.calendar_words import (
    NTH,
    WEEKDAY_NAMES,
    ZH_NTH,
    ZH_WEEK,
    ZH_WEEKDAY_NAMES,
    read_nth,
    weekday_number,
)
from pet.language.normalization import read_number
from pet.language.repetition import LAST_DAY, WORKDAYS
from pet.text.lazy_pattern import lazy_pattern

Part = str
SMALL_HOURS = 5  # hours of the night after midnight

EN_HOUR = r"(?:1[0-9]|2[0-4]|0?[0-9]|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
EN_NUMBER = (
    r"(?:[0-9]{1,4}|a couple of|forty[- ]five|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve"
    r"|fifteen|twenty|thirty|forty|fifty|sixty|ninety|an?)"
)
ZH_NUMBER = "(?:[0-9]{1,4}|[零〇一二两三四五六七八九十]{1,4})"
EN_UNIT = r"(?P<unit>seconds?|secs?|minutes?|mins?|hours?|hrs?|days?|weeks?|fortnights?|months?|years?)\b"

_AMOUNT = rf"(?P<amount>half an?|[0-9]+\.[0-9]+|{EN_NUMBER})(?P<more>\s+and\s+a\s+half)?"
_REST = rf"(?P<half>\s+and\s+a\s+half)?(?:\s*(?:,|and)?\s*(?P<minutes>{EN_NUMBER})\s+min(?:ute)?s?\b)?"
_ZH_AMOUNT = rf"(?<![0-9.])(?P<amount>半|[0-9]+\.[0-9]+|{ZH_NUMBER})(?P<more>个半)?"
_ZH_UNIT = "个?(?P<unit>秒钟?|分钟?|小时|钟头|刻钟|天|周|星期|礼拜|月|年)"
_ZH_REST = f"(?P<half>半)?(?:[零又]?(?P<minutes>{ZH_NUMBER})分钟?)?"
OFFSETS = (
    rf"\b(?:in|after)\s+(?:about\s+)?{_AMOUNT}\s*{EN_UNIT}{_REST}",
    rf"\b{_AMOUNT}\s*{EN_UNIT}{_REST}\s+(?:from now|later|from today)\b",
    f"(?:(?<!点)过|等)?{_ZH_AMOUNT}{_ZH_UNIT}{_ZH_REST}(?:之后|以后|过后|后)(?:的今天)?",
    f"(?:(?<!点)过|等){_ZH_AMOUNT}{_ZH_UNIT}{_ZH_REST}",
)
"""Patterns of a distance from now."""
BESIDE = (
    rf"\b(?:the\s+day|(?P<amount>{EN_NUMBER})\s+(?:days?|weeks?|months?))\s+(?P<side>before|after)\b(?!\s+(?:tomorrow|yesterday))",
    f"[提之以]?(?<!最)(?P<side>[前后])(?P<amount>{ZH_NUMBER})天",
)
"""Patterns of a distance from the day named with it."""
BESIDE_TIME = (
    rf"\b{_AMOUNT}\s*(?P<unit>hours?|hrs?|minutes?|mins?)(?P<half>\s+and\s+a\s+half)?\s+(?P<side>before|after)\b",
    f"[提之以]?(?P<side>[前后]){_ZH_AMOUNT}个?(?P<unit>小时|钟头|分钟)(?P<half>(?!半))",
)
"""Patterns of a distance from the time of day named with it."""

PARTS: tuple[tuple[str, Part], ...] = (
    (r"\bin the\s+(?:small|early|wee) hours\b|凌晨", "small hours"),
    (r"\bin the middle of the night\b|[半午]夜", "midnight"),
    (r"\b(?:early\s+(?:in the\s+)?|first thing in the\s+)morning\b|清晨|一?大早", "early"),
    (r"\b(?:in the\s+)?morning\b|早上|早晨|上午", "morning"),
    (r"\bin the\s+afternoon\b|\bafternoon\b|下午|午后", "afternoon"),
    (r"\b(?:in the\s+)?evening\b|傍晚|晚上", "evening"),
    (r"\b(?:(?:at|in the)\s+)?night\b|夜里|深夜|夜晚", "night"),
    (r"\b(?:at\s+)?lunch\s?time\b|中午|正午", "noon"),
)
_DEFAULTS: dict[Part, time] = {
    "early": time(7),
    "morning": time(9),
    "noon": time(12),
    "afternoon": time(15),
    "evening": time(19),
    "night": time(21),
}
"""Time of a part of the day without an hour."""

_MERIDIEM = r"(?:\s*(?P<half>am|pm)\b)?"
_PAST = rf"(?P<past>half|(?:a\s+)?quarter|{EN_NUMBER}(?:\s+minutes)?)\s+(?P<side>past|after|to)"
_SPOKEN_MINUTE = r"(?:\s+(?P<minute>thirty|fifteen|forty[- ]five|twenty|[0-5][0-9])\b)?"
_ZH_LESS = f"差(?:(?P<less>{ZH_NUMBER})分|(?P<less_quarter>[一三])刻)"
_ZH_MINUTE = rf"(?:{_ZH_LESS}|(?P<zh_half>半)|(?P<quarter>[一三])刻|整|过?(?P<minute>{ZH_NUMBER})分?)?"
_CLOCKS = (
    rf"(?<![0-9:.])(?P<hour>[0-2]?[0-9])[:.](?P<minute>[0-5][0-9])(?::[0-5][0-9])?(?![0-9:]){_MERIDIEM}",
    rf"\b(?P<hour>{EN_HOUR})\s*(?P<half>am|pm)\b",
    rf"\b{_PAST}\s+(?P<hour>{EN_HOUR})\b(?:\s+o'?\s?clock)?{_MERIDIEM}",
    rf"\b(?P<hour>{EN_HOUR})\s+o'?\s?clock\b{_MERIDIEM}",
    rf"(?:\b(?:at|by|around|about|before)\s+|@\s*)(?P<hour>{EN_HOUR})\b{_SPOKEN_MINUTE}",
    rf"(?P<hour>{ZH_NUMBER})\s*(?:点钟|点|时){_ZH_MINUTE}",
)
_NOON = lazy_pattern(r"\b(?:at\s+)?(?:12\s+)?(?:noon|midday)\b")
_BARE = lazy_pattern(rf"\b(?P<hour>{EN_HOUR})\b")
_CLOCK_PATTERNS = tuple(lazy_pattern(each) for each in _CLOCKS)


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
    for pattern, part in PARTS:
        match = re.search(pattern, text)
        if match:
            return f"{text[: match.start()]} {text[match.end() :]}", part
    return text, ""


def take_clock(text: str, part: Part) -> tuple[str, ClockTime | None]:
    """Return the text without its time of day, and that time. Raises ValueError for an impossible one."""
    noon = _NOON.search(text)
    if noon:
        return f"{text[: noon.start()]} {text[noon.end() :]}", ClockTime(at=time(12))
    for pattern in (*_CLOCK_PATTERNS, *((_BARE,) if part else ())):
        match = pattern.search(text)
        if match:
            rest = f"{text[: match.start()]} {text[match.end() :]}"
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


WEEKDAY = rf"(?P<weekday>{WEEKDAY_NAMES})"
DAY_OF_MONTH = rf"(?P<weekday>{WEEKDAY_NAMES}|(?:working|business)[ -]day|workday|weekday)"
ZH_DAY_OF_MONTH = f"(?:{ZH_WEEK}(?P<zh>{ZH_WEEKDAY_NAMES})|(?P<weekday>工作日))"
_COUNT = r"(?P<n>other|second|[0-9]{1,2}|two|three|four|five|six)\s+"
_LIST = rf"(?:{WEEKDAY_NAMES})s?\b(?:\s*(?:,|and|&|/|, and)\s*(?:every\s+|each\s+|on\s+)?(?:{WEEKDAY_NAMES})s?\b)*"
_ZH_LIST = f"{ZH_WEEKDAY_NAMES}(?:[、,和及]?(?:每?{ZH_WEEK})?{ZH_WEEKDAY_NAMES}(?![点时十半]))*"
_ZH_EVERY = f"(?:(?P<skip>每?隔)|每)(?P<n>{ZH_NUMBER})?个?"
_ZH_ORDINAL = f"(?P<day>{ZH_NUMBER})[号日]|(?P<last>最后一天|月?底|月?末)|(?P<begin>月?初(?![一二三四五六七八九十]))"

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
    if match := _EXCEPT.search(text):
        rest, words = take_repeat(f"{text[: match.start()]} {text[match.end() :]}")
        excluded = _excluded(next(filter(None, match.groups())))
        if words is None or words.interval != 1 or (words.unit != "day" and words.days != WORKDAYS):
            raise ValueError(match[0])
        days = tuple(sorted({*(words.days or range(7))} - excluded))
        if not days:
            raise ValueError(match[0])
        return rest, RepeatWords(unit="week", days=days, part=words.part)
    for pattern in _PATTERNS:
        match = pattern.search(text)
        if match:
            words = _to_repeat({name: value for name, value in match.groupdict().items() if value is not None})
            if words.interval < 1:
                raise ValueError(match[0])
            return f"{text[: match.start()]} {text[match.end() :]}", words
    return text, None


def weekday_of(match: re.Match[str]) -> int:
    """Return the weekday, 0 for Monday, or ``WORKING_DAY``, from the group ``zh`` or ``weekday``."""
    return weekday_number(match.groupdict().get("zh") or match["weekday"])


def _to_repeat(groups: dict[str, str]) -> RepeatWords:
    interval = _interval(groups)
    if "often" in groups:
        return RepeatWords(unit="hour")
    if "nth" in groups:
        of_week = _days(groups["zh"]) if "zh" in groups else (weekday_number(groups["weekday"]),)
        return RepeatWords(unit="month", interval=interval, days=of_week, nth=read_nth(groups["nth"]))
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


def _excluded(words: str) -> set[int]:
    if words.startswith("weekend") or words.endswith("末"):
        return {5, 6}
    return set(_days(re.sub(f"^{ZH_WEEK}", "", words)))


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
    names = re.findall(WEEKDAY_NAMES if text[0].isascii() else ZH_WEEKDAY_NAMES, text)
    return tuple(sorted(set(map(weekday_number, names))))


_OFTEN = r"hours?|minutes?|mins?|secs?|seconds|second(?! [a-z])"
_EVERY = r"\b(?:every|each)\s+"
_MONTHS = rf"(?:{_COUNT})?months?"
_ORDINAL = r"(?:(?P<day>[0-9]{1,2})(?:st|nd|rd|th)|(?P<last>last day)|(?P<begin>first(?: day)?))"
_WORKDAYS = "|".join(
    (
        rf"{_EVERY}(?:weekday|workday|working day)s?\b",
        r"\bon\s+(?:weekdays|workdays)\b",
        "(?<![一二三四五后个])每?个?工作日(?:每天)?",
        f"每?个?{ZH_WEEK}一[到至]{ZH_WEEK}?五(?:每天)?",
    )
)
_EXCEPT = lazy_pattern(
    r"[,\s]*\b(?:except|excluding|apart from|other than|but(?:\s+not)?)\s+(?:for\s+)?(?:(?:on|at|the|every)\s+)*"
    rf"({_LIST}|weekends?\b)|除了?({ZH_WEEK}(?:{_ZH_LIST}|末))(?:[之以]?外)?|({ZH_WEEK}(?:{_ZH_LIST}|末))(?:除外|不算)"
)
_PATTERNS = tuple(
    lazy_pattern(each)
    for each in (
        rf"(?:{_EVERY}{_MONTHS}|\bmonthly)\s+on\s+(?:the\s+)?{NTH}\s+{DAY_OF_MONTH}\b",
        rf"\b(?:on\s+)?(?:the\s+)?{NTH}\s+{DAY_OF_MONTH}\s+(?:of|in)\s+(?:every|each)\s+{_MONTHS}\b",
        rf"{_EVERY}{NTH}\s+{DAY_OF_MONTH}\s+(?:of|in)\s+(?:the|a|each|every)\s+month\b",
        rf"{_EVERY}(?P<nth>first|last)\s+{DAY_OF_MONTH}\b",
        f"{_ZH_EVERY}月的?{ZH_NTH}{ZH_DAY_OF_MONTH}",
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


SECONDS_OF = {
    **dict.fromkeys(("second", "sec", "秒", "秒钟"), 1),
    **dict.fromkeys(("minute", "min", "分", "分钟"), 60),
    **dict.fromkeys(("hour", "hr", "小时", "钟头"), 3600),
    "刻钟": 900,
}


def read_amount(text: str) -> float:
    if text in ("半", "half a", "half an"):
        return 0.5
    return float(text) if "." in text else float(read_number(text))
