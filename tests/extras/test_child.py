"""Child processes of extras: found by their record alone, and the core names no module of an extra."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from pet import extra

ROOT = Path(__file__).parents[2]
CHILDREN = [name for name in extra.NAMES if "child" in extra.extra_of(name).ports]

_RUN = """
import importlib, sys
from pet import extra
from pet.__main__ import main
extra.loaded = lambda path: lambda: print(path)
main()
print(*sorted(each for each in sys.modules if each.startswith("pet.extras.")))
"""


@pytest.mark.parametrize("name", CHILDREN)
def test_the_program_becomes_the_child_of_an_extra_and_imports_no_other(name: str) -> None:
    command = [sys.executable, "-c", _RUN, extra.CHILD, name]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=True)
    path, modules = ended.stdout.splitlines()
    assert path == extra.extra_of(name).ports["child"]
    assert {each.split(".")[2] for each in modules.split()} == {name}


@pytest.mark.parametrize("name", CHILDREN)
def test_a_child_is_a_module_that_runs(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    *_, flag, module = extra.child_command(name)
    spec = find_spec(module)
    assert flag == "-m"
    assert spec is not None
    assert spec.origin is not None
    assert 'if __name__ == "__main__":' in Path(spec.origin).read_text("utf-8")
    monkeypatch.setattr(sys, "frozen", True, raising=False)
    assert extra.child_command(name)[1:] == [extra.CHILD, name]


def test_there_are_children() -> None:
    assert CHILDREN == ["documents", "local_models", "reading_aloud"]


def test_no_module_of_the_core_names_one_of_an_extra() -> None:
    naming = []
    for file in (ROOT / "pet").rglob("*.py"):
        if ROOT / "pet" / "extras" in file.parents:
            continue
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            words = node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ""
            imported = node.module or "" if isinstance(node, ast.ImportFrom) else ""
            imports = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            named = [words, imported, *imports]
            naming += [
                f"{file.name}: {name}" for name in extra.NAMES if any(f"pet.extras.{name}" in n for n in named)
            ]
    assert naming == []
