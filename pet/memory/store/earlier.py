"""A note that seems to answer the same question as an older line: "We've moved to Bergen (earlier: I live in Oslo)".

Who adds it replaces nothing: the older line stays where it is until the owner replaces it. Pure.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TypeVar

from pet.language.labels import EARLIER, strip_owner
from pet.memory.store.daily_log import day_in_path, fact_key
from pet.memory.store.split_entries import without_mark

Note = TypeVar("Note")
_DATE = re.compile(r"(?<!\s)\s*[(（]\s*(?:as of |since )?(\d{4}-\d{2}-\d{2})\s*[)）]")
_EARLIER = re.compile("|".join(map(re.escape, EARLIER)))


def bare(line: str) -> str:
    """Return the line without list mark, box, "Owner:" and date."""
    return _DATE.sub("", strip_owner(without_mark(line))).strip()


def split_earlier(text: str) -> tuple[str, str]:
    """Return a note without the older line in it, and that line; "" without one.

    >>> split_earlier("We've moved to Bergen (earlier: I live in Oslo)")
    ("We've moved to Bergen", 'I live in Oslo')
    """
    whole = text.rstrip()
    mark = _EARLIER.search(whole) if whole.endswith((")", "）")) else None
    older = whole[mark.end() : -1] if mark else ""
    return (whole[: mark.start()].rstrip(), older) if mark and older else (text, "")


def stated_day(path: str, text: str) -> str:
    """Return the day of a log's entry, or the last date in another file's line, as YYYY-MM-DD; "" without one."""
    day = day_in_path(path)
    return day.isoformat() if day else max(_DATE.findall(text), default="")


def by_older_line(notes: Iterable[tuple[str, Note]]) -> dict[str, Note]:
    """Return the notes, given with their texts and oldest first, by the ``fact_key`` of the older line in each. What
    was said again later ("I live in Oslo", back from Bergen) is older no more."""
    newer: dict[str, Note] = {}
    for text, note in notes:
        sentence, older = split_earlier(text)
        newer.pop(fact_key(bare(sentence)), None)
        if key := fact_key(older):
            newer[key] = note
    return newer
