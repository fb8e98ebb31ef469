"""Clocks that jump and zones that change while the program runs: what is limited per day stays limited, what waits
comes, and what was noted is still recent. Reminders are in test_reminder_clock.py."""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime, timedelta, timezone
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.engine.turn_context import WarmPrompt
from pet.engine.usage import UsageLedger
from pet.events import DayChanged, Event
from pet.memory.reminders.reminder import split_reminders
from pet.memory.reminders.scheduler import ReminderScheduler
from pet.model import Source, Usage
from pet.services.proactive_limits import wants_quiet
from pet.settings.program_state import JsonState
from pet.settings.schema import Settings
from pet.workspace.gated_files import GatedFiles
from tests.engine.conftest import Make
from tests.engine.reader import is_flush
from tests.engine.test_resting_notes import TOLD, resting, told
from tests.support.clocks import StandingClock

START = datetime(2026, 2, 24, 12, 0, tzinfo=timezone(timedelta(hours=8)))
NONE = Settings()
JUMPS = st.lists(
    st.tuples(st.sampled_from([1, -1, 7, 24, -24, 25, -47, 24 * 40, -24 * 40, 24 * 800]), st.integers(-11, 13)),
    min_size=1,
    max_size=60,
)
"""Hours, and the zone that it is then."""


def moved(clock: StandingClock, hours: int, zone: int) -> None:
    clock.at = (clock.at + timedelta(hours=hours)).astimezone(timezone(timedelta(hours=zone)))


@given(JUMPS)
def test_the_days_tokens_are_those_of_that_day_however_the_clock_jumps(jumps: list[tuple[int, int]]) -> None:
    spent: dict[str, int] = defaultdict(int)
    with TemporaryDirectory() as folder:
        clock = StandingClock(START)
        ledger = UsageLedger(JsonState(Path(folder) / "usage.json"), clock, lambda: NONE)
        for hours, zone in jumps:
            moved(clock, hours, zone)
            ledger.spent("m", Usage(input_tokens=3), keep=True)
            spent[clock.at.date().isoformat()] += 3
            assert ledger.tokens_today() == spent[clock.at.date().isoformat()]


def test_the_limit_holds_on_a_day_before_all_that_are_kept(tmp_path: Path) -> None:
    """As many later days as are kept dropped it at once: with a limit, nothing would have counted."""
    clock = StandingClock(START)
    ledger = UsageLedger(JsonState(tmp_path / "usage.json"), clock, lambda: NONE)
    for _ in range(500):
        ledger.spent("m", Usage(input_tokens=1), keep=True)
        clock.later(days=1)
    clock.at = START - timedelta(days=2)
    for count in range(1, 4):
        ledger.spent("m", Usage(input_tokens=5), keep=True)
        assert ledger.tokens_today() == 5 * count


@given(JUMPS)
def test_quiet_hours_are_those_of_the_wall_clock_in_any_zone(jumps: list[tuple[int, int]]) -> None:
    clock, settings = StandingClock(START), Settings(quiet_from="22:00", quiet_until="08:00")
    for hours, zone in jumps:
        moved(clock, hours, zone)
        assert wants_quiet(settings, clock.now()) is (clock.at.hour >= 22 or clock.at.hour < 8)


@pytest.mark.parametrize("days", [-400, -1, 1, 400])
def test_notes_at_rest_come_within_an_hour_wherever_the_clock_was_put(make_core: Make, days: int) -> None:
    core = make_core()
    rests = resting(core)
    chat = told(core, TOLD)
    core.clock.later(days=days)
    rests.check()
    core.clock.later(minutes=61)
    rests.check()
    chat.wait(60)
    assert not rests._due and sum(map(is_flush, core.provider.requests)) == (days < 0)


def test_what_was_noted_today_is_recent_after_the_zone_went_back_a_day(make_core: Make) -> None:
    core = make_core()
    tomorrow = core.clock.now().date() + timedelta(days=1)
    core.put(f"memory/{tomorrow}.md", f"# Memory Log: {tomorrow}\n\n## [00:10:00] fact\n\nlikes tea\n")
    core.put("memory/2030-01-01.md", "# Memory Log: 2030-01-01\n\n## [00:10:00] fact\n\nlikes gin\n")
    files = GatedFiles(
        core.app.store,
        core.app.conversations.create(memory=True).gate.begin_turn(),
        Source(conversation="c", turn="t"),
    )
    assert list(files.recent_logs(core.clock.now().date(), 3)) == [f"memory/{tomorrow}.md"]


@given(JUMPS)
def test_each_new_day_is_told_once(jumps: list[tuple[int, int]]) -> None:
    clock, days = StandingClock(START), list[Event]()
    scheduler = ReminderScheduler(
        lambda: split_reminders((), clock.now()), clock, lambda event: days.append(event), longest=3600
    )
    scheduler.check()
    expected, day = 0, clock.at.date()
    for hours, zone in jumps:
        moved(clock, hours, zone)
        expected += clock.at.date() != day
        day = clock.at.date()
        for _ in range(2):
            assert 0 < scheduler.check() <= 3600
    assert [type(each) for each in days] == [DayChanged] * expected


@given(JUMPS)
def test_a_prompt_counts_as_kept_by_the_provider_only_shortly_after_it_was_sent(jumps: list[tuple[int, int]]) -> None:
    clock = StandingClock(START)
    for hours, zone in jumps:
        warm = WarmPrompt(sent_at=clock.now())
        assert warm.is_warm(clock.now())
        moved(clock, hours, zone)
        assert not warm.is_warm(clock.now())
