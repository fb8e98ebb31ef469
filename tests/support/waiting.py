"""Waits for a condition, with a limit for the slowest machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

PATIENCE = 180.0
"""Seconds; far more than an idle machine needs."""


def wait_for(what: str, look: Callable[[], T | None], seconds: float = PATIENCE) -> T:
    """Return the first true result. The limit is no delay: a true result is returned at once."""
    end = time.monotonic() + seconds
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds:.0f} s for {what}")
        time.sleep(0.02)
