"""Which entries leave a file that is nearly full, in which order, and which never do."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.memory.store.shrink_plan import LOSES_AT_MOST, EntryStatus, ShrinkPlan, entry_status, plan_shrink
from pet.memory.store.split_entries import Entry, whole_entries
from pet.workspace.line_diff import dropped_line_ratio
from tests.memory.care_desk import TODAY

FILL = "\n".join(f"- Fact number {number}: the {number}th shelf holds jars." for number in range(24))


def plan(text: str, share: float = 0.85) -> ShrinkPlan:
    """For a limit of which the text is this share."""
    found = plan_shrink(text, int(len(text) / share), TODAY)
    assert found is not None
    return found


def moved(tidying: ShrinkPlan) -> list[str]:
    return [move.entry.text for move in tidying.moves]


@pytest.mark.parametrize(("mark", "status"), [("[x] done", EntryStatus.OVER), ("[ ] open", EntryStatus.STAYS)])
def test_box_behind_much_white_space_is_found(mark: str, status: EntryStatus) -> None:
    """A line of nothing but blanks before it took the patterns minutes."""
    for before in (" " * 200_000, "\t- " + " " * 200_000):
        entry = Entry(path="MEMORY.md", start_line=1, end_line=1, day=None, due=None, heading="", text=before + mark)
        assert entry_status(entry, TODAY) is status
        assert entry_status(replace(entry, text=before + "x"), TODAY) is EntryStatus.OTHER


def test_a_file_with_room_is_left_alone() -> None:
    assert plan_shrink(FILL, len(FILL) * 2, TODAY) is None


def test_the_same_words_twice_under_one_heading_stay_once() -> None:
    tidying = plan(f"# Memory\n\n- Anna plays the cello.\n{FILL}\n- Anna plays the cello.\n")
    assert [entry.text for entry in tidying.dropped] == ["- Anna plays the cello."]
    assert tidying.keeps.count("Anna plays the cello.") == 1


def test_the_same_words_under_another_heading_are_another_thing() -> None:
    tidying = plan(f"# Memory\n\n## Ficus\n\n- Every Sunday.\n\n## Grandma\n\n- Every Sunday.\n\n{FILL}\n")
    assert tidying.keeps.count("- Every Sunday.") + sum("Every Sunday" in text for text in moved(tidying)) == 2
    assert tidying.dropped == ()


def test_of_two_that_say_the_same_the_fuller_stays() -> None:
    short, full = "- Tom keeps three brown hens.", "- Tom keeps three brown hens behind the old mill."
    tidying = plan(f"{short}\n{FILL}\n{full}\n")
    assert moved(tidying)[0] == short
    assert full in tidying.keeps


def test_of_equals_the_newer_stays() -> None:
    old = "- 2026-01-05: 林喜欢在雨天喝玄米茶。"
    new = "- 2026-06-01: 林喜欢在雨天喝玄米茶。"
    tidying = plan(f"{old}\n{FILL}\n{new}\n")
    assert tidying.moves[0].entry.text == old
    assert tidying.moves[0].day == date(2026, 1, 5)
    assert new in tidying.keeps


def test_another_number_is_another_thing() -> None:
    lines = "- Locker in the station hall, row 3, box 17.\n- Locker in the station hall, row 3, box 18.\n"
    assert plan(lines + FILL, 0.81).dropped == ()
    assert "- Locker in the station hall, row 3, box 17." not in moved(plan(FILL + "\n" + lines, 0.81))


def test_what_is_over_goes_before_what_is_old() -> None:
    over = ["- [x] buy a lamp", "- Voucher valid until 2026-08-01", "- 体检报告，截止 2026-09-01"]
    old = "- 2026-02-03: We saw a heron at the pond."
    tidying = plan(f"{old}\n{FILL}\n" + "\n".join(over) + "\n", 0.9)
    assert set(moved(tidying)[:3]) == set(over)
    assert moved(tidying)[3] == old


def test_the_oldest_go_first_each_to_its_day() -> None:
    days = [date(2026, 1, 1) + timedelta(days=20 * step) for step in range(12)]
    lines = [f"- {day.isoformat()}: something happened on day {n}" for n, day in enumerate(days)]
    tidying = plan("\n".join([*lines[6:], *lines[:6]]) + "\n", 0.9)
    assert [move.day for move in tidying.moves] == days[:3]


def test_a_heading_with_a_date_dates_what_is_under_it() -> None:
    tidying = plan(f"# Memory\n\n## 2026-03-01\n\n- A storm, we read stories.\n\n## Shelf\n\n{FILL}\n")
    assert tidying.moves[0].day == date(2026, 3, 1)
    assert tidying.moves[0].heading == "2026-03-01"
    assert "## 2026-03-01" in tidying.keeps


@pytest.mark.parametrize(
    "kept",
    [
        "- [ ] 2026-01-02: call the plumber",
        "- 2026-01-02: I promised to wake Lin on exam days.",
        "- 2026-01-02：答应每周给奶奶打电话。",
        "- Call me Captain. (2026-01-02)",
        "- 2026-01-02：主人喜欢被叫“老大”，昵称大橘。",
        "- 2026-01-02: the trip to Lisbon is on 2027-04-01",
        "- 1990-05-01: Lin was born",
        "## About us\n\n- 2026-01-02: we hum the lighthouse song",
        "## 约定\n\n- 2026-01-02：周日一起浇花",
    ],
)
def test_reminders_names_and_what_is_between_us_stay(kept: str) -> None:
    tidying = plan(f"{FILL}\n\n{kept}\n", 0.95)
    assert kept.split("\n")[-1] in tidying.keeps
    assert kept.split("\n")[-1] not in moved(tidying)


def test_what_has_no_date_goes_only_until_the_file_is_no_longer_nearly_full() -> None:
    limit = int(len(FILL) / 0.83)
    tidying = plan_shrink(FILL, limit, TODAY)
    assert tidying is not None
    assert 0.75 * limit < len(tidying.keeps) < 0.8 * limit


def test_a_code_block_is_not_torn_apart() -> None:
    block = "```\n- 2026-01-01 one\n\n- 2026-01-02 two\n```"
    tidying = plan(f"{block}\n\n{FILL}\n", 0.9)
    assert block in tidying.keeps


def test_a_line_that_introduces_a_list_stays_with_it() -> None:
    text = f"Shops we like:\n- bakery on 5th\n- the old bookshop\n{FILL}\n"
    assert "Shops we like:\n" in plan(text, 0.82).keeps or "- bakery on 5th" not in plan(text, 0.82).keeps


ENTRIES = st.lists(
    st.tuples(
        st.sampled_from(["", "- ", "* ", "1. ", "- [x] ", "- [ ] "]),
        st.sampled_from(["", "2026-01-05: ", "2025-12-24 ", "2026年3月8日：", "2026-11-20: "]),
        st.sampled_from(
            ["tea with Anna", "tea with Anna and Tom", "walk in the park", "答应去爬山", "昨天看了一部电影", "电影"]
        )
        | st.text(alphabet="abc 猫茶\n-#`:：", min_size=1, max_size=40),
        st.sampled_from(["\n", "\n\n", "\n\n## About us\n\n", "\n\n## 2026-02-02\n\n", "\n  - more of it\n"]),
    ),
    min_size=1,
    max_size=30,
)


@given(ENTRIES, st.sampled_from([0.8, 0.9, 1.0, 1.5]))
def test_nothing_is_lost_and_never_more_than_a_quarter(entries: list[tuple[str, ...]], share: float) -> None:
    text = "# Memory\n\n" + "".join("".join(parts) for parts in entries)
    tidying = plan_shrink(text, max(1, int(len(text) / share)), TODAY)
    if tidying is None:
        return
    assert dropped_line_ratio(text, tidying.keeps) <= LOSES_AT_MOST
    kept = {line for line in tidying.keeps.split("\n") if line.strip()}
    assert kept <= set(text.split("\n"))
    after = [*tidying.keeps.split("\n"), *(line for move in tidying.moves for line in move.entry.text.split("\n"))]
    assert {line.strip(" -*1.[]x") for line in text.split("\n")} <= {line.strip(" -*1.[]x") for line in after} | {""}
    for entry in whole_entries("MEMORY.md", text.split("\n")):
        assert entry.text in tidying.keeps or entry in [m.entry for m in tidying.moves] or entry in tidying.dropped
    assert [line for line in text.split("\n") if line.startswith("#") and line.lstrip("#")[:1] == " "] == [
        line for line in tidying.keeps.split("\n") if line.startswith("#") and line.lstrip("#")[:1] == " "
    ]
    assert all(move.day <= TODAY for move in tidying.moves)


@given(ENTRIES)
def test_the_same_file_is_planned_the_same(entries: list[tuple[str, ...]]) -> None:
    text = "".join("".join(parts) for parts in entries)
    assert plan_shrink(text, 1, TODAY) == plan_shrink(text, 1, TODAY)
