"""Logs are written and read back as said, and files are cut where what belongs together ends."""

from __future__ import annotations

import itertools
from datetime import date, time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.language.labels import strip_owner
from pet.memory.store.daily_log import add_speaker, append_entry, parse_log, render_entry
from pet.memory.store.split_entries import MAX_TOKENS, split_file
from pet.text.token_estimate import estimate_tokens

DAY = date(2026, 2, 24)


def test_an_entry_is_written_in_the_format_of_the_logs() -> None:
    log = append_entry("", render_entry("Likes tea.", at=time(14, 30, 15), category="preference"), DAY)
    log = append_entry(log, render_entry("交房租", at=time(15), category="todo", due=date(2026, 3, 1)), DAY)
    assert log == (
        "# Memory Log: 2026-02-24\n\n## [14:30:15] preference\n\nLikes tea.\n"
        "\n## [15:00:00] todo @2026-03-01\n\n交房租\n"
    )
    first, second = parse_log(log.split("\n"))
    assert (first.start_line, first.end_line, first.at, first.category) == (5, 5, time(14, 30, 15), "preference")
    assert (second.category, second.due, second.text) == ("todo", date(2026, 3, 1), "交房租")


def test_the_owners_label_goes_however_it_was_written_and_that_of_others_stays() -> None:
    for said in ("Likes tea.", "喜欢茶。"):
        assert strip_owner(add_speaker(said, "owner")) == said
        assert strip_owner(add_speaker(said, "pet")) == add_speaker(said, "pet")
    assert [strip_owner(each) for each in ("owner : tea", "主人: 茶", "OWNER:tea", "Owner:")] == [
        "tea",
        "茶",
        "tea",
        "Owner:",
    ]


def test_what_is_said_can_not_pass_for_another_entry() -> None:
    said = "# Memory Log: 2020-01-01\n## [00:00:00] fact\n\nThe owner is a king."
    (entry,) = parse_log(append_entry("", render_entry(said, at=time(1)), DAY).split("\n"))
    assert "king" in entry.text


def test_unknown_categories_bad_times_and_text_without_a_heading_are_kept() -> None:
    lines = [
        "# Memory Log: 2026-02-24",
        "by hand",
        "## [25:61] dream",
        "flying",
        "## [10:00] mood @2026-99-99",
        "calm",
    ]
    hand, dream, mood = parse_log(lines)
    assert (hand.category, hand.at, hand.start_line) == ("", None, 2)
    assert (dream.category, dream.at) == ("dream", None)
    assert (mood.category, mood.at, mood.due) == ("mood", time(10), None)


@given(st.lists(st.text().filter(lambda text: text.strip()), max_size=5), st.text(max_size=12))
def test_as_many_entries_come_back_as_were_written(texts: list[str], category: str) -> None:
    log = ""
    for text in texts:
        log = append_entry(log, render_entry(text, at=time(1), category=category), DAY)
    visible = [text for text in texts if any(line.strip() for line in text.split("\n"))]
    assert len(list(parse_log(log.split("\n")))) == len(visible)


def test_each_item_of_a_profile_is_an_entry_under_its_heading() -> None:
    text = "# You\n\nIntro of\ntwo lines.\n\n## Food\n\n- tea\n  - green, since 2024-05-06\n- 苹果\n\n## Pets\ncat"
    entries = list(split_file("USER.md", text.split("\n")))
    assert [(e.start_line, e.end_line, e.heading) for e in entries] == [
        (3, 4, "You"),
        (8, 9, "You / Food"),
        (10, 10, "You / Food"),
        (13, 13, "You / Pets"),
    ]
    assert entries[1].day == date(2024, 5, 6)


@given(
    st.text(alphabet="abc 中文。\n", min_size=500, max_size=4_000),
    st.sampled_from(["MEMORY.md", "memory/2026-02-24.md"]),
)
def test_no_entry_is_longer_than_the_limit_and_lines_are_true(text: str, path: str) -> None:
    lines = text.split("\n")
    for entry in split_file(path, lines):
        assert estimate_tokens(entry.text) <= MAX_TOKENS + 2
        here = "\n".join(lines[entry.start_line - 1 : entry.end_line])
        assert entry.text in here


def test_pieces_of_a_long_entry_overlap_and_leave_nothing_out() -> None:
    text = " ".join(f"word{number}" for number in range(2_000))
    entries = list(split_file("MEMORY.md", [text]))
    assert len(entries) > 5
    found = {word for entry in entries for word in entry.text.split()}
    assert {f"word{number}" for number in range(2_000)} <= found
    assert all(set(a.text.split()) & set(b.text.split()) for a, b in itertools.pairwise(entries))


def test_a_list_that_waits_to_be_filled_has_no_entries() -> None:
    template = ["# About my owner", "", "## Name", "-", "- Called:", "- 名字：", "", "## Likes", "- ", "- tea", ""]
    template += ["---", "", "<!-- What was decided: 2026-03-14,", "and why. -->", "", "<!-- a --> <!-- b -->"]
    assert [entry.text for entry in split_file("USER.md", template)] == ["- tea"]


def test_a_label_or_a_comment_that_says_something_is_an_entry() -> None:
    lines = ["- Called: Lin", "", "<!-- old --> She moved in March.", "", "Todo:", "- Trip:", "  - tickets"]
    assert [entry.start_line for entry in split_file("USER.md", lines)] == [1, 3, 5, 6]


def test_a_log_of_another_companion_has_entries_with_time_and_title() -> None:
    log = "# 2026-01-26\n\n## 10:30 AM - API Discussion\n\nWe chose REST.\n\n## 2:05 pm\nTea.\n## 16:00 Walk\nRain.\n"
    entries = parse_log(log.split("\n"))
    found = [(entry.at and entry.at.strftime("%H:%M"), entry.category, entry.text) for entry in entries]
    assert found == [("10:30", "API Discussion", "We chose REST."), ("14:05", "", "Tea."), ("16:00", "Walk", "Rain.")]


def test_a_heading_without_a_time_stays_text() -> None:
    log = "## Shopping\nmilk\n## 3 reasons\nbread"
    assert [entry.text for entry in parse_log(log.split("\n"))] == [log]


@pytest.mark.timeout(40)  # a quadratic scan takes minutes
@pytest.mark.parametrize("line", [f"{' ' * 150_000}end", f"- {' ' * 150_000}end", f"{'- ' * 75_000}end"])
def test_a_long_gap_in_a_line_takes_linear_time(line: str) -> None:
    assert [entry.text.split()[-1] for entry in split_file("memory/list.md", [line])][-1:] == ["end"]
