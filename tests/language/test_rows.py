"""Each row of the tables of patterns matches its first example and not its second."""

from __future__ import annotations

import json
import re

import pytest

from pet.i18n import LANGUAGES
from pet.language import pattern_rows, read_rows, read_table, with_names
from pet.language.date_rows import Reader, date_rows, date_table, words_beside
from pet.language.holidays import HOLIDAYS, mark_holidays, marked_holiday
from pet.language.mentions import fold_letters
from pet.language.ranges import RESOLVERS

FROM_THE_BEGINNING = {
    "asking.json": ("question", "request", "aside"),
    "keeping.json": ("noted_before",),
    "labels.json": (
        *("speaker", "owner", "pet", "subject", "told_name"),
        *("name_heading", "name_field", "name_line", "named_first", "author", "licence"),
    ),
    "replies.json": ("silence", "mood_tag", "mood_tag_begun"),
    "secrets.json": ("counted",),
    "title_words.json": ("opening",),
    "contradictions.json": ("owner",),
    "second_person.json": ("begins",),
}
IN_EACH_LANGUAGE = (
    *("categories", "contradictions", "single_values", "people", "mentions", "second_person", "title_words"),
)
TABLES = ("asking", "days", "everyday", "keeping", "labels", "orders", "replies", "secrets", *IN_EACH_LANGUAGE)


@pytest.mark.parametrize("name", [f"{table}.json" for table in TABLES])
def test_each_row_is_as_it_says(name: str) -> None:
    tables = json.loads(read_table(name))
    for kind, patterns in pattern_rows(name).items():
        for row, pattern in zip(tables[kind], patterns, strict=True):
            matches = pattern.match if kind in FROM_THE_BEGINNING.get(name, ()) else pattern.search
            matches = pattern.fullmatch if name == "single_values.json" else matches
            is_matched, is_not = (
                fold_letters(row[each]) if name == "everyday.json" else row[each] for each in ("is", "is_not")
            )
            assert matches(is_matched) and not matches(is_not), row


@pytest.mark.parametrize("name", IN_EACH_LANGUAGE)
def test_each_kind_has_a_row_in_each_language(name: str) -> None:
    for kind, rows in read_rows(f"{name}.json").items():
        assert kind == "names" or {row["in"] for row in rows} == {*LANGUAGES}, kind


READERS: tuple[Reader, ...] = ("moment", "ranges")
KINDS = {
    "moment": {
        *("holiday", "nth", "same_day", "date", "day_of_month", "lone_day", "offset", "weekend", "slashed"),
        *("weekday", "weekday_after", "weekday_of_week", "from_now", "beside", "beside_time", "repeat", "except"),
        *("part", "clock", "noon", "midnight", "bare_hour"),
    },
    "ranges": {*RESOLVERS, "offset"},
}


@pytest.mark.parametrize("reader", READERS)
def test_each_row_of_the_grammar_of_dates_is_as_it_says(reader: Reader) -> None:
    read = [row for row in date_table("dates.json")["rows"] if row.get("reader", reader) == reader]
    for row, compiled in zip(read, date_rows(reader), strict=True):
        assert compiled.pattern.search(row["is"]) and not compiled.pattern.search(row["is_not"]), row
    assert {row.kind for row in date_rows(reader)} == KINDS[reader]


@pytest.mark.parametrize("kind", date_table("dates.json")["beside"])
def test_each_row_of_words_beside_dates_is_as_it_says(kind: str) -> None:
    table = date_table("dates.json")
    for row in table["beside"][kind]:
        pattern = re.compile(with_names(row["pattern"], table["names"]))
        assert pattern.search(row["is"]) and not pattern.search(row["is_not"]), row
        assert words_beside(kind).search(row["is"])


@pytest.mark.parametrize("row", read_rows("holidays.json")["rows"])
def test_each_holiday_is_found_by_the_name_that_its_row_says(row: dict[str, str]) -> None:
    (holiday,) = (each for each in HOLIDAYS if each.name == row["name"])
    assert marked_holiday(mark_holidays(row["is"]).split()[0].removeprefix("holiday")) is holiday
