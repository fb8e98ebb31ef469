"""Reminders with a time of day on clocks that jump: daylight saving, time zones, sleep, a clock that is set.

Nothing waits: the scheduler says how long it would sleep, and the simulated clock moves on by that.
"""

from __future__ import annotations

import os
import tempfile
import time as system_time
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from itertools import pairwise
from pathlib import Path
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from pet.clock import SystemClock, follow_time_zone
from pet.events import Event, RemindersChanged
from pet.memory.reminders.reminder import find_reminders, split_reminders
from pet.memory.reminders.scheduler import ReminderScheduler
from pet.memory.store.daily_log import render_entry
from pet.services.proactive_limits import ProactiveLog
from pet.settings.program_state import JsonState

ZONES = st.sampled_from(sorted(available_timezones())).map(ZoneInfo)
MINUTE = timedelta(minutes=1)


class Wall:
    """A clock in a zone, at an instant that the test sets."""

    def __init__(self, zone: ZoneInfo, instant: datetime) -> None:
        self.zone = zone
        self.instant = instant

    def now(self) -> datetime:
        return self.instant.astimezone(self.zone)

    def monotonic(self) -> float:
        return 0.0


class Day:
    """A reminder, its scheduler, and when it rang."""

    def __init__(self, clock: Wall, due: datetime, folder: Path) -> None:
        log = render_entry("ring", at=time(0), category="todo", due=due.date(), due_at=due.time())
        self.clock = clock
        self.open = tuple(find_reminders("memory/2026-01-01.md", log))
        self.rang: list[datetime] = []
        self.looks = 0
        self.proactive = ProactiveLog(
            forgotten=lambda _text: False,
            state=JsonState(folder / "state.json"),
            pet="pet",
            clock=clock,
        )
        self.timer = ReminderScheduler(lambda: split_reminders(self.open, clock.now()), clock, self.ring)

    def ring(self, event: Event) -> None:
        """As the bubble does: what is due and was not shown today."""
        if not isinstance(event, RemindersChanged):  # a new day is the concern of others
            return
        fresh = self.proactive.fresh_reminders(split_reminders(self.open, self.clock.now()).due)
        if fresh:
            self.proactive.note_shown(fresh)
        self.rang += [self.clock.instant for _ in fresh]

    def look(self) -> timedelta:
        self.looks += 1
        return timedelta(seconds=self.timer.check())

    def live(self, until: datetime) -> None:
        while self.clock.instant < until:
            self.clock.instant += self.look()
        self.look()


def wall(instant: datetime, zone: ZoneInfo) -> datetime:
    return instant.astimezone(zone).replace(tzinfo=None)


def first_minute_at(due: datetime, begin: datetime, zone: ZoneInfo) -> datetime:
    """The first full minute whose local time is not before the reminder's."""
    instant = begin.replace(second=0, microsecond=0)
    while wall(instant, zone) < due or instant < begin:
        instant += MINUTE
    return instant


BERLIN, NEW_YORK, LORD_HOWE = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York"), ZoneInfo("Australia/Lord_Howe")


@given(ZONES, st.datetimes(datetime(2020, 1, 2), datetime(2036, 12, 30)), st.integers(1, 23 * 60))
@example(BERLIN, datetime(2026, 3, 29, 2, 30), 300)  # skipped: it rings at three
@example(BERLIN, datetime(2026, 10, 25, 2, 30), 300)  # comes twice: it rings the first time
@example(NEW_YORK, datetime(2026, 3, 8, 2, 0), 300)
@example(LORD_HOWE, datetime(2026, 10, 4, 2, 15), 300)  # half an hour is skipped
@example(ZoneInfo("Pacific/Apia"), datetime(2011, 12, 30, 12, 0), 300)  # a day is skipped
def test_it_rings_at_the_first_minute_that_is_due_in_any_zone(zone: ZoneInfo, due: datetime, ahead: int) -> None:
    due = due.replace(second=0, microsecond=0)
    begin = due.replace(tzinfo=zone).astimezone(UTC) - ahead * MINUTE
    if wall(begin, zone) >= due:
        return  # the zone's clock jumped in between
    with tempfile.TemporaryDirectory() as folder:
        day = Day(Wall(zone, begin), due, Path(folder))
        expected = first_minute_at(due, begin, zone)
        day.live(expected + timedelta(hours=3))
    assert day.rang[0] == expected
    assert all(one.astimezone(zone).date() != two.astimezone(zone).date() for one, two in pairwise(day.rang))
    assert day.looks <= (ahead + 180) + 30  # at most once a minute


