"""Pytest plugin for runs under libfaketime: a sleep whose end has passed returns, as it does without.

libfaketime reports such a sleep as an invalid argument, which threads of a busy machine meet now and then.
"""

from __future__ import annotations

import errno
import time

_sleep = time.sleep


def pytest_configure() -> None:
    time.sleep = sleep_until_past  # type: ignore[assignment]  # its callers pass numbers


def sleep_until_past(seconds: float) -> None:
    try:
        _sleep(seconds)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
