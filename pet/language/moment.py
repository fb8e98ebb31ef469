"""Parse the moment a text names: "2026-12-01T15:00", "tomorrow at three", "in 20 minutes", 每周一早上九点; pure.

One parser for tool arguments, owners' input and logs, in English, Chinese and Spanish (``plain_dates``). Each part
(repetition, day, part of the day, hour) is taken out of the text once; the rest must be filler, so a second day, a
range ("next week") or unknown words are refused. So is a series on named days with another day that is not its start.

- A weekday is the next one; 下周 and "of next week" are taken literally. A date without a year is the next one.
- A date in digits whose day and month are ambiguous is read in the owner's order, and refused without one.
- A bare hour is the daytime one (``take_clock``). Without a day it is today's if that is to come; else the same
  hour this evening, if "at eight" allows it; else tomorrow's.
- Hours after midnight belong to the night before them: "tomorrow at 2:30 at night" is 2:30 of the day after, and
  "tonight at 2:30", said at one, is in an hour and a half. Every night at 2:30 is every day at 2:30.
- An ISO time of exactly midnight is the day alone. Seconds are dropped; an offset from now falls within the minute it
  names, at the earliest the next one. A range ("in two or three days", 两三天后) counts from its lower bound.
- "The last Friday of the month" is one day, "of every month" a series. A holiday is its next day, a weekend its
  Saturday; "two days before" a day is counted from it, "an hour before" a time.
- A moment in the past is refused.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache
from typing import Literal, cast

from pet.clock import zone_of
from pet.i18n import HAN
from pet.language.calendar_words import (
    LAST_DAY,
    SATURDAY,
    WORKDAYS,
    WORKING_DAY,
    date_of,
    day_of_month,
    in_week,
    later,
    month_number,
    nth_of_month,
    read_nth,
    same_day,
    slashed_date,
    unit_of,
    weekday_number,
    weekday_of_month,
    which_number,
    year_of,
)
from pet.language.date_rows import DateRow, plain_dates, rows_of, take_words, without_spanish_accents, words_beside
from pet.language.holidays import mark_holidays, marked_holiday
from pet.language.normalization import read_number, to_simplified
from pet.language.repetition import Repeat
from pet.text.lazy_pattern import lazy_pattern

__all__ = [
    "MAX_CHARACTERS",
    "Due",
    "MomentUnclear",
    "is_past",
    "local_wall",
    "parse_moment",
    "parse_plan",
    "split_moment",
]

MAX_CHARACTERS = 200
_YEARS_AHEAD = 50

_PIECE = lazy_pattern(f"[{HAN}]|[^\\s{HAN}]+")
_PUNCTUATION = " \t\n,，、:：.。;；-"
_SECONDS = {"second": 1, "minute": 60, "刻钟": 900, "hour": 3600}


@dataclass(frozen=True, slots=True)
class Due:
    """Local day and time; without time the whole day."""

    day: date
    at: time | None = None
    repeat: Repeat | None = None


_PAST = Due(date.min, time())


def parse_moment(text: str, now: datetime, day_first: bool | None = None) -> Due:
    """Return the moment. ``now``: aware, the time of the note. ``day_first``: how the owner writes 5/6, if that is
    known. Raises MomentUnclear."""
    if len(text) > MAX_CHARACTERS:
        raise MomentUnclear("unclear")
    try:
        due = _iso(text.strip(), now) or _Words(_normalized(text), now, day_first).due()
    except (ValueError, LookupError, OverflowError, StopIteration) as error:
        raise error if isinstance(error, MomentUnclear) else MomentUnclear("unclear") from None
    if due.day.year > now.year + _YEARS_AHEAD:
        raise MomentUnclear("far")
    if due.day < now.date():
        raise MomentUnclear("past")
    return due


def split_moment(text: str, now: datetime, day_first: bool | None = None) -> tuple[Due, str] | None:
    """Return the moment that the text begins or ends with, or both together, and its other words. None without one.
    Raises MomentUnclear if these hold words or digits of another date.

    >>> split_moment("call Anna on 2030-03-01", datetime(2030, 1, 1, tzinfo=UTC))
    (Due(day=datetime.date(2030, 3, 1), at=None, repeat=None), 'call Anna')
    """
    pieces = [each.span() for each in _PIECE.finditer(text)]
    last = len(text) - MAX_CHARACTERS  # beyond these nothing names a moment: not tried, which would take the square
    ends = [
        end for _, end in pieces[:-1] if end <= MAX_CHARACTERS and not words_beside("in_a_word").match(text, end - 1)
    ]
    starts = [start for start, _ in pieces[1:] if start >= last]
    heads = [(end, due) for end in ends if (due := _named(text[:end], now, day_first))]
    tails = [(start, due) for start in starts if (due := _named(text[start:], now, day_first))]
    while (
        len(heads) > 1
        and heads[-2][1] == heads[-1][1]
        and words_beside("article").fullmatch(text[heads[-2][0] : heads[-1][0]])
    ):
        heads.pop()  # what follows begins with it
    head = heads[-1] if heads else None
    tail = tails[0] if tails else None
    between = head is not None and tail is not None and head[0] < tail[0]
    if head and tail and between and (both := _named(f"{text[: head[0]]} {text[tail[0] :]}", now, day_first)):
        due, rest = both, text[head[0] : tail[0]]
    elif head:
        due, rest = head[1], text[head[0] :]
    elif tail:
        due, rest = tail[1], text[: tail[0]]
    else:
        return None
    if has_date_words(rest):
        raise MomentUnclear("unclear")
    rest = rest.strip(_PUNCTUATION)
    return (
        (due, rest) if rest and not words_beside("number_alone").fullmatch(rest) and not is_past(due, now) else None
    )


def _named(words: str, now: datetime, day_first: bool | None) -> Due | None:
    """Return the moment that the words name; a number alone names none."""
    try:
        return None if words_beside("number_alone").fullmatch(words) else parse_moment(words, now, day_first)
    except MomentUnclear as unclear:
        return _PAST if unclear.why == "past" else None


def has_date_words(text: str) -> bool:
    """Whether the text holds words or digits of a date or time, which would be lost beside the moment that was
    understood, or change it: "renew visa in March at 9" is not today at nine.

    >>> has_date_words("renew visa in March"), has_date_words("dentist, 3rd floor")
    (True, False)
    """
    parts = unicodedata.normalize("NFKD", text).casefold()
    flat = mark_holidays(to_simplified("".join(each for each in parts if not unicodedata.combining(each))))
    return any(words_beside("left").search(text) for text in {flat, plain_dates(flat, moment=True).text})


def is_past(due: Due, now: datetime) -> bool:
    """Whether its hour has passed; a day alone is not past until it is over."""
    return due.at is not None and datetime.combine(due.day, due.at) <= now.replace(tzinfo=None)


@lru_cache(maxsize=1_000)
def parse_plan(text: str, day: date) -> tuple[time | None, Repeat | None] | None:
    """Return time of day and series of an entry due on that day, as written by ``plan_text`` or by hand; None for
    other words."""
    once = words_beside("this_time").search(text)
    rest = text[: once.start()] if once else text
    try:
        at, repeat = _Words(_normalized(rest), datetime.combine(day, time(), UTC)).plan()
        if once:
            at = time(int(once["hour"]), int(once["minute"]))
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
        raise MomentUnclear("past")
    return Due(wall.date(), minute if minute != time() or at.tzinfo else None)


def _normalized(text: str) -> str:
    flat = unicodedata.normalize("NFKC", text).casefold()
    flat = re.sub(r"\b([ap])\.\s?m\b\.?", r"\1m", flat)
    flat = re.sub(r"([0-9]{4}-[0-9]{1,2}-[0-9]{1,2})t(?=[0-9])", r"\1 ", flat)
    flat = without_spanish_accents(" ".join(flat.split()))
    flat = " ".join(plain_dates(mark_holidays(to_simplified(flat)), moment=True).text.split())
    return re.sub("([今明每])([早晚])上?", r"\1天\2上", flat)


class _Words:
    """The remaining text, and the parts taken out of it."""

    def __init__(self, text: str, now: datetime, day_first: bool | None = None) -> None:
        self._text = text
        self._now = now
        self._day_first = day_first
        self._wall = now.replace(tzinfo=None)
        self._today = now.date()
        self._named: NamedDay | None = None

    def due(self) -> Due:
        offset = self._offset()
        if isinstance(offset, datetime):
            self._check_rest()
            return Due(offset.date(), offset.time())
        beside, beside_time = self._beside(), self._beside_time()
        repeat, day, clock = self._parts(offset)
        if repeat is not None and (beside or beside_time):
            raise MomentUnclear("unclear")
        if beside:
            if day is None:
                raise MomentUnclear("unclear")
            day = later(day, *beside)
        if repeat is not None:
            return self._repeated(repeat, day, clock)
        due = self._once(day, clock)
        return self._shifted(due, beside_time) if beside_time else due

    def plan(self) -> tuple[time | None, Repeat | None]:
        """Return the time or series in brackets before a day, which is the present one."""
        words, day, clock = self._parts(None)
        at = clock.at if clock else None
        return at, self._series(words, day or self._today, at) if words else None

    def _parts(self, day: date | None) -> tuple[RepeatWords | None, date | None, ClockTime | None]:
        starts = words_beside("start").search(self._text)
        self._text, repeat = take_repeat(self._text)
        if repeat is not None and repeat.unit == "hour":
            raise MomentUnclear("often")
        if day is None:
            self._text, self._named = take_day(self._text, self._today, self._day_first)
            day = self._named.day if self._named else None
        midnight = self._take("midnight")
        self._text, part = take_part(self._text)
        weekday = None
        if day is None:
            self._text, weekday = take_weekday(self._text, self._wall)
        self._text, clock = take_clock(self._text, "" if midnight else part or (repeat.part if repeat else ""))
        if midnight:
            if clock or (day and day != self._today):
                raise MomentUnclear("unclear")  # the midnight before the day or after it?
            clock = ClockTime(at=time(), days=1)
        self._check_rest()
        if repeat and (repeat.days or repeat.unit == "day") and (day or weekday) and not starts:
            raise MomentUnclear("unclear")  # "every Monday on Tuesday", "the 1st, 15th of every month"
        return repeat, weekday.day(clock) if weekday else day, clock

    def _once(self, day: date | None, clock: ClockTime | None) -> Due:
        if day is None and clock is None:
            raise MomentUnclear("unclear")
        if day is not None and day < self._today:
            raise MomentUnclear("past")
        if clock is None:
            assert day is not None
            return Due(day)
        night = clock.at.hour < SMALL_HOURS
        if clock.days and day in (None, self._today) and self._wall.time() < clock.at and night:
            clock = ClockTime(at=clock.at)  # this night has started
        passed = clock.is_over(self._wall.time())
        if day == self._today and passed and night:
            day = self._today + timedelta(1)  # the coming night, not the past one
        if day in (None, self._today) and passed and clock.later and clock.later > self._wall.time():
            clock = ClockTime(at=clock.later)
        elif day is None and passed:
            day = self._today + timedelta(1)
        elif day == self._today and passed:
            raise MomentUnclear("past")
        return Due((day or self._today) + timedelta(clock.days), clock.at)

    def _shifted(self, due: Due, distance: timedelta) -> Due:
        if due.at is None:
            raise MomentUnclear("unclear")
        moment = datetime.combine(due.day, due.at) + distance
        if moment <= self._wall:
            raise MomentUnclear("past")
        return Due(moment.date(), moment.time())

    def _repeated(self, words: RepeatWords, day: date | None, clock: ClockTime | None) -> Due:
        if clock is not None and clock.days and (words.unit, words.interval) != ("day", 1):
            raise MomentUnclear("unclear")  # "every Monday at one at night": of which day?
        at = clock.at if clock else None
        repeat = self._series(words, day or self._today, at)
        since = None if words.unit == "year" and self._yearly else day
        return Due(repeat.first(self._wall, since), at, repeat)

    def _series(self, words: RepeatWords, since: date, at: time | None) -> Repeat:
        """Return the series; what the words leave open is taken from ``since``."""
        assert words.unit != "hour"
        if words.unit == "year" and self._yearly:
            return replace(self._yearly, interval=words.interval, at=at)
        if words.unit == "month" and self._named and self._named.nth:
            raise MomentUnclear("unclear")  # "every month on the first Monday of May"
        own = {"week": (since.weekday(),), "month": (since.day,), "year": (since.month, since.day)}
        days = words.days or own.get(words.unit, ())
        return Repeat(unit=words.unit, interval=words.interval, days=days, at=at, nth=words.nth)

    @property
    def _yearly(self) -> Repeat | None:
        return self._named.yearly if self._named else None

    # --- offsets from now -------------------------------------------------------------------------

    def _offset(self) -> datetime | date | None:
        match = self._take("from_now")
        return self._counted(match) if match else None

    def _beside(self) -> tuple[int, str] | None:
        """Take out "ten days before", 前一天; return the distance from the day named with it, and its unit."""
        match = self._take("beside")
        if match is None:
            return None
        many = read_number(match["amount"] or "1")
        return many * (-1 if match["side"] in ("before", "前") else 1), unit_of(match["unit"] or "day")

    def _beside_time(self) -> timedelta | None:
        """Take out "two hours before", 前半小时; return the distance from the time named with it."""
        match = self._take("beside_time")
        if match is None:
            return None
        if match[0].isascii() and match.start() == 0:
            self._text = f"at {self._text.strip()}"
        distance = timedelta(seconds=_amount(match) * _SECONDS[unit_of(match["unit"])])
        return -distance if match["side"] in ("before", "前") else distance

    def _counted(self, match: re.Match[str]) -> datetime | date:
        unit, amount = unit_of(match["unit"]), _amount(match)
        minutes = read_number(match["minutes"]) if match["minutes"] else 0
        if unit in _SECONDS:
            seconds = amount * _SECONDS[unit] + 30  # nearest minute
            end = self._now.astimezone(UTC) + timedelta(seconds=seconds, minutes=minutes)
            full, now = (each.replace(second=0, microsecond=0) for each in (end, self._now.astimezone(UTC)))
            return local_wall(max(full, now + timedelta(minutes=1)), self._now)
        if unit == "year" and not minutes:
            unit, amount = "month", amount * 12
        if unit == "month" and amount % 1 == 0.5 and not minutes:
            return later(self._today, int(amount), unit) + timedelta(15)
        if amount != int(amount) or minutes:
            raise MomentUnclear("unclear")
        return later(self._today, int(amount), unit)

    # --- the rest ---------------------------------------------------------------------------------

    def _take(self, kind: str) -> re.Match[str] | None:
        self._text, match = take_words(self._text, kind)
        return match

    def _check_rest(self) -> None:
        if words_beside("filler").sub("", self._text):
            raise MomentUnclear("unclear")


def _amount(match: re.Match[str]) -> float:
    """Return the number of "two and a half hours", 两个半小时, "half an hour"."""
    text, more = match["amount"], 0.5 if match["more"] or match["half"] else 0.0
    if text in ("半", "half a", "half an"):
        return 0.5 + more
    return more + (float(text) if "." in text else read_number(text))


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


Why = Literal["unclear", "often", "past", "far"]  # reason of a refusal


class MomentUnclear(ValueError):
    """A text that names no acceptable moment. ``why``: ``unclear``, ``often`` (repeats more than daily), ``past``, or
    ``far`` ahead."""

    def __init__(self, why: Why) -> None:
        super().__init__(why)
        self.why: Why = why


@dataclass(frozen=True, slots=True)
class NamedDay:
    """A day. ``yearly``: the series of a day named without its year; ``nth``: named as "the last day", "the first
    Monday"."""

    day: date
    yearly: Repeat | None = None
    nth: bool = False


