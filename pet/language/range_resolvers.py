"""Resolve matched words of dates to the days of the past that they name: a day, the first week of June, 去年夏天,
Semana Santa, this time last year; pure.

A date or a name without its year is the newest one that began: "in March" is the last March that started. A week of a
month counts from its first day; a season is three whole months.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from functools import partial

from pet.language import named_days
from pet.language.calendar_words import (
    day_number,
    month_number,
    read_nth,
    unit_of,
    weekday_number,
    which_number,
    year_of,
)
from pet.language.holidays import holiday_of
from pet.language.normalization import read_number, read_range
from pet.language.repetition import LAST_DAY, clamped, later, whole_month
from pet.text.lazy_pattern import lazy_pattern

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
    return None if is_mark else named_days.slashed_date(match, today, -1, day_first)


def lone_day(match: re.Match[str], today: date) -> Stretch:
    """Resolve a day without month to the last one, or today; 十五六号 is two days."""
    written = match["day"]
    first, upto = (day_number(written),) * 2 if written.isascii() else read_range(written)
    newest = named_days.nearest_number(upto, today, -1)
    return (newest.replace(day=first), newest) if newest else None


def weekday(match: re.Match[str], today: date) -> Stretch:
    which, wanted = match["which"] or "", weekday_number(match["weekday"])
    if which in ("next", "coming"):
        return today + timedelta((wanted - today.weekday() - 1) % 7 + 1)
    return named_days.in_week(wanted, 0, today) if which == "this" else _weekday_before(wanted, today)


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
    return named_days.in_week(wanted, weeks, today)


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
    day = named_days.same_day(match, today)
    around = timedelta(3 if unit_of(match["unit"]) == "month" else 7)
    return day - around, day + around, day


def weekend(_match: re.Match[str], today: date) -> Stretch:
    """Resolve "over the weekend": this one once it started, else the last."""
    saturday = today - timedelta((today.weekday() - named_days.SATURDAY) % 7)
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
            begin = named_days.in_week(named_days.SATURDAY if what.endswith(("end", "末")) else 0, offset, today)
            return begin, named_days.in_week(6, offset, today)


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
    day = named_days.nth_of_month(first.year, first.month, number, what)
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
    newest = named_days.date_of(match, today, -1) if has_month else named_days.nearest_number(last, today, -1)
    return (newest.replace(day=first), newest) if newest else None


def until_day(match: re.Match[str], today: date) -> Stretch:
    """Resolve "from 20 January to the 25th", in the next month if that day comes before the first."""
    month, number, year = month_number(match["month"]), int(match["from"]), year_of(match, today)
    first = date(year, month, number) if year else named_days.nearest(month, number, today, -1)
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
    "date": partial(named_days.date_of, step=-1),
    "day_of_month": partial(named_days.day_of_month, step=-1),
    **{
        each.__name__: each
        for each in (
            *(slashed, lone_day, named_days.same_day, weekday, weekday_of_week, weekdays_ago, last_days),
            *(ago, half_ago, past, this_time, weekend, weekends_ago, last_weekends, calendar_unit),
            *(month, month_that_began, nth, ends_of_month, half_of_month, months, days_of_month, until_day),
            *(year, part_of_year, named_part_of_year, first_months, season, season_ago, school_holiday),
            *(beside_holiday, holiday, around_holiday),
        )
    },
}
"""By the kind of a row."""
