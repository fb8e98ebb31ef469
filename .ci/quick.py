"""Check what a change touches, in about a minute: ``make quick``, or ``make quick ARGS=main~3`` against a revision.

Runs formatters, linters, types and layers, then the test files that import a changed module or were changed
themselves, the most closely related first. What does not fit into the time is named, not run.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import time
from pathlib import Path

from checks import BIN, ROOT, environment, module, node

SECONDS = 45
"""For the tests; the static checks before them take about ten once their caches are warm."""
_LEFT_OUT = re.compile(r"tests/(window|real_model|packaged|gallery|soak)/")


def changed_files(base: str) -> list[str]:
    """Paths that differ from ``base`` or are not tracked yet, as far as they exist."""
    named = ("git", "diff", "--name-only", base), ("git", "ls-files", "--others", "--exclude-standard")
    lines = [line for command in named for line in _output(command).splitlines()]
    return sorted({line for line in lines if (ROOT / line).is_file()})


def related_tests(changed: list[str]) -> list[str]:
    """Changed test files, then those that import a changed module of ``pet`` or ``tests``, fewest imports first."""
    own = [path for path in changed if Path(path).name.startswith("test_") and not _LEFT_OUT.match(path)]
    modules = {".".join(Path(path).with_suffix("").parts).removesuffix(".__init__") for path in changed}
    ranked: list[tuple[int, str]] = []
    for path in _output(("git", "ls-files", "tests/*test_*.py")).splitlines():
        if path in own or _LEFT_OUT.match(path) or not (ROOT / path).is_file():
            continue
        imported = _imported(ROOT / path)
        if imported & modules:
            ranked.append((len(imported), path))
    return own + [path for _, path in sorted(ranked)]


def _imported(file: Path) -> set[str]:
    names: set[str] = set()
    for item in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(item, ast.ImportFrom) and item.module:
            names |= {item.module, *(f"{item.module}.{each.name}" for each in item.names)}
        elif isinstance(item, ast.Import):
            names |= {each.name for each in item.names}
    return names


def _output(command: tuple[str, ...]) -> str:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def _ok(*command: str, folder: str = ".") -> bool:
    return subprocess.run(command, cwd=ROOT / folder, env=environment(), check=False).returncode == 0


def main(base: str) -> int:
    """Exit 0 if everything that was run passed."""
    changed = changed_files(base)
    python = [path for path in changed if path.endswith(".py")]
    pages = [path.removeprefix("ui/") for path in changed if re.match(r"ui/src/.*\.(tsx?|css)$", path)]
    tool, good = node(), True
    if python:
        good &= _ok(str(BIN / "ruff"), "format", "--check", *python) & _ok(str(BIN / "ruff"), "check", *python)
        good &= _ok(str(BIN / "mypy")) & _ok(str(BIN / "lint-imports"), "--no-logo")
    if pages:
        good &= _ok(tool, module("@biomejs/biome/bin/biome"), "ci", "--error-on-warnings", *pages, folder="ui")
        good &= _ok(tool, module("typescript/bin/tsc"), "--noEmit", folder="ui")
        good &= _ok(tool, module("vitest/vitest.mjs"), "related", "--run", *pages, folder="ui")
    until, left = time.monotonic() + SECONDS, related_tests(changed)
    while left and time.monotonic() < until:
        now, left = left[:6], left[6:]
        good &= _ok(sys.executable, "-m", "pytest", "-q", "-n", "2", "-m", "not window and not real_model", *now)
    if left:
        print(f"not asked within {SECONDS} s, {len(left)} files: {' '.join(left[:5])} …")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "HEAD"))
