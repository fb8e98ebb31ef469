"""Rows of the grammar of dates, ``data/dates.json``, in order: each with the kind of date it names; pure.

``moment`` reads what is to come and ``ranges`` what was; a row with a ``reader`` is only for that one. A row has a
text in which it is found and one in which it is not; ``names`` represent parts of patterns, some other ones for a
moment. Texts are lower case, simplified, without Spanish accents, and in plain words (``plain_dates``): the words of
a language become the ones that the grammar knows, each with its place in the text. A language is a table of rows,
``data/dates_es.json``: a pattern and its plain words, a text in which it is found and one in which it is not; it is
read for each of the ``words`` of its ``<NAME>``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
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


_PLAIN = str.maketrans("áéíóúüñ", "aeiouun")
_LANGUAGES = ("es", "en", "zh")
_SPACES = re.compile(r"\s+")
_NAME = re.compile("<([A-Z_]+)>")
Plain = str | list[str]
"""A template, or the words for each group of a pattern."""


@dataclass(frozen=True, slots=True)
class PlainText:
    """A text in plain words. ``places``: for each character, start and end of its source in the original text."""

    text: str
    places: Sequence[tuple[int, int]]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span in the original text of characters ``start`` to ``end``, which are not none."""
        return self.places[start][0], self.places[end - 1][1]


def without_spanish_accents(text: str) -> str:
    """Return the text without Spanish accents, of the same length."""
    return text.translate(_PLAIN)


def plain_dates(text: str, *, moment: bool = False) -> PlainText:
    """Return the text with its words of dates in plain ones; unchanged if it has none. ``moment``: also rewrite what
    is said of a moment, and drop words that name nothing, for a text that is a moment as a whole."""
    plain = PlainText(text, [(at, at + 1) for at in range(len(text))])
    for table in map(_table, _LANGUAGES):
        rows = table.rows if moment else table.rows[: table.of_moments]
        if not rows or not table.gate.search(plain.text):
            continue
        plain = _replaced(plain, _SPACES, " ")
        for row in rows:
            for pattern, words in row:
                plain = _replaced(plain, pattern, words)
    return plain


def _replaced(plain: PlainText, pattern: re.Pattern[str], words: Plain) -> PlainText:
    text, places = plain.text, plain.places
    pieces: list[str] = []
    moved: list[tuple[int, int]] = []
    done = 0
    for match in pattern.finditer(text):
        start, end = match.span()
        instead = match.expand(words) if isinstance(words, str) else words[(match.lastindex or 1) - 1]
        pieces += [text[done:start], instead]
        moved += [*places[done:start], *[(places[start][0], places[end - 1][1])] * len(instead)]
        done = end
    return PlainText("".join(pieces) + text[done:], [*moved, *places[done:]]) if done else plain


@dataclass(frozen=True, slots=True)
class _Table:
    """``gate``: found in each text that has words of dates. ``rows``: each with its patterns, one for each of its
    words; from number ``of_moments`` on only for moments."""

    gate: re.Pattern[str]
    rows: tuple[tuple[tuple[re.Pattern[str], Plain], ...], ...]
    of_moments: int


@cache
def _table(language: str) -> _Table:
    table = date_table(f"dates_{language}.json")
    names: dict[str, str] = table["names"]
    edge: str = table["edges"]

    def row(pattern: str, plain: str) -> Iterator[tuple[re.Pattern[str], Plain]]:
        for each, words in _for_each_word(pattern, plain, table["words"]):
            yield lazy_pattern(f"{edge}(?:{with_names(each, names)}){edge}"), words

    rows = (tuple(row(each["pattern"], each["plain"])) for each in (*table["rows"], *table["moment"]))
    return _Table(lazy_pattern(with_names(table["gate"], names)), tuple(rows), len(table["rows"]))


def _for_each_word(pattern: str, plain: str, words: dict[str, dict[str, str]]) -> Iterator[tuple[str, Plain]]:
    """Yield the row for each of the words that its ``<NAME>`` represents; as one pattern where that is possible."""
    name = _NAME.search(pattern)
    if name is None:
        yield pattern, plain
        return
    meant = words[name[1]]
    if "\\" not in plain and pattern.count(name[0]) == 1:
        instead = [plain.replace(name[0], word) for word in meant.values()]
        yield pattern.replace(name[0], f"(?:{'|'.join(f'({word})' for word in meant)})"), instead
        return
    for word, english in meant.items():
        yield pattern.replace(name[0], word), plain.replace(name[0], english)
