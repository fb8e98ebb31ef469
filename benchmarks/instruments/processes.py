"""Cost of a program with all its helpers: memory shared fairly (PSS) and processor time, read from the system."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import time
from collections.abc import Iterator

import psutil


def tree(pid: int) -> list[psutil.Process]:
    parent = psutil.Process(pid)
    return [parent, *parent.children(recursive=True)]


def parents(pid: int) -> list[psutil.Process]:
    return psutil.Process(pid).parents()


def pss_mib(pid: int) -> float:
    total = 0
    for process in tree(pid):
        with contextlib.suppress(psutil.NoSuchProcess):
            total += process.memory_full_info().pss
    return total / 2**20


def renderers(pid: int) -> list[psutil.Process]:
    """Return the processes of the tree's pages in memory. One that a zygote forked may keep its command line."""
    found = []
    for process in tree(pid):
        with contextlib.suppress(psutil.NoSuchProcess):
            parent = process.parent()
            forked = _is_zygote(process) and parent is not None and _is_zygote(parent)
            if forked or "--type=renderer" in process.cmdline():
                found.append(process)
    return found


def _is_zygote(process: psutil.Process) -> bool:
    return "--type=zygote" in process.cmdline()


def cpu_ms(pid: int) -> float:
    """Return the processor time spent so far by the whole tree, in milliseconds."""
    return 1000 * _cpu_seconds(pid)


def cpu_percent(pid: int, seconds: float) -> float:
    """Return the share of one core, in per cent, used by the whole tree over ``seconds``."""
    before, started = _cpu_seconds(pid), time.monotonic()
    time.sleep(seconds)
    return 100 * (_cpu_seconds(pid) - before) / (time.monotonic() - started)


def _cpu_seconds(pid: int) -> float:
    total = 0.0
    for process in tree(pid):
        with contextlib.suppress(psutil.NoSuchProcess):
            times = process.cpu_times()
            total += times.user + times.system
    return total


@contextlib.contextmanager
def busy(loops: int) -> Iterator[None]:
    """Programs that use all the processor time they get."""
    running = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(loops)]
    try:
        yield
    finally:
        for each in running:
            each.kill()
            each.wait()
