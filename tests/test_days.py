"""Whatever counts days, at the turn of a year, on a leap day and at changes of daylight saving, in four zones.

The clock is handed in, and its zone is not the machine's.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from pet.engine.receipts import save_note
from pet.language.moment import MomentUnclear, local_wall, parse_moment
from pet.language.ranges import find_ranges
from pet.memory.reminders.reminder import find_reminders, split_reminders
from pet.memory.reminders.scheduler import seconds_to_wait, seconds_until_tomorrow
from pet.memory.store.daily_log import render_entry
from pet.model import MISSING, Author, Present
from pet.services.proactive_limits import ProactiveLog, is_quiet, seconds_until
from pet.settings.program_state import JsonState
from pet.settings.schema import Settings
from pet.workspace.file_history import HistoryEntry, versions_to_keep
from pet.workspace.store import WorkspaceStore
from tests.support.clocks import StandingClock

ZONES = ("UTC", "Asia/Shanghai", "America/St_Johns", "Pacific/Kiritimati")
WALLS = (
    datetime(2027, 12, 31, 23, 59, 30),
    datetime(2028, 2, 29, 0, 0, 0),
    datetime(2028, 2, 29, 23, 59, 30),
    datetime(2028, 3, 11, 23, 59, 30),  # St. John's: the day before it springs ahead
    datetime(2028, 3, 12, 1, 59, 30),
    datetime(2028, 3, 12, 23, 59, 30),
    datetime(2028, 11, 4, 23, 59, 30),  # the day before it falls back
    datetime(2028, 11, 5, 1, 30, 0),
    datetime(2028, 11, 5, 23, 59, 30),
)
MOMENTS = [
    pytest.param(wall.replace(tzinfo=ZoneInfo(zone)), id=f"{wall:%F %T} {zone}") for zone in ZONES for wall in WALLS
]
DAY = timedelta(days=1)
at_every_moment = pytest.mark.parametrize("now", MOMENTS)


def midnight_after(now: datetime) -> datetime:
    return datetime.combine(now.date() + DAY, time(), now.tzinfo)


@at_every_moment
def test_a_note_is_in_the_log_of_the_local_day(now: datetime, tmp_path: Path) -> None:
    clock = StandingClock(now)
    root = tmp_path / "pet"
    root.mkdir()
    store = WorkspaceStore(root, locks=tmp_path / "locks", clock=clock)
    save_note(store, clock, "tea")
    clock.at = (now.astimezone(UTC) + timedelta(seconds=30)).astimezone(now.tzinfo)
    save_note(store, clock, "cake")
    logs = store.log_names()
    assert logs == sorted({f"memory/{at.date()}.md" for at in (now, clock.at)})
    last = store.read(logs[-1])
    assert isinstance(last, Present)
    assert f"[{clock.at:%H:%M:%S}]" in last.text


@at_every_moment
@pytest.mark.parametrize(
    ("words", "days"), [("tomorrow", 1), ("明天", 1), ("mañana", 1), ("the day after tomorrow", 2), ("in 3 days", 3)]
)
def test_a_reminder_counts_local_days(now: datetime, words: str, days: int) -> None:
    assert parse_moment(words, now).day == now.date() + days * DAY


@at_every_moment
@pytest.mark.parametrize("minutes", [1, 45, 180])
def test_a_reminder_in_minutes_counts_instants(now: datetime, minutes: int) -> None:
    due = parse_moment(f"in {minutes} minutes", now)
    at = (now.astimezone(UTC) + timedelta(minutes=minutes)).astimezone(now.tzinfo)
    assert due.at is not None
    wall = datetime.combine(due.day, due.at)
    assert abs(wall - at.replace(tzinfo=None)) <= timedelta(minutes=1)


@at_every_moment
def test_an_instant_is_worded_in_the_clocks_zone(now: datetime) -> None:
    later = now.astimezone(UTC) + timedelta(hours=5)
    assert local_wall(later, now) == later.astimezone(now.tzinfo).replace(tzinfo=None)
    with pytest.raises(MomentUnclear):
        parse_moment((now.astimezone(UTC) - timedelta(minutes=2)).isoformat(), now)


@at_every_moment
def test_a_reminder_is_due_from_its_local_midnight(now: datetime) -> None:
    log = render_entry("ring", at=time(0), category="todo", due=now.date() + DAY)
    reminders = tuple(find_reminders("memory/2027-01-01.md", log))
    midnight = midnight_after(now)
    before = (midnight.astimezone(UTC) - timedelta(seconds=1)).astimezone(now.tzinfo)
    assert split_reminders(reminders, before).due == ()
    assert split_reminders(reminders, midnight).due == reminders
    assert split_reminders(reminders, now).coming == reminders


@at_every_moment
@pytest.mark.parametrize("wait", [seconds_until_tomorrow, lambda now: seconds_to_wait((), now)])
def test_the_wait_for_the_next_day_ends_just_after_local_midnight(
    now: datetime, wait: Callable[[datetime], float]
) -> None:
    woken = now.astimezone(UTC) + timedelta(seconds=wait(now))
    late = woken - midnight_after(now).astimezone(UTC)
    assert timedelta() <= late <= timedelta(minutes=2)


@at_every_moment
@pytest.mark.parametrize("end", ["07:00", "23:59", "00:00", "02:30"])
def test_quiet_hours_end_at_a_local_time_of_day(now: datetime, end: str) -> None:
    wait = timedelta(seconds=seconds_until(now, end))
    ends = (now.astimezone(UTC) + wait).astimezone(now.tzinfo)
    skipped = end == "02:30" and ends.date() == date(2028, 3, 12) and ends.dst() != now.dst()
    assert ends.time() == (time(3, 30) if skipped else time.fromisoformat(end))
    assert timedelta() <= wait <= timedelta(hours=25)


@at_every_moment
def test_quiet_hours_span_midnight(now: datetime) -> None:
    assert is_quiet(now, "23:00", "02:00") == (now.hour >= 23 or now.hour < 2)
    assert not is_quiet(now, "03:00", "22:00")


@at_every_moment
@pytest.mark.parametrize(
    ("question", "back"),
    [("What did I say yesterday?", 1), ("昨天我说了什么", 1), ("three days ago", 3), ("今天", 0)],
)
def test_a_question_names_days_before_the_local_one(now: datetime, question: str, back: int) -> None:
    (days,) = find_ranges(question, now.date())
    assert (days.meant or days.first) == now.date() - back * DAY


@at_every_moment
def test_last_year_and_last_month_are_those_before_the_local_day(now: datetime) -> None:
    (year,) = find_ranges("last year", now.date())
    assert (year.first, year.last) == (date(now.year - 1, 1, 1), date(now.year - 1, 12, 31))
    (month,) = find_ranges("last month", now.date())
    last = now.date().replace(day=1) - DAY
    assert (month.first, month.last) == (last.replace(day=1), last)


def version(at: datetime) -> HistoryEntry:
    return HistoryEntry(
        id=at.isoformat(),
        file="MEMORY.md",
        at=at.isoformat(),
        author=Author.PET,
        source=None,
        before=MISSING,
        after=at.isoformat(),
        size=1,
        kind="write",
    )


@at_every_moment
def test_history_keeps_every_version_of_its_days_and_the_last_of_each_local_day_before(now: datetime) -> None:
    instant = now.astimezone(UTC)
    days = [version((instant - DAY * ago - part).astimezone(now.tzinfo)) for ago in range(10) for part in _PARTS]
    entries = sorted(days, key=lambda entry: datetime.fromisoformat(entry.at))
    kept = {entry.id for entry in versions_to_keep(entries, now=now, days=3, daily_days=7, newest=1)}
    for entry in entries:
        age = (instant - datetime.fromisoformat(entry.at)) / DAY
        last_of_day = not any(other.at[:10] == entry.at[:10] and other.at > entry.at for other in entries)
        if abs(age - 3) > 0.1 and abs(age - 7) > 0.1:
            assert (entry.id in kept) == (age <= 3 or (age <= 7 and last_of_day)), entry.at


_PARTS = (timedelta(minutes=5), timedelta(hours=1), timedelta(hours=6))


@at_every_moment
def test_a_greeting_is_due_once_a_local_day(now: datetime, tmp_path: Path) -> None:
    clock = StandingClock(now)
    log = ProactiveLog(
        forgotten=lambda _text: False,
        state=JsonState(tmp_path / "state.json"),
        pet="pet",
        clock=clock,
    )
    settings = Settings(greetings="daily")
    assert log.greeting_due(settings)
    log.greeted(settings)
    midnight = midnight_after(now)
    clock.at = (midnight.astimezone(UTC) - timedelta(seconds=1)).astimezone(now.tzinfo)
    assert not log.greeting_due(settings)
    clock.at = midnight
    assert log.greeting_due(settings)
