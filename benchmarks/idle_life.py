"""Measure the cost of the idle life: processor time and wake-ups of the process tree, with nothing else going on.

``python -m benchmarks.idle_life [--seconds 600] [--film FILE]`` starts the real program on a separate desktop
(Xvfb, openbox, picom) and measures it seen, covered by a full screen, and with reduced motion. ``--film`` records the
seen part, one picture a second, twenty times as fast, as an animated WebP; recording costs the program nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import psutil
from PIL import Image
from Xlib import X, display

from benchmarks.instruments.processes import tree
from tests.support.desktop.other_program import program, tell
from tests.support.desktop.xvfb import Box, Desktop, Running, open_desktop, start_pet, wait_for

_SETTLED = 20.0  # seconds after the start: the index and the other pages are done by then
_EVERY = 1.0
_FASTER = 20
_FILM_WIDTH = 160
_MARGIN = 4


@dataclass(frozen=True, slots=True)
class Spent:
    """Seconds of processor time and wake-ups of threads, summed over all processes of the program."""

    cpu: float
    wakeups: int


@dataclass(frozen=True, slots=True)
class Cost:
    """Per cent of one core, and wake-ups a second."""

    name: str
    seconds: float
    cpu: float
    wakeups: float


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


def cost(name: str, pid: int, seconds: float, meanwhile: Callable[[], None]) -> Cost:
    before, started = spent(pid), time.monotonic()
    while time.monotonic() - started < seconds:
        meanwhile()
        time.sleep(_EVERY)
    took, after = time.monotonic() - started, spent(pid)
    share = 100 * (after.cpu - before.cpu) / took
    return Cost(name, took, share, (after.wakeups - before.wakeups) / took)


class Camera:
    """The pet's part of the screen."""

    def __init__(self, name: str, box: Box) -> None:
        self._display = display.Display(name)
        self._box = box
        self.frames: list[Image.Image] = []

    def take(self) -> None:
        box = self._box
        root = self._display.screen().root
        raw = root.get_image(box.x, box.y, box.width, box.height, X.ZPixmap, 0xFFFFFFFF)
        self.frames.append(Image.frombytes("RGB", (box.width, box.height), raw.data, "raw", "BGRX"))

    def save(self, file: Path) -> None:
        box = self._box
        size = _FILM_WIDTH, round(box.height * _FILM_WIDTH / box.width)
        first, *rest = [each.resize(size, Image.Resampling.LANCZOS) for each in self.frames]
        each = round(1000 * _EVERY / _FASTER)
        first.save(file, "WEBP", save_all=True, append_images=rest, duration=each, loop=0, quality=45, method=6)


def measure(desktop: Desktop, folder: Path, seconds: float, film: Path | None) -> list[Cost]:
    costs = []
    with start_pet(desktop, folder / "seen", debug=False) as pet:
        window = _settled(pet)
        box = desktop.box(window)
        camera = Camera(desktop.display, Box(box.x - _MARGIN, box.y, box.width + 2 * _MARGIN, box.height))
        costs.append(cost("seen", pet.pid, seconds, camera.take if film is not None else lambda: None))
        if film is not None:
            camera.save(film)
        with program(desktop) as film_player:
            tell(film_player, "on")
            wait_for("the pet to step aside", lambda: "IsViewable" not in desktop.run("xwininfo", "-id", str(window)))
            time.sleep(_EVERY)
            costs.append(cost("covered", pet.pid, max(60.0, seconds / 10), lambda: None))
    calm = folder / "calm"
    (calm / "config").mkdir(parents=True)
    (calm / "config" / "settings.toml").write_text('reduced_motion = "on"\n')
    with start_pet(desktop, calm, debug=False) as pet:
        _settled(pet)
        costs.append(cost("reduced motion", pet.pid, max(60.0, seconds / 10), lambda: None))
    return costs


def _settled(pet: Running) -> int:
    window = pet.window("Soulpet")
    time.sleep(_SETTLED)
    return window


def main() -> None:
    reader = argparse.ArgumentParser(prog="python -m benchmarks.idle_life", description=__doc__)
    reader.add_argument("--seconds", type=float, default=600.0)
    reader.add_argument("--film", type=Path)
    given = reader.parse_args()
    with tempfile.TemporaryDirectory(prefix="soulpet-idle-") as folder, open_desktop() as desktop:
        for each in measure(desktop, Path(folder), given.seconds, given.film):
            line = f"{each.name:16} {each.cpu:6.2f} % of a core   {each.wakeups:6.1f} wake-ups a second"
            print(f"{line}   over {each.seconds:.0f} s", file=sys.stdout, flush=True)


if __name__ == "__main__":
    main()
