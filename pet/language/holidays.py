"""Named days of the year in English, Chinese and Spanish: Christmas Eve, 除夕, Semana Santa; pure.

Days of the Chinese calendar are known for 2020 to 2040. Names that mean several days, by country (Mother's Day) or at
once (国庆假期 as a moment), are left out.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from pet.text.lazy_pattern import lazy_pattern

_Anchor = Literal["easter", "spring", "qingming", "dragon boat", "qixi", "mid-autumn", "double ninth", "dongzhi"]

_LUNAR_YEARS = range(2020, 2041)
_LUNAR: tuple[_Anchor, ...] = ("spring", "qingming", "dragon boat", "qixi", "mid-autumn", "double ninth", "dongzhi")
_LUNAR_DAYS = (
    "0125 0404 0625 0825 1001 1025 1221 / 0212 0404 0614 0814 0921 1014 1221 / 0201 0405 0603 0804 0910 1004 1222 / "
    "0122 0405 0622 0822 0929 1023 1222 / 0210 0404 0610 0810 0917 1011 1221 / 0129 0404 0531 0829 1006 1029 1221 / "
    "0217 0405 0619 0819 0925 1018 1222 / 0206 0405 0609 0808 0915 1008 1222 / 0126 0404 0528 0826 1003 1026 1221 / "
    "0213 0404 0616 0816 0922 1016 1221 / 0203 0405 0605 0805 0912 1005 1222 / 0123 0405 0624 0824 1001 1024 1222 / "
    "0211 0404 0612 0812 0919 1012 1221 / 0131 0404 0601 0801 0908 1001 1221 / 0219 0405 0620 0820 0927 1020 1222 / "
    "0208 0405 0610 0810 0916 1009 1222 / 0128 0404 0530 0828 1004 1027 1221 / 0215 0404 0618 0817 0924 1017 1221 / "
    "0204 0405 0607 0807 0913 1007 1222 / 0124 0405 0527 0826 1002 1026 1222 / 0212 0404 0614 0814 0920 1014 1221"
)
"""Month and day of ``_LUNAR`` in each of ``_LUNAR_YEARS``. Source: the tables of the packages lunardate 0.3.0 and
lunar_python 1.4.8, which agree on every day; "dongzhi" from the latter alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Holiday:
    """A named day. ``name``: as written in a log; ``key``: of its name in the catalogues, if its date moves;
    ``words`` and ``loose``: patterns of its names, the latter a day only after a preposition; ``around``: days before
    and after it that a question means."""

    name: str
    words: str
    base: tuple[int, int] | tuple[_Anchor, int]
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
        if year not in _LUNAR_YEARS:
            raise OverflowError(year)
        written = _LUNAR_DAYS.split(" / ")[year - _LUNAR_YEARS.start].split()[_LUNAR.index(anchor)]
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


