"""What is done once a day, where the disk does not let it."""

from __future__ import annotations

import errno

from pet.workspace.daily_maintenance import DailyMaintenance
from tests.workspace.conftest import Desk


def test_a_full_disk_does_not_end_the_days_that_follow(desk: Desk) -> None:
    asked: list[str] = []

    def full() -> None:
        asked.append("collect")
        raise OSError(errno.ENOSPC, "No space left on device")

    DailyMaintenance(desk.store, full).run()
    assert asked == ["collect"]
