"""Cuts: kept parts, and never inside a grapheme cluster."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.prompt.budget import Gap, characters_cut, truncate

CLUSTERS = ["👩‍👩‍👧‍👦", "🇩🇪", "👍🏽", "e\u0301", "각", "🏴\U000e0067\U000e0062\U000e007f", "❤️", "\r\n", "한"]


def marker(gap: Gap) -> str:
    return f"[{gap.characters}/{gap.total}:{gap.first_line}-{gap.last_line}]"


@pytest.mark.parametrize("cluster", CLUSTERS)
@pytest.mark.parametrize("offset", range(8))
def test_no_cut_falls_inside_a_character(cluster: str, offset: int) -> None:
    text = "a" * offset + cluster * 2_000
    done = truncate(text, 1_300, marker)
    head, tail = done.text.split("\n[")[0], done.text.split("]\n", 1)[1]
    assert (len(head) - offset) % len(cluster) == 0
    assert len(tail) % len(cluster) == 0
    assert head
    assert tail


def test_shares() -> None:
    done = truncate("x" * 100_000, 20_000, marker)
    head, tail = done.text.split("\n[82000/100000:1-1]\n")
    assert (len(head), len(tail), done.cut) == (14_000, 4_000, 82_000)


def test_a_text_that_fits_is_left_alone() -> None:
    assert truncate("x" * 20_000, 20_000, marker).text == "x" * 20_000
    assert characters_cut("x" * 20_000, 20_000) == 0


def test_the_lines_that_hold_what_is_missing() -> None:
    text = "\n".join(f"line {number}" for number in range(1, 2_001))
    done = truncate(text, 2_000, marker)
    about = done.text[done.text.index("[") + 1 : done.text.index("]")].split(":")[1]
    first, last = (int(part) for part in about.split("-"))
    lines = text.split("\n")
    head, tail = done.text.split("\n[")[0], done.text.split("]\n", 1)[1]
    assert lines[first - 1].startswith(head.split("\n")[-1])
    assert lines[last - 1].endswith(tail.split("\n")[0])


@given(st.text(max_size=400), st.integers(-5, 300), st.text(max_size=60))
def test_no_text_is_longer_than_its_limit(text: str, limit: int, line: str) -> None:
    done = truncate(text, limit, lambda _gap: line)
    assert len(done.text) <= max(limit, 0)
    assert done.cut == characters_cut(text, limit)
    assert 0 <= done.cut <= len(text)


@given(st.text(st.sampled_from("<s>a\n"), max_size=3_000), st.integers(0, 2_000))
def test_a_text_that_grows_when_it_is_cleaned_stays_within_the_limit(text: str, limit: int) -> None:
    done = truncate(text, limit, marker, lambda piece: piece.replace("<", "‹‹"))
    assert len(done.text) <= limit
    assert "<" not in done.text
