"""Names and numbers of the words of dates: weekdays, months, ordinals, units, "last", 去年; pure.

Texts are lower case. Spanish words were read by ``plain_dates`` before.
"""

from __future__ import annotations

import re
from datetime import date

from pet.language.normalization import is_one_edit, is_replaced, read_number

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
WORKDAYS = (0, 1, 2, 3, 4)
WORKING_DAY = 7
"""In place of a weekday of the month: Monday to Friday, whatever the holidays."""
_WEEKDAYS = tuple(each[:3].lower() for each in WEEKDAYS)
_ZH_WEEKDAYS = "一二三四五六日天"
_MONTHS = tuple(each[:3].lower() for each in MONTHS)
_ONES = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_ORDINALS = (
    *(*_ONES, "tenth", "eleventh", "twelfth", "thirteenth", "fourteenth", "fifteenth", "sixteenth", "seventeenth"),
    *("eighteenth", "nineteenth", "twentieth", *(f"twenty-{each}" for each in _ONES), "thirtieth", "thirty-first"),
)
WHICH = {
    "大前": -3,
    **dict.fromkeys(("上上", "前", "before last"), -2),
    **dict.fromkeys(("上", "去", "last", "past"), -1),
    **dict.fromkeys(("这", "本", "今", "当", "this", "coming", "the"), 0),
    **dict.fromkeys(("下", "明", "next"), 1),
    **dict.fromkeys(("下下", "后"), 2),
}
"""Weeks, months or years from this one."""
_UNITS = {
    **dict.fromkeys(("sec", "秒", "秒钟"), "second"),
    **dict.fromkeys(("min", "分", "分钟"), "minute"),
    **dict.fromkeys(("hr", "小时", "钟头"), "hour"),
    **dict.fromkeys(("天", "日", "daily", "morning", "afternoon", "evening", "night"), "day"),
    **dict.fromkeys(("周", "星期", "礼拜", "weekly"), "week"),
    **dict.fromkeys(("月", "monthly"), "month"),
    **dict.fromkeys(("年", "yearly", "annually"), "year"),
}


def weekday_number(name: str) -> int:
    """Return the weekday, 0 for Monday, or ``WORKING_DAY`` for words of such a day.

    >>> weekday_number("tuesday"), weekday_number("周天"), weekday_number("working day")
    (1, 6, 7)
    """
    if name[-1] in _ZH_WEEKDAYS and name != "工作日":
        return min(_ZH_WEEKDAYS.index(name[-1]), 6)
    return _WEEKDAYS.index(name[:3]) if name.startswith(_WEEKDAYS) else WORKING_DAY


def month_number(name: str) -> int:
    """Return the month, from 1, of an English name, a Chinese number or digits. Raises LookupError, ValueError."""
    return _MONTHS.index(name[:3]) + 1 if name[0].isascii() and name[0].isalpha() else read_number(name)


def day_number(text: str) -> int:
    """Return the number of "3rd", "twenty-first", 十五 or digits. Raises LookupError, ValueError."""
    if text[0].isdigit():
        return int(text.rstrip("stndrh"))
    return _ORDINALS.index("-".join(text.split())) + 1 if text.isascii() else read_number(text)


def read_nth(text: str) -> int:
    """Return 1 for "first", 1st or 第一, -1 for "last" or 最后."""
    if text.startswith(("last", "latter", "back", "最后")):
        return -1
    return read_number(text[1:]) if text[0] == "第" else day_number(text)


def which_number(groups: dict[str, str | None], name: str = "which") -> int | None:
    """Return weeks, months or years from this one, as a group says it: -1 for "last", 上个, 去年; None without it."""
    word = groups.get(name)
    return WHICH[re.sub(" ?year$|[个年]$", "", word)] if word else None


def year_of(match: re.Match[str], today: date) -> int | None:
    """Return the year in the groups ``year``, ``ago`` ("last year", 去年) or ``years`` ago; None without one."""
    groups = match.groupdict()
    if written := groups.get("year"):
        return int(written) + (2000 if len(written) == 2 else 0) if written.isdecimal() else read_number(written)
    if years := groups.get("years"):
        return today.year - read_number(years)
    ago = which_number(groups, "ago")
    return None if ago is None else today.year + ago


def unit_of(word: str) -> str:
    """Return the unit of time: second, minute, hour, day, week, fortnight, month, year.

    >>> unit_of("weeks"), unit_of("个月"), unit_of("hrs")
    ('week', 'month', 'hour')
    """
    plain = word.removeprefix("个").removesuffix("s")
    return _UNITS.get(plain, plain)


_CORRECTED = (
    *("yesterday", "tomorrow", *map(str.lower, WEEKDAYS)),
    *(month.lower() for month in MONTHS if len(month) > len("April")),
)
_MISSPELT = {"wensday": "wednesday", "wendsday": "wednesday", "tommorow": "tomorrow", "febuary": "february"}
_LONG = 7  # shorter words with another letter are mostly other words
_WORD = re.compile(r"[A-Za-z]{5,11}")


def correct_day_names(text: str) -> str:
    """Return the text with corrected names of days and months: "yestreday", "Agust"."""
    return _WORD.sub(lambda match: _day_meant(match[0]), text)


def _day_meant(word: str) -> str:
    lower = word.lower()
    if lower in _MISSPELT:
        return _MISSPELT[lower]
    if lower in _CORRECTED:
        return word
    return next((day for day in _CORRECTED if _may_mean(lower, day)), word)


def _may_mean(word: str, day: str) -> bool:
    """Return whether the word is a misspelt day name, not a word that is as near: with a letter added ("Mondays",
    "Augusta"), with another end ("Frida", "Sundar", "sundae"), or short with a letter replaced ("sundry",
    "Munday")."""
    if word.startswith(day) or word[-1] != day[-1] or not is_one_edit(word, day):
        return False
    return len(day) >= _LONG or not is_replaced(word, day)
