"""Python modules without their docstrings, which nobody reads in a packaged program; what they assert stays."""

from __future__ import annotations

import ast
from types import CodeType

_DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def keeps_columns() -> bool:
    """Whether what this Python compiles tells the column of each instruction (see ``.ci/package``)."""
    return any(column is not None for *_, column in compile("1 + one", "", "eval").co_positions())


def compiled(source: bytes, filename: str) -> CodeType:
    """Raises SyntaxError."""
    tree = ast.parse(source, filename)
    for node in ast.walk(tree):
        if isinstance(node, _DOCUMENTED) and ast.get_docstring(node, clean=False) is not None:
            node.body[:1] = [] if len(node.body) > 1 else [ast.copy_location(ast.Pass(), node.body[0])]
    code: CodeType = compile(tree, filename, "exec", dont_inherit=True, optimize=0)
    return code