_DIGIT = "[零一二三四五六七八九十百千点]"
_APART = f"(?<!{_DIGIT})"
_D = r"d[ií]a\s+de\s+"
HOLIDAYS = (
    Holiday(
        name="Chinese New Year's Eve", key="spring_eve", base=("spring", -1),
        words=r"(?:chinese|lunar) new year'?s eve|v[ií]spera del a[ñn]o nuevo chino|除夕夜?|大年三十",
    ),
    Holiday(
        name="Chinese New Year", key="spring", base=("spring", 0), around=(1, 5),
        words=r"(?:chinese|lunar) new year(?:'?s day)?|spring festival|a[ñn]o nuevo chino"
        r"|春节|大?年初一|(?<=[去前今]年)过年(?![检审度级])",
    ),
    Holiday(
        name="Lantern Festival", key="lantern", base=("spring", 14),
        words="lantern festival|fiesta de los faroles|元宵节|正月十五",
    ),
    Holiday(
        name="Qingming", key="qingming", base=("qingming", 0),
        words="qingming(?: festival)?|清明(?:节|(?=前|后|那|假|期间))",
    ),
    Holiday(
        name="Dragon Boat Festival", key="dragon_boat", base=("dragon boat", 0),
        words=r"dragon boat festival|festival del bote del drag[oó]n|端午节?",
    ),
    Holiday(name="Qixi", key="qixi", base=("qixi", 0), words="qixi(?: festival)?|七夕(?:情人节|节)?"),
    Holiday(
        name="Mid-Autumn Festival", key="mid_autumn", base=("mid-autumn", 0),
        words=r"mid-?autumn festival|fiesta del medio oto[ñn]o|中秋节?",
    ),
    Holiday(
        name="Double Ninth", key="double_ninth", base=("double ninth", 0),
        words="(?:the )?double ninth(?: festival)?|doble nueve|重阳节"
    ),
    Holiday(name="Dongzhi", key="dongzhi", base=("dongzhi", 0), words="dongzhi(?: festival)?|冬至节?"),
    Holiday(name="New Year's Eve", base=(12, 31), words=r"new year'?s eve|nochevieja|跨年夜?"),
    Holiday(
        name="New Year's Day", base=(1, 1), loose="new year",
        words=rf"new year'?s(?: day)?|(?:{_D})?a[ñn]o nuevo|元旦节?",
    ),
    Holiday(
        name="Epiphany", base=(1, 6), loose="reyes",
        words=rf"epiphany|{_D}(?:los )?reyes(?: magos)?|reyes magos|epifan[ií]a",
    ),
    Holiday(
        name="Valentine's Day", base=(2, 14),
        words=rf"(?:st\.? )?valentine'?s(?: day)?|(?:{_D})?san valent[ií]n|情人节",
    ),
    Holiday(name="Women's Day", base=(3, 8), words=r"(?:international )?women'?s day|(?:三八)?妇女节"),
    Holiday(name="April Fools' Day", base=(4, 1), words=r"april fools?'?s?'?(?: day)?|愚人节"),
    Holiday(name="Good Friday", key="good_friday", base=("easter", -2), words="good friday|viernes santo|耶稣受难日"),
    Holiday(
        name="Easter Monday", key="easter_monday", base=("easter", 1),
        words="easter monday|lunes de pascua|复活节(?:星期|周)一",
    ),
    Holiday(
        name="Easter Sunday", key="easter", base=("easter", 0), around=(2, 1), loose="easter|pascua",
        words="easter sunday|domingo de (?:pascua|resurrecci[oó]n)|复活节",
    ),
    Holiday(name="Holy Week", base=("easter", -7), around=(0, 7), words="holy week|semana santa"),
    Holiday(
        name="May Day", base=(5, 1), around=(0, 4), words=f"may day|{_APART}五一(?:劳动节|节)?(?!{_DIGIT})|劳动节"
    ),
    Holiday(name="Children's Day", base=(6, 1), words="(?:六一)?儿童节"),
    Holiday(name="Teachers' Day", base=(9, 10), words="教师节"),
    Holiday(
        name="National Day", base=(10, 1), around=(0, 6),
        words="(?:十一)?(?<![王李张刘陈杨赵黄周吴徐孙马朱胡郭何林高罗])国庆节?",  # also a given name
    ),
    Holiday(name="Halloween", base=(10, 31), words=r"hallowe'?en|万圣节(?:前夜)?"),
    Holiday(name="Singles' Day", base=(11, 11), words=r"singles'? day|双(?:十一|11)|光棍节"),
    Holiday(name="All Saints' Day", base=(11, 1), words=rf"all saints'?(?: day)?|(?:{_D})?todos los santos"),
    Holiday(name="Christmas Eve", base=(12, 24), words="(?:christmas|xmas) eve|nochebuena|平安夜|圣诞前夜"),
    Holiday(name="Christmas Day", base=(12, 25), words=rf"(?:christmas|xmas) day|{_D}navidad"),
    Holiday(name="Boxing Day", base=(12, 26), words="boxing day"),
    Holiday(
        name="Christmas", base=(12, 25), around=(1, 1), loose="christmas|xmas|navidad(?:es)?",
        words="圣诞(?:节|(?=前|后|那|期间|假|的?时|[早晚上下]))",
    ),
)  # fmt: skip
NAMES = {each.name: each for each in HOLIDAYS}
_EXACT = "|".join(f"(?P<h{at}>{each.words})" for at, each in enumerate(HOLIDAYS)).replace("'?", "['’]?")
_LOOSE = "|".join(f"(?P<loose{at}>{each.loose})" for at, each in enumerate(HOLIDAYS) if each.loose)
_AFTER = r"(?<![a-z0-9])"
_BEFORE = rf"(?![a-z0-9路广场号楼饭]|[提之]?前(?!(?:[0-9]|{_DIGIT}|两){{1,2}}(?:天|个?(?:周|星期|礼拜))))"
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
