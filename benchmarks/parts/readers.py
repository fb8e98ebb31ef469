"""What each reader of outside text takes for the largest input that it is given (``tests/untrusted``).

By the shape that takes it longest, of those the test of linear time has; measured at no more than ``_MOST``
characters and scaled to the limit, since that test holds time to the size. Beside it: the same input, hashed.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable
from contextlib import suppress
from importlib import import_module

from benchmarks.instruments.figures import Figure
from tests.untrusted.test_outside_bytes import MARKDOWN, READERS, SHAPES, WORDS_IN_TEXTS

_SHORT, _MOST = 8_000, 200_000


def measure(say: Callable[[str], None]) -> list[Figure]:
    figures: list[Figure] = []
    for name, (read, limit) in READERS.items():
        say(f"readers: {name}")
        module, _, number = limit.partition(":")
        largest = int(getattr(import_module(f"pet.{module}"), number))
        shapes = sorted((*SHAPES, *MARKDOWN, *WORDS_IN_TEXTS), key=lambda each: _seconds(read, each, _SHORT))
        size = min(largest, _MOST)
        worst = max(shapes[-3:], key=lambda each: _seconds(read, each, size))
        times = largest / size
        figures.append(
            Figure(
                name=f"{name}, {largest / 1e6:.3g} M characters of {worst!a}",
                value=times * _seconds(read, worst, size) * 1_000,
                unit="ms",
                baseline=times * _seconds(_hashed, worst, size) * 1_000,
                baseline_name="hashed",
            )
        )
    return sorted(figures, key=lambda each: -each.value)


def _hashed(text: str) -> None:
    hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _seconds(read: Callable[[str], object], shape: str, size: int) -> float:
    """Return the processor time of one reading; what is refused counts as read."""
    text = shape * max(1, size // len(shape))
    begun = time.thread_time()
    with suppress(Exception):
        read(text)
    return time.thread_time() - begun
