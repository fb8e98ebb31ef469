"""``python -m tests.soak --minutes 60 --seed 1``: every part for its share of the time, and a report.

Shares: random turns in two programs 40 %, turns in one program 10 %, three writers 10 %, kills 10 %, readers 20 %,
Markdown documents in the real window 10 % (only with ``--window``, which needs the tools of the window tests).
"""

from __future__ import annotations

import argparse
import platform
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from tests.soak.files import kills, three_writers
from tests.soak.readers import READERS, fuzz
from tests.soak.turns import one_program, random_turns

_ABOUT = """# Soak

`make soak` (`ARGS="--minutes 60 --window"`) runs random turns, kills, writers and readers against exact ground truth
and writes this page. After every turn it looks at the requests that left: none of a conversation with memory off may
hold a byte of the memory files.
"""
_SHORT = "**A short run**: it shows that every part works, and nothing about an hour.\n"
REPORT = Path(__file__).parents[2] / "docs" / "soak.md"


def main() -> int:
    parser = argparse.ArgumentParser(description="Long random runs against ground truth.")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--window", action="store_true", help="also Markdown documents in the real window")
    parser.add_argument("--report", type=Path, default=REPORT)
    given = parser.parse_args()
    seconds, began = given.minutes * 60, time.monotonic()
    rows: list[tuple[str, str, str]] = []
    with tempfile.TemporaryDirectory(prefix="soak-") as made:
        folder = Path(made)
        for name in ("turns", "one", "writers", "kills", "window"):
            (folder / name).mkdir()
        counts = random_turns(folder / "turns", seconds * 0.4, given.seed)
        did = (
            f"{counts.turns} turns, {counts.requests} requests, {counts.switches} switches of memory, {counts.kills} "
            f"kills in a reply, {counts.other} other acts"
        )
        rows.append(("Random turns, two programs, both protocols", did, "; ".join(counts.problems[:5])))
        turns, first, last = one_program(folder / "one", seconds * 0.1)
        sizes = ", ".join(f"{name} {first[name]} → {last[name]}" for name in first)
        grew = last["threads"] > first["threads"] + 8 or last["files"] > first["files"] + 16
        rows.append(("Turns in one program", f"{turns} turns; {sizes}", "it grows" if grew else ""))
        written = three_writers(folder / "writers", seconds * 0.1)
        lost = f"{written.missing} missing, {written.twice} twice" if written.missing or written.twice else ""
        rows.append(("Three writers on one file", f"{written.lines} lines", lost))
        killed, confirmed, gone = kills(folder / "kills", seconds * 0.1, given.seed)
        rows.append(
            ("Writers killed at random", f"{killed} kills, {confirmed} lines confirmed", f"{gone} lost" * (gone > 0))
        )
        for name in READERS:
            found = fuzz(name, seconds * 0.2 / len(READERS))
            rows.append((f"Reader: {name}", f"{found.cases} cases", found.problem))
        if given.window:
            from tests.soak.documents import documents

            drawn, problem = documents(folder / "window", seconds * 0.1, given.seed)
            rows.append(("Markdown documents in the real window", f"{drawn} documents", problem))
    given.report.write_text(_report(rows, given.minutes, time.monotonic() - began, given.seed), encoding="utf-8")
    for row in rows:
        print(" · ".join(part for part in row if part))
    return 1 if any(problem for *_, problem in rows) else 0


def _report(rows: list[tuple[str, str, str]], minutes: float, took: float, seed: int) -> str:
    when = datetime.now(UTC).strftime("%Y-%m-%d")
    system = f"{platform.system()}, Python {platform.python_version()}"
    lines = [
        _ABOUT,
        *([_SHORT] if minutes < 30 else []),
        f"Last run: {when}, asked for {minutes:g} minutes, took {took / 60:.1f}, seed {seed}, {system}.",
        "",
        "| Part | What ran | What fell |",
        "|---|---|---|",
        *(f"| {part} | {did} | {problem.replace('|', '/') or 'nothing'} |" for part, did, problem in rows),
        "",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    raise SystemExit(main())
