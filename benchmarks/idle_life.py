"""Measure the cost of the idle life: processor time and wake-ups of the process tree, with nothing else going on.

``python -m benchmarks.idle_life [--seconds 600]`` starts the real program on a separate desktop (Xvfb, openbox,
picom) and measures it seen at its liveliest pace with a window, a ball and a cushion around it, covered by a full
screen, and with reduced motion.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from benchmarks.instruments.processes import tree
from tests.support.desktop.other_program import program, tell
from tests.support.desktop.xvfb import Desktop, Running, open_desktop, start_pet, wait_for
from tests.support.pet_windows.bubbles import write_settings

_SETTLED = 20.0  # seconds after the start: the index and the other pages are done by then
_LIVELY = 'pet_life = "lively"\npet_ball = true\npet_cushion = true\n'


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds of processor time and wake-ups of threads, summed over all processes of the program."""

    cpu: float
    wakeups: int


@dataclass(frozen=True, slots=True)
class Cost:
    """Per cent of one core, and wake-ups a second. ``load``: processes that ran or waited for the machine."""

    name: str
    seconds: float
    cpu: float
    wakeups: float
    load: float


def spent(pid: int) -> Spent:
    cpu, wakeups = 0.0, 0
    for process in tree(pid):
        with contextlib.suppress(psutil.NoSuchProcess, FileNotFoundError, ProcessLookupError):
            times = process.cpu_times()
            cpu += times.user + times.system
            for task in Path(f"/proc/{process.pid}/task").iterdir():
                wakeups += _switches((task / "status").read_text())
    return Spent(cpu, wakeups)


def _switches(status: str) -> int:
    found = (line.split()[1] for line in status.splitlines() if line.startswith("voluntary_ctxt_switches"))
    return int(next(found, "0"))


def cost(name: str, pid: int, seconds: float) -> Cost:
    before, started = spent(pid), time.monotonic()
    time.sleep(seconds)
    took, after = time.monotonic() - started, spent(pid)
    share = 100 * (after.cpu - before.cpu) / took
    load = psutil.getloadavg()[1 if seconds >= 300 else 0]
    return Cost(name, took, share, (after.wakeups - before.wakeups) / took, load)


def measure(desktop: Desktop, folder: Path, seconds: float) -> list[Cost]:
    costs = []
    write_settings(folder / "seen", _LIVELY)
    with (
        program(desktop, "Letter") as letter,
        start_pet(desktop, folder / "seen", debug=False, inspected=False) as pet,
    ):
        tell(letter, "at 500 430")
        desktop.run("xdotool", "mousemove", "3", "3")  # a pet below the pointer makes the chat ready
        window = _settled(pet)
        costs.append(cost("seen", pet.pid, seconds))
        with program(desktop) as film:
            tell(film, "on")
            wait_for("the pet to step aside", lambda: not _is_seen(desktop, window))
            time.sleep(1.0)
            costs.append(cost("covered", pet.pid, max(60.0, seconds / 10)))
    write_settings(folder / "reduced", 'reduced_motion = "on"\n' + _LIVELY)
    with start_pet(desktop, folder / "reduced", debug=False, inspected=False) as pet:
        _settled(pet)
        costs.append(cost("reduced motion", pet.pid, max(60.0, seconds / 10)))
    return costs


def _is_seen(desktop: Desktop, window: int) -> bool:
    return "IsViewable" in desktop.run("xwininfo", "-id", str(window), check=False)  # fails where there is none


def _settled(pet: Running) -> int:
    window = pet.window("Soulpet")
    time.sleep(_SETTLED)
    return window


def main() -> None:
    reader = argparse.ArgumentParser(prog="python -m benchmarks.idle_life", description=__doc__)
    reader.add_argument("--seconds", type=float, default=600.0)
    given = reader.parse_args()
    with tempfile.TemporaryDirectory(prefix="soulpet-idle-") as folder, open_desktop() as desktop:
        for each in measure(desktop, Path(folder), given.seconds):
            line = f"{each.name:16} {each.cpu:6.2f} % of a core   {each.wakeups:6.1f} wake-ups a second"
            print(f"{line}   over {each.seconds:.0f} s at a load of {each.load:.1f}", file=sys.stdout, flush=True)


if __name__ == "__main__":
    main()