@dataclass(frozen=True, slots=True)
class WeekdayWords:
    """A weekday, resolved once the time of day is known, as today's hour may be over."""

    row: DateRow
    match: re.Match[str]
    wall: datetime

    @property
    def number(self) -> int:
        return weekday_number(self.match["weekday"])

    def day(self, clock: ClockTime | None) -> date:
        groups = self.match.groupdict()
        weeks, after = _weeks_or_months(groups), groups.get("after")
        if weeks is not None and self.row.kind == "weekday_of_week":
            return in_week(self.number, weeks, self.wall.date())
        if after:
            many = read_number(groups.get("n") or "1") * (2 if after == "fortnight" else 1)
            return self._coming(ClockTime(at=time(), days=1)) + timedelta(7 * many)
        return self._coming(None if weeks == 1 else clock)

    def _coming(self, clock: ClockTime | None) -> date:
        ahead = (self.number - self.wall.weekday()) % 7
        if ahead == 0 and (clock is None or clock.is_over(self.wall.time())):
            ahead = 7
        return self.wall.date() + timedelta(ahead)


def take_day(text: str, today: date, day_first: bool | None) -> tuple[str, NamedDay | None]:
    """Return the text without its day, and that day; None if it has none. ``day_first``: how the owner writes 5/6, if
    that is known. Raises ValueError or LookupError for an impossible one, OverflowError beyond the calendar."""
    rest, digits = take_words(text, "slashed")
    if digits:
        return rest, _slashed(digits, today, day_first)
    for kind, resolve in _RESOLVERS.items():
        for row in rows_of(kind):
            if match := row.pattern.search(text):
                _weeks_or_months(match.groupdict())
                named = resolve(row, match, today)
                rest = _without(text, match)
                return (_without_its_weekday(rest, named.day) if kind == "date" else rest), named
    return text, None


