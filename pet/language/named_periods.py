"""Find ranges that a calendar names: the first week of June, 去年夏天, Semana Santa, this time last year; pure.

Like ``range_resolvers``, a name without a year is the newest one that began. A week of a month counts from its first
day; a season is three whole months. Texts are lower case, simplified and without accents.
"""

from __future__ import annotations

import re
from datetime import date, timedelta

from pet.language import range_resolvers as to
from pet.language.calendar_words import (
    MONTH_NAMES,
    NTH,
    WHOLE_WEEKDAY_NAMES,
    ZH_MONTH_NUMBER,
    ZH_NTH,
    ZH_WEEK,
    ZH_WEEKDAY_NAMES,
    month_number,
    read_nth,
    weekday_number,
)
from pet.language.holidays import EXACT, LOOSE, holiday_of
from pet.language.normalization import UP_TO_TWENTY, read_number
from pet.language.range_resolvers import Resolve, Stretch
from pet.language.repetition import LAST_DAY, clamped, nth_weekday, shifted, whole_month
from pet.text.lazy_pattern import lazy_pattern

_YEARS_AGO = {"this year": 0, "last year": 1}
_YEARS_AGO |= {"今年": 0, "去年": 1, "前年": 2, "大前年": 3, "明年": -1}
_OF_YEAR = (
    r"(?:,?\s+(?:(?:of|in)\s+)*"
    r"(?:(?P<year>(?:19|20)[0-9]{2})\b|(?P<ago>last year|this year)\b"
    r"|(?P<years>[0-9]|two|three|four|five) years ago\b))"
)
_YEAR = f"{_OF_YEAR}?"
_ZH_YEAR = "(?:(?P<year>(?:19|20)[0-9]{2})年|(?P<ago>大?前年|[今去明]年)|(?P<years>[一二两三四五])年前)的?"
_MONTH = rf"(?P<month>{MONTH_NAMES})(?![a-z])"
_FROM_MONTH = _MONTH.replace("<month>", "<from>")
_ZH_MONTH = f"(?P<month>{ZH_MONTH_NUMBER})月份?"
_ZH_FROM_MONTH = _ZH_MONTH.replace("<month>", "<from>")
_ZH_DAY = "(?:[0-3]?[0-9]|[一二三]?十[一二三四五六七八九]?|[一二三四五六七八九])"
_ZH_WHICH = "(?P<which>上上|上|这|本|下)个?月"
_DAY = r"(?P<day>[0-3]?[0-9])(?:st|nd|rd|th)?"
_ORDINAL_WORDS = "|".join(each.replace("-", r"[\s-]") for each in reversed(to.ORDINAL_WORDS))
_ORDINAL = rf"(?P<day>[0-3]?[0-9](?:st|nd|rd|th)?|{_ORDINAL_WORDS})"
_FROM = _DAY.replace("<day>", "<from>")
_UNIT = r"(?P<unit>days?|weeks?|months?|years?)"
_NUMBER = rf"(?:[0-9]{{1,3}}|{'|'.join(UP_TO_TWENTY)})"
_SEASONS = {
    **dict.fromkeys(("spring", "春"), 3),
    **dict.fromkeys(("summer", "夏"), 6),
    **dict.fromkeys(("autumn", "fall", "秋"), 9),
    **dict.fromkeys(("winter", "冬"), 12),
}
_EN_SEASON = (
    r"(?P<season>spring|summer|autumn|fall|winter)(?:\s+(?:holidays?|vacation|break))?\b(?!\s+(?:roll|onion))"
)
_BESIDE = (
    rf"(?:(?:the\s+day|(?P<week>(?:the\s+)?week)|(?P<count>{_NUMBER})\s+(?P<of>days?|weeks?))\s+"
    r"(?P<side>before|after)\s+(?:the\s+|la\s+|el\s+)?)"
)
_PARTS_OF_YEAR = {
    **dict.fromkeys(("ear",), (1, 3)),
    **dict.fromkeys(("beg", "sta", "初"), (1, 2)),
    **dict.fromkeys(("mid", "中"), (5, 8)),
    **dict.fromkeys(("end", "底", "末", "尾"), (11, 12)),
    "lat": (10, 12),
}
"""First and last month, by the beginning of the words."""
_NO_DEADLINE = "".join(f"(?<!{word} )(?<!{word} the )" for word in ("by", "until", "before"))
_NO_DAY = r"(?!\s+(?:tree|card|present|gift|song|carol|market|lights|egg|bunny|jumper|cookie|island))"


