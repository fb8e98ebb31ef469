"""Named days of the year in English, Chinese and Spanish: Christmas Eve, 除夕, Semana Santa; pure.

They are rows of ``data/holidays.json``. Days of the Chinese calendar are known for 2020 to 2040. Names that mean
several days, by country (Mother's Day) or at once (国庆假期 as a moment), are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta

from pet.language import read_rows
from pet.text.lazy_pattern import lazy_pattern

_TABLE = read_rows("holidays.json")
_LUNAR: list[str] = _TABLE["lunar"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Holiday:
    """A named day. ``name``: as written in a log; ``key``: of its name in the catalogues, if its date moves;
    ``words`` and ``loose``: patterns of its names, the latter a day only after a preposition; ``around``: days before
    and after it that a question means."""

    name: str
    words: str
    base: tuple[int, int] | tuple[str, int]
    key: str = ""
    loose: str = ""
    around: tuple[int, int] = (0, 0)

    def day(self, year: int) -> date:
        """Return its date. Raises OverflowError outside the known years."""
        anchor, number = self.base
        if isinstance(anchor, int):
            return date(year, anchor, number)
        if anchor == "easter":
            return _easter(year) + timedelta(number)
        days: str | None = _TABLE["days"].get(str(year))
        if days is None:
            raise OverflowError(year)
        written = days.split()[_LUNAR.index(anchor)]
        return date(year, int(written[:2]), int(written[2:])) + timedelta(number)

    def days(self, year: int) -> tuple[date, date]:
        """Return first and last day that a question means. Raises OverflowError outside the known years."""
        day = self.day(year)
        return day - timedelta(self.around[0]), day + timedelta(self.around[1])


def _easter(year: int) -> date:
    """Return Easter Sunday by the anonymous Gregorian algorithm."""
    century, of_century = divmod(year, 100)
    golden = year % 19
    epact = (19 * golden + century - century // 4 - (century - (century + 8) // 25 + 1) // 3 + 15) % 30
    weekday = (32 + 2 * (century % 4) + 2 * (of_century // 4) - epact - of_century % 4) % 7
    month, day = divmod(epact + weekday - 7 * ((golden + 11 * epact + 22 * weekday) // 451) + 114, 31)
    return date(year, month, day + 1)


HOLIDAYS = tuple(
    Holiday(
        name=row["name"],
        words=row["words"],
        base=(row["base"][0], row["base"][1]),
        key=row.get("key", ""),
        loose=row.get("loose", ""),
        around=tuple(row.get("around", (0, 0))),
    )
    for row in _TABLE["rows"]
)
NAMES = {each.name: each for each in HOLIDAYS}
_EXACT = "|".join(f"(?P<h{at}>{each.words})" for at, each in enumerate(HOLIDAYS)).replace("'?", "['’]?")
_LOOSE = "|".join(f"(?P<loose{at}>{each.loose})" for at, each in enumerate(HOLIDAYS) if each.loose)
_AFTER = r"(?<![a-z0-9])"
_BEFORE = "(?![a-z0-9路广场号楼饭]|[提之]?前(?![0-9零一二两三四五六七八九十百千点]{1,2}(?:天|个?(?:周|星期|礼拜))))"
EXACT = rf"{_AFTER}(?:{_EXACT}){_BEFORE}"
"""Names that are a day in any context. Texts are lower case."""
LOOSE = rf"(?:{_LOOSE})\b"
"""Names that are a day after "at" or "last", not in "Christmas tree"."""
_MOMENT = lazy_pattern(rf"(?:\b(?:en|por|el|la)\s+)?{_AFTER}(?:{_EXACT}|{_LOOSE}){_BEFORE}(?!小?长?假|那?周)")
_PART = lazy_pattern("[早晚夜晨午]")
MARKED = r"\bholiday(?P<holiday>[a-z]{2})\b"


def holiday_of(match: re.Match[str]) -> Holiday:
    """Return the holiday that a pattern with ``EXACT`` or ``LOOSE`` matched."""
    groups = match.groupdict()
    return next(each for at, each in enumerate(HOLIDAYS) if groups.get(f"h{at}") or groups.get(f"loose{at}"))


def mark_holidays(text: str) -> str:
    """Return the text with ``MARKED`` words in place of names of holidays, whose parts look like other dates."""

    def marked(match: re.Match[str]) -> str:
        night = match[0].endswith("夜") and "点" in text and not _PART.search(text.replace(match[0], ""))
        return f" {_mark(holiday_of(match))} {'晚上' if night else ''}"

    return _MOMENT.sub(marked, text)


def marked_holiday(letters: str) -> Holiday:
    """Return the holiday of a ``MARKED`` word."""
    return next(each for each in HOLIDAYS if _mark(each).endswith(letters))


def _mark(holiday: Holiday) -> str:
    return "holiday" + "".join(chr(97 + each) for each in divmod(HOLIDAYS.index(holiday), 26))
