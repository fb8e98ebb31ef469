"""Dates in a question: 上周二, 三天前, last Tuesday, in March, 2026-03-01; pure.

Owns which days a question speaks of, seen from the day on which it is asked. Refuses to guess a future day where
none is said: what is remembered is past, so "in March" is the last March that has begun.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_DAYS = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
_NUMBER_WORDS = [
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"
]  # fmt: skip
_NUMBERS = {w: n for n, w in enumerate(_NUMBER_WORDS)}
_NUMBERS |= {"a": 1, "an": 1, "a couple of": 2, "couple of": 2, "a few": 3, "few": 3}
_ZH_DIGITS = {c: n for n, c in enumerate("零一二三四五六七八九")} | {"两": 2, "〇": 0, "几": 3}
_ZH_YEARS_AGO = {"今年": 0, "去年": 1, "前年": 2}
_MONTH = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    r"|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_WEEKDAY = r"(?P<weekday>mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:day)?"
_ORDINAL = r"(?P<day>[0-3]?[0-9])(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)[0-9]{2})"
_ZH_NUMBER = "(?P<number>[0-9]+|[零〇一二两三四五六七八九十几]+|半)"
_EN_NUMBER = rf"(?P<number>[0-9]+|a couple of|couple of|a few|few|{'|'.join(_NUMBER_WORDS)}|an?)"


@dataclass(frozen=True, slots=True, kw_only=True)
class Days:
    """From first to last, both included, and where in the question they were said."""

    first: date
    last: date
    span: tuple[int, int]

    def __contains__(self, day: date) -> bool:
        return self.first <= day <= self.last


def find_days(question: str, today: date) -> list[Days]:
    """Every day or stretch of days the question names; the first pattern that fits a place wins it."""
    text = question.casefold() if len(question.casefold()) == len(question) else question.lower()
    taken: list[Days] = []
    for pattern, resolve in _PATTERNS:
        for found in pattern.finditer(text):
            if any(found.start() < days.span[1] and days.span[0] < found.end() for days in taken):
                continue
            try:
                stretch = resolve(found, today)
            except (ValueError, OverflowError):  # 31 February, the year 99999: no date after all
                continue
            if stretch:
                taken.append(Days(first=stretch[0], last=stretch[1], span=found.span()))
    return sorted(taken, key=lambda days: days.span)


def asks_lately(question: str) -> bool:
    """Whether the newest is what is wanted."""
    return bool(_LATELY.search(question.casefold()))


def without(question: str, stretches: list[Days]) -> str:
    """The question without the words that named its days, "lately" among them."""
    kept, at = [], 0
    for days in stretches:
        kept.append(question[at : days.span[0]])
        at = days.span[1]
    return _LATELY.sub(" ", " ".join([*kept, question[at:]]))


Stretch = tuple[date, date] | None
Resolve = Callable[[re.Match[str], date], Stretch]
_LATELY = re.compile(
    r"\b(?:recent(?:ly)?|lately|latest|these days|most recent|newest)\b|最近|近来|近期|这几天|这阵子|刚刚|最新"
)


def _full(found: re.Match[str], _today: date) -> Stretch:
    day = date(int(found["year"]), _month(found["month"]), int(found["day"]))
    return day, day


def _day_of_month(found: re.Match[str], today: date) -> Stretch:
    """A day without its year: the last one that was, or today."""
    return _last(_month(found["month"]), int(found["day"]), today)


def _last(month: int, number: int, today: date) -> Stretch:
    for year in range(today.year, today.year - 9, -1):  # 29 February may be eight years back
        try:
            day = date(year, month, number)
        except ValueError:
            continue
        if day <= today:
            return day, day
    return None


def _month_only(found: re.Match[str], today: date) -> Stretch:
    month = _month(found["month"])
    named = found.groupdict().get("year")
    year = int(named) if named else today.year - (month > today.month)
    return _whole_month(year, month)


def _zh_month(found: re.Match[str], today: date) -> Stretch:
    which, month = found["which"], _zh_number(found["month"])
    year = today.year - _ZH_YEARS_AGO[which] if which else today.year - (month > today.month)
    return _whole_month(year, month)


def _zh_day(found: re.Match[str], today: date) -> Stretch:
    which, month, number = found["which"], _zh_number(found["month"]), _zh_number(found["day"])
    if which:
        year = int(found["year"]) if found["year"] else today.year - _ZH_YEARS_AGO[which]
        day = date(year, month, number)
        return day, day
    return _last(month, number, today)


def _year(found: re.Match[str], _today: date) -> Stretch:
    year = int(found["year"])
    return date(year, 1, 1), date(year, 12, 31)


def _offset(days: int) -> Resolve:
    return lambda _found, today: (today + timedelta(days), today + timedelta(days))


def _ago(found: re.Match[str], today: date) -> Stretch:
    return _back(today, _number(found["number"]), found["unit"])


def _zh_ago(found: re.Match[str], today: date) -> Stretch:
    unit = found["unit"]
    if found["number"] == "半":
        return _back(today, 6 if unit.endswith("年") else 15, "month" if unit.endswith("年") else "day")
    return _back(today, _zh_number(found["number"]), {"天": "day", "日": "day", "年": "year"}.get(unit, unit))


def _back(today: date, number: int, unit: str) -> Stretch:
    """``number`` units ago; the longer the unit, the wider what is meant."""
    if unit.startswith("day"):
        day = today - timedelta(number)
        return day, day
    if unit in ("week", "weeks", "周", "星期", "个星期", "礼拜", "个礼拜"):
        day = today - timedelta(7 * number)
        return day - timedelta(3), day + timedelta(3)
    if unit in ("month", "months", "月", "个月"):
        months = today.year * 12 + today.month - 1 - number
        return _whole_month(months // 12, months % 12 + 1)
    middle = today.year - number
    return date(middle, 1, 1), date(middle, 12, 31)


def _past(found: re.Match[str], today: date) -> Stretch:
    """ "the last three days", "过去两周": up to today."""
    number, unit = found["number"], found["unit"]
    count = (_zh_number(number) if not number.isascii() else _number(number)) if number else 1
    size = {"d": 1, "w": 7, "m": 30, "y": 365, "天": 1, "日": 1, "周": 7, "星": 7, "礼": 7, "月": 30, "年": 365}
    return today - timedelta(count * size[unit.removeprefix("个")[0]]), today


def _weekday(found: re.Match[str], today: date) -> Stretch:
    which = found["which"] or ""
    wanted = _DAYS.index(found["weekday"][:3])
    if which.startswith("next"):
        day = today + timedelta((wanted - today.weekday() - 1) % 7 + 1)
    elif which.startswith("this"):
        day = today + timedelta(wanted - today.weekday())
    else:
        day = today - timedelta((today.weekday() - wanted - 1) % 7 + 1)
    return day, day


def _zh_weekday(found: re.Match[str], today: date) -> Stretch:
    wanted = "一二三四五六日天".index(found["weekday"]) % 7 if found["weekday"] != "天" else 6
    week = {"上上": -2, "上": -1, "这": 0, "本": 0, "下": 1, "下下": 2}
    if found["which"]:
        day = today + timedelta(wanted - today.weekday() + 7 * week[found["which"]])
    else:
        day = today - timedelta((today.weekday() - wanted) % 7)
    return day, day


def _week(found: re.Match[str], today: date) -> Stretch:
    which = found["which"]
    weeks = {"上上": -2, "上": -1, "last": -1, "这": 0, "本": 0, "this": 0, "下": 1, "next": 1}[which]
    monday = today - timedelta(today.weekday()) + timedelta(7 * weeks)
    weekend = "end" in found["what"] or found["what"] in ("周末", "个周末")
    return (monday + timedelta(5 if weekend else 0), monday + timedelta(6))


def _this_month(found: re.Match[str], today: date) -> Stretch:
    offset = {"上上个月": -2, "上个月": -1, "上月": -1, "last month": -1, "next month": 1, "下个月": 1, "下月": 1}
    months = today.year * 12 + today.month - 1 + offset.get(found[0], 0)
    return _whole_month(months // 12, months % 12 + 1)


def _this_year(found: re.Match[str], today: date) -> Stretch:
    offset = {"前年": -2, "去年": -1, "last year": -1, "明年": 1, "next year": 1}
    year = today.year + offset.get(found[0], 0)
    return date(year, 1, 1), date(year, 12, 31)


def _last_days(_found: re.Match[str], today: date) -> Stretch:
    return today - timedelta(7), today - timedelta(1)


def _whole_month(year: int, month: int) -> tuple[date, date]:
    after = date(year + month // 12, month % 12 + 1, 1)
    return date(year, month, 1), after - timedelta(1)


def _month(text: str) -> int:
    return int(text) if text.isdigit() else _MONTHS.index(text[:3]) + 1


def _number(text: str) -> int:
    return int(text) if text.isdigit() else _NUMBERS[text]


def _zh_number(text: str) -> int:
    if text.isdigit():
        return int(text)
    tens, ten, ones = text.rpartition("十")
    if not ten:
        return int("".join(str(_ZH_DIGITS[c]) for c in text))
    return (_ZH_DIGITS[tens] if tens else 1) * 10 + (_ZH_DIGITS[ones] if ones else 0)


def _patterns() -> Iterator[tuple[re.Pattern[str], Resolve]]:
    zh_md = r"(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月"
    zh_d = r"(?P<day>[0-3]?[0-9]|[一二三]?十[一二三四五六七八九]?|[一二三四五六七八九])[号日]"
    table: list[tuple[str, Resolve]] = [
        (r"(?<![0-9])(?P<year>[0-9]{4})[-/.](?P<month>[0-9]{1,2})[-/.](?P<day>[0-9]{1,2})(?![0-9])", _full),
        (rf"(?P<which>(?P<year>[0-9]{{4}})年|今年|去年|前年)?\s*的?{zh_md}\s*{zh_d}", _zh_day),
        (r"(?P<year>(?:19|20)[0-9]{2})年(?P<month>1[0-2]|0?[1-9])月", _month_only),
        (rf"\b{_MONTH}\s+(?:the\s+)?{_ORDINAL},?\s+{_YEAR}\b", _full),
        (rf"\b{_ORDINAL}(?:\s+of)?\s+{_MONTH},?\s+{_YEAR}\b", _full),
        (rf"\b{_MONTH}\s+{_YEAR}\b", _month_only),
        (rf"\b{_MONTH}\s+(?:the\s+)?{_ORDINAL}\b(?![:])", _day_of_month),
        (rf"\b{_ORDINAL}(?:\s+of)?\s+{_MONTH}(?![a-z])", _day_of_month),
        (rf"\b{_EN_NUMBER}\s+(?P<unit>days?|weeks?|months?|years?)\s+ago\b", _ago),
        (rf"{_ZH_NUMBER}(?P<unit>天|日|周|个?星期|个?礼拜|个?月|年)(?:之前|以前|前)", _zh_ago),
        (rf"\b(?:last|past)\s+{_EN_NUMBER}\s+(?P<unit>days?|weeks?|months?|years?)\b", _past),
        (rf"(?:过去|最近|近)的?{_ZH_NUMBER}(?P<unit>天|日|周|个?星期|个?礼拜|个?月|年)", _past),
        (r"\b(?:the\s+)?day before yesterday\b|(?<!大)前天", _offset(-2)),
        (r"\bthe other day\b|前几天|前两天|前些天|前些日子", _last_days),
        (r"大前天", _offset(-3)),
        (r"\b(?:the\s+)?day after tomorrow\b|后天", _offset(2)),
        (r"\byesterday\b|\blast night\b|昨天|昨日|昨晚|昨夜", _offset(-1)),
        (r"\btomorrow\b|明天|明日|明早|明晚", _offset(1)),
        (r"\btoday\b|\btonight\b|\bthis (?:morning|afternoon|evening)\b|今天|今日|今早|今晚|今晨", _offset(0)),
        (r"(?P<which>上上|上|这|本|下下|下)?个?(?:周|星期|礼拜)(?P<weekday>[一二三四五六日天])", _zh_weekday),
        (r"(?P<which>上上|上|这|本|下)(?P<what>个?周末|个?星期|个?礼拜|周)", _week),
        (r"\b(?P<which>last|this|next)\s+(?P<what>weekend|week)\b", _week),
        (rf"\b(?:(?P<which>last|this|next|past)\s+|on\s+){_WEEKDAY}\b", _weekday),
        (r"\b(?:last|this|next) month\b|上上个月|上个月|上月|这个月|本月|下个月|下月", _this_month),
        (
            r"\b(?:last|this|next) year\b|(?:前年|去年|今年|明年)(?!的?[一二三四五六七八九十0-9])",
            _this_year,
        ),
        (rf"\b(?:in|during|this|last|of|since)\s+{_MONTH}(?![a-z])", _month_only),
        (
            r"(?P<which>今年|去年|前年)?的?(?<![0-9])(?P<month>1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九])月份?(?![0-9])",
            _zh_month,
        ),
        (rf"\b(?:in|during|of|since)\s+{_YEAR}\b", _year),
        (rf"(?<![0-9]){_YEAR}年(?![0-9一二三四五六七八九十])", _year),
    ]
    for pattern, resolve in table:
        yield re.compile(pattern), resolve


_PATTERNS = tuple(_patterns())
