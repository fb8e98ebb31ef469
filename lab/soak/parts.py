"""The parts of the soak, and a lane: several of them one after another in a process of its own."""

from __future__ import annotations

import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

from lab.soak.commands import every_command
from lab.soak.files import kills, three_writers
from lab.soak.readers import READERS, fuzz
from lab.soak.turns import Counts, one_program, random_turns

Row = tuple[str, str, str]
"""The part, what ran, what fell."""
Part = Callable[[Path, float, int], Iterator[Row]]


def run_lane(parts: list[tuple[Part, float]], seed: int, folder: Path | None) -> list[Row]:
    """One part after another, on homes below ``folder``, with how long each row took beside what ran."""
    rows: list[Row] = []
    for part, seconds in parts:
        with tempfile.TemporaryDirectory(prefix="soak-", dir=folder, ignore_cleanup_errors=True) as place:
            began = time.monotonic()
            try:
                for name, did, problem in part(Path(place), seconds, seed):
                    took, began = time.monotonic() - began, time.monotonic()
                    rows.append((name, f"{did} in {took / 60:.1f} min", problem))
                    print(" · ".join(each for each in rows[-1] if each), flush=True)
            except Exception as error:  # noqa: BLE001  it is a finding, and the other parts still run
                traceback.print_exc()
                rows.append((part.__name__, "ended by itself", f"{type(error).__name__}: {error}"[:300]))
    return rows


def turns(folder: Path, seconds: float, seed: int) -> Iterator[Row]:
    """Two homes one after the other, so that neither has more conversations than an owner has."""
    for number, place in enumerate([folder / "a", folder / "b"]):
        yield _turned(random_turns(place, seconds / 2, seed + number), seed + number)


def _turned(counts: Counts, seed: int) -> Row:
    did = (
        f"{counts.turns} turns, {counts.requests} requests, {counts.switches} switches and pauses of memory, "
        f"{counts.pets} acts on pets, {counts.kills} kills in a reply, {counts.other} other acts, "
        f"{counts.checks} checks of everything said"
    )
    name = f"Random turns of several pets in two programs, both protocols (seed {seed})"
    return name, did, "; ".join(counts.problems[:5])


def commands(folder: Path, seconds: float, seed: int) -> Iterator[Row]:
    found = every_command(folder, seconds, seed)
    did = f"{found.calls} calls of {len(found.commands)} commands, {found.refusals} refused, {found.turns} turns"
    yield "Every command of the table", did, found.problem


def one(folder: Path, seconds: float, _seed: int) -> Iterator[Row]:
    done, first, last = one_program(folder, seconds)
    sizes = ", ".join(f"{name} {first[name]} then {last[name]}" for name in first)
    grew = last["threads"] > first["threads"] + 8 or last["files"] > first["files"] + 16
    yield "Turns in one program", f"{done} turns; {sizes}", "it grows" if grew else ""


def writers(folder: Path, seconds: float, seed: int) -> Iterator[Row]:
    written = three_writers(folder, seconds, seed)
    did = (
        f"{written.lines} lines of ours, {written.saves} saves of the other program, which overwrote "
        f"{written.announced} lines with an older text: all of them announced"
    )
    yield "Two programs and a foreign editor on one file", did, written.problem


def killed(folder: Path, seconds: float, seed: int) -> Iterator[Row]:
    killed, confirmed, gone = kills(folder, seconds, seed)
    yield "Writers killed at random", f"{killed} kills, {confirmed} lines confirmed", f"{gone} lost" * (gone > 0)


def readers(_folder: Path, seconds: float, _seed: int) -> Iterator[Row]:
    for found in fuzz(seconds / len(READERS)):
        yield f"Reader: {found.name}", f"{found.cases} cases", found.problem


def window(folder: Path, seconds: float, seed: int) -> Iterator[Row]:
    from lab.soak.documents import documents

    drawn, problem = documents(folder, seconds, seed)
    yield "Markdown documents in the real window", f"{drawn} documents", problem


def conversation(folder: Path, seconds: float, seed: int) -> Iterator[Row]:
    from lab.soak.growth import growth

    found = growth(folder, seconds, seed)
    points = [found.curve[at] for at in {0, len(found.curve) // 2, len(found.curve) - 1}] if found.curve else []
    curve = ", ".join(f"{own + others:.0f} MiB after {turns}" for turns, own, others, *_ in sorted(points))
    did = f"{found.turns} turns, {curve}; {found.in_5_000:.0f} MiB in 5,000 turns"
    yield "One conversation in the real window", did, found.problem
