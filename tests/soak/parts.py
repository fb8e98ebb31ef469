"""The parts of the soak, and a lane: several of them one after another in a process of its own."""

from __future__ import annotations

import tempfile
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

from tests.soak.commands import every_command
from tests.soak.files import kills, three_writers
from tests.soak.readers import READERS, fuzz
from tests.soak.turns import one_program, random_turns

Row = tuple[str, str, str]
"""The part, what ran, what fell."""
Part = Callable[[Path, float, int], Iterator[Row]]


def run_lane(parts: list[tuple[Part, float]], seed: int) -> list[Row]:
    rows: list[Row] = []
    for part, seconds in parts:
        with tempfile.TemporaryDirectory(prefix="soak-", ignore_cleanup_errors=True) as folder:
            try:
                for row in part(Path(folder), seconds, seed):
                    rows.append(row)
                    print(" · ".join(each for each in row if each), flush=True)
            except Exception as error:  # noqa: BLE001  it is a finding, and the other parts still run
                traceback.print_exc()
                rows.append((part.__name__, "ended by itself", f"{type(error).__name__}: {error}"[:300]))
    return rows


def turns(folder: Path, seconds: float, seed: int) -> Iterator[Row]:
    counts = random_turns(folder, seconds, seed)
    did = (
        f"{counts.turns} turns, {counts.requests} requests, {counts.switches} switches and pauses of memory, "
        f"{counts.pets} acts on pets, {counts.kills} kills in a reply, {counts.other} other acts, "
        f"{counts.checks} checks of everything said"
    )
    yield "Random turns of several pets in two programs, both protocols", did, "; ".join(counts.problems[:5])


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
    for name in READERS:
        found = fuzz(name, seconds / len(READERS))
        yield f"Reader: {name}", f"{found.cases} cases", found.problem


def window(folder: Path, seconds: float, seed: int) -> Iterator[Row]:
    from tests.soak.documents import documents

    drawn, problem = documents(folder, seconds, seed)
    yield "Markdown documents in the real window", f"{drawn} documents", problem
