"""Sizes of tests by day and at night (``make nightly``): random tests have 30 and 300 examples, or their own."""

from __future__ import annotations

from hypothesis import settings


def examples(by_day: int) -> int:
    """Return the number for a test that has its own by day: because each example takes long, or, for what holds the
    memory switch, because it is to be asked as often every time."""
    return by_day * 10 if at_night() else by_day


def at_night() -> bool:
    """Whether ``--nightly`` is given. Not known yet when modules are imported."""
    return settings.get_current_profile_name() == "night"
