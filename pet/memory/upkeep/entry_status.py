"""Status of an entry of MEMORY.md by its words and marks, in English and Chinese: over, staying, or neither; pure.

Words that mark an entry as staying: promises, forms of address, and what is between pet and owner.
"""

from __future__ import annotations

import re
from datetime import date
from enum import Enum
from itertools import chain

from pet.memory.entries import Entry
from pet.text.lazy_pattern import lazy_pattern

_OLDEST_NOTE = 10  # years; an older date is likely a birthday

_DAY = r"(?P<year>(?:19|20)[0-9]{2})(?:-|/|\.|年)(?P<month>[0-9]{1,2})(?:-|/|\.|月)(?P<day>[0-9]{1,2})日?"
_ANY_DAY = lazy_pattern(rf"(?<![0-9]){_DAY}(?![0-9])")
_MARK = lazy_pattern(r"^(?:[ \t]*(?:[-*+•]|[0-9]{1,3}[.)])[ \t]+)?(?:\[[ xX]\][ \t]*)?")
_LEADING = lazy_pattern(rf"[\[(（【*_`\s]*(?:on |since |noted |记于|于)?{_DAY}(?![0-9])", re.IGNORECASE)
_TRAILING = lazy_pattern(rf"[\[(（【—–-]\s*(?:noted |since |记于|于)?{_DAY}\s*[\])）】]?[.。]?$", re.IGNORECASE)
_DEADLINE = lazy_pattern(
    rf"(?:@|\b(?:until|till|by|due|deadline|expires?|valid until|before)\b[ :]*(?:on )?|截止(?:日期)?[到至于:：]?"
    rf"|到期[:：]?|直到"
    rf"|到)\s*{_DAY}",
    re.IGNORECASE,
)
_DONE = lazy_pattern(
    r"^\s*(?:(?:[-*+•]|[0-9]{1,3}[.)])\s*)?\[[xX]\]|[✓✔☑✅]|~~.+~~|[(（\[【](?:done|finished|completed|cancelled|canceled"
    r"|over|已完成|完成|已取消"
    r"|已结束|过期)[^)）\]】]{0,20}[)）\]】]|(?:^|\s)(?:done|DONE)[.!]?$|(?:已完成|已取消|已结束|已过期|办完了"
    r"|做完了)[。.!！]?$",
    re.IGNORECASE,
)
_STAYS = lazy_pattern(
    r"^\s*(?:(?:[-*+•]|[0-9]{1,3}[.)])\s*)?\[ \]"
    r"|\b(?:promis\w+|swore|vow\w*|pledg\w+|agreed (?:to|that|on)|our deal|nicknames?|pet names?|call (?:me|him|her"
    r"|them|you|the owner)|calls? (?:me|it) |address(?:es|ed)? (?:me|him|her|them|you|the owner) as|goes by"
    r"|likes? to be called|wants? to be called|name is|named|running joke|inside joke|birthday|anniversary|allerg\w+"
    r"|to-?do)\b"
    r"|答应|约定|说好|约好|承诺|保证过|发誓|拉钩|称呼|昵称|外号|小名|(?:叫|喊|称)(?:我|他|她|它|你|主人)|名字|叫做"
    r"|暗号|口头禅|生日|纪念日|过敏|待办|忌日",
    re.IGNORECASE,
)
_STAYING_HEADING = lazy_pattern(
    r"\b(?:about us|us|our|together|promis\w+|names?|nicknames?|address|addressing|rules?|jokes?|traditions?|rituals?"
    r"|to-?dos?|open|always|important|core|pinned|boundar\w+|health|allerg\w+)\b|我们|你我|咱们|彼此|称呼|名字|昵称"
    r"|约定|承诺|答应|规矩|规则|默契|相处|梗|玩笑|习惯|待办|重要|置顶|边界|健康"
    r"|过敏|生日|纪念",
    re.IGNORECASE,
)


class EntryStatus(Enum):
    """Status of an entry today."""

    OVER = "over"  # done, or its last day has passed
    STAYS = "stays"  # must stay in the file
    OTHER = "other"


def entry_status(entry: Entry, today: date) -> EntryStatus:
    """Return the status by the entry's words and heading."""
    if _DONE.search(entry.text):
        return EntryStatus.OVER
    if _STAYS.search(entry.text) or _STAYING_HEADING.search(entry.heading):
        return EntryStatus.STAYS
    days = [day for match in _ANY_DAY.finditer(entry.text) if (day := _date(match))]
    if any(day > today for day in days):  # still to come
        return EntryStatus.STAYS
    deadlines = [day for match in _DEADLINE.finditer(entry.text) if (day := _date(match))]
    return EntryStatus.OVER if deadlines and max(deadlines) < today else EntryStatus.OTHER


def note_day(entry: Entry, today: date) -> date | None:
    """Return the day it was noted: a date at its beginning or end, or in its heading; never a future one."""
    words = without_mark(entry.text)
    last_title = entry.heading.rpartition(" / ")[2]
    places = (_LEADING.match(words), _TRAILING.search(words[-40:]), _ANY_DAY.search(last_title))
    for match in chain(place for place in places if place):
        day = _date(match)
        if day and day <= today and day.year >= today.year - _OLDEST_NOTE:
            return day
    return None


def without_mark(text: str) -> str:
    """Return the entry's text without its list mark."""
    return _MARK.sub("", text, count=1).strip()


def _date(match: re.Match[str]) -> date | None:
    try:
        return date(int(match["year"]), int(match["month"]), int(match["day"]))
    except ValueError:
        return None
