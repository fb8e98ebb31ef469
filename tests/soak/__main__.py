"""``python -m tests.soak --minutes 60 --seed 1 --window``: every part for its share of the time, and a report.

Two lanes run beside each other, one for each of two cores: the random turns for the whole time, and in the other one
after another what ``_OTHERS`` says. A part also ends when it has done what it is for, and a part that falls does not
keep the others from running.
"""

from __future__ import annotations

import argparse
import platform
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path

from tests.soak import parts

_ABOUT = """# Soak

`make soak` (`ARGS="--minutes 60 --window"`) runs random turns, commands, writers, kills and readers against exact
ground truth and writes this page. After every turn it looks at the requests that left: none of a conversation with
memory off, or of a pet that is paused, may hold a byte of the memory files, and none of any pet a byte of another's.
Of pets, conversations and programs it makes, copies, renames, switches, deletes, restarts and kills
some all the time.
"""
_SHORT = "**A short run**: it shows that every part works, and nothing about an hour.\n"
_GUIDED = "The readers were guided by coverage (atheris).\n"
REPORT = Path(__file__).parents[2] / "docs" / "soak.md"

_OTHERS: tuple[tuple[parts.Part, float], ...] = (
    (parts.commands, 0.10),
    (parts.one, 0.15),
    (parts.writers, 1 / 6),
    (parts.killed, 0.12),
    (parts.readers, 0.13),
)
_WINDOW = 0.17
"""Less than an hour in sum: a guided reader takes a quarter of a minute to start."""


def main() -> int:
    parser = argparse.ArgumentParser(description="Long random runs against ground truth.")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--window", action="store_true", help="also Markdown documents in the real window")
    parser.add_argument("--report", type=Path, default=REPORT)
    given = parser.parse_args()
    seconds, began = given.minutes * 60, time.monotonic()
    others = [*_OTHERS, *([(parts.window, _WINDOW)] if given.window else [])]
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as lanes:
        running = [
            lanes.submit(parts.run_lane, [(part, seconds * share) for part, share in lane], given.seed)
            for lane in ([(parts.turns, 1.0)], others)
        ]
        rows = [row for lane in running for row in lane.result()]
    given.report.write_text(_report(rows, given.minutes, time.monotonic() - began, given.seed), encoding="utf-8")
    return 1 if any(problem for *_, problem in rows) else 0


def _report(rows: list[parts.Row], minutes: float, took: float, seed: int) -> str:
    when = datetime.now(UTC).strftime("%Y-%m-%d")
    system = f"{platform.system()}, Python {platform.python_version()}"
    lines = [
        _ABOUT,
        *([_SHORT] if minutes < 30 else []),
        *([_GUIDED] if find_spec("atheris") else []),
        f"Last run: {when}, asked for {minutes:g} minutes, took {took / 60:.1f}, seed {seed}, {system}.",
        "",
        "| Part | What ran | What fell |",
        "|---|---|---|",
        *(f"| {part} | {did} | {_cell(problem) or 'nothing'} |" for part, did, problem in rows),
        "",
    ]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "/").split())


if __name__ == "__main__":
    sys.exit(main())