def _year(match: re.Match[str], today: date) -> int | None:
    groups = match.groupdict()
    if groups.get("year"):
        return int(match["year"])
    if groups.get("years"):
        return today.year - read_number(match["years"])
    return today.year - _YEARS_AGO[match["ago"]] if groups.get("ago") else None


def _named_month(match: re.Match[str], today: date) -> date | None:
    """Return the first day of the month that the groups ``month`` or ``which`` name."""
    groups = match.groupdict()
    if name := groups.get("month"):
        month = month_number(name)
        began = month > today.month or (groups.get("which") == "last" and month == today.month)
        return date(_year(match, today) or today.year - began, month, 1)
    return shifted(today.replace(day=1), to.WHICH.get(groups.get("which") or "", 0))


def _nth_of_month(match: re.Match[str], today: date) -> Stretch:
    first, what = _named_month(match, today), match["what"]
    if first is None:
        return None
    nth = read_nth(match["nth"])
    if what in ("week", "周", "星期", "礼拜"):
        last = clamped(first.year, first.month, LAST_DAY)
        begin = last - timedelta(6) if nth < 0 else first.replace(day=7 * nth - 6)
        return begin, begin + timedelta(6)
    if what in ("weekend", "周末"):
        saturday = nth_weekday(first.year, first.month, 5, nth)
        return saturday, saturday + timedelta(1)
    if what in ("day", "天"):
        day = clamped(first.year, first.month, LAST_DAY if nth < 0 else nth)
    else:
        number = weekday_number(what if what.isascii() else what[-1])
        day = nth_weekday(first.year, first.month, number, nth)
    return day, day


def _whole_month(match: re.Match[str], today: date) -> Stretch:
    first = _named_month(match, today)
    return whole_month(first.year, first.month) if first else None


def _day_of_year(match: re.Match[str], today: date) -> Stretch:
    first = _named_month(match, today)
    day = first.replace(day=to.ordinal_number(match["day"])) if first else None
    return (day, day) if day else None


def _months(match: re.Match[str], today: date) -> Stretch:
    """Resolve "from March to May last year", 去年四月至六月, up to the last May that started."""
    first, second = month_number(match["from"]), month_number(match["month"])
    year = _year(match, today)
    if year is not None and not match["month"].isascii():
        year += first > second  # the year is named with the first month
    year = year or today.year - (second > today.month)
    return whole_month(year - (first > second), first)[0], whole_month(year, second)[1]


def _years(match: re.Match[str], _today: date) -> Stretch:
    first, last = int(match["from"]), int(match["year"])
    return (date(first, 1, 1), date(last, 12, 31)) if first < last else None


def _half_ago(match: re.Match[str], today: date) -> Stretch:
    """Resolve "half a year ago", "two and a half years ago", 两年半前, "a month and a half ago"."""
    groups, number = match.groupdict(), _count(match["number"] or "zero")
    if (groups.get("unit") or "year").startswith(("month", "个", "月")):
        day = shifted(today, -number)
        middle = day - timedelta(15) if day else None
        return (middle - timedelta(7), middle + timedelta(7), middle) if middle else None
    return to.back(today, 12 * number + 6, "month")


def _part_of_month(match: re.Match[str], today: date) -> Stretch:
    first = _named_month(match, today)
    if first is None:
        return None
    begin, last = to.part_of_month(whole_month(first.year, first.month), match["part"])
    if before := match.groupdict().get("before"):
        begin = to.part_of_month(whole_month(first.year, first.month), before)[0]
    return begin, last


def _this_time(match: re.Match[str], today: date) -> Stretch:
    unit = match["unit"]
    month = unit == "month" or unit.endswith("月")
    day = shifted(today, -1 if month else -24 if unit == "前年" else -12)
    around = timedelta(3 if month else 7)
    return (day - around, day + around, day) if day else None


