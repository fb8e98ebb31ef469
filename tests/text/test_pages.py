"""Pages of a text, and the ranges by which they are named."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.text.pages import first_fitting, format_ranges, numbered_pages, parse_ranges, split_pages


@given(st.sets(st.integers(1, 400), min_size=1))
def test_ranges_name_the_same_pages_again(pages: set[int]) -> None:
    assert set(parse_ranges(format_ranges(pages), 400)) == pages


@pytest.mark.parametrize(
    ("typed", "pages"),
    [
        ("3", (3,)),
        ("1-3, 7", (1, 2, 3, 7)),
        ("1–2，5、6", (1, 2, 5, 6)),
        ("9-99", (9, 10)),
        ("4-2", ()),
        ("11", ()),
    ],
)
def test_ranges_as_owners_type_them(typed: str, pages: tuple[int, ...]) -> None:
    assert parse_ranges(typed, 10) == pages


@pytest.mark.parametrize("typed", ["", "all", "1-", "-3", "1;;2", "1-2-3", "9" * 40])
def test_what_names_no_page_is_refused(typed: str) -> None:
    with pytest.raises(ValueError):
        parse_ranges(typed, 10)


def test_text_without_pages_is_sent_as_it_is_and_in_parts_where_it_is_long() -> None:
    assert numbered_pages("One\nTwo", "") == "One\nTwo"
    assert numbered_pages("a\fb\fc", "2-3") == "[page 2]\nb\n[page 3]\nc"
    assert numbered_pages("a\fb", "") == "[page 1]\na\n[page 2]\nb"
    line = "x" * 99 + "\n"
    parts = split_pages(line * 1_000)
    assert "".join(parts) == line * 1_000
    assert all(part.endswith("\n") and len(part) <= 3_000 for part in parts)
    assert "".join(split_pages("y" * 20_000)) == "y" * 20_000


def test_as_many_pages_fit_as_their_sizes_allow() -> None:
    assert first_fitting(["aa", "bb", "cc"], 5, len) == 2
    assert first_fitting(["aa", "bb"], 4, len) == 2
    assert first_fitting(["aaaaaa", "b"], 3, len) == 1
