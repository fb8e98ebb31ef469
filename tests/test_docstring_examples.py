"""Examples in docstrings run."""

from __future__ import annotations

import ast
import doctest
from importlib import import_module
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
SOURCES = {
    ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file
    for file in sorted((ROOT / "pet").rglob("*.py"))
    if ">>> " in file.read_text("utf-8")
}


@pytest.mark.parametrize("module", SOURCES)
def test_examples_run(module: str) -> None:
    """Docstrings are read from the source: ``doctest`` finds each line number by reading the file anew."""
    runner, known = doctest.DocTestRunner(), vars(import_module(module))
    for node in ast.walk(ast.parse(SOURCES[module].read_text("utf-8"))):
        text = ast.get_docstring(node, clean=False) if isinstance(node, DOCUMENTED) else None
        if text and ">>> " in text:
            assert isinstance(node, DOCUMENTED)
            name = module if isinstance(node, ast.Module) else f"{module}.{node.name}"
            runner.run(doctest.DocTestParser().get_doctest(text, dict(known), name, str(SOURCES[module]), 0))
    assert runner.tries
    assert not runner.failures