def _season(match: re.Match[str], today: date) -> Stretch:
    which, year = match.groupdict().get("which") or "", _year(match, today)
    name = match["season"]
    if not which and not year and (name == "fall" or match[0] == f"in {name}"):
        return None  # "in winter" is every winter
    month = _SEASONS[name if name.isascii() else name[0]]
    if year is None and which in ("this", "next") and not (which == "this" and today.month < 3 and month == 12):
        year = today.year + (which == "next" and date(today.year, month, 1) <= today)
    if year is not None:
        first, last = _months_from(year, month)
        return None if which and first > today else (first, last)
    ended = which in ("last", "past") or which == "上个"
    for back in range(3):
        first, last = _months_from(today.year - back, month)
        if (last < today) if ended else (first <= today):
            return first, last
    return None


def _season_ago(match: re.Match[str], today: date) -> Stretch:
    """Resolve "two summers ago", "the summer before last": the last one counts as one ago."""
    month = _SEASONS[match["season"]]
    over = [_months_from(today.year - back, month) for back in range(9)]
    over = [season for season in over if season[1] < today]
    number = _count(match.groupdict().get("years") or "two")
    return over[number - 1] if 1 <= number <= len(over) else None


def _months_from(year: int, month: int) -> tuple[date, date]:
    first = date(year, month, 1)
    last = shifted(first, 2)
    assert last is not None
    return first, whole_month(last.year, last.month)[1]


def _school_holiday(match: re.Match[str], today: date) -> Stretch:
    first, last = ((7, 1), (8, 31)) if match["season"].startswith("暑") else ((1, 10), (2, 28))
    year = _year(match, today)
    year = year if year is not None else today.year - (date(today.year, *first) > today)
    return date(year, *first), date(year, *last)


def _two_months(match: re.Match[str], today: date) -> Stretch:
    """Resolve "in July and August", which are consecutive."""
    first, second = month_number(match["from"]), month_number(match["month"])
    if second != first % 12 + 1:
        return None
    year = _year(match, today) or today.year - (second > today.month)
    return whole_month(year - (first > second), first)[0], whole_month(year, second)[1]


def _days_of_month(match: re.Match[str], today: date) -> Stretch:
    """Resolve "between 3 and 7 October", "on the 15th and 16th"; two days with "and" are consecutive."""
    groups, first, last = match.groupdict(), read_number(match["from"]), read_number(match["day"])
    if first >= last or (match["to"] in ("and", "or") and not groups.get("between") and last - first > 1):
        return None
    if groups.get("month"):
        month = month_number(match["month"])
        year = _year(match, today)
        newest = (date(year, month, last),) if year else to.last(month, last, today)
    else:
        newest = to.last_of_month(last, today)
    return (newest[0].replace(day=first), newest[0].replace(day=last)) if newest else None


def _until_day(match: re.Match[str], today: date) -> Stretch:
    """Resolve "from 20 January to the 25th", in the next month if that day comes before the first."""
    month, year = month_number(match["month"]), _year(match, today)
    newest = (date(year, month, int(match["from"])),) if year else to.last(month, int(match["from"]), today)
    if newest is None:
        return None
    first, last = newest[0], int(match["day"])
    after = first if last > first.day else shifted(first.replace(day=1), 1)
    return (first, after.replace(day=last)) if after else None


def _ends_of_month(match: re.Match[str], today: date) -> Stretch:
    """Resolve "the last three days of September", 八月头两周."""
    first = _named_month(match, today)
    count = _count(match["count"]) if match["count"] else _SOME_DAYS if match["of"][0] == "d" else 2
    days = count * (1 if match["of"][0] in "d天" else 7)
    if first is None or not 1 <= days <= 28:
        return None
    last = clamped(first.year, first.month, LAST_DAY)
    if match["end"].startswith(("last", "最后")):
        return last - timedelta(days - 1), last
    return first, first + timedelta(days - 1)


def _ago(match: re.Match[str], today: date) -> Stretch:
    """Resolve "two or three days ago"."""
    unit = match["unit"]
    nearer, farther = (to.back(today, _count(match[name]), unit) for name in ("number", "upto"))
    return farther[0], nearer[1]


def _count(text: str) -> int:
    return 2 if text == "so" else read_number(text)


