"""What HEARTBEAT.md may cost on a day, however the clock jumps."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path
from types import SimpleNamespace

import pytest

from pet.extras.heartbeat import HeartbeatSettings
from pet.extras.heartbeat.heartbeat import HeartbeatRecord
from pet.services.proactive_limits import ProactiveLog
from pet.settings.program_state import JsonState
from tests.support.clocks import StandingClock
from tests.support.program.parts import pet_of

START = datetime(2026, 2, 24, 12, 0, tzinfo=timezone(timedelta(hours=8)))


def recorded(folder: Path, clock: StandingClock) -> HeartbeatRecord:
    log = ProactiveLog(
        forgotten=lambda _text: False,
        state=JsonState(folder / "state.json"),
        pet="pet",
        clock=clock,
    )
    settings = SimpleNamespace(of=lambda _kind: HeartbeatSettings(heartbeat_daily_tokens=1_000))
    return HeartbeatRecord(pet_of(proactive=log, effective=SimpleNamespace(current=lambda: settings), clock=clock))


def test_a_clock_or_zone_that_goes_back_and_forth_gives_no_second_share_of_the_day(tmp_path: Path) -> None:
    clock = StandingClock(START)
    record = recorded(tmp_path, clock)
    for _ in range(10):  # over midnight and back, as on a journey
        for hours in (24, -24):
            clock.later(hours=hours)
            if record.tokens_left() > 0:
                assert record.request(400)
                record.spent(500)
    spent = sum(int(each) for each in record.pet.proactive.of_today("heartbeat_tokens")[1:])
    assert spent == 1_000 and record.tokens_left() == 0
    clock.later(days=2)
    assert record.tokens_left() == 1_000


@pytest.mark.parametrize("days", [3, 400, 3_000])
def test_what_was_spent_under_a_wrong_date_does_not_block_the_days_after_it_is_put_right(
    tmp_path: Path, days: int
) -> None:
    clock = StandingClock(START)
    record = recorded(tmp_path, clock)
    clock.later(days=days)
    assert record.request(1_000)
    record.pet.proactive.spoke()
    assert not record.is_due()
    clock.at = START
    assert record.tokens_left() == 1_000 and record.is_due()
