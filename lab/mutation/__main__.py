"""`python -m lab.mutation [NAME ...] [--sample N]`: what share of the mutants the tests notice.

A mutant is killed if one of the tests named for its module fails or takes ten times as long as before; what survives
is printed with its line. ``--sample N`` takes N mutants of each module, evenly spread. The table is
kept in docs/results.md, with date and commit.
"""

from __future__ import annotations

import argparse
import multiprocessing
from concurrent.futures import ProcessPoolExecutor

from lab.mutation.score import TARGETS, Score, score


def report(scores: list[Score]) -> str:
    lines = [
        "| subject | module | mutants | killed | score | equivalent |",
        "| --- | --- | --- | --- | --- | --- |",
    ]
    for each in scores:
        share = each.killed / each.tried if each.tried else 1.0
        module = f"`{TARGETS[each.name].module}`"
        lines.append(f"| {each.name} | {module} | {each.tried} | {each.killed} | {share:.0%} | {each.equivalent} |")
    tried, killed = sum(each.tried for each in scores), sum(each.killed for each in scores)
    equivalent = sum(each.equivalent for each in scores)
    lines.append(f"| all | | {tried} | {killed} | {killed / tried if tried else 1:.0%} | {equivalent} |")
    left = [
        f"- `{TARGETS[each.name].module}:{m.line}` `{m.code}`: {m.change}" for each in scores for m in each.survivors
    ]
    lines += ["", *(["Survivors:", "", *left] if left else ["Survivors: none."])]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *TARGETS], metavar="NAME", help=", ".join(TARGETS))
    parser.add_argument("--sample", type=int, metavar="N")
    given = parser.parse_args()
    # A process for each target: what its tests imported must not have been imported for another.
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), max_tasks_per_child=1) as pool:
        scores = [pool.submit(score, name, given.sample).result() for name in given.names or TARGETS]
    print(report(scores))


if __name__ == "__main__":
    main()