def _part_of_year(match: re.Match[str], today: date) -> Stretch:
    """Resolve halves and quarters."""
    groups = match.groupdict()
    length = 6 if groups.get("half") else 3
    written = match["half"] if groups.get("half") else match["quarter"]
    number = {"上": 1, "下": 2, "front": 1, "latter": 2, "back": 2, "一": 1, "二": 2, "三": 3, "四": 4}.get(written)
    number = number or (int(written) if written.isdigit() else read_nth(written))
    if number < 0:
        number = 12 // length
    if number * length > 12:
        return None
    month = (number - 1) * length + 1
    year = _year(match, today)
    if year is None and groups.get("which") == "last":
        year = today.year - 1
    year = year if year is not None else today.year - (month > today.month)
    return date(year, month, 1), whole_month(year, month + length - 1)[1]


def _named_part_of_year(match: re.Match[str], today: date) -> Stretch:
    """Resolve "at the end of last year", 年初; without a year the newest that began."""
    begin, end = _PARTS_OF_YEAR[match["part"][:3]]
    year, which = _year(match, today), match.groupdict().get("which")
    if which:
        year = today.year + {"last": -1, "next": 1}.get(which, 0)
    year = year if year is not None else today.year - (begin > today.month)
    return date(year, begin, 1), whole_month(year, end)[1]


def _first_months(match: re.Match[str], today: date) -> Stretch:
    """Resolve "the first two months of last year", 去年头两个月."""
    year = _year(match, today)
    months = _count(match["count"])
    year = year if year is not None else today.year
    return (date(year, 1, 1), whole_month(year, months)[1]) if 1 <= months <= 12 else None


def _half_of_month(match: re.Match[str], today: date) -> Stretch:
    first = _named_month(match, today)
    if first is None:
        return None
    if match["half"] in ("first", "front", "上", "前"):
        return first, first.replace(day=15)
    if match[0].startswith("下") and today.day < 16:
        first = whole_month(*((today.year, today.month - 1) if today.month > 1 else (today.year - 1, 12)))[0]
    return first.replace(day=16), clamped(first.year, first.month, LAST_DAY)


def _beside_holiday(match: re.Match[str], today: date) -> Stretch:
    """Resolve "ten days before Christmas", 中秋节前一天, to the newest such day."""
    holiday, count = holiday_of(match), match["count"]
    week = bool(match.groupdict().get("week"))
    distance = timedelta(_count(count) if count else 1) * (
        7 if week or "week" in match[0] or (match["of"] or "").endswith(("周", "星期", "礼拜")) else 1
    )
    distance *= -1 if match["side"].startswith(("before", "前")) else 1
    year = _year(match, today)
    years = (year,) if year is not None else (today.year + 1, today.year, today.year - 1, today.year - 2)
    days = (holiday.day(each) + distance for each in years)
    day = next((each for each in days if year is not None or each <= today), None)
    if day and week:
        first = day + timedelta(0 if distance.days < 0 else -6)
        return first, first + timedelta(6)
    return (day, day) if day else None


def _holiday(match: re.Match[str], today: date) -> Stretch:
    holiday, which = holiday_of(match), match.groupdict().get("which") or ""
    if match.groupdict().get("and") and not _BETWEEN.search(match.string, 0, match.start()):
        return None
    year = _year(match, today)
    if year is None and which == "this":
        year = today.year
    if year is not None:
        return holiday.days(year)
    years = (today.year, today.year + 1) if which == "next" else (today.year, today.year - 1, today.year - 2)
    for each in years:
        first, last = holiday.days(each)
        if (first > today) if which == "next" else (first <= today):
            return first, last
    return None


def _around_holiday(match: re.Match[str], today: date) -> Stretch:
    """Resolve "around Christmas", 春节前后."""
    days = _holiday(match, today)
    return (days[0] - _AROUND, days[1] + _AROUND) if days else None


