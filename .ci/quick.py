"""Check what a change touches, in half a minute: ``make quick``, or ``make quick ARGS=main~3`` against a revision.

Runs formatters, linters, types, layers and the project's rules, then the test files that were changed, quote a
changed text of a catalogue or import a changed module, the most closely related first, two at once. What does not
fit into the time is named, not run.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from checks import BIN, ROOT, environment, module, node

SECONDS = 27
"""After which no other test file begins, and one that still runs is given ``GRACE`` more."""
GRACE = 5
RULES, DOCUMENTS = "tests/test_project.py", "tests/test_documents.py"
_LEFT_OUT = re.compile(r"tests/(window|real_model)/")
_CATALOGUE = re.compile(r"pet/(i18n/(en|zh|es)/\w+|extras/\w+/texts/\w+)\.json$")
_PAGE = re.compile(r"ui/src/.*\.(tsx?|css)$")
_SHORTEST_TEXT = 6
"""Characters of a text by which a test that quotes it is found."""


def changed_files(base: str) -> list[str]:
    """Paths that differ from ``base`` or are not tracked yet, as far as they exist."""
    named = ("git", "diff", "--name-only", base), ("git", "ls-files", "--others", "--exclude-standard")
    lines = [line for command in named for line in _output(command).splitlines()]
    return sorted({line for line in lines if (ROOT / line).is_file()})


def related_tests(changed: list[str], texts: set[str]) -> list[str]:
    """Changed test files, that of the documents if one of them changed, those with one of the texts, then those that
    import a changed module of ``pet`` or ``tests``, fewest imports first; for a changed text also those that import
    the catalogues.
    """
    own = [path for path in changed if Path(path).name.startswith("test_") and not _LEFT_OUT.match(path)]
    if any(path.endswith(".md") for path in changed):
        own.append(DOCUMENTS)
    own = list(dict.fromkeys(path for path in own if path != RULES))
    modules = {".".join(Path(path).with_suffix("").parts).removesuffix(".__init__") for path in changed}
    ranked: list[tuple[int, str]] = []
    for path in _output(("git", "ls-files", "tests/*test_*.py")).splitlines():
        if path in own or path == RULES or _LEFT_OUT.match(path) or not (ROOT / path).is_file():
            continue
        source = (ROOT / path).read_text("utf-8")
        imported = _imported(source)
        if any(text in source for text in texts):
            ranked.append((0, path))
        elif imported & modules:
            ranked.append((len(imported), path))
        elif texts and any(name.startswith("pet.i18n") for name in imported):
            ranked.append((1000 + len(imported), path))
    return own + [path for _, path in sorted(ranked)]


def related_pages(changed: list[str], texts: set[str]) -> list[str]:
    """Tests of the pages: changed ones, those that import a changed file or are named after it, those of its room,
    and those with one of the texts.
    """
    sources = {path.rsplit(".", 1)[0] for path in changed if _PAGE.match(path)}
    names = {Path(source).name for source in sources}
    rooms = {source.split("/")[2] for source in sources if source.count("/") > 2}
    chosen = []
    for file in sorted((ROOT / "ui" / "src").rglob("*.test.ts*")):
        text = file.read_text("utf-8")
        inside = file.relative_to(ROOT / "ui")  # src/tests/ROOM/NAME.test.ts
        targets = {
            str((file.parent / target).resolve().relative_to(ROOT))
            for target in re.findall(r'from "(\.[^"]+)"', text)
            if (file.parent / target).resolve().is_relative_to(ROOT)
        }
        named = file.name.split(".")[0] in names or inside.parts[2] in rooms
        if named or targets & sources or any(each in text for each in texts):
            chosen.append(str(inside))
    return chosen


def changed_texts(base: str, changed: list[str]) -> set[str]:
    """Keys and texts of catalogues that differ from ``base``, and what stood there before."""
    texts: set[str] = set()
    for path in filter(_CATALOGUE.match, changed):
        shown = subprocess.run(("git", "show", f"{base}:{path}"), cwd=ROOT, capture_output=True, check=False)
        before = json.loads(shown.stdout or b"{}")
        after = json.loads((ROOT / path).read_text("utf-8"))
        for key in before.keys() | after.keys():
            if before.get(key) != after.get(key):
                texts |= {key, *_pieces(before.get(key, "")), *_pieces(after.get(key, ""))}
    return texts


def _pieces(text: str) -> Iterator[str]:
    """Yield what a test may quote of a text: the pieces between its placeholders."""
    return (piece.strip() for piece in re.split(r"\{\w+\}|\n", text) if len(piece.strip()) >= _SHORTEST_TEXT)


def modules_of(texts: set[str]) -> set[str]:
    """Files of the program and its pages in which a changed key stands."""
    keys = [text for text in texts if re.fullmatch(r"[a-z][\w.]+", text)]
    if not keys:
        return set()
    patterns = [part for key in keys for part in ("-e", f'"{key}"')]
    found = subprocess.run(
        ("git", "grep", "-lF", *patterns, "--", "pet/*.py", "ui/src/*.ts", "ui/src/*.tsx"),
        cwd=ROOT, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return {path for path in found.stdout.splitlines() if ".test." not in path}


def _imported(source: str) -> set[str]:
    names: set[str] = set()
    for item in ast.walk(ast.parse(source)):
        if isinstance(item, ast.ImportFrom) and item.module:
            names |= {item.module, *(f"{item.module}.{each.name}" for each in item.names)}
        elif isinstance(item, ast.Import):
            names |= {each.name for each in item.names}
    return names


def _output(command: tuple[str, ...]) -> str:
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


class Run:
    """Commands, two at once, until the time is over. ``good`` once all that ran has passed."""

    def __init__(self) -> None:
        self._until = time.monotonic() + SECONDS
        self._lanes = ThreadPoolExecutor(2)
        self._environment = environment()
        self.good = True
        self.left: list[str] = []

    def add(self, *command: str, folder: str = ".", name: str = "") -> None:
        """``name``: of tests, which are left out or ended when the time is over."""
        self._lanes.submit(self._run, command, ROOT / folder, name)

    def end(self) -> None:
        self._lanes.shutdown()

    def _run(self, command: tuple[str, ...], folder: Path, name: str) -> None:
        seconds = self._until - time.monotonic()
        if name and seconds <= 0:
            self.left.append(name)
            return
        try:
            done = subprocess.run(
                command,
                cwd=folder,
                env=self._environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                timeout=seconds + GRACE if name else None,
                check=False,
            )
        except subprocess.TimeoutExpired:
            self.left.append(name)
            return
        self.good &= done.returncode in (0, 5)  # 5: all its tests are for the night or for windows
        if name or done.returncode:
            print(done.stdout.decode("utf-8", "replace").rstrip(), flush=True)


def main(base: str) -> int:
    """Exit 0 if everything that was run passed."""
    changed = changed_files(base)
    texts = changed_texts(base, changed)
    python = [path for path in changed if path.endswith(".py")]
    pages = [path.removeprefix("ui/") for path in changed if _PAGE.match(path)]
    touched = sorted({*changed, *modules_of(texts)})
    tool, run = node(), Run()
    pytest = (sys.executable, "-m", "pytest", "-q", "-n", "0", "-m", "not window and not real_model")
    if python:
        run.add(str(BIN / "mypy"))
        run.add(str(BIN / "ruff"), "format", "--check", *python)
        run.add(str(BIN / "ruff"), "check", *python)
        run.add(str(BIN / "lint-imports"), "--no-logo")
    if pages:
        run.add(tool, module("@biomejs/biome/bin/biome"), "ci", "--error-on-warnings", *pages, folder="ui")
        run.add(tool, module("typescript/bin/tsc"), "--noEmit", folder="ui")
    run.add(*pytest, RULES)
    if tests := related_pages(touched, texts):
        run.add(
            tool, module("vitest/vitest.mjs"), "run", *tests, folder="ui", name=f"{len(tests)} tests of the pages"
        )
    for path in related_tests(touched, texts):
        run.add(*pytest, path, name=path)
    run.end()
    if run.left:
        print(f"not asked within {SECONDS} s, {len(run.left)}: {' '.join(run.left[:5])} …")
    return 0 if run.good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1] if len(sys.argv) > 1 else "HEAD"))
