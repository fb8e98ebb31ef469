"""What a receipt quotes of the entries that a change wrote."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from pet.memory.store.digest import MAX_CHARACTERS, MAX_ITEMS, memory_overview, noted_entries, noted_text, plain_words
from pet.memory.store.split_entries import is_unfilled
from tests.workspace.conftest import Desk


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("- Green tea, **never** coffee", "Green tea, never coffee"),
        ("Owner: hand in the report (2026-11-27)", "hand in the report"),
        ("主人：周五交报告（截止2026-11-27）", "周五交报告"),
        ("- [ ] 2026-11-22: moved\n  to Leipzig", "moved to Leipzig"),
        ("Owner:", "Owner:"),
    ],
)
def test_entry_is_shown_without_marks_speaker_and_date_stamp(entry: str, words: str) -> None:
    assert plain_words(entry) == words


def test_new_and_changed_entries_are_quoted_and_old_ones_are_not() -> None:
    before = "# Profile\n\n- Name: Sam\n- Drinks coffee\n"
    after = "# Profile\n\n- Name: Sam\n- Drinks tea\n- Has a cat\n"
    assert [each.text for each in noted_entries("USER.md", before, after)] == ["You drink tea.", "You have a cat."]


def test_secret_in_an_entry_is_masked_and_long_entries_are_shortened() -> None:
    assert "hunter2222" not in noted_text("The password is hunter2222").text
    assert len(noted_text("a" * 1_000).text) == MAX_CHARACTERS


def test_reminder_keeps_its_day_and_the_number_of_entries_is_limited() -> None:
    assert noted_text("Owner: call Ana", date(2026, 11, 27)).due == "2026-11-27"
    many = "".join(f"- item {number}\n" for number in range(100))
    assert len(noted_entries("MEMORY.md", "", many)) == MAX_ITEMS


def test_the_overview_counts_facts_not_empty_list_marks(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.put(
        "MEMORY.md",
        b"# Us\n\n- planted tomatoes\n-\n\n- \n\n---\n\n*\n\n- likes tea\n- Name:\n- Work: -\n\n<!-- more -->\n",
    )
    desk.put(
        "memory/2026-11-20.md", b"# Memory Log: 2026-11-20\n\n## [09:00:00] fact\n\n-\n\n## [09:01:00] fact\n\nTea.\n"
    )
    overview = memory_overview(desk.store)
    assert overview.files["MEMORY.md"].entries == 2
    assert overview.logs.entries == 1


def test_an_older_line_is_offered_only_if_both_are_shown_whole() -> None:
    longest = "x" * MAX_CHARACTERS
    assert noted_text(f"{longest} (earlier: {longest})").earlier == longest
    assert noted_text(f"{longest}y (earlier: Oslo)").earlier == ""
    assert noted_text(f"Bergen (earlier: {longest}y)").earlier == ""


@pytest.mark.parametrize(
    "line", ["-", "- Name:", "- Name: -", "Name: —", "- **Name:** –", "- 姓名：——", "- Likes: …", "- Born: ?"]
)
def test_a_line_without_a_value_is_unfilled(line: str) -> None:
    assert is_unfilled(line)
    assert not is_unfilled(f"{line} Ida")
