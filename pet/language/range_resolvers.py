"""Resolve matched date words to days, relative to the day of the question; pure.

Without other words a date is the last one in the past: "in March" is the last March that started.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta

from pet.language.calendar_words import month_number, weekday_number
from pet.language.normalization import read_number, read_range
from pet.language.repetition import shifted, whole_month

_ONES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
ORDINAL_WORDS = [
    *_ONES, "tenth", "eleventh",
    "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth", "eighteenth", "nineteenth",
    "twentieth", *(f"twenty-{each}" for each in _ONES), "thirtieth", "thirty-first",
]  # fmt: skip
WHICH = {
    **dict.fromkeys(("上上", "前", "before last"), -2),
    **dict.fromkeys(("上", "去", "last"), -1),
    **dict.fromkeys(("这", "本", "今", "this"), 0),
    **dict.fromkeys(("下", "明", "next"), 1),
    "下下": 2,
}
"""Weeks, months or years from this one."""
_ZH_YEARS_AGO = {"今年": 0, "去年": 1, "前年": 2, "明年": -1}


Stretch = tuple[date, date] | tuple[date, date, date] | None  # the third: the day that is meant most
"""First and last day, both included; the third is the day meant most. None: no date."""
Resolve = Callable[[re.Match[str], date], Stretch]


def full(match: re.Match[str], _today: date) -> Stretch:
    day = date(int(match["year"]), month_number(match["month"]), ordinal_number(match["day"]))
    return day, day


def slashed(match: re.Match[str], today: date, day_first: bool | None = None) -> Stretch:
    """Resolve "11/3/2026", or "11/03" to the last such day; month first, if it can be one, unless the owner writes
    the day first. "10/10" alone is a mark, not a date."""
    one, other, groups = int(match["one"]), int(match["other"]), match.groupdict()
    if one == other and groups.get("on") == "":
        return None
    number, month = (one, other) if one > 12 or (day_first and other <= 12) else (other, one)
    if groups.get("year"):
        day = date(int(match["year"]), month, number)
        return day, day
    return last(month, number, today)


def day_of_month(match: re.Match[str], today: date) -> Stretch:
    """Resolve a day without year to the last one, or today."""
    return last(month_number(match["month"]), ordinal_number(match["day"]), today)


def day_of_named_month(match: re.Match[str], today: date) -> Stretch:
    """Resolve "上个月5号", "on the 5th of last month"."""
    first = shifted(today.replace(day=1), WHICH[match["which"]])
    day = first.replace(day=_day_number(match["day"])) if first else None
    return (day, day) if day else None


def lone_day(match: re.Match[str], today: date) -> Stretch:
    """Resolve a day without month to the last one, or today; 十五六号 is two days."""
    written = match["day"]
    first, upto = (ordinal_number(written),) * 2 if written.isascii() else read_range(written)
    newest = last_of_month(upto, today)
    return (newest[0].replace(day=first), newest[0]) if newest else None


def last_of_month(number: int, today: date) -> Stretch:
    """Return the last day with that number, or today."""
    for back in range(3):
        first = shifted(today.replace(day=1), -back)
        if first is None:
            return None
        try:
            day = first.replace(day=number)
        except ValueError:  # 31 June
            continue
        if day <= today:
            return day, day
    return None


def same_day(match: re.Match[str], today: date) -> Stretch:
    """Resolve "去年的今天", "a week ago today"."""
    groups = match.groupdict()
    number = read_number(groups.get("number") or "1")
    unit = match["unit"].removeprefix("上").removeprefix("个")
    if unit.startswith(("day", "week", "周", "星期", "礼拜")):
        day: date | None = today - timedelta(number * (1 if unit.startswith("day") else 7))
    else:
        day = shifted(today, -number * (1 if unit.startswith(("month", "月")) else 12) * (1 + (unit == "前年")))
    return (day, day) if day else None


def last(month: int, number: int, today: date) -> Stretch:
    for year in range(today.year, today.year - 9, -1):  # 29 February may be eight years back
        try:
            day = date(year, month, number)
        except ValueError:
            continue
        if day <= today:
            return day, day
    return None


def month_only(match: re.Match[str], today: date) -> Stretch:
    month = month_number(match["month"])
    groups = match.groupdict()
    year = _zh_year(groups["year"]) if groups.get("year") else today.year - (month > today.month)
    return part_of_month(whole_month(year, month), groups.get("part"))


def last_years_month(match: re.Match[str], today: date) -> Stretch:
    return whole_month(today.year - 1, month_number(match["month"]))


def zh_month(match: re.Match[str], today: date) -> Stretch:
    which, (month, to) = match["which"], read_range(match["month"])
    year = today.year - _ZH_YEARS_AGO[which] if which else today.year - (month > today.month)
    if to > month:
        return whole_month(year, month)[0], whole_month(year, to)[1]
    return part_of_month(whole_month(year, month), match["part"])


def zh_parts_of_month(match: re.Match[str], today: date) -> Stretch:
    """Resolve 九月上旬到中旬."""
    first = zh_month(match, today)
    if not first:
        return None
    return first[0], part_of_month(whole_month(first[0].year, first[0].month), match["upto"])[1]


def part_of_month(month: tuple[date, date], part: str | None) -> tuple[date, date]:
    """Return beginning, middle or end of a month."""
    first, last = month
    part = (part or "").removeprefix("the ")
    if not part:
        return month
    if part.startswith(("early", "beginning", "start", "初", "上")):
        return first, first.replace(day=10)
    if part.startswith(("mid", "中")):
        return first.replace(day=10), first.replace(day=21)
    return first.replace(day=20), last


def zh_part_of_month(match: re.Match[str], today: date) -> Stretch:
    """Resolve "上月底"; "月底" alone is the last one that started."""
    which = (match["which"] or "").removesuffix("个")
    for back in (WHICH[which],) if which else (0, -1):
        first = shifted(today.replace(day=1), back)
        stretch = part_of_month(whole_month(first.year, first.month), match["part"]) if first else None
        if stretch and (which or stretch[0] <= today):
            return stretch
    return None


def zh_day(match: re.Match[str], today: date) -> Stretch:
    which, month, number = match["which"], read_number(match["month"]), read_number(match["day"] or match["bare"])
    if which:
        year = _zh_year(match["year"]) if match["year"] else today.year - _ZH_YEARS_AGO[which]
        day = date(year, month, number)
        return day, day
    return last(month, number, today)


def year(match: re.Match[str], _today: date) -> Stretch:
    year = _zh_year(match["year"])
    return date(year, 1, 1), date(year, 12, 31)


def offset(days: int) -> Resolve:
    return lambda _match, today: (today + timedelta(days), today + timedelta(days))


def ago(match: re.Match[str], today: date) -> Stretch:
    """Resolve "3 weeks ago"."""
    return back(today, read_number(match["number"]), match["unit"])


def zh_ago(match: re.Match[str], today: date) -> Stretch:
    unit = match["unit"]
    if match["number"] == "半":
        return back(today, 6 if unit.endswith("年") else 15, "month" if unit.endswith("年") else "day")
    low, high = read_range(match["number"])
    unit = {"天": "day", "日": "day", "年": "year"}.get(unit, unit)
    nearer, farther = back(today, low, unit), back(today, high, unit)
    return nearer if low == high else (farther[0], nearer[1])


def back(today: date, number: int, unit: str) -> tuple[date, date] | tuple[date, date, date]:
    """Return the days ``number`` units ago, in English or Chinese; the longer the unit, the wider the range."""
    if unit.startswith("day"):
        day = today - timedelta(number)
        return day, day
    if unit in ("week", "weeks", "周", "星期", "个星期", "礼拜", "个礼拜"):
        day = today - timedelta(7 * number)
        return day - timedelta(3), day + timedelta(3), day
    if unit in ("month", "months", "月", "个月"):
        months = today.year * 12 + today.month - 1 - number
        return whole_month(months // 12, months % 12 + 1)
    middle = today.year - number
    return date(middle, 1, 1), date(middle, 12, 31)


def past(match: re.Match[str], today: date) -> Stretch:
    """Resolve "the last three days", "过去两周", up to today."""
    number, unit = match["number"], match["unit"]
    if number == "半":
        return today - timedelta({"年": 183, "月": 15}.get(unit[-1], 4)), today
    count = read_range(number)[1] if number else 1
    size = dict(zip("dwfmy天日周星礼月年", (1, 7, 14, 30, 365, 1, 1, 7, 7, 7, 30, 365), strict=True))
    return today - timedelta(count * size[unit.removeprefix("个")[0]]), today


def weekday_range(match: re.Match[str], today: date) -> Stretch:
    which = match["which"] or ""
    wanted = weekday_number(match["weekday"])
    if which.startswith(("next", "coming")):
        day = today + timedelta((wanted - today.weekday() - 1) % 7 + 1)
    elif which.startswith("this"):
        day = today + timedelta(wanted - today.weekday())
    else:
        day = today - timedelta((today.weekday() - wanted - 1) % 7 + 1)
    return day, day


def weekdays_ago(match: re.Match[str], today: date) -> Stretch:
    """Resolve "two Fridays ago", "the Friday before last"."""
    behind = (today.weekday() - weekday_number(match["weekday"]) - 1) % 7 + 1
    day = today - timedelta(behind + 7 * (read_number(match.groupdict().get("number") or "2") - 1))
    return day, day


def weekday_of_week(match: re.Match[str], today: date) -> Stretch:
    """Resolve "Monday last week", 上周一; a weekday alone is the last one, or today."""
    ahead = weekday_number(match["weekday"]) - today.weekday()
    day = today + timedelta(ahead + 7 * WHICH[match["which"]] if match["which"] else -(-ahead % 7))
    return day, day


def calendar_unit(match: re.Match[str], today: date) -> Stretch:
    """Resolve "last week", "the month before last", 上上个月, 去年."""
    offset, what = WHICH[match["which"].removesuffix("个")], match["what"]
    if what.endswith(("month", "月")):
        first = shifted(today.replace(day=1), offset)
        return whole_month(first.year, first.month) if first else None
    if what.endswith(("year", "年")):
        return date(today.year + offset, 1, 1), date(today.year + offset, 12, 31)
    monday = today - timedelta(today.weekday() - 7 * offset)
    return monday + timedelta(5 if what.endswith(("end", "末")) else 0), monday + timedelta(6)


def weekend(_match: re.Match[str], today: date) -> Stretch:
    """Resolve "over the weekend": this one once it started, else the last."""
    saturday = today - timedelta((today.weekday() - 5) % 7)
    return saturday, saturday + timedelta(1)


def weekends_ago(match: re.Match[str], today: date, read: Callable[[str], int] = read_number) -> Stretch:
    """Resolve "two weekends ago": the last but one before this week's. ``read``: for the language's number words."""
    saturday = today - timedelta(today.weekday() + 2 + 7 * (read(match["number"]) - 1))
    return saturday, saturday + timedelta(1)


def last_weekends(match: re.Match[str], today: date, read: Callable[[str], int] = read_number) -> Stretch:
    """Resolve "the last two weekends", to the last Sunday. ``read``: for the language's number words."""
    sunday = today - timedelta(today.weekday() + 1)
    return sunday - timedelta(7 * read(match["number"]) - 6), sunday


def fortnight_ago(_match: re.Match[str], today: date) -> Stretch:
    return back(today, 2, "week")


def last_days(_match: re.Match[str], today: date) -> Stretch:
    return today - timedelta(7), today - timedelta(1)


def ordinal_number(text: str) -> int:
    """Return the number of "3rd" or "twenty-first"."""
    if text[0].isdigit():
        return int(text.rstrip("stndrh"))
    return ORDINAL_WORDS.index("-".join(text.split())) + 1


def _day_number(text: str) -> int:
    return ordinal_number(text) if text.isascii() else read_number(text)


def _zh_year(text: str) -> int:
    if not text.isdecimal():
        return read_number(text)
    return int(text) + (2000 if len(text) == 2 else 0)
