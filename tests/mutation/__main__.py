"""`python -m tests.mutation [NAME ...] [--sample N] [--write]`: what share of the mutants the tests notice.

For each target a mutated copy of its module stands first on the path of a pytest process of its own, which runs the
tests named for it. A mutant is killed if that run fails or takes ten times as long as the unchanged one; what
survives is printed with its line. ``--sample N`` takes N mutants of each module, evenly spread. ``--write`` puts the
table into docs/mutants.md.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests.mutation.mutate import Mutant, mutants

_ABOUT = "Made with `make mutants`: one small change to a module at a time; do the tests of that module fail?"
ROOT = Path(__file__).resolve().parents[2]
REPORT = ROOT / "docs" / "mutants.md"


@dataclass(frozen=True, slots=True)
class Target:
    module: str
    tests: tuple[str, ...]


_EDIT = ("tests/workspace/test_text_functions.py", "tests/property/test_files_edit.py")
_REPLAY = ("tests/transcripts", "tests/property/test_replay.py")
TARGETS = {
    "policy": Target("pet/access/policy.py", ("tests/engine/test_gate.py", "tests/engine/test_gate_races.py")),
    "fold": Target("pet/transcripts/conversation/fold.py", _REPLAY),
    "replay": Target("pet/transcripts/conversation/replay.py", _REPLAY),
    "merge": Target("pet/workspace/text/merge.py", _EDIT),
    "edit": Target("pet/workspace/text/edit.py", _EDIT),
    "history": Target(
        "pet/workspace/versioned/history.py", ("tests/workspace/test_versions.py", "tests/workspace/test_store.py")
    ),
    "redaction": Target(
        "pet/redaction.py", ("tests/tools/test_masking.py", "tests/services/conversation/test_masked_secrets.py")
    ),
    "forgetting": Target("pet/memory/forget/remove.py", ("tests/memory/forget",)),
}


@dataclass(frozen=True, slots=True)
class Score:
    name: str
    tried: int
    survivors: tuple[Mutant, ...]

    @property
    def killed(self) -> int:
        return self.tried - len(self.survivors)


def run_tests(target: Target, overlay: Path, seconds: float | None) -> bool:
    """Whether the tests pass with the modules of ``overlay`` in place of ours. A timeout is a failure."""
    environ = {**os.environ, "PYTHONPATH": str(overlay), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-x",
        "-p",
        "no:cacheprovider",
        "-m",
        "not window and not real_model",
    ]
    try:
        done = subprocess.run(
            [*command, *target.tests], cwd=overlay, env=environ, capture_output=True, timeout=seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def score(name: str, sample: int | None) -> Score:
    """Raises SystemExit if the tests fail without any mutant."""
    target = TARGETS[name]
    with tempfile.TemporaryDirectory() as folder:
        overlay = Path(folder)
        for part in ("pet", "tests", "benchmarks", "assets", "docs", "pyproject.toml"):
            source = ROOT / part
            if source.is_dir():
                shutil.copytree(source, overlay / part, ignore=shutil.ignore_patterns("__pycache__", "images"))
            else:
                shutil.copy(source, overlay / part)
        (overlay / "ui").symlink_to(ROOT / "ui")
        started = time.monotonic()
        if not run_tests(target, overlay, None):
            raise SystemExit(f"{name}: its tests fail unchanged")
        limit = 10 * (time.monotonic() - started)
        original = (ROOT / target.module).read_text("utf-8")
        every = list(mutants(original))
        chosen = every if sample is None or sample >= len(every) else every[:: max(1, len(every) // sample)][:sample]
        survivors = []
        for mutant in chosen:
            (overlay / target.module).write_text(mutant.source, "utf-8")
            if run_tests(target, overlay, limit):
                survivors.append(mutant)
                print(f"  {name}: survived {target.module}:{mutant.line} {mutant.change}", flush=True)
        return Score(name, len(chosen), tuple(survivors))


def report(scores: list[Score]) -> str:
    lines = ["| subject | module | mutants | killed | score |", "| --- | --- | --- | --- | --- |"]
    for each in scores:
        share = each.killed / each.tried if each.tried else 1.0
        lines.append(f"| {each.name} | `{TARGETS[each.name].module}` | {each.tried} | {each.killed} | {share:.0%} |")
    tried, killed = sum(each.tried for each in scores), sum(each.killed for each in scores)
    lines.append(f"| all | | {tried} | {killed} | {killed / tried if tried else 1:.0%} |")
    lines += ["", "Survivors:", ""]
    lines += [f"- `{TARGETS[each.name].module}:{m.line}` {m.change}" for each in scores for m in each.survivors]
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *TARGETS], metavar="NAME", help=", ".join(TARGETS))
    parser.add_argument("--sample", type=int, metavar="N")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    scores = [score(name, given.sample) for name in given.names or TARGETS]
    text = report(scores)
    print(text)
    if given.write:
        REPORT.write_text(f"# Mutation score\n\n{_ABOUT}\n\n{text}", "utf-8")


if __name__ == "__main__":
    main()
