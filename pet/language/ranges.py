"""Find dates in a question: 上周二, 三天前, last Tuesday, in March, from 3 to 9 March, 2026-03-01; pure.

Words that are not certainly a date remain words. A date or a name without its year is the newest one that began: "in
March" is the last March that started. A week of a month counts from its first day; a season is three whole months.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import partial

from pet.language.calendar_words import (
    LAST_DAY,
    SATURDAY,
    clamped,
    date_of,
    day_number,
    day_of_month,
    in_week,
    later,
    month_number,
    nearest,
    nearest_number,
    nth_of_month,
    read_nth,
    same_day,
    shifted,
    slashed_date,
    unit_of,
    weekday_number,
    which_number,
    whole_month,
    year_of,
)
from pet.language.date_rows import (
    DateRow,
    PlainText,
    date_rows,
    plain_dates,
    rows_of,
    without_spanish_accents,
    words_beside,
)
from pet.language.holidays import holiday_of
from pet.language.normalization import read_number, read_range, to_simplified
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


Stretch = date | tuple[date, date] | tuple[date, date, date] | None
"""A day, or the first and the last of several; the third is the one meant most. None: no date."""
Resolve = Callable[[re.Match[str], date], Stretch]
_SEASONS = {
    **dict.fromkeys(("spring", "春"), 3),
    **dict.fromkeys(("summer", "夏"), 6),
    **dict.fromkeys(("autumn", "fall", "秋"), 9),
    **dict.fromkeys(("winter", "冬"), 12),
}
_PARTS_OF_YEAR = {
    "ear": (1, 3),
    **dict.fromkeys(("beg", "sta", "初"), (1, 2)),
    **dict.fromkeys(("mid", "中"), (5, 8)),
    **dict.fromkeys(("end", "底", "末", "尾"), (11, 12)),
    "lat": (10, 12),
}
"""First and last month, by the beginning of the words."""
_SIZES = {"day": 1, "week": 7, "fortnight": 14, "month": 30, "year": 365}
_AROUND = timedelta(5)
_SOME_DAYS = 5
_BETWEEN = lazy_pattern(r"\bbetween\b")


# --- days -------------------------------------------------------------------------------------------------------


def slashed(match: re.Match[str], today: date, day_first: bool | None = None) -> Stretch:
    """Resolve "11/3/2026", "11/03". "10/10" alone is a mark, not a date."""
    is_mark = match["one"] == match["other"] and match.groupdict().get("on") == ""
    return None if is_mark else slashed_date(match, today, -1, day_first)


def lone_day(match: re.Match[str], today: date) -> Stretch:
    """Resolve a day without month to the last one, or today; 十五六号 is two days."""
    written = match["day"]
    first, upto = (day_number(written),) * 2 if written.isascii() else read_range(written)
    newest = nearest_number(upto, today, -1)
    return (newest.replace(day=first), newest) if newest else None


def weekday(match: re.Match[str], today: date) -> Stretch:
    which, wanted = match["which"] or "", weekday_number(match["weekday"])
    if which in ("next", "coming"):
        return today + timedelta((wanted - today.weekday() - 1) % 7 + 1)
    return in_week(wanted, 0, today) if which == "this" else _weekday_before(wanted, today)


def _weekday_before(wanted: int, today: date) -> date:
    return today - timedelta((today.weekday() - wanted - 1) % 7 + 1)


def weekdays_ago(match: re.Match[str], today: date) -> Stretch:
    """Resolve "two Fridays ago", "the Friday before last"."""
    number = read_number(match.groupdict().get("number") or "2")
    return _weekday_before(weekday_number(match["weekday"]), today) - timedelta(7 * (number - 1))


def weekday_of_week(match: re.Match[str], today: date) -> Stretch:
    """Resolve "Monday last week", 上周一; a weekday alone is the last one, or today."""
    wanted, weeks = weekday_number(match["weekday"]), which_number(match.groupdict())
    if weeks is None:
        return today - timedelta((today.weekday() - wanted) % 7)
    return in_week(wanted, weeks, today)


def last_days(_match: re.Match[str], today: date) -> Stretch:
    return today - timedelta(7), today - timedelta(1)


# --- distances from today -----------------------------------------------------------------------------------------


def ago(match: re.Match[str], today: date) -> Stretch:
    """Resolve "3 weeks ago", 两三天前, "two or three days ago", 半年前."""
    unit = unit_of(match["unit"])
    if match["number"] == "半":
        return _back(today, 6, "month") if unit == "year" else _back(today, 15, "day")
    low, high = read_range(match["number"])
    if upto := match.groupdict().get("upto"):
        high = 2 if upto == "so" else read_number(upto)
    nearer, farther = _back(today, low, unit), _back(today, high, unit)
    return nearer if low == high else (farther[0], nearer[1])


def _back(today: date, number: int, unit: str) -> tuple[date, date] | tuple[date, date, date]:
    """Return the days ``number`` units ago; the longer the unit, the wider the range."""
    day = later(today, -number, unit)
    match unit:
        case "week" | "fortnight":
            return day - timedelta(3), day + timedelta(3), day
        case "month":
            return whole_month(day.year, day.month)
        case "year":
            return date(day.year, 1, 1), date(day.year, 12, 31)
        case _:
            return day, day


def half_ago(match: re.Match[str], today: date) -> Stretch:
    """Resolve "half a year ago", "two and a half years ago", 两年半前, "a month and a half ago"."""
    number = read_number(match.groupdict().get("number") or "zero")
    if unit_of(match.groupdict().get("unit") or "year") != "month":
        return _back(today, 12 * number + 6, "month")
    middle = later(today, -number, "month") - timedelta(15)
    return middle - timedelta(7), middle + timedelta(7), middle


def past(match: re.Match[str], today: date) -> Stretch:
    """Resolve "the last three days", "过去两周", up to today."""
    number, unit = match["number"], unit_of(match["unit"])
    if number == "半":
        return today - timedelta({"year": 183, "month": 15}.get(unit, 4)), today
    return today - timedelta((read_range(number)[1] if number else 1) * _SIZES[unit]), today


def this_time(match: re.Match[str], today: date) -> Stretch:
    """Resolve "this time last year", 上个月这个时候."""
    day = same_day(match, today)
    around = timedelta(3 if unit_of(match["unit"]) == "month" else 7)
    return day - around, day + around, day


def weekend(_match: re.Match[str], today: date) -> Stretch:
    """Resolve "over the weekend": this one once it started, else the last."""
    saturday = today - timedelta((today.weekday() - SATURDAY) % 7)
    return saturday, saturday + timedelta(1)


def weekends_ago(match: re.Match[str], today: date) -> Stretch:
    """Resolve "two weekends ago": the last but one before this week's."""
    saturday = today - timedelta(today.weekday() + 2 + 7 * (read_number(match["number"]) - 1))
    return saturday, saturday + timedelta(1)


