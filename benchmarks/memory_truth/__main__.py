"""``python -m benchmarks.memory_truth``: what becomes of facts that change, and what is said of where they come from.

    python -m benchmarks.memory_truth                          300 cases with the scripted model
    python -m benchmarks.memory_truth --only time --language zh --misses
    python -m benchmarks.memory_truth --server http://127.0.0.1:11434/v1 --model NAME   change, by a real model

Aims: true lines replaced wrongly under 0.5 %, the newest fact sent 95 %, the source right 99 %.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Sequence

from benchmarks.memory_truth.cases import KINDS, LANGUAGES, Result, all_cases, run
from pet.app import Pet


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.memory_truth",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", choices=KINDS)
    parser.add_argument("--language", choices=LANGUAGES)
    parser.add_argument("--every", type=int, default=1, help="each so-many-th case")
    parser.add_argument("--misses", action="store_true", help="print each case that was not right")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--server", help="address of a real model, for the cases of change")
    parser.add_argument("--model", default="", help="its name there")
    given = parser.parse_args()
    configure = _at(given.server, given.model) if given.server else None
    kinds = ("change",) if configure else (given.only,) if given.only else KINDS
    cases = [
        each
        for each in all_cases()
        if each.kind in kinds and (not given.language or f"-{given.language}-" in each.id)
    ][:: given.every]
    results: list[Result] = []
    for case in cases:
        results.append(run(case, configure))
        print(f"{len(results)}/{len(cases)} {case.id}", end="\r", file=sys.stderr, flush=True)
    print(file=sys.stderr)
    if given.misses:
        for each in results:
            if not each.right:
                print(f"{each.case.id}: {each.case.row}\n    {each.got}")
    rows = table(results)
    print(json.dumps(rows, ensure_ascii=False, indent=2) if given.json else _printed(rows))
    return 0


def table(results: Sequence[Result]) -> list[dict[str, str]]:
    """Return a row for each kind, with a column for each language and all of them, and one for lost lines."""
    rows: list[dict[str, str]] = []
    for kind in KINDS:
        those = [each for each in results if each.case.kind == kind]
        if those:
            rows.append({"": kind} | {name: _rate(_of(those, name)) for name in (*LANGUAGES, "all")})
    if any(each.lines for each in results):
        rows.append({"": "true lines lost"} | {name: _lost(_of(results, name)) for name in (*LANGUAGES, "all")})
    return rows


def _of(results: Sequence[Result], language: str) -> list[Result]:
    return [each for each in results if language == "all" or f"-{language}-" in each.case.id]


def _rate(results: Sequence[Result]) -> str:
    right = sum(each.right for each in results)
    return f"{right}/{len(results)} ({right / len(results):.1%})" if results else ""


def _lost(results: Sequence[Result]) -> str:
    lines, lost = sum(each.lines for each in results), sum(each.lost for each in results)
    return f"{lost}/{lines} ({lost / lines:.2%})" if lines else ""


def _printed(rows: Sequence[dict[str, str]]) -> str:
    names = ("", *LANGUAGES, "all")
    lines = [f"| {' | '.join(names)} |", f"|{'---|' * len(names)}"]
    return "\n".join([*lines, *(f"| {' | '.join(row[name] for name in names)} |" for row in rows)])


def _at(server: str, model: str) -> Callable[[Pet], None]:
    def configure(app: Pet) -> None:
        app.settings.change({"base_url": server, "model": model, "protocol": "openai"})

    return configure


if __name__ == "__main__":
    sys.exit(main())
