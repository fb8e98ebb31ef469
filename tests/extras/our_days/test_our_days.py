"""The page "Our days": told by the logs alone, whatever the switch says; nothing of what is grave or forgotten."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest

from pet.body.creature import THINGS
from pet.errors import BadArguments
from pet.extras.our_days.commands import PICTURES, OurDaysCommands
from pet.memory.reminders.occasions import months_between
from pet.workspace.store import WorkspaceStore
from tests.support.clocks import SteppingClock
from tests.support.files import write_files
from tests.support.program.parts import pet_of

TODAY = date(2026, 11, 29)


def log(*entries: tuple[str, str]) -> str:
    return "# Memory Log: a day\n" + "".join(f"\n## [10:00:00] {category}\n\n{text}\n" for category, text in entries)


@pytest.fixture
def opened(tmp_path: Path) -> Callable[..., OurDaysCommands]:
    def opened(files: dict[str, str], days: int = 100) -> OurDaysCommands:
        root = tmp_path / "pet"
        root.mkdir()
        write_files(root, {f"memory/{name}.md": text for name, text in files.items()})
        clock = SteppingClock(datetime.fromisoformat("2026-11-29T12:00:00+00:00"))
        store = WorkspaceStore(root, locks=tmp_path / "locks", clock=clock)
        life = SimpleNamespace(days_together=days)
        return OurDaysCommands(pet_of(store=store, clock=clock, bubble=SimpleNamespace(life=life)))

    return opened


def test_each_day_is_told_by_what_was_lived_rather_than_by_what_is_to_do(
    opened: Callable[..., OurDaysCommands],
) -> None:
    page = opened(
        {
            "2026-11-02": log(
                ("todo", "Owner: buy milk"), ("event", "Owner: Ran the city race. It rained."), ("x", "is")
            ),
            "2026-11-01": log(("preference", "Owner: Likes tea")),
        }
    )
    days = page.list_our_days()
    assert [(each.day, each.text, each.picture, each.more, each.line) for each in days.days] == [
        ("2026-11-02", "Ran the city race", "star", 2, 9),
        ("2026-11-01", "Likes tea", "clover", 0, 5),
    ]
    assert [(each.category, each.day) for each in days.firsts] == [
        ("preference", "2026-11-01"),
        ("event", "2026-11-02"),
    ]
    assert (days.since, days.days_together, days.earlier) == ("2026-08-21", 100, "")


def test_what_is_grave_secret_or_forgotten_is_not_told(
    opened: Callable[..., OurDaysCommands], tmp_path: Path
) -> None:
    page = opened(
        {
            "2026-11-01": log(("event", "Owner: Grandpa died")),
            "2026-11-02": log(("event", "Owner: The key is sk-ant-api03-" + "a1B2" * 24)),
            "2026-11-03": log(("event", "Owner: Went sailing")),
            "2025-11-29": log(("event", "Owner: Was at the hospital"), ("event", "Owner: Saw a whale")),
        }
    )
    days = page.list_our_days()
    assert [each.text for each in days.days] == ["Went sailing", "Saw a whale"]
    assert [each.text for each in days.this_day] == ["Saw a whale"]
    page.app.store.forgotten.remember("Went sailing", locks=tmp_path / "locks")
    assert [each.text for each in page.list_our_days().days] == ["Saw a whale"]


def test_what_is_deleted_from_the_logs_is_on_no_page_any_more(
    opened: Callable[..., OurDaysCommands], tmp_path: Path
) -> None:
    page = opened(
        {
            "2025-11-29": log(("event", "Owner: Saw a whale"), ("person", "Owner: Anna is my sister")),
            "2026-11-01": log(("event", "Owner: Went sailing")),
        }
    )
    before = page.list_our_days()
    assert [[each.text for each in some] for some in (before.days, before.this_day, before.firsts)] == [
        ["Went sailing", "Saw a whale"],
        ["Saw a whale", "Anna is my sister"],
        ["Saw a whale", "Anna is my sister"],
    ]
    logs = tmp_path / "pet" / "memory"
    (logs / "2025-11-29.md").write_text(log(("person", "Owner: Anna is my sister")), encoding="utf-8")
    cut = page.list_our_days()
    assert [[each.text for each in some] for some in (cut.days, cut.this_day, cut.firsts)] == [
        ["Went sailing", "Anna is my sister"],
        ["Anna is my sister"],
        ["Anna is my sister", "Went sailing"],
    ]
    (logs / "2025-11-29.md").unlink()
    left = page.list_our_days()
    assert [[each.text for each in some] for some in (left.days, left.this_day, left.firsts)] == [
        ["Went sailing"],
        [],
        ["Went sailing"],
    ]
    kept = [file.read_bytes() for file in tmp_path.rglob("*") if file.is_file()]
    assert not any(b"whale" in each or b"Anna" in each for each in kept)


def test_a_year_of_empty_logs_and_no_logs_are_no_days(opened: Callable[..., OurDaysCommands]) -> None:
    first = date(2025, 11, 29)
    page = opened(
        {(first + timedelta(day)).isoformat(): "# Memory Log: a day\n\n## [10:00:00] event\n" for day in range(366)}
    )
    days = page.list_our_days()
    assert (days.days, days.firsts, days.this_day, days.earlier) == ([], [], [], "")


def test_the_newest_days_come_first_and_earlier_ones_by_their_day(opened: Callable[..., OurDaysCommands]) -> None:
    page = opened({f"2026-11-{day:02}": log(("fact", f"Fact {day}")) for day in range(1, 21)})
    days = page.list_our_days(count=5)
    assert ([each.day[-2:] for each in days.days], days.earlier) == (["20", "19", "18", "17", "16"], "2026-11-16")
    assert [each.day[-2:] for each in page.list_our_days(before=days.earlier, count=2).days] == ["15", "14"]
    for before, count in (("never", 5), ("", 0), ("", 5_000)):
        with pytest.raises(BadArguments):
            page.list_our_days(before=before, count=count)


def test_of_each_month_together_it_keeps_one_thing_and_none_is_lost(
    opened: Callable[..., OurDaysCommands],
) -> None:
    page = opened({}, days=(TODAY - date(2025, 8, 31)).days)
    days = page.list_our_days()
    assert days.kept == [*THINGS, *THINGS[:2]]
    assert {each.name for each in days.things} == set(THINGS)
    assert all(each.image.startswith("data:image/svg+xml;base64,") for each in days.things)
    assert set(PICTURES.values()) <= set(THINGS)


@pytest.mark.parametrize(
    ("met", "day", "months"),
    [
        (date(2026, 1, 31), date(2026, 2, 27), 0),
        (date(2026, 1, 31), date(2026, 2, 28), 1),
        (date(2026, 1, 15), date(2026, 12, 31), 11),
        (date(2026, 1, 15), date(2027, 1, 15), 12),
        (date(2026, 3, 5), date(2026, 3, 5), 0),
    ],
)
def test_a_month_is_full_on_its_day_or_the_months_last(met: date, day: date, months: int) -> None:
    assert months_between(met, day) == months
