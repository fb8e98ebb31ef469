"""Child processes that are killed at any system call, or in the middle of a write."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Sequence
from itertools import count

import pytest

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="a process can't be copied there")


def arm(deadly: int, calls: Sequence[str], *, half: bool) -> None:
    """Kill this child at the ``deadly``-th of these calls, before the call or half-way through a write."""
    number = count()
    write = os.write

    def wrap(real: Callable[..., object]) -> Callable[..., object]:
        def call(*args: object, **kwargs: object) -> object:
            if next(number) == deadly:
                if half and real is write:
                    descriptor, data = args
                    assert isinstance(descriptor, int)
                    assert isinstance(data, bytes | memoryview)
                    write(descriptor, bytes(data)[: len(data) // 2])
                die()
            return real(*args, **kwargs)

        return call

    for name in calls:
        setattr(os, name, wrap(getattr(os, name)))


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def survives(act: Callable[[], object]) -> bool:
    """Run it in a child; return whether that was not killed."""
    child = os.fork()
    if child == 0:
        try:
            act()
            os._exit(0)
        finally:
            os._exit(1)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, -signal.SIGKILL), "it failed in another way"
    return code == 0
