"""Waiting for what is meant, with a limit that no machine is too busy for."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

PATIENCE = 180.0
"""A limit for what comes at once on a machine that has nothing else to do."""


def wait_for(what: str, look: Callable[[], T | None], seconds: float = PATIENCE) -> T:
    """The first true answer. A limit, not a delay: what is there is returned at once."""
    end = time.monotonic() + seconds
    while True:
        found = look()
        if found:
            return found
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds:.0f} s for {what}")
        time.sleep(0.02)
