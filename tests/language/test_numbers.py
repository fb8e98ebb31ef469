"""Numbers in words: one value, or both bounds of a Chinese range."""

from __future__ import annotations

import pytest

from pet.language.normalization import read_number, read_range


@pytest.mark.parametrize(
    ("text", "bounds"),
    [
        ("两三", (2, 3)),
        ("一两", (1, 2)),
        ("七八", (7, 8)),
        ("三五", (3, 5)),
        ("十五六", (15, 16)),
        ("二三十", (20, 30)),
        ("三四百", (300, 400)),
        ("二十三", (23, 23)),
        ("一百零五", (105, 105)),
        ("二〇二六", (2026, 2026)),
        ("二三四", (234, 234)),
        ("九八", (98, 98)),
        ("十", (10, 10)),
        ("12", (12, 12)),
        ("a couple of", (2, 2)),
    ],
)
def test_bounds_of_a_number(text: str, bounds: tuple[int, int]) -> None:
    assert read_range(text) == bounds
    assert read_number(text) == bounds[0]


@pytest.mark.parametrize("text", ["", "nothing", "十几二十", "十十", "二x"])
def test_other_words_are_no_number(text: str) -> None:
    with pytest.raises((LookupError, ValueError)):
        read_range(text)
