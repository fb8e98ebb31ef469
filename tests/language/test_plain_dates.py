"""Words of dates in plain words, row by row of the tables; and where they stand in the text."""

from __future__ import annotations

import json
from datetime import date

import pytest

from pet.i18n import LANGUAGES
from pet.language import read_table
from pet.language.date_rows import PlainText, _replaced, _table, plain_dates, without_spanish_accents
from pet.language.ranges import find_ranges

TABLES = {language: json.loads(read_table(f"dates_{language}.json")) for language in LANGUAGES}
ROWS = [
    (language, number, row["is"], row["is_not"])
    for language, table in TABLES.items()
    for number, row in enumerate((*table["rows"], *table["moment"]))
]


def row_numbers(text: str, language: str) -> set[int]:
    """Return the numbers of the language's rows that match in a text that is a moment."""
    plain, matched, table = PlainText(text, [(0, 0)] * len(text)), set(), _table(language)
    for number, row in enumerate(table.rows if table.gate.search(text) else ()):
        for pattern, words in row:
            matched |= {number} if pattern.search(plain.text) else set()
            plain = _replaced(plain, pattern, words)
    return matched


@pytest.mark.parametrize(("language", "number", "read", "left"), ROWS)
def test_a_row_reads_its_sentence_and_leaves_the_other(language: str, number: int, read: str, left: str) -> None:
    assert number in row_numbers(without_spanish_accents(read.lower()), language)
    assert number not in row_numbers(without_spanish_accents(left.lower()), language)


def test_a_text_without_words_of_dates_stays_as_it_is() -> None:
    text = "once upon a time we ate a sandwich"
    assert plain_dates(text).text == text


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("¿Qué hice hace tres días en casa?", "hace tres días"),
        ("fui a Roma en marzo del año pasado con Ana", "en marzo del año pasado"),
        ("¿qué  compré   el 3 de mayo?", "3 de mayo"),
        ("la semana antes de Navidad fuimos", "la semana antes de Navidad"),
    ],
)
def test_a_range_knows_its_place_in_the_spanish_text(text: str, named: str) -> None:
    (days,) = find_ranges(text, date(2026, 11, 28))
    assert text[slice(*days.span)] == named
