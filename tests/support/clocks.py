"""Clocks that a test holds in its hand."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

START = datetime(2026, 2, 24, 14, 30, 15, tzinfo=UTC)


@dataclass
class StandingClock:
    """Stands still until the test moves it."""

    at: datetime = START

    def now(self) -> datetime:
        return self.at

    def monotonic(self) -> float:
        return self.at.timestamp()

    def later(self, **by: float) -> None:
        self.at += timedelta(**by)


@dataclass
class SteppingClock:
    """Each look is a second later."""

    at: datetime = START
    step: timedelta = timedelta(seconds=1)

    def now(self) -> datetime:
        self.at += self.step
        return self.at

    def monotonic(self) -> float:
        return self.at.timestamp()
