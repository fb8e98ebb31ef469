"""Waits for a condition, with a limit for the slowest machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

PATIENCE = 180.0
"""Seconds; far more than an idle machine needs."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 0.1  # seconds between two looks


def wait_for(what: str, look: Callable[[], T | None], seconds: float = PATIENCE) -> T:
    """Return the first true result. The limit is no delay: what is true soon is returned at once. Later it is looked
    for ten times a second, since a look may be a program of its own.
    """
    end, pause = time.monotonic() + seconds, _FIRST_PAUSE
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds:.0f} s for {what}")
        time.sleep(pause)
        pause = min(1.2 * pause, _LONGEST_PAUSE)
