"""A program that was just started: its window is shown before its socket listens."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

from pet.bridge.channel import NotListening
from tests.support.waiting import PATIENCE

T = TypeVar("T")


def once_listening(call: Callable[[], T], seconds: float = PATIENCE) -> T:
    """Return the reply of a call over its socket, once that listens."""
    end = time.monotonic() + seconds
    while True:
        try:
            return call()
        except NotListening:
            if time.monotonic() >= end:
                raise
        time.sleep(0.02)