def take_weekday(text: str, wall: datetime) -> tuple[str, WeekdayWords | None]:
    """Return the text without its weekday, and that; None if it has none. ``wall``: the naive local time."""
    for kind in ("weekday_after", "weekday_of_week", "weekday"):
        for row in rows_of(kind):
            if match := row.pattern.search(text):
                return _without(text, match), WeekdayWords(row, match, wall)
    return text, None


def _weeks_or_months(groups: dict[str, str | None]) -> int | None:
    """Return how far the week, month or year named is from this one. Raises MomentUnclear for "last" and 去年."""
    if (which_number(groups, "ago") or 0) < 0 or (which_number(groups) or 0) < 0:
        raise MomentUnclear("past")
    return which_number(groups)


def _without(text: str, match: re.Match[str]) -> str:
    return f"{text[: match.start()]} {text[match.end() :]}"


def _without_its_weekday(text: str, day: date) -> str:
    """Return the text without a weekday named with a date, if it is that date's."""
    rest, weekday = take_weekday(text, datetime.combine(day, time()))
    return rest if weekday and weekday.number == day.weekday() else text


def _date(_row: DateRow, match: re.Match[str], today: date) -> NamedDay:
    yearly = Repeat(unit="year", days=(month_number(match["month"]), read_number(match["day"])))
    day = _or_unclear(date_of(match, today, 1))
    return NamedDay(day, yearly=None if year_of(match, today) else yearly)


