"""Child processes that are killed at any system call, or in the middle of a write."""

from __future__ import annotations

import gc
import os
import shutil
import signal
from collections.abc import Callable, Iterator, Sequence
from itertools import count
from pathlib import Path

import pytest

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="a process can't be copied there")


CALLS = ("open", "write", "fsync", "replace", "rename", "link", "unlink", "mkdir", "fchmod", "ftruncate")


def deaths(
    tmp_path: Path,
    prepare: Callable[[Path], object],
    act: Callable[[Path], object],
    *,
    half: bool,
    calls: Sequence[str] = CALLS,
    step: int = 1,
) -> Iterator[Path]:
    """Yield the prepared folder, always the same, after each point of death in the act: before a call, or inside a
    write, until the act outlives the number. ``step``: take one of so many points.
    """
    folder, prepared = tmp_path / f"dying-{half}", tmp_path / f"prepared-{half}"
    folder.mkdir()
    prepare(folder)
    shutil.copytree(folder, prepared)
    for deadly in count(step=step):
        shutil.rmtree(folder)
        shutil.copytree(prepared, folder)

        def run(deadly: int = deadly) -> None:
            arm(deadly, calls, half=half)
            act(folder)

        if survives(run):
            return
        yield folder


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
        gc.disable()  # a search of all that the tests have loaded would copy it
        try:
            act()
            os._exit(0)
        finally:
            os._exit(1)
    code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert code in (0, -signal.SIGKILL), "it failed in another way"
    return code == 0
