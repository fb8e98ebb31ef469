"""Loaded by every Python program under libfaketime, also by a test's own: a sleep whose end has passed returns.

libfaketime reports such a sleep as an invalid argument, which threads of a busy machine meet now and then.
"""

from __future__ import annotations

import errno
import time

_sleep = time.sleep


def sleep_until_past(seconds: float) -> None:
    try:
        _sleep(seconds)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise


time.sleep = sleep_until_past  # type: ignore[assignment]  # its callers pass numbers
