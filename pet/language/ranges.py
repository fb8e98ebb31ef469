"""Find dates in a question: 上周二, 三天前, last Tuesday, in March, from 3 to 9 March, 2026-03-01; pure.

Words that are not certainly a date remain words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import date, timedelta

from pet.language.calendar_words import unit_of
from pet.language.date_rows import DateRow, date_rows, rows_of, words_beside
from pet.language.normalization import read_number, to_simplified
from pet.language.plain_dates import PlainText, plain_dates, without_spanish_accents
from pet.language.range_resolvers import RESOLVERS, Stretch, slashed
from pet.language.repetition import later, shifted, whole_month
from pet.text.lazy_pattern import lazy_pattern


@dataclass(frozen=True, slots=True, kw_only=True)
class Days:
    """A range of days, both included, and its span in the question. ``meant``: the exact day of a range around one
    ("a week ago")."""

    first: date
    last: date
    span: tuple[int, int]
    meant: date | None = None

    def __contains__(self, day: date) -> bool:
        return self.first <= day <= self.last


def find_ranges(question: str, today: date, day_first: bool | None = None) -> list[Days]:
    """Return all days and ranges named in the question, in order; the first pattern that matches a place wins.
    ``day_first``: how the owner writes 5/6, if that is known."""
    plain = _plain(question)
    text = plain.text
    taken: list[Days] = []
    lone: list[Days] = []
    habit, is_ascii = bool(words_beside("habit").search(text)), text.lstrip("¿¡ ").isascii()
    for row in date_rows("ranges"):
        for match in () if row.is_chinese and is_ascii else row.pattern.finditer(text):
            if habit and row.kind in _WEEKDAYS and not match["which"]:
                continue
            if row.kind in _MAYBE_VAGUE and is_vague(match):
                continue
            if any(match.start() < days.span[1] and days.span[0] < match.end() for days in taken):
                continue
            days = _days(match.span(), _resolved(row, match, today, day_first))
            taken += days
            lone += days if row.kind == "lone_day" else []
    taken = _of_its_month(taken, lone)
    moved = ((_widened(text, _beside(text, days)), days in lone) for days in taken)
    widened = sorted(moved, key=lambda each: each[0].span)
    return [replace(days, span=plain.span(*days.span)) for days in _joined(text, widened, today)]


def relative_day(text: str) -> tuple[int, int] | None:
    """Return the first "tomorrow", "last night" or the like in a text: its days from today, and its end; None without
    one.

    >>> relative_day("Flies tomorrow morning"), relative_day("大前天到家"), relative_day("Por la mañana")
    ((1, 22), (-3, 3), None)
    """
    plain = _plain(text)
    rows = [row for row in rows_of("offset", "ranges") if row.days or row.part]
    matches = [(match, row.days) for row in rows if (match := row.pattern.search(plain.text))]
    if not matches:
        return None
    match, days = min(matches, key=lambda each: each[0].start())
    part = words_beside("part_of_day").match(plain.text, match.end())
    return days, plain.span(match.start(), (part or match).end())[1]


def _plain(text: str) -> PlainText:
    lower = text.casefold() if len(text.casefold()) == len(text) else text.lower()
    return plain_dates(to_simplified(without_spanish_accents(lower)))


def _resolved(row: DateRow, match: re.Match[str], today: date, day_first: bool | None) -> Stretch:
    """Return the days of a match; None for no date, as 31 February, 十几二十天前, the year 99999."""
    try:
        if row.kind == "offset":
            return today + timedelta(row.days)
        return slashed(match, today, day_first) if row.kind == "slashed" else RESOLVERS[row.kind](match, today)
    except (LookupError, ValueError, OverflowError):
        return None


def _days(span: tuple[int, int], stretch: Stretch) -> list[Days]:
    if stretch is None:
        return []
    first, last, *meant = (stretch, stretch) if isinstance(stretch, date) else stretch
    return [Days(first=first, last=last, span=span, meant=meant[0] if meant else None)]


def _of_its_month(ranges: list[Days], lone: list[Days]) -> list[Days]:
    """Assign a day without month to the one month named anywhere: "In October, on the 20th"."""
    if len(lone) != 1:
        return ranges
    try:
        months = [
            each for each in ranges if (each.first, each.last) == whole_month(each.first.year, each.first.month)
        ]
        (month,) = months
        day = month.first.replace(day=lone[0].first.day)
    except ValueError:  # none, several, or the 31st of June
        return ranges
    return [replace(days, first=day, last=day) if days in (*months, *lone) else days for days in ranges]


def _widened(text: str, days: Days) -> Days:
    """Extend the span over a part of the day named with it; all of the day counts."""
    start, end = days.span
    before, after = words_beside("earlier").search(text[:start]), words_beside("part_of_day").match(text, end)
    week = words_beside("week_of").search(text[:start]) or words_beside("its_week").match(text, end)
    if week and days.first == days.last:
        monday = days.first - timedelta(days.first.weekday())
        span = min(start, week.start()), max(end, week.end())
        return Days(first=monday, last=monday + timedelta(6), span=span, meant=days.first)
    return replace(days, span=(before.start() if before else start, after.end() if after else end))


def _beside(text: str, days: Days) -> Days:
    """Move a day by the distance named with it: "the day after 3 June", 6月3日的第二天."""
    start, end = days.span
    match = words_beside("distance_before").search(text[:start]) or words_beside("distance_after").match(text, end)
    if match is None or days.first != days.last or days.meant:
        return days
    groups = match.groupdict()
    span = min(start, match.start()), max(end, match.end())
    sign = -1 if groups["side"] in ("before", "前") else 1
    unit, many = unit_of(groups["unit"] or "day"), read_number(groups["number"] or "1")
    if unit == "week" and many == 1:
        first = days.first + timedelta(1 if sign > 0 else -7)
        return Days(first=first, last=first + timedelta(6), span=span)
    day = later(days.first, sign * many, unit)
    return Days(first=day, last=day, span=span)


def _joined(text: str, ranges: list[tuple[Days, bool]], today: date) -> list[Days]:
    """Join two days with "to" between them to a range, and extend one with "since" before it to today.

    ``ranges``: each with whether it is a day without a month, which has that of the day before the "to".
    """
    joined: list[Days] = []
    for days, is_lone in ranges:
        if joined and _is_stretch(text, joined[-1], days):
            stretch = _up_to(joined[-1], _following(joined[-1], days) if is_lone else days)
            if stretch:
                joined[-1] = stretch
                continue
        joined.append(days)
    return [_since(text, days, today) for days in joined]


def _is_stretch(text: str, first: Days, last: Days) -> bool:
    between, after = text[first.span[1] : last.span[0]], text[last.span[1] :]
    if words_beside("until").fullmatch(between):
        return True
    start = text[max(0, first.span[0] - 10) : first.span[0] + 10]
    pair = words_beside("between").search(start) or words_beside("between_them").match(after)
    return bool(pair) and bool(re.fullmatch(r"\s*(?:and|和|与|跟)?\s*", between))


def _following(first: Days, days: Days) -> Days:
    """Return the day without a month as the next one after another day: "20 March to the 5th"."""
    for months in range(3):
        month = shifted(first.first.replace(day=1), months)
        try:
            day = month.replace(day=days.last.day) if month else None
        except ValueError:  # 31 June
            continue
        if day and day > first.first:
            return replace(days, first=day, last=day)
    return days


def _up_to(first: Days, last: Days) -> Days | None:
    begin = first.first
    if first.first == first.last and begin - timedelta(7) <= last.first == last.last < begin:
        begin -= timedelta(7)  # "from Monday to Wednesday last week"
    if begin > last.last:  # "November to February": of the winter before
        year_before = shifted(begin, -12)
        if year_before is None:
            return None
        begin = year_before
    if begin > last.last:
        return None
    return Days(first=begin, last=last.last, span=(first.span[0], last.span[1]))


def _since(text: str, days: Days, today: date) -> Days:
    start, end = days.span
    since, after = words_beside("since").search(text[:start]), words_beside("up_to_now").match(text[end:])
    if days.first > today or not (since or after):
        return days
    span = since.start() if since else start, end + after.end() if after else end
    return Days(first=days.first, last=max(days.last, today), span=span)


def asks_for_newest(question: str) -> bool:
    """Return whether the question asks for the newest."""
    return bool(words_beside("lately").search(without_spanish_accents(question.casefold())))


def without(question: str, stretches: list[Days]) -> str:
    """Return the question without the words that name its days, "lately" included."""
    kept, at = [], 0
    for days in stretches:
        kept.append(question[at : days.span[0]])
        at = days.span[1]
    return words_beside("lately").sub(" ", " ".join([*kept, question[at:]]))


_WEEKDAYS = ("weekday", "weekday_of_week")
_MAYBE_VAGUE = frozenset(
    {
        *("nth", "month", "ends_of_month", "half_of_month", "part_of_year", "named_part_of_year", "season"),
        *("school_holiday", "holiday", "beside_holiday", "around_holiday"),
    }
)
_DID_DO = lazy_pattern(r"\b(did(?:n't)?\b[^.;]{1,30})\bdo\b")
_FEW = 12  # other characters of a query in keywords


def is_vague(match: re.Match[str]) -> bool:
    """Return whether a name without a year means no certain one: in a text about habits or plans, or in a sentence
    that isn't about the past."""
    groups, text = match.groupdict(), match.string
    if any(groups.get(each) for each in ("year", "ago", "years", "month", "from", "number", "unit")):
        return False
    if groups.get("which") not in (None, "this"):
        return False
    rest = _DID_DO.sub(r"\1", f"{text[: match.start()]} {text[match.end() :]}")
    others = len(rest) if rest.isascii() else 2 * len(rest)
    return bool(words_beside("timeless").search(rest)) or (others > _FEW and not words_beside("past").search(rest))
