"""Time as a thing passed in: wall time with the owner's zone, and a monotonic clock for durations."""

from __future__ import annotations

import time
from datetime import datetime
from typing import Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """Aware local time."""
        ...

    def monotonic(self) -> float:
        """Seconds, never going back."""
        ...


def follow_time_zone() -> None:
    """Have the process notice that the system's time zone is another one; the C library asks only once by itself."""
    if hasattr(time, "tzset"):  # Windows asks each time
        time.tzset()


class SystemClock:
    def now(self) -> datetime:
        return datetime.now().astimezone()

    def monotonic(self) -> float:
        return time.monotonic()