def last_weekends(match: re.Match[str], today: date) -> Stretch:
    """Resolve "the last two weekends", to the last Sunday."""
    sunday = today - timedelta(today.weekday() + 1)
    return sunday - timedelta(7 * read_number(match["number"]) - 6), sunday


def calendar_unit(match: re.Match[str], today: date) -> Stretch:
    """Resolve "last week", "the month before last", 上上个月, 去年, "next weekend"."""
    offset, what = which_number(match.groupdict()) or 0, match["what"].removeprefix("个")
    match unit_of(what):
        case "month":
            first = later(today.replace(day=1), offset, "month")
            return whole_month(first.year, first.month)
        case "year":
            return date(today.year + offset, 1, 1), date(today.year + offset, 12, 31)
        case _:
            begin = in_week(SATURDAY if what.endswith(("end", "末")) else 0, offset, today)
            return begin, in_week(6, offset, today)


# --- months and their parts ---------------------------------------------------------------------------------------


def _first_of_month(match: re.Match[str], today: date) -> date:
    """Return the first day of the month that the groups ``month`` or ``which`` name, or of this one."""
    groups = match.groupdict()
    if name := groups.get("month"):
        number = month_number(name)
        began = number > today.month or (groups.get("which") == "last" and number == today.month)
        return date(year_of(match, today) or today.year - began, number, 1)
    return later(today.replace(day=1), which_number(groups) or 0, "month")


def month(match: re.Match[str], today: date) -> Stretch:
    """Resolve a month, two of them (七八月), or a part of it: "early to mid June", 上月底."""
    groups, first = match.groupdict(), _first_of_month(match, today)
    part, name = groups.get("part"), groups.get("month") or ""
    whole = whole_month(first.year, first.month)
    if name and not name.isascii() and (upto := read_range(name)[1]) > first.month:
        return first, whole_month(first.year, upto)[1]
    begin = part_of_month(whole, groups.get("before") or part)[0]
    return begin, part_of_month(whole, groups.get("upto") or part)[1]


def month_that_began(match: re.Match[str], today: date) -> Stretch:
    """Resolve 月底: the last one that started."""
    days = month(match, today)
    assert isinstance(days, tuple)
    return days if days[0] <= today else month(match, today.replace(day=1) - timedelta(1))


def part_of_month(days: tuple[date, date], part: str | None) -> tuple[date, date]:
    """Return beginning, middle or end of a month, or all of it without ``part``."""
    first, last = days
    if not part:
        return days
    if part.startswith(("early", "beginning", "start", "初", "上")):
        return first, first.replace(day=10)
    if part.startswith(("mid", "中")):
        return first.replace(day=10), first.replace(day=21)
    return first.replace(day=20), last


