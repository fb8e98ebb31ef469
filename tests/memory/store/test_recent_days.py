"""Recent days: the last days that have a log, the newest of each, whole entries."""

from __future__ import annotations

from datetime import date, time

from pet.memory.store.daily_log import append_entry, render_entry
from pet.memory.store.digest import RecentDay, recent_days


def newest(logs: dict[str, str], characters: int = 500) -> list[RecentDay]:
    return recent_days(logs, days=3, characters=characters)


def day_log(day: str, texts: list[str], category: str = "fact", due: date | None = None) -> str:
    log = ""
    for hour, text in enumerate(texts, 9):
        log = append_entry(
            log, render_entry(text, at=time(hour), category=category, due=due), date.fromisoformat(day)
        )
    return log


def test_the_last_three_days_that_have_entries_oldest_first() -> None:
    files = {f"memory/2026-11-{day:02}.md": day_log(f"2026-11-{day:02}", [f"Day {day}."]) for day in (1, 9, 20, 21)}
    files["memory/2026-11-19.md"] = "# Memory Log: 2026-11-19\n"  # nothing noted
    assert newest(files) == [
        RecentDay(file="memory/2026-11-09.md", text="[09:00] fact: Day 9."),
        RecentDay(file="memory/2026-11-20.md", text="[09:00] fact: Day 20."),
        RecentDay(file="memory/2026-11-21.md", text="[09:00] fact: Day 21."),
    ]


def test_of_a_long_day_the_newest_whole_entries_are_kept_and_the_cut_is_marked() -> None:
    texts = [f"Entry {number} " + "word " * 20 for number in range(10)]
    (day,) = newest({"memory/2026-11-21.md": day_log("2026-11-21", texts)})
    lines = day.text.split("\n")
    assert len(day.text) <= 500 and lines[0] == "…" and lines[-1].startswith("[18:00] fact: Entry 9 ")
    assert [line.split()[3] for line in lines[1:]] == ["6", "7", "8", "9"]
    assert all(line.endswith("word") for line in lines[1:])


def test_a_single_entry_too_long_is_cut() -> None:
    (day,) = newest({"memory/2026-11-21.md": day_log("2026-11-21", ["字" * 2_000])})
    assert len(day.text) == 500 and day.text.startswith("[09:00] fact: 字") and day.text.endswith("…")
    (day,) = newest({"memory/2026-11-21.md": day_log("2026-11-21", ["short", "字" * 2_000])})
    assert len(day.text) <= 500 and day.text.startswith("…\n[10:00]") and day.text.endswith("…")


def test_what_fits_exactly_is_not_marked_and_dates_and_hand_written_lines_are_kept() -> None:
    files = {"memory/2026-11-21.md": day_log("2026-11-21", ["Pay."], "todo", date(2026, 12, 1)) + "\r\n"}
    (day,) = newest(files, len("[09:00] todo @2026-12-01: Pay."))
    assert day.text == "[09:00] todo @2026-12-01: Pay."
    (day,) = newest({"memory/2026-11-21.md": "by hand\r\n"})
    assert day.text == "by hand"
    assert newest({}) == []


def test_a_done_reminder_keeps_its_check_mark_and_day() -> None:
    log = (
        "# Memory Log: 2026-11-20\n\n## [09:00:00] todo (at 15:00) @2026-11-21 \u2713 2026-11-21\n\nCall Ana.\n"
        "\n## [10:00:00] todo @2026-11-22 \u2713\n\nBuy tea.\n\n## [11:00:00] todo @2026-11-23\n\nPay rent.\n"
    )
    (day,) = newest({"memory/2026-11-20.md": log})
    assert day.text.split("\n") == [
        "[09:00] todo (at 15:00) @2026-11-21 \u2713 2026-11-21: Call Ana.",
        "[10:00] todo @2026-11-22 \u2713: Buy tea.",
        "[11:00] todo @2026-11-23: Pay rent.",
    ]
