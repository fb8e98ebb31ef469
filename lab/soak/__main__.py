"""``python -m lab.soak --minutes 60 --seed 1 --window``: every part for its share of the time; prints a table.

Two lanes run beside each other, one for each of two cores: the random turns for the whole time, and in the other one
after another what ``_OTHERS`` says. A part also ends when it has done what it is for, and a part that falls does not
keep the others from running. ``--only kills one`` runs these parts alone, and keeps the rows of the others.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from importlib.util import find_spec
from multiprocessing import get_context
from pathlib import Path

from lab.soak import parts

_PARTS = """The parts ran by themselves (`--only`), not as one hour: each row says when it ended, how long it
took, and its seed.
"""
_GUIDED = "The readers were guided by coverage (atheris).\n"
ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "build" / "soak.json"

_OTHERS: dict[str, tuple[parts.Part, float]] = {
    "commands": (parts.commands, 0.10),
    "one": (parts.one, 0.15),
    "writers": (parts.writers, 1 / 6),
    "kills": (parts.killed, 0.12),
    "readers": (parts.readers, 0.13),
    "window": (parts.window, 0.12),
    "conversation": (parts.conversation, 0.18),
}
"""Less than an hour in sum: a guided reader takes a quarter of a minute to start."""
_WINDOWS = ("window", "conversation")
_TURNS: dict[str, tuple[parts.Part, float]] = {"turns": (parts.turns, 1.0)}


def main() -> int:
    parser = argparse.ArgumentParser(description="Long random runs against ground truth.")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--window", action="store_true", help="also the parts in the real window")
    parser.add_argument("--only", nargs="+", choices=[*_TURNS, *_OTHERS], help="these parts alone")
    given = parser.parse_args()
    wanted = given.only or [name for name in (*_TURNS, *_OTHERS) if name not in _WINDOWS or given.window]
    os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.null.Keyring"
    memory = Path("/dev/shm")
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as lanes:
        running = [
            lanes.submit(
                parts.run_lane,
                [(part, given.minutes * 60 * share) for name, (part, share) in lane.items() if name in wanted],
                given.seed,
                memory if memory.is_dir() else None,
            )
            for lane in (_TURNS, _OTHERS)
        ]
        rows = [row for lane in running for row in lane.result()]
    found = _kept(rows, given.seed, merge=bool(given.only))
    print(_report(found, whole=not given.only))
    return 1 if any(problem for *_, problem in rows) else 0


def _kept(rows: list[parts.Row], seed: int, *, merge: bool) -> dict[str, list[str]]:
    """The rows by part, with those of earlier runs of single parts."""
    when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M")
    found: dict[str, list[str]] = json.loads(RESULTS.read_text("utf-8")) if merge and RESULTS.exists() else {}
    found |= {name: [f"{did} ({when}, seed {seed})", problem] for name, did, problem in rows}
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(found, ensure_ascii=False, indent=1), encoding="utf-8")
    return found


def _report(found: dict[str, list[str]], *, whole: bool) -> str:
    lines = [
        *([] if whole else [_PARTS]),
        *([_GUIDED] if find_spec("atheris") else []),
        f"On {platform.system()}, Python {platform.python_version()}.",
        "",
        "| Part | What ran | What fell |",
        "|---|---|---|",
        *(f"| {part} | {did} | {_cell(problem) or 'nothing'} |" for part, (did, problem) in sorted(found.items())),
        "",
    ]
    return "\n".join(lines)


def _cell(text: str) -> str:
    return " ".join(text.replace("|", "/").split())


if __name__ == "__main__":
    sys.exit(main())