def nth(match: re.Match[str], today: date) -> Stretch:
    """Resolve "the first Monday of March", 上个月第二个周末, "the last week of June"."""
    first, what, number = _first_of_month(match, today), match["what"], read_nth(match["nth"])
    if unit_of(what) == "week":
        last = clamped(first.year, first.month, LAST_DAY)
        begin = last - timedelta(6) if number < 0 else first.replace(day=7 * number - 6)
        return begin, begin + timedelta(6)
    day = nth_of_month(first.year, first.month, number, what)
    return (day, day + timedelta(1)) if what.endswith(("weekend", "末")) else day


def ends_of_month(match: re.Match[str], today: date) -> Stretch:
    """Resolve "the last three days of September", 八月头两周."""
    first, unit = _first_of_month(match, today), unit_of(match["of"])
    days = (read_number(match["count"]) if match["count"] else _SOME_DAYS if unit == "day" else 2) * _SIZES[unit]
    if not 1 <= days <= 28:
        return None
    if match["end"].startswith(("last", "最后")):
        last = clamped(first.year, first.month, LAST_DAY)
        return last - timedelta(days - 1), last
    return first, first + timedelta(days - 1)


def half_of_month(match: re.Match[str], today: date) -> Stretch:
    first = _first_of_month(match, today)
    if match["half"] in ("first", "front", "上", "前"):
        return first, first.replace(day=15)
    if match[0].startswith("下") and today.day < 16:
        first = later(first, -1, "month")
    return first.replace(day=16), clamped(first.year, first.month, LAST_DAY)


def months(match: re.Match[str], today: date) -> Stretch:
    """Resolve "from March to May last year", 去年四月至六月, "in July and August", to the last May."""
    first, second = month_number(match["from"]), month_number(match["month"])
    if match.groupdict().get("and") and second != first % 12 + 1:
        return None
    year = year_of(match, today)
    if year is not None and not match["month"].isascii():
        year += first > second  # the year is named with the first month
    year = year or today.year - (second > today.month)
    return date(year - (first > second), first, 1), whole_month(year, second)[1]


def days_of_month(match: re.Match[str], today: date) -> Stretch:
    """Resolve "between 3 and 7 October", "on the 15th and 16th"; two days with "and" are consecutive."""
    groups, first, last = match.groupdict(), read_number(match["from"]), read_number(match["day"])
    if first >= last or (match["to"] in ("and", "or") and not groups.get("between") and last - first > 1):
        return None
    has_month = bool(groups.get("month"))
    newest = date_of(match, today, -1) if has_month else nearest_number(last, today, -1)
    return (newest.replace(day=first), newest) if newest else None


def until_day(match: re.Match[str], today: date) -> Stretch:
    """Resolve "from 20 January to the 25th", in the next month if that day comes before the first."""
    month, number, year = month_number(match["month"]), int(match["from"]), year_of(match, today)
    first = date(year, month, number) if year else nearest(month, number, today, -1)
    if first is None:
        return None
    last = int(match["day"])
    after = first if last > first.day else later(first.replace(day=1), 1, "month")
    return first, after.replace(day=last)


# --- years and their parts ----------------------------------------------------------------------------------------


def year(match: re.Match[str], today: date) -> Stretch:
    """Resolve a year, or "from 2019 to 2021"."""
    last = year_of(match, today)
    assert last is not None
    first = int(match.groupdict().get("from") or last)
    return (date(first, 1, 1), date(last, 12, 31)) if first <= last else None


def _year_or_newest(match: re.Match[str], today: date, month: int) -> int:
    """Return the year named, "last" and "next" included; else the newest in which the month began."""
    named, which = year_of(match, today), which_number(match.groupdict())
    if named is not None or which is not None:
        return named if named is not None else today.year + (which or 0)
    return today.year - (month > today.month)


def part_of_year(match: re.Match[str], today: date) -> Stretch:
    """Resolve halves and quarters."""
    groups = match.groupdict()
    length, written = (6, match["half"]) if groups.get("half") else (3, match["quarter"])
    number = {"上": 1, "下": 2, "front": 1}.get(written) or (
        read_number(written) if not written.isascii() or written.isdigit() else read_nth(written)
    )
    number = 12 // length if number < 0 else number
    if number * length > 12:
        return None
    month = (number - 1) * length + 1
    year = _year_or_newest(match, today, month)
    return date(year, month, 1), whole_month(year, month + length - 1)[1]


