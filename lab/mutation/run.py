"""Asks the tests of one module about its mutants, in one process of pytest that forks once for each mutant.

The tests are collected once. A first child runs them all unchanged and tells which lines of the module each of them
reaches and how long it takes. For each mutant a further child gets its code (`graft`) and runs those tests that reach
the changed statement, the quickest first, until one fails. Tests that start a Python of their own see the unchanged
module there.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import select
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import Phase, settings

from lab.mutation.graft import graft
from lab.mutation.mutate import Mutant

_PASSED, _FAILED = 0, 1
_START_UP_SECONDS = 20.0


@dataclass(slots=True)
class Reached:
    """What one test reaches of the module."""

    lines: set[int] = field(default_factory=set)
    seconds: float = 0.0


class Mutation:
    """A plugin of pytest that runs mutants instead of the tests once. ``survivors`` holds the result."""

    def __init__(self, path: Path, module: str, mutants: list[Mutant], tell: Callable[[str], None]) -> None:
        self._path = str(path)
        self._module = module
        self._mutants = mutants
        self._tell = tell
        self._failed = False
        self._reached: dict[str, Reached] = {}
        self.survivors: list[Mutant] = []
        self.unchanged_passed = False

    @pytest.hookimpl(trylast=True)
    def pytest_configure(self) -> None:
        # A failing example is enough, the smallest is not wanted.
        settings.register_profile(
            "mutation", settings.get_profile("day"), max_examples=80, phases=(Phase.explicit, Phase.generate)
        )
        settings.load_profile("mutation")

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        self.unchanged_passed = self._first_run(session)
        if not self.unchanged_passed:
            return True
        for mutant in self._mutants:
            chosen = self._tests_that_reach(mutant)
            run = partial(self._run_changed, session, mutant, [items[name] for name in chosen])
            if _in_child(run):
                self.survivors.append(mutant)
                nobody = "" if chosen else " (no test reaches it)"
                self._tell(f"survived {mutant.line}: {mutant.code}: {mutant.change}{nobody}")
        return True

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._failed |= report.failed

    def _tests_that_reach(self, mutant: Mutant) -> list[str]:
        if mutant.lines is None:  # a constant of the module: no test runs its line, any may use it
            found = list(self._reached)
        else:
            first, last = mutant.lines
            found = [
                name for name, each in self._reached.items() if any(first <= line <= last for line in each.lines)
            ]
        return sorted(found, key=lambda name: self._reached[name].seconds)

    def _first_run(self, session: pytest.Session) -> bool:
        """Whether all pass unchanged. Only the child's memory sees the tests run, so it writes what it learned."""
        with tempfile.NamedTemporaryFile("r", suffix=".reached", encoding="utf-8") as told:
            passed = _in_child(lambda: self._trace(session, Path(told.name)))
            for line in told:
                name, seconds, lines = line.rstrip("\n").split("\t")
                self._reached[name] = Reached({int(each) for each in lines.split()}, float(seconds))
        return passed

    def _trace(self, session: pytest.Session, told: Path) -> int:
        lines: set[int] = set()

        def step(frame: FrameType, event: str, _arg: Any) -> Any:
            if event == "line":
                lines.add(frame.f_lineno)
            return step

        def trace(frame: FrameType, _event: str, _arg: Any) -> Any:
            if frame.f_code.co_filename != self._path:
                return None
            lines.add(frame.f_lineno)
            return step

        threading.settrace(trace)
        sys.settrace(trace)
        with told.open("w", encoding="utf-8") as file:
            for item, following in _with_next(session.items):
                lines.clear()
                started = time.monotonic()
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                seconds = time.monotonic() - started
                file.write(f"{item.nodeid}\t{seconds}\t{' '.join(map(str, lines))}\n")
                if self._failed:
                    self._tell(f"fails unchanged: {item.nodeid}")
                    return _FAILED
        return _PASSED

    def _run_changed(self, session: pytest.Session, mutant: Mutant, items: list[pytest.Item]) -> int:
        graft(importlib.import_module(self._module), mutant.source)
        signal.signal(signal.SIGALRM, signal.SIG_DFL)  # ends the process, also one that is caught in a loop
        for item, following in _with_next(items):
            signal.setitimer(signal.ITIMER_REAL, _START_UP_SECONDS + 10 * self._reached[item.nodeid].seconds)
            item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
            if self._failed:
                session._setupstate.teardown_exact(None)  # servers of a module's fixtures end with it
                return _FAILED
        return _PASSED


def _with_next(items: list[pytest.Item]) -> Iterable[tuple[pytest.Item, pytest.Item | None]]:
    return zip(items, [*items[1:], None], strict=True)


def _in_child(work: Callable[[], int]) -> bool:
    """Whether ``work`` returned 0 in a child process. What it leaves running is killed."""
    child = os.fork()
    if child == 0:
        code = _FAILED
        try:
            os.setpgid(0, 0)  # so that what it starts ends with it
            nowhere = os.open(os.devnull, os.O_RDWR)
            for stream in (0, 1, 2):
                os.dup2(nowhere, stream)
            code = work()
        finally:
            os._exit(code)
    handle = os.pidfd_open(child)
    try:
        select.select([handle], [], [])
    finally:
        os.close(handle)
        _end(child)
    _pid, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) == _PASSED


def _end(child: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(child, signal.SIGKILL)


def survivors(
    path: Path, module: str, mutants: list[Mutant], tests: tuple[str, ...], tell: Callable[[str], None]
) -> list[Mutant]:
    """Raises SystemExit if the tests fail unchanged."""
    plugin = Mutation(path, module, mutants, tell)
    options = ["-q", "-s", "-n", "0", "-p", "no:cacheprovider", "-p", "no:terminalreporter", "-o", "timeout=0"]
    in_memory = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=in_memory if in_memory.is_dir() else None) as folder:
        basetemp = ["--basetemp", str(Path(folder, "pytest"))]
        pytest.main([*options, *basetemp, "-m", "not window and not real_model", *tests], plugins=[plugin])
    if not plugin.unchanged_passed:
        raise SystemExit(f"the tests of {module} fail unchanged")
    return plugin.survivors
