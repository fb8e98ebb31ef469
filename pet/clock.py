"""Time as a parameter: wall time in the owner's zone, and a monotonic clock for durations."""

from __future__ import annotations

import time
from datetime import datetime
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


class SystemClock:
    def now(self) -> datetime:
        return datetime.now().astimezone()

    def monotonic(self) -> float:
        return time.monotonic()
