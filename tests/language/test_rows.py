"""Each row of the tables of patterns matches its first example and not its second."""

from __future__ import annotations

import json

import pytest

from pet.language import pattern_rows, read_table
from pet.language.mentions import fold_letters

FROM_THE_BEGINNING = {
    "asking.json": ("question", "request", "aside"),
    "labels.json": ("speaker", "owner", "pet", "subject", "told_name"),
}


@pytest.mark.parametrize("name", ["asking.json", "days.json", "everyday.json", "keeping.json", "labels.json"])
def test_each_row_is_as_it_says(name: str) -> None:
    tables = json.loads(read_table(name))
    for kind, patterns in pattern_rows(name).items():
        for row, pattern in zip(tables[kind], patterns, strict=True):
            matches = pattern.match if kind in FROM_THE_BEGINNING.get(name, ()) else pattern.search
            is_matched, is_not = (
                fold_letters(row[each]) if name == "everyday.json" else row[each] for each in ("is", "is_not")
            )
            assert matches(is_matched) and not matches(is_not), row