_AROUND = timedelta(5)
_BETWEEN = lazy_pattern(r"\bbetween\b")
_TO = r"(?P<to>-|–|to|and|or|until|till|through)"
_TABLE: tuple[tuple[str, Resolve], ...] = (
    (
        (rf"\b(?:the\s+)?{NTH}\s+(?P<what>weekend|week|day|{WHOLE_WEEKDAY_NAMES})\s+(?:of|in)\s+"
        rf"(?:(?:the|(?P<which>last|this|next))\s+month\b|{_MONTH}){_YEAR}"),
        _nth_of_month,
    ),
    (
        (rf"{_NO_DEADLINE}\b(?:the\s+)?(?:(?P<before>early|mid)\s+to\s+)?"
        r"(?P<part>early|mid|late|(?:beginning|start|middle|end)\s+of)[\s-]+"
        rf"(?:(?:the|(?P<which>last|this|next))\s+month\b|(?:(?P<which_month>last|this)\s+)?{_MONTH}){_YEAR}"),
        _part_of_month,
    ),
    (rf"\b(?:from|between)\s+{_FROM_MONTH}\s+(?:to|and|until|till|through)\s+{_MONTH}{_YEAR}", _months),
    (r"\b(?:from|between)\s+(?P<from>(?:19|20)[0-9]{2})\s+(?:to|and)\s+(?P<year>(?:19|20)[0-9]{2})\b", _years),
    (rf"\b(?P<which>last)\s+{_MONTH}(?!\s+[0-9])", _whole_month),
    (r"^\s*(?P<month>(?:jan|febr)uary|july|(?:septem|octo|novem|decem)ber)\W*$", _whole_month),  # no first names
    (rf"\b(?:half\s+a|(?P<number>{_NUMBER})\s+and\s+a\s+half)\s+(?P<unit>years?|months)\s+ago\b", _half_ago),
    (r"\b(?P<number>an?|one)\s+(?P<unit>year|month)\s+and\s+a\s+half\s+ago\b", _half_ago),
    (rf"\b(?P<years>{_NUMBER})\s+(?P<season>spring|summer|autumn|fall|winter)s\s+ago\b", _season_ago),
    (r"\bthe\s+(?P<season>spring|summer|autumn|fall|winter)\s+before\s+last\b", _season_ago),
    (rf"\bthe\s+{_EN_SEASON}{_OF_YEAR}", _season),
    (r"\b(?:around\s+|about\s+)?this time\s+last\s+(?P<unit>year|month)\b", _this_time),
    (
        rf"\b(?:(?:in|over|during)\s+(?:the\s+)?|(?<=since\s)|(?P<which>last|past|this|next)\s+){_EN_SEASON}{_YEAR}",
        _season,
    ),
    (rf"\b(?:in|during|over)\s+{_FROM_MONTH}\s*(?:and|&|or)\s*{_MONTH}{_YEAR}", _two_months),
    (
        (rf"(?<![0-9:.])\b(?:(?P<between>between|from)\s+)?(?:the\s+)?{_FROM}\s*{_TO}\s*"
        rf"(?:the\s+)?{_DAY}(?:\s+of)?\s+{_MONTH}{_YEAR}"),
        _days_of_month,
    ),
    *(
        (
            (rf"\b(?:from|between|since)\s+(?:the\s+)?{first}\s*{_TO}\s*(?:the\s+)?{_DAY}\b"
            rf"(?!\s+(?:of|{MONTH_NAMES})\b){_YEAR}"),
            _until_day,
        )
        for first in (rf"{_FROM}(?:\s+of)?\s+{_MONTH}", rf"{_MONTH}\s+(?:the\s+)?{_FROM}")
    ),
    (
        (rf"\b(?:the\s+)?(?P<end>first|last)\s+(?:(?P<count>{_NUMBER})\s+|few\s+|couple\s+of\s+)?(?P<of>days|weeks)\s+(?:of|in)\s+"
        rf"(?:(?:the|(?P<which>last|this|next))\s+month\b|{_MONTH}){_YEAR}"),
        _ends_of_month,
    ),
    (rf"\bon\s+the\s+{_FROM}\s*{_TO}\s*(?:the\s+)?(?P<day>[0-3]?[0-9])(?:st|nd|rd|th)\b(?!\s+of\b)", _days_of_month),
    (rf"\b(?P<number>{_NUMBER})\s*(?:or|to|-|–)\s*(?P<upto>{_NUMBER})\s+{_UNIT}\s+(?:ago|back)\b", _ago),
    (r"\b(?P<number>an?|one)\s+(?P<unit>day|week|month|year)\s+or\s+(?P<upto>two|so)\s+ago\b", _ago),
    (
        (r"\b(?P<half>first|front|second|last|latter|back)\s+half\s+of\s+"
        r"(?:(?:the|this|(?P<which>last))\s+year\b|(?P<year>(?:19|20)[0-9]{2})\b)"),
        _part_of_year,
    ),
    (
        rf"\b(?:in|during|of|since)\s+(?:the\s+)?(?P<quarter>first|second|third|fourth)\s+quarter\b{_YEAR}",
        _part_of_year,
    ),
    (rf"\b(?:the\s+)?(?P<quarter>first|second|third|fourth)\s+quarter{_OF_YEAR}", _part_of_year),
    (rf"\bq(?P<quarter>[1-4])\b(?:\s+of)?{_YEAR}", _part_of_year),
    (
        (r"\b(?:the\s+)?(?P<half>first|front|second|last|latter|back)\s+half\s+of\s+"
        rf"(?:(?:the|(?P<which>last|this|next))\s+month\b|{_MONTH}){_YEAR}"),
        _half_of_month,
    ),
    (
        (rf"{_NO_DEADLINE}\b(?:the\s+)?(?P<part>early|mid|late|(?:beginning|start|middle|end)\s+of|(?:early|late)\s+in)[\s-]+"
        r"(?:(?:the|(?P<which>last|this|next))\s+year\b|(?P<year>(?:19|20)[0-9]{2})\b)"),
        _named_part_of_year,
    ),
    (
        (rf"\b(?:first\s+(?P<count>{_NUMBER})\s+months\s+of\s+(?:(?:the|this)\s+year\b|(?P<ago>last year)\b"
        r"|(?P<year>(?:19|20)[0-9]{2})\b))"),
        _first_months,
    ),
    (rf"\b{_BESIDE}(?:{EXACT}|{LOOSE}){_YEAR}", _beside_holiday),
    (rf"\baround\s+(?:the\s+)?(?:{EXACT}|{LOOSE}){_NO_DAY}{_YEAR}", _around_holiday),
    (
        rf"(?:\b(?P<which>last|this|next)\s+)?{_NO_DEADLINE}(?<!for )(?=[a-z]){EXACT}{_YEAR}",
        _holiday,
    ),
    (
        (rf"\b(?:(?P<which>last|this|next)|at|over|around|during|after|en|por|since|between|(?P<and>and))\s+"
        rf"(?:the\s+|la\s+)?{LOOSE}(?:\s+(?:weekend|holidays?|break)\b)?{_NO_DAY}{_YEAR}"),
        _holiday,
    ),
    (rf"\b{_MONTH}\s+(?:the\s+)?{_ORDINAL}{_OF_YEAR}", _day_of_year),
    (rf"\b{_ORDINAL}(?:\s+of)?\s+{_MONTH}{_OF_YEAR}", _day_of_year),
    (rf"\b(?:(?:in|during|of)\s+)?{_MONTH}{_OF_YEAR}", _whole_month),
)  # fmt: skip
_ZH_TABLE: tuple[tuple[str, Resolve], ...] = (
    ("(?P<number>[一二两三四五六七八九十]|[0-9]{1,2})年半(?:之前|以前|前)", _half_ago),
    ("(?P<number>[一二两三四五六七八九十]|[0-9]{1,2})(?P<unit>个)半月(?:之前|以前|前)", _half_ago),
    (rf"(?:{_ZH_YEAR})?(?<![0-9]){_ZH_FROM_MONTH}[到至~-]{_ZH_MONTH}(?![0-9底末初中上下])", _months),
    (
        rf"(?:{_ZH_YEAR})?(?<![0-9]){_ZH_MONTH}(?P<from>{_ZH_DAY})[号日]?(?P<to>[到至~-])(?P<day>{_ZH_DAY})[号日]",
        _days_of_month,
    ),
    (rf"{_ZH_YEAR}(?<=年前的|.年前){_ZH_MONTH}(?![0-9底末初中上下])", _whole_month),
    (
        (
            rf"(?:{_ZH_YEAR})?(?:(?<![0-9]){_ZH_MONTH}|{_ZH_WHICH})的?{ZH_NTH}"
            f"(?P<what>周末|{ZH_WEEK}{ZH_WEEKDAY_NAMES}|{ZH_WEEK}(?!年)|天)"
        ),
        _nth_of_month,
    ),
    ("(?P<unit>去年|前年|上个?月)的?(?:这个?时候|这会儿|这段时间|此时|同期)", _this_time),
    (rf"(?:{_ZH_YEAR}|(?P<which>上个|这个))的?(?P<season>[春夏秋冬][天季])", _season),
    (rf"(?:{_ZH_YEAR})?(?P<season>暑假|暑期|寒假)", _school_holiday),
    (rf"(?:{_ZH_YEAR})?(?P<half>[上下])半年", _part_of_year),
    (rf"(?:{_ZH_YEAR})?第?(?P<quarter>[一二三四1-4])季度", _part_of_year),
    (rf"(?:{_ZH_YEAR}年?|年)(?P<part>[底末尾]|初(?!中|[一二三夏春冬秋])|中(?![秋学间国午文]))", _named_part_of_year),
    (rf"{_ZH_YEAR}[头前](?P<count>[一二两三四五六七八九十]|[0-9]{{1,2}})个月", _first_months),
    (
        (
            rf"(?:{_ZH_YEAR})?(?:(?<![0-9]){_ZH_MONTH}|{_ZH_WHICH})的?(?P<end>[头前]|最[前后])"
            "(?P<count>[一两二三四五六七八九十]|[0-9]{1,2})(?P<of>天|周|个?星期|个?礼拜)"
        ),
        _ends_of_month,
    ),
    (rf"(?:{_ZH_YEAR})?(?:(?<![0-9]){_ZH_MONTH}|{_ZH_WHICH})?的?(?P<half>[上下])半个?月(?!前)", _half_of_month),
    (rf"(?:{_ZH_YEAR})?(?<![0-9]){_ZH_MONTH}的?(?P<half>[前后])半个?月(?![前后以之])", _half_of_month),
    (rf"(?:{_ZH_YEAR})?{EXACT}前后", _around_holiday),
    (
        (
            rf"(?:{_ZH_YEAR})?{EXACT}[提之]?(?P<side>[前后])(?:(?P<week>一?个?(?:周|星期|礼拜))"
            "|(?P<count>[一两二三四五六七八九十]|[0-9]{1,2})(?P<of>天|个?(?:周|星期|礼拜)))"
        ),
        _beside_holiday,
    ),
    (rf"(?:{_ZH_YEAR})?{EXACT}(?:小?长?假期?|黄金周)?", _holiday),
)
_PATTERNS = tuple((lazy_pattern(pattern), resolve) for pattern, resolve in _TABLE)
_ZH_PATTERNS = tuple((lazy_pattern(pattern), resolve) for pattern, resolve in _ZH_TABLE)