def named_part_of_year(match: re.Match[str], today: date) -> Stretch:
    """Resolve "at the end of last year", 年初; without a year the newest that began."""
    begin, end = _PARTS_OF_YEAR[match["part"][:3]]
    year = _year_or_newest(match, today, begin)
    return date(year, begin, 1), whole_month(year, end)[1]


def first_months(match: re.Match[str], today: date) -> Stretch:
    """Resolve "the first two months of last year", 去年头两个月."""
    year, count = year_of(match, today) or today.year, read_number(match["count"])
    return (date(year, 1, 1), whole_month(year, count)[1]) if 1 <= count <= 12 else None


def season(match: re.Match[str], today: date) -> Stretch:
    which, year = match.groupdict().get("which") or "", year_of(match, today)
    name = match["season"]
    if not which and not year and (name == "fall" or match[0] == f"in {name}"):
        return None  # "in winter" is every winter
    month = _SEASONS[name if name.isascii() else name[0]]
    if year is None and which in ("this", "next") and not (which == "this" and today.month < 3 and month == 12):
        year = today.year + (which == "next" and date(today.year, month, 1) <= today)
    if year is not None:
        first, last = _three_months(year, month)
        return None if which and first > today else (first, last)
    ended = which in ("last", "past", "上个")
    seasons = (_three_months(today.year - back, month) for back in range(3))
    return next((each for each in seasons if (each[1] < today if ended else each[0] <= today)), None)


def season_ago(match: re.Match[str], today: date) -> Stretch:
    """Resolve "two summers ago", "the summer before last": the last one counts as one ago."""
    month = _SEASONS[match["season"]]
    over = [each for back in range(9) if (each := _three_months(today.year - back, month))[1] < today]
    number = read_number(match.groupdict().get("years") or "two")
    return over[number - 1] if 1 <= number <= len(over) else None


def _three_months(year: int, month: int) -> tuple[date, date]:
    first = date(year, month, 1)
    last = later(first, 2, "month")
    return first, whole_month(last.year, last.month)[1]


def school_holiday(match: re.Match[str], today: date) -> Stretch:
    first, last = ((7, 1), (8, 31)) if match["season"].startswith("暑") else ((1, 10), (2, 28))
    year = year_of(match, today)
    year = year if year is not None else today.year - (date(today.year, *first) > today)
    return date(year, *first), date(year, *last)


# --- holidays -----------------------------------------------------------------------------------------------------


def beside_holiday(match: re.Match[str], today: date) -> Stretch:
    """Resolve "ten days before Christmas", 中秋节前一天, "the week after Easter", to the newest such day."""
    holiday, groups, year = holiday_of(match), match.groupdict(), year_of(match, today)
    unit = "week" if groups.get("week") else unit_of(match["of"] or "day")
    distance = timedelta(read_number(match["count"] or "1") * _SIZES[unit])
    distance *= -1 if match["side"] in ("before", "前") else 1
    years = (year,) if year is not None else range(today.year + 1, today.year - 3, -1)
    days = (holiday.day(each) + distance for each in years)
    day = next((each for each in days if year is not None or each <= today), None)
    if day and groups.get("week"):
        first = day if distance.days < 0 else day - timedelta(6)
        return first, first + timedelta(6)
    return day


def holiday(match: re.Match[str], today: date) -> Stretch:
    """Resolve "last Christmas", 去年春节, with the days beside it that a question means."""
    named, groups, year = holiday_of(match), match.groupdict(), year_of(match, today)
    which = groups.get("which") or ""
    if groups.get("and") and not _BETWEEN.search(match.string, 0, match.start()):
        return None
    if year is not None or which == "this":
        return named.days(today.year if year is None else year)
    years = (today.year, today.year + 1) if which == "next" else range(today.year, today.year - 3, -1)
    stretches = map(named.days, years)
    return next((each for each in stretches if (each[0] > today) == (which == "next")), None)


def around_holiday(match: re.Match[str], today: date) -> Stretch:
    """Resolve "around Christmas", 春节前后."""
    days = holiday(match, today)
    return (days[0] - _AROUND, days[1] + _AROUND) if isinstance(days, tuple) else None


RESOLVERS: dict[str, Resolve] = {
    "date": partial(date_of, step=-1),
    "day_of_month": partial(day_of_month, step=-1),
    **{
        each.__name__: each
        for each in (
            *(slashed, lone_day, same_day, weekday, weekday_of_week, weekdays_ago, last_days),
            *(ago, half_ago, past, this_time, weekend, weekends_ago, last_weekends, calendar_unit),
            *(month, month_that_began, nth, ends_of_month, half_of_month, months, days_of_month, until_day),
            *(year, part_of_year, named_part_of_year, first_months, season, season_ago, school_holiday),
            *(beside_holiday, holiday, around_holiday),
        )
    },
}
"""By the kind of a row."""
