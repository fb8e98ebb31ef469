"""Names of weekdays, months and ordinals in the texts of dates, and their numbers: patterns for both grammars; pure.

Texts are lower case. Spanish names were read by ``plain_dates`` before.
"""

from __future__ import annotations

from pet.language import pattern_rows
from pet.language.normalization import read_number
from pet.language.repetition import WORKING_DAY

_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_ZH_WEEKDAYS = "一二三四五六日"
WEEKDAY_NAMES = (
    r"mon(?:day)?|tue(?:s(?:day)?)?|wed(?:nesday)?|thu(?:r(?:s(?:day)?)?)?|fri(?:day)?|sat(?:urday)?|sun(?:day)?"
)
WHOLE_WEEKDAY_NAMES = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
ZH_WEEK = "(?:周|星期|礼拜)"
ZH_WEEKDAY_NAMES = f"[{_ZH_WEEKDAYS}天]"
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
MONTH_NAMES = (
    "jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?"
    "|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?"
)
ZH_MONTH_NUMBER = "1[0-2]|0?[1-9]|十[一二]?|[一二三四五六七八九]"
_NTH = ("fir", "sec", "thi", "fou", "1st", "2nd", "3rd", "4th")
NTH = r"(?P<nth>first|second|third|fourth|1st|2nd|3rd|4th|last)"
ZH_NTH = "(?P<nth>第[一二三四1-4]|最后一?)个?"


def weekday_number(name: str) -> int:
    """Return the weekday, 0 for Monday, or ``WORKING_DAY`` for words of such a day.

    >>> weekday_number("tuesday"), weekday_number("天"), weekday_number("working day")
    (1, 6, 7)
    """
    if name in (*_ZH_WEEKDAYS, "天"):
        return _ZH_WEEKDAYS.index(name.replace("天", "日"))
    return _WEEKDAYS.index(name[:3]) if name.startswith(_WEEKDAYS) else WORKING_DAY


def month_number(name: str) -> int:
    """Return the month, from 1, of an English name, a Chinese number or digits. Raises LookupError, ValueError."""
    return _MONTHS.index(name[:3]) + 1 if name[0].isascii() and name[0].isalpha() else read_number(name)


def read_nth(text: str) -> int:
    """Return 1 for "first", 1st or 第一, -1 for "last" or 最后."""
    if text.startswith(("last", "最后")):
        return -1
    return read_number(text[1:]) if text[0] == "第" else _NTH.index(text[:3]) % 4 + 1


def relative_day(text: str) -> tuple[int, int] | None:
    """Return the first "tomorrow", "last night" or the like in a text: its days from today, and its end; None without
    one.

    >>> relative_day("Flies tomorrow morning"), relative_day("大前天到家"), relative_day("Por la mañana")
    ((1, 22), (-3, 3), None)
    """
    kinds = (kind for kind in pattern_rows("days.json").items() if kind[0][0] in "+-")
    matches = [(match, int(days)) for days, rows in kinds for row in rows if (match := row.search(text))]
    first = min(matches, key=lambda each: each[0].start(), default=None)
    return (first[1], first[0].end()) if first else None
