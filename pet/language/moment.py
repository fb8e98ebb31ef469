"""Parse the moment a text names: "2026-12-01T15:00", "tomorrow at three", "in 20 minutes", 每周一早上九点; pure.

One parser for tool arguments, owners' input and logs, in English, Chinese and Spanish (``plain_dates``). Each part
(repetition, day, part of the day, hour) is taken out of the text once; the rest must be filler, so a second day, a
range ("next week") or unknown words are refused. So is a series on named days with another day that is not its start.

- A weekday is the next one; 下周 and "of next week" are taken literally. A date without a year is the next one.
- A date in digits whose day and month are ambiguous is read in the owner's order, and refused without one.
- A bare hour is the daytime one (``moment_clock``). Without a day it is today's if that is to come; else the same
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
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, time, timedelta
from functools import lru_cache

from pet.clock import zone_of
from pet.i18n import HAN
from pet.language.calendar_words import unit_of
from pet.language.date_rows import take_words, words_beside
from pet.language.holidays import mark_holidays
from pet.language.moment_clock import SMALL_HOURS, ClockTime, RepeatWords, take_clock, take_part, take_repeat
from pet.language.moment_days import MomentUnclear, NamedDay, take_day, take_weekday
from pet.language.normalization import read_number, to_simplified
from pet.language.plain_dates import plain_dates, without_spanish_accents
from pet.language.repetition import Repeat, later
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
