"""Rows of the grammar of dates, ``data/dates.json``, in order: each with the kind of what it names; pure.

``moment`` reads what is to come and ``ranges`` what was; a row with a ``reader`` is only for that one. A row has a
text in which it is found and one in which it is not; ``names`` represent parts of patterns, some other ones for a
moment. Texts are lower case, simplified, without Spanish accents, and in plain words (``plain_dates``).
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from pet.i18n import HAN
from pet.language import read_rows, with_names
from pet.language.holidays import EXACT, LOOSE, MARKED
from pet.language.normalization import UP_TO_TWENTY
from pet.text.lazy_pattern import lazy_pattern

Reader = Literal["moment", "ranges"]
_HAN = re.compile(f"[{HAN}]")
_OF_PYTHON = {"UP_TO_TWENTY": "|".join(UP_TO_TWENTY), "EXACT": EXACT, "LOOSE": LOOSE, "MARKED": MARKED}


@dataclass(frozen=True, slots=True, kw_only=True)
class DateRow:
    """``days``: from today, of an offset; ``part``: of the day; ``is_chinese``: found only in Chinese texts."""

    kind: str
    pattern: re.Pattern[str]
    days: int
    part: str
    is_chinese: bool


@cache
def date_table(name: str) -> dict[str, Any]:
    """Return a table of ``data``; its names are those of all of them and its own."""
    table = read_rows(name)
    shared = _OF_PYTHON if name == "dates.json" else date_table("dates.json")["names"]
    return {**table, "names": {**shared, **table["names"]}}


@cache
def date_rows(reader: Reader) -> tuple[DateRow, ...]:
    """Return the rows of a reader."""
    table = date_table("dates.json")
    names = {**table["names"], **(table["moment"] if reader == "moment" else {})}
    return tuple(
        DateRow(
            kind=row["kind"],
            pattern=lazy_pattern(with_names(row["pattern"], names)),
            days=row.get("days", 0),
            part=row.get("part", ""),
            is_chinese=bool(_HAN.search(row["pattern"]) or "{ZH_" in row["pattern"]),
        )
        for row in table["rows"]
        if row.get("reader", reader) == reader
    )


@cache
def rows_of(kind: str, reader: Reader = "moment") -> tuple[DateRow, ...]:
    """Return the rows of a kind."""
    return tuple(row for row in date_rows(reader) if row.kind == kind)


@cache
def words_beside(kind: str) -> re.Pattern[str]:
    """Return the pattern of the words of a kind that are beside dates: its rows in all languages as one."""
    table = date_table("dates.json")
    return lazy_pattern("|".join(with_names(row["pattern"], table["names"]) for row in table["beside"][kind]))


def take_words(text: str, kind: str) -> tuple[str, re.Match[str] | None]:
    """Return the text of a moment without the words that the first matching row of a kind finds, and the match."""
    for row in rows_of(kind):
        if match := row.pattern.search(text):
            return f"{text[: match.start()]} {text[match.end() :]}", match
    return text, None