def test_a_skipped_hour_rings_when_the_clock_has_jumped_and_a_doubled_one_once(tmp_path: Path) -> None:
    skipped = Day(Wall(BERLIN, datetime(2026, 3, 28, 20, tzinfo=UTC)), datetime(2026, 3, 29, 2, 30), tmp_path)
    skipped.live(datetime(2026, 3, 29, 6, tzinfo=UTC))
    assert [str(at.astimezone(BERLIN)) for at in skipped.rang] == ["2026-03-29 03:00:00+02:00"]
    (tmp_path / "state.json").unlink()
    doubled = Day(Wall(BERLIN, datetime(2026, 10, 24, 20, tzinfo=UTC)), datetime(2026, 10, 25, 2, 30), tmp_path)
    doubled.live(datetime(2026, 10, 25, 6, tzinfo=UTC))
    assert [str(at.astimezone(BERLIN)) for at in doubled.rang] == ["2026-10-25 02:30:00+02:00"]


JUMPS = st.lists(st.tuples(st.integers(1, 200), st.integers(-48 * 60, 48 * 60)), max_size=6)


@given(JUMPS, st.integers(0, 24 * 60))
def test_sleep_and_a_clock_that_is_set_cost_a_minute_at_most(jumps: list[tuple[int, int]], at: int) -> None:
    """``jumps``: after so many looks the clock stands so many minutes later or earlier, which nobody tells."""
    begin = datetime(2026, 5, 10, 12, tzinfo=UTC)
    due = datetime(2026, 5, 10, 12) + timedelta(minutes=at)
    with tempfile.TemporaryDirectory() as folder:
        day = Day(Wall(ZoneInfo("UTC"), begin), due, Path(folder))
        for looks, minutes in [*jumps, (24 * 60 + 60, 0)]:
            for _ in range(looks):
                slept = day.look()
                assert day.rang or day.clock.now().replace(tzinfo=None) < due  # seen at the first look
                if day.clock.now().replace(tzinfo=None) >= due:
                    break
                day.clock.instant += slept
            day.clock.instant += timedelta(minutes=minutes)
        assert all(one.date() != two.date() for one, two in pairwise(sorted(day.rang)))


def test_another_time_zone_rings_at_the_hour_as_written(tmp_path: Path) -> None:
    clock = Wall(BERLIN, datetime(2026, 5, 10, 6, tzinfo=UTC))
    day = Day(clock, datetime(2026, 5, 10, 15), tmp_path)
    for _ in range(60):
        clock.instant += day.look()
    clock.zone = NEW_YORK  # it is three in the morning there
    day.live(datetime(2026, 5, 10, 22, tzinfo=UTC))
    assert [str(at.astimezone(NEW_YORK)) for at in day.rang] == ["2026-05-10 15:00:00-04:00"]


@pytest.fixture
def zone() -> Iterator[None]:
    before = os.environ.get("TZ")
    yield
    if before is None:
        os.environ.pop("TZ", None)
    else:
        os.environ["TZ"] = before
    follow_time_zone()


@pytest.mark.skipif(not hasattr(system_time, "tzset"), reason="this system asks for its zone each time")
@pytest.mark.usefixtures("zone")
def test_the_process_notices_that_the_system_is_in_another_zone() -> None:
    for name, hours in (("UTC", 0), ("Asia/Shanghai", 8)):
        os.environ["TZ"] = name
        follow_time_zone()
        assert SystemClock().now().utcoffset() == timedelta(hours=hours)


def test_a_week_with_one_reminder_a_day_wakes_rarely(tmp_path: Path) -> None:
    """Without a time of day within reach it looks once an hour; with one once a minute."""
    day = Day(Wall(BERLIN, datetime(2026, 5, 1, tzinfo=UTC)), datetime(2026, 5, 9, 15), tmp_path)
    day.live(datetime(2026, 5, 7, 10, tzinfo=UTC))
    assert day.looks <= 24 * 8
    assert date(2026, 5, 9) == day.open[0].due
