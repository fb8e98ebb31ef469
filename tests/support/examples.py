"""Numbers of random examples: 30 by day and 300 at night (``make nightly``), except where a test has its own."""

from __future__ import annotations

from hypothesis import settings


def examples(by_day: int) -> int:
    """Return the number for a test that has its own by day: because each example takes long, or, for what holds the
    memory switch, because it is to be asked as often every time."""
    return by_day * 10 if settings.get_current_profile_name() == "night" else by_day