def _slashed(match: re.Match[str], today: date, day_first: bool | None) -> NamedDay:
    """Return the day of 5/6 or 5-6-2027; unclear if both could be the month and the owner's order is unknown."""
    numbers = {int(match["one"]), int(match["other"])}
    if len(numbers) > 1 and max(numbers) <= 12 and day_first is None:
        raise MomentUnclear("unclear")
    day = _or_unclear(slashed_date(match, today, 1, day_first))
    return NamedDay(day, yearly=None if match["year"] else Repeat(unit="year", days=(day.month, day.day)))


def _or_unclear(day: date | None) -> date:
    if day is None:
        raise MomentUnclear("unclear")
    return day


def _holiday(_row: DateRow, match: re.Match[str], today: date) -> NamedDay:
    holiday, year = marked_holiday(match["holiday"]), match["after"] or year_of(match, today)
    if year and match["ago"] not in ("今年", "this"):
        return NamedDay(holiday.day(int(year)))
    if isinstance(holiday.base[0], str) and not holiday.key:
        raise MomentUnclear("unclear")  # a week
    day = holiday.day(today.year)
    days = () if holiday.key else (day.month, day.day)
    yearly = Repeat(unit="year", days=days, holiday=holiday.name if holiday.key else "")
    return NamedDay(day if day >= today else holiday.day(today.year + 1), yearly=yearly)


