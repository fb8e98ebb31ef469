"""Parse the moment a text names: "2026-12-01T15:00", "tomorrow at three", "in 20 minutes", 每周一早上九点; pure.

One parser for tool arguments, owners' input and logs, in English, Chinese and Spanish (``due_spanish``). Each part
(repetition, day, part of the day, hour) is taken out of the text once; the rest must be filler, so a second day, a
range ("next week") or unknown words are refused.

- A weekday is the next one; 下周 and "of next week" are taken literally. A date without a year is the next one.
- A bare hour is the daytime one (``due_phrases``). Without a day it is today's if that is to come; else the same hour
  this evening, if "at eight" allows it; else tomorrow's.
- Hours after midnight belong to the night before them: "tomorrow at 2:30 at night" is 2:30 of the day after, and
  "tonight at 2:30", said at one, is in an hour and a half. Every night at 2:30 is every day at 2:30.
- An ISO time of exactly midnight is the day alone. Seconds are dropped; an offset from now falls within the minute it
  names, at the earliest the next one. A range ("in two or three days", 两三天后) counts from its lower bound.
- "The last Friday of the month" is one day, "of every month" a series. A holiday is its next day, and "two days
  before" a day is counted from it.
- A moment in the past is refused.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Literal

from pet.clock import zone_of
from pet.memory.due_phrases import (
    BESIDE,
    EN_NUMBER,
    NTH,
    OFFSETS,
    SECONDS_OF,
    SMALL_HOURS,
    WEEKDAY,
    ZH_NTH,
    ZH_NUMBER,
    ZH_WEEK,
    ClockTime,
    RepeatWords,
    read_amount,
    read_nth,
    rewrite_forms,
    take_clock,
    take_part,
    take_repeat,
    weekday_number,
)
from pet.memory.due_spanish import to_english
from pet.memory.holidays import MARKED, mark_holidays, marked_holiday
from pet.memory.normalization import read_number, to_simplified
from pet.memory.repetition import LAST_DAY, Repeat, clamped, nth_weekday
from pet.text.lazy_pattern import lazy_pattern

MAX_CHARACTERS = 200
_YEARS_AHEAD = 50

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAY = r"(?P<day>[0-3]?[0-9])(?:st|nd|rd|th)?\b"
_YEAR = r"(?:,?\s+(?P<year>[0-9]{4}))?(?![0-9])"
_FULL = (
    r"(?<![0-9])(?P<year>[0-9]{4})[-/.](?P<month>[0-9]{1,2})[-/.](?P<day>[0-9]{1,2})(?![0-9])",
    rf"(?:(?P<year>(?<![0-9])[0-9]{{4}})年|(?P<which>今年|明年))?(?P<month>{ZH_NUMBER})月(?P<day>{ZH_NUMBER})[号日]?",
    r"(?<![0-9.])(?P<day>[0-9]{1,2})\.\s?(?P<month>[0-9]{1,2})\.\s?(?P<year>[0-9]{4})(?![0-9])",
    rf"\b{_MONTH}\s+(?:the\s+)?{_DAY}{_YEAR}",
    rf"\b(?:the\s+)?{_DAY}(?:\s+of)?\s+{_MONTH}{_YEAR}",
)
_OF_MONTH = (
    rf"(?P<which>下个?月|这个?月|本月)?的?(?P<day>(?<![0-9]){ZH_NUMBER})[号日]",
    r"\b(?P<which>this|next)\s+month\s+on\s+(?:the\s+)?(?P<day>[0-3]?[0-9])(?:st|nd|rd|th)\b",
    r"\b(?:on|the)\s+(?:the\s+)?(?P<day>[0-3]?[0-9])(?:st|nd|rd|th)\b(?:\s+(?:of\s+)?(?P<which>this|next)\s+month)?",
)
_NTH_DAYS = (
    (
        rf"\b(?:the\s+)?{NTH}\s+(?:day|{WEEKDAY})\s+(?:(?:of|in)\s+)?"
        rf"(?:(?:the|this|(?P<which>next))\s+month\b|{_MONTH}{_YEAR})"
    ),
    (
        rf"(?:(?P<which>明年|下)?(?:的?(?P<month>{ZH_NUMBER})|个|这个?|本|当)?月)?(?:的|底)*{ZH_NTH}"
        f"(?:天|{ZH_WEEK}(?P<zh>[一二三四五六日天]))"
    ),
)
_SAME_DAYS = (
    r"(?P<unit>明年|后年|下个?月)的?今天",
    r"\b(?:this day|today)\s+next\s+(?P<unit>month|year)\b",
)
_HOLIDAY = lazy_pattern(
    rf"(?:(?P<which>今年|明年|后年|\b(?:this|next))\s*的?|(?P<year>[0-9]{{4}})年?的?)?\s*{MARKED}(?:\s+(?:of\s+)?(?P<after>[0-9]{{4}})\b(?![:.]))?"
)
_NEAR = (
    (r"\btomorrow week\b|\ba week (?:from )?tomorrow\b", 8),
    (r"\btoday week\b|\ba week today\b", 7),
    (r"大后天", 3),
    (r"\b(?:the\s+)?day after tomorrow\b|后天", 2),
    (r"\b(?:tomorrow|tmrw?)\b|明天|明日", 1),
    (r"\btoday\b|\bthis(?=\s+(?:morning|afternoon|evening))|今天|今日", 0),
)
_WEEKDAYS = (
    rf"\b{WEEKDAY}\s+(?P<after>week|fortnight|after next)\b",
    rf"\b(?P<n>{EN_NUMBER})\s+(?P<after>weeks?|fortnight)\s+(?:on|from)\s+{WEEKDAY}\b",
    rf"(?P<which>下下|下|这|本)?个?{ZH_WEEK}的?{ZH_WEEK}?(?P<zh>[一二三四五六日天])",
    rf"\b{WEEKDAY}\s+(?:of\s+)?(?P<which>this|next)\s+week\b",
    rf"\b(?P<which>this|next)\s+week'?s?\s+(?:on\s+)?{WEEKDAY}\b",
    rf"\b(?:(?P<coming>this|next|coming)\s+)?{WEEKDAY}\b",
)
_THIS_TIME = lazy_pattern(r"[,，]\s*(?:this time at|这次)\s*([0-9]{1,2}):([0-9]{2})\s*$")
_MIDNIGHT = lazy_pattern(r"\b(?:at\s+)?midnight\b")
_FILLER = lazy_pattern(
    r"\b(?:at|on|by|from|starting|beginning|first|and|the|of|please|due|remind me|next time|o'?clock|sharp|exactly)\b"
    r"|请|提醒我?|再|的|在|于|从|开始|起|左右|之前|以前|前|准时|整|首次|第一次|到时候?|[\s,，、。.;；!！:：()（）-]"
)
_PATTERNS = {
    name: tuple(lazy_pattern(each) for each in group)
    for name, group in {
        "full": _FULL,
        "of_month": _OF_MONTH,
        "weekday": _WEEKDAYS,
        "nth": _NTH_DAYS,
        "same": _SAME_DAYS,
        "offset": OFFSETS,
        "beside": BESIDE,
    }.items()
}

Why = Literal["unclear", "often", "past", "far"]  # reason of a refusal


class DueUnclear(ValueError):
    """A text that names no acceptable moment. ``why``: ``unclear``, ``often`` (repeats more than daily), ``past``, or
    ``far`` ahead."""

    def __init__(self, why: Why) -> None:
        super().__init__(why)
        self.why: Why = why


@dataclass(frozen=True, slots=True)
class Due:
    """Local day and time; without time the whole day."""

    day: date
    at: time | None = None
    repeat: Repeat | None = None


def parse_due(text: str, now: datetime) -> Due:
    """Return the moment. ``now``: aware, the time of the note. Raises DueUnclear."""
    if len(text) > MAX_CHARACTERS:
        raise DueUnclear("unclear")
    try:
        due = _iso(text.strip(), now) or _Words(_normalized(text), now).due()
    except (ValueError, LookupError, OverflowError, StopIteration) as error:
        raise error if isinstance(error, DueUnclear) else DueUnclear("unclear") from None
    if due.day.year > now.year + _YEARS_AHEAD:
        raise DueUnclear("far")
    if due.day < now.date():
        raise DueUnclear("past")
    return due


@lru_cache(maxsize=1_000)
def parse_plan(text: str, day: date) -> tuple[time | None, Repeat | None] | None:
    """Return time of day and series of an entry due on that day, as written by ``plan_text`` or by hand; None for
    other words."""
    once = _THIS_TIME.search(text)
    rest = text[: once.start()] if once else text
    try:
        at, repeat = _Words(_normalized(rest), datetime.combine(day, time(), UTC)).plan()
        if once:
            at = time(int(once[1]), int(once[2]))
    except (ValueError, LookupError, OverflowError, StopIteration):
        return None
    return (at, repeat) if at or repeat else None


def local_wall(instant: datetime, now: datetime) -> datetime:
    """Return the naive local time of an instant, in the zone of the clock that read ``now``."""
    return instant.astimezone(zone_of(now)).replace(tzinfo=None)


def _iso(text: str, now: datetime) -> Due | None:
    try:
        if len(text) == 10:
            return Due(date.fromisoformat(text))
        at = datetime.fromisoformat(text.replace(" ", "T", 1)) if len(text) > 10 else None
    except ValueError:
        return None
    if at is None:
        return None
    wall = local_wall(at, now) if at.tzinfo else at
    minute = wall.time().replace(second=0, microsecond=0)
    if (minute != time() or at.tzinfo) and datetime.combine(wall.date(), minute) <= now.replace(tzinfo=None):
        raise DueUnclear("past")
    return Due(wall.date(), minute if minute != time() or at.tzinfo else None)


def _normalized(text: str) -> str:
    flat = unicodedata.normalize("NFKC", text).casefold()
    flat = re.sub(r"\b([ap])\.\s?m\b\.?", r"\1m", flat)
    flat = re.sub(r"([0-9]{4}-[0-9]{1,2}-[0-9]{1,2})t(?=[0-9])", r"\1 ", flat)
    flat = mark_holidays(to_simplified(" ".join(flat.replace("tonight", "today at night").split())))
    flat = to_english(" ".join(flat.split()))
    flat = rewrite_forms(flat)
    return re.sub("([今明每])([早晚])上?", r"\1天\2上", flat)


class _Words:
    """The remaining text, and the parts taken out of it."""

    def __init__(self, text: str, now: datetime) -> None:
        self._text = text
        self._now = now
        self._wall = now.replace(tzinfo=None)
        self._today = now.date()
        self._named_day: Repeat | None = None  # the day of a year that was named
        self._nth = False

    def due(self) -> Due:
        offset = self._offset()
        if isinstance(offset, datetime):
            self._check_rest()
            return Due(offset.date(), offset.time())
        beside = self._beside()
        repeat, day, clock = self._parts(offset)
        if beside:
            if day is None or repeat is not None:
                raise DueUnclear("unclear")
            day += beside
        if repeat is not None:
            return self._repeated(repeat, day, clock)
        return self._once(day, clock)

    def plan(self) -> tuple[time | None, Repeat | None]:
        """Return the time or series in brackets before a day, which is the present one."""
        words, day, clock = self._parts(None)
        at = clock.at if clock else None
        return at, self._series(words, day or self._today, at) if words else None

    def _parts(self, day: date | None) -> tuple[RepeatWords | None, date | None, ClockTime | None]:
        self._text, repeat = take_repeat(self._text)
        if repeat is not None and repeat.unit == "hour":
            raise DueUnclear("often")
        day = day or self._day()
        midnight = self._take(_MIDNIGHT)
        self._text, part = take_part(self._text)
        weekday_named = None if day else self._weekday()
        self._text, clock = take_clock(self._text, "" if midnight else part or (repeat.part if repeat else ""))
        if midnight:
            if clock or (day and day != self._today):
                raise DueUnclear("unclear")  # the midnight before the day or after it?
            clock = ClockTime(at=time(), days=1)
        self._check_rest()
        return repeat, weekday_named(clock) if weekday_named else day, clock

    def _once(self, day: date | None, clock: ClockTime | None) -> Due:
        if day is None and clock is None:
            raise DueUnclear("unclear")
        if day is not None and day < self._today:
            raise DueUnclear("past")
        if clock is None:
            assert day is not None
            return Due(day)
        night = clock.at.hour < SMALL_HOURS
        if clock.days and day in (None, self._today) and self._wall.time() < clock.at and night:
            clock = ClockTime(at=clock.at)  # this night has started
        passed = self._passed(clock)
        if day == self._today and passed and night:
            day = self._today + timedelta(1)  # the coming night, not the past one
        if day in (None, self._today) and passed and clock.later and clock.later > self._wall.time():
            clock = ClockTime(at=clock.later)
        elif day is None and passed:
            day = self._today + timedelta(1)
        elif day == self._today and passed:
            raise DueUnclear("past")
        return Due((day or self._today) + timedelta(clock.days), clock.at)

    def _passed(self, clock: ClockTime) -> bool:
        return not clock.days and clock.at <= self._wall.time()

    def _repeated(self, words: RepeatWords, day: date | None, clock: ClockTime | None) -> Due:
        if clock is not None and clock.days and (words.unit, words.interval) != ("day", 1):
            raise DueUnclear("unclear")  # "every Monday at one at night": of which day?
        at = clock.at if clock else None
        repeat = self._series(words, day or self._today, at)
        since = None if words.unit == "year" and self._named_day else day
        return Due(repeat.first(self._wall, since), at, repeat)

    def _series(self, words: RepeatWords, since: date, at: time | None) -> Repeat:
        """Return the series; what the words leave open is taken from ``since``."""
        assert words.unit != "hour"
        if words.unit == "year" and self._named_day:
            return replace(self._named_day, interval=words.interval, at=at)
        if words.unit == "month" and self._nth:
            raise DueUnclear("unclear")  # "every month on the first Monday of May"
        own = {"week": (since.weekday(),), "month": (since.day,), "year": (since.month, since.day)}
        days = words.days or own.get(words.unit, ())
        return Repeat(unit=words.unit, interval=words.interval, days=days, at=at, nth=words.nth)

    # --- a day ----------------------------------------------------------------------------------

    def _day(self) -> date | None:
        if match := self._take(_HOLIDAY):
            return self._holiday(match)
        for pattern in _PATTERNS["nth"]:
            if match := self._take(pattern):
                return self._nth_day(match)
        for pattern in _PATTERNS["same"]:
            if match := self._take(pattern):
                months = 1 if match["unit"].endswith(("月", "month")) else 24 if match["unit"] == "后年" else 12
                return self._months_later(months)
        for pattern in _PATTERNS["full"]:
            if match := self._take(pattern):
                return self._named(match)
        for pattern in _PATTERNS["of_month"]:
            if match := self._take(pattern):
                return self._day_of_month(read_number(match["day"]), match.groupdict().get("which"))
        for words, days in _NEAR:
            if self._take(lazy_pattern(words)):
                return self._today + timedelta(days)
        return None

    def _named(self, match: re.Match[str]) -> date:
        groups = match.groupdict()
        month = match["month"]
        of_year = _month_number(month)
        of_month = read_number(match["day"])
        if year := groups.get("year"):
            day = date(int(year), of_year, of_month)
            self._take_same_weekday(day)
            return day
        if groups.get("which") == "明年":
            return date(self._today.year + 1, of_year, of_month)
        self._named_day = Repeat(unit="year", days=(of_year, of_month))
        years = range(self._today.year, self._today.year + 9)  # 29 February may be eight years away
        days = (each for year in years if (each := _date(year, of_year, of_month)))
        coming = next(each for each in days if each >= self._today)
        self._take_same_weekday(coming)
        return coming

    def _holiday(self, match: re.Match[str]) -> date:
        holiday, year, this = marked_holiday(match["holiday"]), match["year"] or match["after"], self._today.year
        if year:
            return holiday.day(int(year))
        if match["which"] in ("明年", "后年"):
            return holiday.day(this + (1 if match["which"] == "明年" else 2))
        if isinstance(holiday.base[0], str) and not holiday.key:
            raise DueUnclear("unclear")  # a week
        day = holiday.day(this)
        days = () if holiday.key else (day.month, day.day)
        self._named_day = Repeat(unit="year", days=days, holiday=holiday.name if holiday.key else "")
        return day if day >= self._today else holiday.day(this + 1)

    def _nth_day(self, match: re.Match[str]) -> date:
        groups, nth, this = match.groupdict(), read_nth(match["nth"]), self._today.year * 12 + self._today.month - 1
        of_week = weekday_number(match) if groups.get("weekday") or groups.get("zh") else None
        which, month, year = groups.get("which"), groups.get("month"), groups.get("year")
        self._nth = True
        if month:
            of_year = _month_number(month)
            days = (of_year, of_week if of_week is not None else LAST_DAY if nth < 0 else nth)
            self._named_day = Repeat(unit="year", days=days, nth=nth if of_week is not None else 0)
            first = int(year) if year else self._today.year + (which == "明年")
            months = [first * 12 + of_year - 1, *([] if year or which else [first * 12 + 11 + of_year])]
        else:
            months = [this + 1] if which else [this, this + 1]
        for each in months:
            number, index = divmod(each, 12)
            if of_week is None:
                day = clamped(number, index + 1, LAST_DAY if nth < 0 else nth)
            else:
                day = nth_weekday(number, index + 1, of_week, nth)
            if day >= self._today:
                return day
        raise DueUnclear("past")

    def _months_later(self, months: int) -> date:
        month = self._today.year * 12 + self._today.month - 1 + months
        return clamped(month // 12, month % 12 + 1, self._today.day)

    def _take_same_weekday(self, day: date) -> None:
        """Take out a weekday named with a date, if it is that date's."""
        match = next((match for each in _PATTERNS["weekday"] if (match := each.search(self._text))), None)
        if match and weekday_number(match) == day.weekday():
            self._text = f"{self._text[: match.start()]} {self._text[match.end() :]}"

    def _day_of_month(self, of_month: int, which: str | None) -> date:
        month = self._today.year * 12 + self._today.month - 1
        if which in ("next", "下月", "下个月"):
            return date((month + 1) // 12, (month + 1) % 12 + 1, of_month)
        days = [day for each in range(month, month + 3) if (day := _date(each // 12, each % 12 + 1, of_month))]
        return days[0] if which else next(day for day in days if day >= self._today)

    def _weekday(self) -> _WeekdayOf | None:
        for pattern in _PATTERNS["weekday"]:
            if match := self._take(pattern):
                return _WeekdayOf(match, self)
        return None

    def coming(self, day_of_week: int, clock: ClockTime | None) -> date:
        ahead = (day_of_week - self._today.weekday()) % 7
        if ahead == 0 and (clock is None or self._passed(clock)):
            ahead = 7
        return self._today + timedelta(ahead)

    def in_week(self, day_of_week: int, weeks: int) -> date:
        return self._today + timedelta(weeks * 7 + day_of_week - self._today.weekday())

    # --- offsets from now -------------------------------------------------------------------------

    def _offset(self) -> datetime | date | None:
        for pattern in _PATTERNS["offset"]:
            if match := self._take(pattern):
                return self._counted(match)
        return None

    def _beside(self) -> timedelta | None:
        """Take out "ten days before", 前一天; return the distance from the day named with it."""
        for match in filter(None, map(self._take, _PATTERNS["beside"])):
            days = read_number(match["amount"] or "1") * (7 if "week" in match[0] else 1)
            return timedelta(-days if match["side"] in ("before", "前") else days)
        return None

    def _counted(self, match: re.Match[str]) -> datetime | date:
        groups, unit = match.groupdict(), match["unit"]
        amount = read_amount(match["amount"]) + (0.5 if groups["more"] or groups["half"] else 0)
        minutes = read_number(groups["minutes"]) if groups["minutes"] else 0
        seconds = SECONDS_OF.get(unit.removesuffix("s"))
        if seconds is not None:
            end = self._now.astimezone(UTC) + timedelta(seconds=amount * seconds, minutes=minutes)
            full, now = (each.replace(second=0, microsecond=0) for each in (end, self._now.astimezone(UTC)))
            return local_wall(max(full, now + timedelta(minutes=1)), self._now)
        if unit.startswith(("month", "月", "year", "年")) and amount * 2 % 2 == 1 and not minutes:
            halves = unit.startswith(("year", "年"))  # half a month is 15 days
            return self._months_later(int(amount * 12 if halves else amount)) + timedelta(0 if halves else 15)
        if amount != int(amount) or minutes:
            raise DueUnclear("unclear")
        many = int(amount)
        match unit.removesuffix("s"):
            case "day" | "天":
                return self._today + timedelta(many)
            case "week" | "周" | "星期" | "礼拜":
                return self._today + timedelta(7 * many)
            case "fortnight":
                return self._today + timedelta(14 * many)
            case "month" | "月":
                return self._months_later(many)
            case _:
                return clamped(self._today.year + many, self._today.month, self._today.day)

    # --- the rest ---------------------------------------------------------------------------------

    def _take(self, pattern: re.Pattern[str]) -> re.Match[str] | None:
        match = pattern.search(self._text)
        if match:
            self._text = f"{self._text[: match.start()]} {self._text[match.end() :]}"
        return match

    def _check_rest(self) -> None:
        if _FILLER.sub("", self._text):
            raise DueUnclear("unclear")


@dataclass(frozen=True, slots=True)
class _WeekdayOf:
    """A weekday, resolved once the time of day is known, as today's hour may be over."""

    match: re.Match[str]
    words: _Words

    def __call__(self, clock: ClockTime | None) -> date:
        of_week, groups = weekday_number(self.match), self.match.groupdict()
        match groups.get("which"):
            case "下下":
                return self.words.in_week(of_week, 2)
            case "下" | "next":
                return self.words.in_week(of_week, 1)
            case "这" | "本" | "this":
                return self.words.in_week(of_week, 0)
            case None if after := groups.get("after"):
                weeks = read_number(groups.get("n") or "1") * (2 if after == "fortnight" else 1)
                return self.words.coming(of_week, ClockTime(at=time(), days=1)) + timedelta(7 * weeks)
            case _:
                return self.words.coming(of_week, None if groups.get("coming") == "next" else clock)


def _month_number(text: str) -> int:
    return _MONTHS.index(text[:3]) + 1 if text[0].isascii() and text[0].isalpha() else read_number(text)


def _date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
