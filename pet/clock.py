"""Time as a parameter: wall time in the owner's zone, and a monotonic clock for durations."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timezone, tzinfo
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """Return aware local time."""
        ...

    def monotonic(self) -> float:
        """Return seconds that never go back."""
        ...


def follow_time_zone() -> None:
    """Make the process notice a changed system time zone: the C library reads it only once by itself."""
    if hasattr(time, "tzset"):  # Windows asks each time
        time.tzset()


def zone_of(now: datetime) -> tzinfo | None:
    """Return the zone of the clock that read ``now``; None for the system's, whose readings carry only the present
    offset.
    """
    system = isinstance(now.tzinfo, timezone) and now.utcoffset() == now.astimezone().utcoffset()
    return None if system else now.tzinfo


def instant_of(wall: datetime, now: datetime) -> datetime:
    """Return the instant, in UTC, of a naive local time of the clock that read ``now``."""
    return wall.replace(tzinfo=zone_of(now)).astimezone(UTC)


class SystemClock:
    def now(self) -> datetime:
        return datetime.now().astimezone()

    def monotonic(self) -> float:
        return time.monotonic()
