"""Clocks controlled by a test."""

from __future__ import annotations

import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

START = datetime(2026, 2, 24, 14, 30, 15, tzinfo=UTC)
NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)
TODAY = NOON.date()
"""The day of ``DayClock``."""


@dataclass
class StandingClock:
    """A clock that moves only when the test sets it."""

    at: datetime = START

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return self.at.timestamp()

    def later(self, **by: float) -> None:
        self.at += timedelta(**by)


class DayClock:
    """A clock that starts at noon of TODAY and runs in real time, for code that really waits."""

    def __init__(self, at: datetime = NOON) -> None:
        self._at = at
        self._begun = time.monotonic()

    def now(self) -> datetime:
        return self._at + timedelta(seconds=time.monotonic() - self._begun)

    def later(self, **by: float) -> None:
        self._at += timedelta(**by)

    def monotonic(self) -> float:
        return time.monotonic()


@dataclass
class SteppingClock:
    """A clock that advances one second per call."""

    at: datetime = START
    step: timedelta = timedelta(seconds=1)

    def now(self) -> datetime:
        self.at += self.step
        return self.at

    def monotonic(self) -> float:
        return self.at.timestamp()