def _nth(_row: DateRow, match: re.Match[str], today: date) -> NamedDay:
    groups, what, nth = match.groupdict(), match["what"], read_nth(match["nth"])
    if unit_of(what) == "week":
        raise MomentUnclear("unclear")
    weekday, year, which = weekday_of_month(what), year_of(match, today), which_number(groups)
    yearly = None
    if month := groups.get("month"):
        of_year = month_number(month)
        days = (of_year, weekday if weekday is not None else LAST_DAY if nth < 0 else nth)
        yearly = Repeat(unit="year", days=days, nth=nth if weekday is not None else 0)
        first = (year or today.year) * 12 + of_year - 1
        months = [first] if year else [first, first + 12]
    else:
        this = today.year * 12 + today.month - 1
        months = [this + which] if which else [this, this + 1]
    for each in months:
        day = nth_of_month(each // 12, each % 12 + 1, nth, what)
        if day >= today:
            return NamedDay(day, yearly=yearly, nth=True)
    raise MomentUnclear("past")


def _weekend(_row: DateRow, match: re.Match[str], today: date) -> NamedDay:
    """Return the Saturday, or today on a Sunday; "next weekend" is that of next week, as in search."""
    groups = match.groupdict()
    weeks = 2 if groups.get("after") else which_number(groups) or 0
    return NamedDay(max(today, in_week(SATURDAY, weeks, today)))


_RESOLVERS: dict[str, Callable[[DateRow, re.Match[str], date], NamedDay]] = {
    "holiday": _holiday,
    "nth": _nth,
    "same_day": lambda _row, match, today: NamedDay(same_day(match, today)),
    "date": _date,
    **dict.fromkeys(
        ("day_of_month", "lone_day"),
        lambda _row, match, today: NamedDay(_or_unclear(day_of_month(match, today, 1))),
    ),
    "offset": lambda row, _match, today: NamedDay(today + timedelta(row.days)),
    "weekend": _weekend,
}
"""By the kind of a row, in the order in which they are looked for."""
