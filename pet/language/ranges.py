"""Find dates in a question: 上周二, 三天前, last Tuesday, in March, from 3 to 9 March, 2026-03-01; pure.

Words that are not certainly a date remain words.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, timedelta

from pet.language import named_periods
from pet.language import range_resolvers as to
from pet.language.calendar_words import (
    MONTH_NAMES,
    WEEKDAY_NAMES,
    WHOLE_WEEKDAY_NAMES,
    ZH_MONTH_NUMBER,
    ZH_WEEK,
    ZH_WEEKDAY_NAMES,
)
from pet.language.normalization import UP_TO_TWENTY, read_number, to_simplified
from pet.language.plain_dates import plain_dates, without_spanish_accents
from pet.language.range_resolvers import ORDINAL_WORDS, Resolve
from pet.language.repetition import shifted, whole_month
from pet.text.lazy_pattern import lazy_pattern

_MONTH = rf"(?P<month>{MONTH_NAMES})\.?"
_WEEKDAY = rf"(?P<weekday>{WEEKDAY_NAMES})"
_WHOLE_WEEKDAY = rf"(?P<weekday>{WHOLE_WEEKDAY_NAMES})"
_ORDINAL = r"(?P<day>[0-3]?[0-9])(?:st|nd|rd|th)?"
_YEAR = r"(?P<year>(?:19|20)[0-9]{2})"
_ZH_YEAR = "(?P<year>(?<![0-9])[0-9]{4}|(?<![0-9])[0-9]{2}|[零〇一二三四五六七八九]{4})年"
_ON = r"(?:\bon\s+|(?<=since\s)|(?<=from\s)|(?<=until\s))"
# Anchored at the first digit, else a long row of digits takes quadratic time.
_ZH_NUMBER = "(?P<number>(?<![0-9])[0-9]+|(?<![零〇一二两三四五六七八九十百几])[零〇一二两三四五六七八九十百几]+|半)"
_ZH_NO_DAY = (
    "[楼线店桌院门房馆厅机车球码台路厂仓窗柜床位字鞋]|选手|公路|出口|病房|教室|球员|公寓|地块|文件"
    "|电池|种子|人物|病床|作品"
)
_EN_NUMBER = rf"(?P<number>[0-9]+|a couple of|couple of|a few|few|{'|'.join(UP_TO_TWENTY)}|an?)"


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
    lower = question.casefold() if len(question.casefold()) == len(question) else question.lower()
    plain = plain_dates(to_simplified(without_spanish_accents(lower)))
    text = plain.text
    taken: list[Days] = []
    lone: list[Days] = []
    habit = bool(_HABIT.search(text))
    for pattern, resolve in (*named_periods.calendar_patterns(text), *_PATTERNS):
        for match in pattern.finditer(text):
            if habit and resolve in _WEEKDAYS and not match["which"]:
                continue
            if resolve in named_periods.RESOLVERS and named_periods.is_vague(match):
                continue
            if any(match.start() < days.span[1] and days.span[0] < match.end() for days in taken):
                continue
            try:
                order = {"day_first": day_first} if resolve is to.slashed else {}
                stretch = resolve(match, today, **order)
            except (LookupError, ValueError, OverflowError):  # 31 February, 十几二十天前, the year 99999: no date
                continue
            if stretch:
                meant = stretch[2] if len(stretch) == 3 else None
                taken.append(Days(first=stretch[0], last=stretch[1], span=match.span(), meant=meant))
                lone += taken[-1:] if resolve in _LONE_DAYS else []
    taken = _of_its_month(taken, lone)
    moved = ((_widened(text, _beside(text, days)), days in lone) for days in taken)
    widened = sorted(moved, key=lambda each: each[0].span)
    return [replace(days, span=plain.span(*days.span)) for days in _joined(text, widened, today)]


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
    before, after = _BEFORE.search(text[:start]), _PART_OF_DAY.match(text, end)
    week = _WEEK_OF.search(text[:start]) or _ITS_WEEK.match(text, end)
    if week and days.first == days.last:
        monday = days.first - timedelta(days.first.weekday())
        span = min(start, week.start()), max(end, week.end())
        return Days(first=monday, last=monday + timedelta(6), span=span, meant=days.first)
    return replace(days, span=(before.start() if before else start, after.end() if after else end))


_BESIDE_DAY = lazy_pattern(
    rf"(?:\bthe\s+(?P<what>day|week)|\b{_EN_NUMBER}\s+(?P<unit>days?|weeks?))\s+(?P<side>before|after)\s+(?:the\s+)?$"
)
_ZH_BESIDE_DAY = lazy_pattern(
    "的?(?:(?P<next>第二天|次日|翌日)|[之]?(?P<side>[前后])(?P<number>[一两二三四五六七八九十]|[0-9]{1,2})(?P<unit>天|个?(?:周|星期|礼拜)))"
)


def _beside(text: str, days: Days) -> Days:
    """Move a day by the distance named with it: "the day after 3 June", 6月3日的第二天."""
    start, end = days.span
    match = _BESIDE_DAY.search(text[:start]) or _ZH_BESIDE_DAY.match(text, end)
    if match is None or days.first != days.last or days.meant:
        return days
    groups = match.groupdict()
    span = min(start, match.start()), max(end, match.end())
    sign = -1 if groups["side"] in ("before", "前") else 1
    unit = groups.get("what") or groups.get("unit") or "day"
    many = read_number(groups["number"] or "1")
    if unit == "week" or (many == 1 and not unit.isascii() and unit != "天"):
        first = days.first + timedelta(1 if sign > 0 else -7)
        return Days(first=first, last=first + timedelta(6), span=span)
    day = days.first + timedelta(sign * many * (1 if unit.startswith(("day", "天")) else 7))
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
    if _TO.fullmatch(between):
        return True
    start = text[max(0, first.span[0] - 10) : first.span[0] + 10]
    pair = bool(re.search(r"\bbetween\b", start)) or after.startswith(("之间", "期间"))
    return pair and bool(re.fullmatch(r"\s*(?:and|和|与|跟)?\s*", between))


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
    since = re.search(r"\bsince\s+$", text[:start])
    after = re.match(r"\s*(?:以来|至今|到现在|开始|起)", text[end:])
    if days.first > today or not (since or after):
        return days
    span = since.start() if since else start, end + after.end() if after else end
    return Days(first=days.first, last=max(days.last, today), span=span)


def asks_for_newest(question: str) -> bool:
    """Return whether the question asks for the newest."""
    return bool(_LATELY.search(without_spanish_accents(question.casefold())))


def without(question: str, stretches: list[Days]) -> str:
    """Return the question without the words that name its days, "lately" included."""
    kept, at = [], 0
    for days in stretches:
        kept.append(question[at : days.span[0]])
        at = days.span[1]
    return _LATELY.sub(" ", " ".join([*kept, question[at:]]))


_LATELY = lazy_pattern(
    r"\b(?:ultimamente|recientemente|estos dias|lo mas reciente|lo ultimo)\b|"
    r"\b(?:recent(?:ly)?|lately|latest|these days|most recent|newest)\b|最近|近来|近期|这几天|这阵子|刚刚|最新"
)
_PART_OF_DAY = lazy_pattern(
    r"\s*的?(?:一?大早|清晨|凌晨|早上|早晨|上午|中午|午后|下午|傍晚|晚上|夜里|半夜|深夜)"
    r"|(?:'s)?\s+(?:(?:in|during) the\s+|at\s+)?(?:early\s+)?(?:morning|noon|afternoon|evening|night)\b"
)
_WEEK_OF = lazy_pattern(r"\b(?:(?:the\s+)?week\s+(?:of|beginning|starting)(?:\s+the)?)\s+$")
_ITS_WEEK = lazy_pattern("的?(?:[那这]一?|所在的?那?一?)(?:周|个?星期|个?礼拜)")
_BEFORE = lazy_pattern(r"\b(?:earlier|later|sometime|some time|back)\s+$")
_TO = lazy_pattern(r"\s*(?:\bto\b|\buntil\b|\btill?\b|\bthrough\b|\bthru\b|[-–—~～]|一直到|直到|到|至)\s*(?:the\s+)?")
_HABITS = r"\s+(?:mornings|afternoons|evenings|nights)\b"
_HABIT = lazy_pattern(
    r"\b(?:usually|normally|typically|generally|always|normalmente|suel[oe]s?|siempre)\b|一般|通常|平时|平常|往常|总是"
)
"""Words with which a weekday alone is every such day, and no date."""
_WEEKDAYS = (to.weekday_range, to.weekday_of_week)
_LONE_DAYS = (to.lone_day,)


def _patterns() -> Iterator[tuple[re.Pattern[str], Resolve]]:
    zh_md = f"(?P<month>{ZH_MONTH_NUMBER})月份?[的,，]?"
    zh_number = r"(?P<day>[0-3]?[0-9]|[一二三]?十[一二三四五六七八九]?|[一二三四五六七八九])"
    zh_d = rf"{zh_number}[号日]"
    zh_bare = zh_number.replace("day", "bare") + r"(?=[那这当]天|[。？?!！]|\s*$)"
    words = "|".join(each.replace("-", r"[\s-]") for each in reversed(ORDINAL_WORDS))
    ordinal, either = rf"(?P<day>{words})\b", rf"(?P<day>(?:[0-3]?[0-9](?:st|nd|rd|th)|{words})\b)"
    hao = r"(?P<day>[1-3]?[0-9]|[一二三]?十[一二三四五六七八九]{0,2}|[一二三四五六七八九]{1,2})"
    zh_part, no_month = (
        "(?P<part>初|中旬|中(?![秋学国午文间心])|底|末|上旬|下旬)",
        "(?<![0-9每个上一二三四五六七八九十岁])",
    )
    zh_month = (
        r"(?P<month>1[0-2]|0?[1-9]|十[一二]{0,2}|[一二三四五六七八九]{1,2})月份?"
        rf"{zh_part}?(?![0-9])"
    )
    week, zh_weekday = ZH_WEEK, f"(?P<weekday>{ZH_WEEKDAY_NAMES})"
    table: list[tuple[str, Resolve]] = [
        (r"(?<![0-9])(?P<year>20[0-9]{2})(?P<month>0[1-9]|1[0-2])(?P<day>[0-3][0-9])(?![0-9])", to.full),
        (r"(?<![0-9])(?P<year>[0-9]{4})[-/.](?P<month>[0-9]{1,2})[-/.](?P<day>[0-9]{1,2})(?![0-9])", to.full),
        (r"(?<![0-9.])(?P<day>[0-3]?[0-9])\.(?P<month>1[0-2]|0?[1-9])\.(?P<year>20[0-9]{2})(?![0-9])", to.full),
        (r"(?<![0-9/])(?P<one>[0-3]?[0-9])/(?P<other>[0-3]?[0-9])/(?P<year>20[0-9]{2})(?![0-9])", to.slashed),
        (rf"(?P<on>{_ON})(?P<one>[0-3]?[0-9])/(?P<other>[0-3]?[0-9])(?![0-9/])", to.slashed),
        (r"(?<![0-9/.])(?P<on>)(?P<one>[0-3][0-9])/(?P<other>[0-3][0-9])(?![0-9/])", to.slashed),
        (rf"{_ON}(?P<day>[0-3]?[0-9])\.\s?(?P<month>1[0-2]|0?[1-9])\.(?![0-9])", to.day_of_month),
        (
            rf"(?:(?P<which>{_ZH_YEAR}|今年|去年|前年|明年)\s*)?的?{zh_md}(?:份?[的，,]?\s*{zh_d}|{zh_bare})",
            to.zh_day,
        ),
        (rf"{_ZH_YEAR}的?{zh_month}", to.month_only),
        (rf"\b{_MONTH}\s+(?:the\s+)?{_ORDINAL}\b(?![:])", to.day_of_month),
        (rf"\b{_ORDINAL}(?:\s+of)?\s+{_MONTH}(?![a-z])", to.day_of_month),
        (rf"\b{ordinal}\s+of\s+{_MONTH}(?![a-z])", to.day_of_month),
        (rf"\b{_MONTH}\s+(?:the\s+|(?<!may )(?<!mar )(?<!march )){ordinal}", to.day_of_month),
        (rf"\b{_EN_NUMBER}\s+(?P<unit>days?|weeks?|months?|years?)\s+ago\s+today\b", to.same_day),
        (r"\b(?:this day|today)\s+last\s+(?P<unit>week|month|year)\b", to.same_day),
        (r"(?P<unit>去年|前年|上个?(?:月|周|星期|礼拜))的?今天", to.same_day),
        (rf"\b(?:{_EN_NUMBER}|half an)\s+(?:minutes?|hours?)\s+ago\b", to.offset(0)),
        (rf"{_ZH_NUMBER}(?:分钟|个?小时|个?钟头)(?:之前|以前|前)", to.offset(0)),
        (rf"(?P<which>上|这|本|下)(?:个)?月的?{hao}[号日]", to.day_of_named_month),
        (rf"\b(?:on\s+)?the\s+{either}\s+(?:of\s+)?(?P<which>this|last|next)\s+month\b", to.day_of_named_month),
        (rf"\b(?P<which>this|last|next)\s+month,?\s+on\s+the\s+{either}", to.day_of_named_month),
        (rf"\b(?:on\s+|(?!friday the 13)){_WHOLE_WEEKDAY},?\s+the\s+{_ORDINAL}\b(?!\s+of\b)", to.lone_day),
        (rf"\blast\s+year,?\s+in\s+{_MONTH}(?![a-z])", to.last_years_month),
        (rf"\b{_EN_NUMBER}\s+{_WHOLE_WEEKDAY}s\s+ago\b", to.weekdays_ago),
        (r"\b(?:a|one)\s+fortnight\s+ago\b", to.fortnight_ago),
        (r"\bthe\s+(?P<what>weekend|week|month|year)\s+(?P<which>before last)\b", to.calendar_unit),
        (r"\bjust now\b|\ba moment ago\b|刚才|方才", to.offset(0)),
        (rf"\b{_EN_NUMBER}\s+(?P<unit>days?|nights?|weeks?|months?|years?)\s+(?:ago|back)\b", to.ago),
        (rf"{_ZH_NUMBER}(?P<unit>天|日|周|个?星期|个?礼拜|个?月|年)(?:之前|以前|前)", to.zh_ago),
        (rf"\b{_EN_NUMBER}\s+weekends\s+(?:ago|back)\b", to.weekends_ago),
        (rf"{_ZH_NUMBER}个周末(?:之前|以前|前)", to.weekends_ago),
        (rf"\b(?:past|last)\s+{_EN_NUMBER}\s+weekends\b", to.last_weekends),
        (rf"(?:最近|过去|前|[上这近])的?{_ZH_NUMBER}个?周末", to.last_weekends),
        (rf"\b(?:past|last)\s+{_EN_NUMBER}\s+(?P<unit>days?|weeks?|fortnights?|months?|years?)\b", to.past),
        (r"\b(?:past|last(?=\s+fort))(?P<number>)\s+(?P<unit>day|week|fortnight|month|year)\b", to.past),
        (rf"(?:过去|最近|近|这(?![一几]))的?{_ZH_NUMBER}(?P<unit>天|日|周|个?星期|个?礼拜|个?月|年)", to.past),
        (r"\b(?:the\s+)?day before yesterday\b|(?<!大)前天", to.offset(-2)),
        (r"\bthe other day\b|前几天|前两天|前些天|前些日子", to.last_days),
        (r"大大前天", to.offset(-4)),
        (r"大前天", to.offset(-3)),
        (r"大后天", to.offset(3)),
        (r"\b(?:the\s+)?day after tomorrow\b|后天", to.offset(2)),
        (r"\byesterday\b|\blast night\b|昨天|昨日|昨晚|昨夜", to.offset(-1)),
        (r"\btomorrow\b|明天|明日|明早|明晚", to.offset(1)),
        (r"\btoday\b|\btonight\b|\bthis (?:morning|afternoon|evening)\b|今天|今日|今早|今晚|今晨", to.offset(0)),
        (
            rf"(?<!每)(?<!每个)(?P<which>上上|上|这|本|下下|下)?个?{week}(?:的?{week})?{zh_weekday}",
            to.weekday_of_week,
        ),
        (rf"\b{_WHOLE_WEEKDAY}\s+(?:of\s+)?(?P<which>last|this|next)\s+week\b", to.weekday_of_week),
        (rf"\b(?P<which>last|this|next)\s+week'?s?\s+(?:on\s+)?{_WHOLE_WEEKDAY}\b", to.weekday_of_week),
        (rf"\b(?:the\s+)?{_WHOLE_WEEKDAY}\s+before\s+last\b", to.weekdays_ago),
        (r"(?P<which>上上|上|这|本|下)(?P<what>个?周末|个?星期|个?礼拜|周)", to.calendar_unit),
        (r"\b(?P<which>last|this|next)\s+(?P<what>weekend|week)\b", to.calendar_unit),
        (
            rf"\b(?:(?:this\s+)?(?P<which>last|this|next|past|coming)\s+|on\s+){_WEEKDAY}\b(?!{_HABITS})",
            to.weekday_range,
        ),
        (
            rf"(?<!every\s)(?<!each\s)(?<!any\s)\b(?P<which>){_WHOLE_WEEKDAY}\b(?! the [0-9])(?!{_HABITS})",
            to.weekday_range,
        ),
        (r"\b(?:over|during|at|on)\s+the\s+weekend\b", to.weekend),
        (
            rf"(?:(?P<which>上上个?|上个?|这个?|本|下个?)|{no_month})月{zh_part}(?![一二三四五六七八九十])",
            to.zh_part_of_month,
        ),
        (r"\b(?P<which>last|this|next) (?P<what>month|year)\b", to.calendar_unit),
        ("(?P<which>上上个|上个?|这个|本|下个?)(?P<what>月)", to.calendar_unit),
        ("(?P<which>[前去今明])(?P<what>年)(?!的?[一二三四五六七八九十0-9])", to.calendar_unit),
        (rf"\b(?:in|during|this|last|of)\s+{_MONTH}(?![a-z])", to.month_only),
        (rf"(?<=since\s){_MONTH}(?![a-z])", to.month_only),
        (
            rf"(?P<which>今年|去年|前年|明年)?的?(?<![0-9]){zh_month}[到至]{zh_part.replace('part', 'upto')}",
            to.zh_parts_of_month,
        ),
        (rf"(?P<which>今年|去年|前年|明年)?的?(?<![0-9]){zh_month}", to.zh_month),
        (rf"(?<![0-9第a-z月]){hao}号(?!{_ZH_NO_DAY})", to.lone_day),
        (rf"\bon\s+the\s+{either}(?!\s+\w)", to.lone_day),
        (rf"\b(?:on\s+)?the\s+{either}(?=\s+(?:in|of|during)\s+(?:(?:last|this)\s+)?{_MONTH})", to.lone_day),
        (rf"\b(?:in|during|of)\s+{_YEAR}\b", to.year),
        (rf"(?<=since\s){_YEAR}\b", to.year),
        (
            r"(?<![0-9])(?P<year>(?:19|20)[0-9]{2}|[零〇一二三四五六七八九]{4})年(?![0-9一二三四五六七八九十])",
            to.year,
        ),
    ]
    for pattern, resolve in table:
        yield lazy_pattern(pattern), resolve


_PATTERNS = tuple(_patterns())