RESOLVERS = frozenset(resolve for _pattern, resolve in (*_TABLE, *_ZH_TABLE))
_TIMELESS = lazy_pattern(
    r"\b(?:do|does|don't|doesn't|can|can't|could|should|shouldn't|will|shall|would|might|must|wants?|hope)\b"
    r"|\b(?:going to|planning|every|each|always|usually|often|never|suel[oe]|siempre|cada|voy a|puedo|quiero)\b"
    r"|一般|通常|平时|平常|总是|[每都要会想能才]|打算|准备|计划|应该|可以|快到|来历"
)
_PAST = lazy_pattern(
    r"\b(?:did|didn't|was|were|had|went|got|said|told|saw|made|gave|bought|[a-z]{2,}ed)\b"
    r"|\b(?:hice|hicimos|fui|fuimos|paso|habl[oe]|hablamos)\b|[了那聊过]|发生|什么时候|去哪|干嘛|做什么"
)
_DID_DO = lazy_pattern(r"\b(did(?:n't)?\b[^.;]{1,30})\bdo\b")
_SOME_DAYS = 5
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
    return bool(_TIMELESS.search(rest)) or (others > _FEW and not _PAST.search(rest))


def calendar_patterns(text: str) -> tuple[tuple[re.Pattern[str], Resolve], ...]:
    """Return the patterns with their resolvers; the Chinese ones for a text with other than ASCII characters."""
    return _PATTERNS if text.lstrip("¿¡ ").isascii() else (*_ZH_PATTERNS, *_PATTERNS)
