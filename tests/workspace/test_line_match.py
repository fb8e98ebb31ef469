"""Matching lines: right for every pair of texts, and with a bound on the work for the worst ones."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor
from difflib import SequenceMatcher

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.model import MISSING, Author
from pet.workspace import line_diff
from pet.workspace import store as store_module
from pet.workspace.line_diff import changes, count_changes, matching_blocks, merge3, remove_block
from tests.workspace.conftest import Desk

LINES = st.lists(st.sampled_from(["", "a", "b", "c", "- d"]), max_size=40)
LONG = st.lists(st.sampled_from(["", "a", "b", "c", "- d"]), min_size=15, max_size=40)
MEGABYTE = 1 << 20


def check(old: list[str], new: list[str]) -> None:
    blocks = matching_blocks(old, new)
    at = (0, 0)
    for a, b, size in blocks:
        assert a >= at[0]
        assert b >= at[1]
        assert old[a : a + size] == new[b : b + size]
        at = (a + size, b + size)
    made = list(old)
    for a, b, c, d in reversed(changes(old, new)):
        made[a:b] = new[c:d]
    assert made == new


@given(LINES, LINES)
def test_blocks_are_in_common_and_in_order(old: list[str], new: list[str]) -> None:
    check(old, new)


@pytest.mark.parametrize("work", [0, 50, 2_000])
@given(old=LONG, new=LONG)
def test_blocks_are_right_also_where_the_work_runs_out(old: list[str], new: list[str], work: int) -> None:
    before = line_diff._WORK
    line_diff._WORK = work
    try:
        check(old, new)
    finally:
        line_diff._WORK = before


@given(old=LINES, new=LINES)
def test_search_for_few_changes_finds_as_many_common_lines_as_there_are(old: list[str], new: list[str]) -> None:
    pairs = line_diff._Matcher()._unanchored(old, new)
    rows = [[0] * (len(new) + 1) for _ in range(len(old) + 1)]
    for a, line in enumerate(old):
        for b, other in enumerate(new):
            rows[a + 1][b + 1] = rows[a][b] + 1 if line == other else max(rows[a][b + 1], rows[a + 1][b])
    assert len(pairs) == rows[-1][-1]
    assert all(old[a] == new[b] for a, b in pairs)
    assert pairs == sorted(pairs)


def blocks_of_difflib(old: list[str], new: list[str]) -> list[line_diff.Block]:
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return [(each.a, each.b, each.size) for each in blocks if each.size]


@given(LINES, LINES)
def test_small_changes_read_as_difflib_shows_them(old: list[str], new: list[str]) -> None:
    old, new = ["<", *old, "{"], [">", *new, "}"]  # nothing in common at the head or the tail
    assert matching_blocks(old, new) == blocks_of_difflib(old, new)


def test_lines_that_are_often_there_count_as_others_do() -> None:
    old = [f"line {n % 30}" for n in range(230)]
    new = ["x", *old[:80], *old[85:], "y"]
    assert matching_blocks(old, new) == blocks_of_difflib(old, new)


def test_many_changes_among_unique_lines_stay_as_many() -> None:
    """Too many lines for difflib and too many changes for the search without unique lines."""
    old = [f"line {number}" for number in range(5_000)]
    new = [line for at in range(0, 5_000, 2) for line in (old[at + 1], old[at])]
    assert count_changes("\n".join(old), "\n".join(new)) == (2_500, 2_500)


def test_longest_rising_run_may_begin_with_the_first_pair() -> None:
    assert line_diff._rising([(0, 0), (1, 3), (2, 1), (3, 2)]) == [(0, 0), (2, 1), (3, 2)]
    assert line_diff._rising([]) == []


def lines_of(kind: str, seed: int) -> str:
    """A text of one megabyte."""
    chance = random.Random(seed)
    words = [f"w{number}" for number in range(50)]
    match kind:
        case "one letter a line":
            return "".join(f"{chance.choice('ab')}\n" for _ in range(MEGABYTE // 2))
        case "few words":
            return "".join(f"{chance.choice(words)}\n" for _ in range(MEGABYTE // 4))
        case "one order and another":
            every = [f"{number:07}\n" for number in range(MEGABYTE // 8)]
            chance.shuffle(every)
            return "".join(every)
        case "the same line":
            return "a\n" * (MEGABYTE // 2 - 40 * seed) + f"{seed}\n" + "a\n" * (20 * seed)
        case _:
            return "".join(f"{chance.random()}\n" for _ in range(MEGABYTE // 19))


@pytest.mark.parametrize(
    "kind", ["one letter a line", "few words", "one order and another", "the same line", "unrelated"]
)
def test_large_texts_are_compared_and_merged_with_bounded_work(kind: str) -> None:
    """Without a bound each of these takes hours."""
    old, new = lines_of(kind, 1), lines_of(kind, 2)
    added, removed = count_changes(old, new)
    assert added - removed == new.count("\n") - old.count("\n")
    assert merge3(old, new, old + "note\n") in (None, new + "note\n")


def test_of_very_many_lines_the_unique_ones_are_not_looked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two orders of 130,000 lines took 0.9 s with it."""
    sizes: list[int] = []
    rising = line_diff._rising

    def counted(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
        sizes.append(len(pairs))
        return rising(pairs)

    monkeypatch.setattr(line_diff, "_rising", counted)
    for kind in ("one order and another", "few words", "unrelated"):
        count_changes(lines_of(kind, 1), lines_of(kind, 2))
    assert max(sizes, default=0) <= line_diff._MOST_LINES


def test_few_changes_in_a_large_text_stay_few() -> None:
    old = [f"line {number % 5000}" for number in range(100_000)]
    new = list(old)
    for number in range(1, 40):
        new[number * 2500] = "changed"
    assert count_changes("\n".join(old), "\n".join(new)) == (39, 39)
    same = ["- x"] * 100_000
    new = [*same[:30_000], "a", *same[30_000:60_000], "b", *same[60_000:]]
    assert count_changes("\n".join(same), "\n".join(new)) == (2, 0)


def test_block_is_found_in_a_large_text_of_equal_lines() -> None:
    assert remove_block("x\n", "x\n" + "a\n" * 200_000, "x\n" + "a\n" * 400_000) is None
    assert remove_block("x\n", "x\na\nb\n", "x\nz\na\nb\nc\n") == "x\nz\nc\n"
    assert remove_block("x\n", "x\nab", "x\nabc\n") is None
    assert remove_block("x\n", "x\nab", "y\nx\nab") == "y\nx\n"


def test_lines_are_counted_when_the_lock_is_free(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    other = desk.open()

    def count(old: str, new: str) -> tuple[int, int]:
        monkeypatch.setattr(store_module, "count_changes", count_changes)
        with ThreadPoolExecutor(1) as thread:
            thread.submit(lambda: other.edit("USER.md", "two", "three", author=Author.OWNER)).result()
        return count_changes(old, new)

    monkeypatch.setattr(store_module, "count_changes", count)
    receipt = desk.store.write("USER.md", "one\ntwo\n", base=MISSING, author=Author.PET)
    assert receipt is not None
    assert (receipt.added, receipt.removed) == (2, 0)
    assert desk.bytes("USER.md") == b"one\nthree\n"
