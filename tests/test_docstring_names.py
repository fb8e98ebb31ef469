"""Names in double backticks in docstrings and comments of ``pet/`` exist: stale ones would mislead."""

from __future__ import annotations

import ast
import builtins
import io
import re
import tokenize
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from pet.bridge.emitter import EVENT_TYPES
from pet.cli import arguments
from pet.cli.slash_commands import SLASHES
from pet.i18n import catalogue
from ui.bindings import COMMANDS

ROOT = Path(__file__).resolve().parent.parent
TOP = {path.name for path in ROOT.iterdir()}
NAME = r"[A-Za-z_]\w*"
FILE_OF_OWNERS = re.compile(r"[\w-]+\.(?:png|md|json|jsonl|toml|txt)")
ELSEWHERE = frozenset({"user_version", "__wrapped__", "socket_options", "recv", "a.b.c"})
"""Names of SQLite, Python, HTTPX and Windows, and the parts of an example key."""


def test_names_in_backticks_exist() -> None:
    stale = [
        f"{path.relative_to(ROOT)}:{line}: {quoted}"
        for path in modules()
        for line, text in prose(path)
        for quoted in re.findall(r"``(.+?)``", text, re.DOTALL)
        if not exists(quoted, path)
    ]
    assert stale == []


def test_a_name_that_does_not_exist_is_noticed() -> None:
    here = ROOT / "pet" / "serde.py"
    assert not any(exists(quoted, here) for quoted in ("no_such_name", "Path.no_such_name", "no_such_call(x)"))
    assert not any(exists(quoted, here) for quoted in ("pet nosuchcommand", "/nosuchslash", "tests/no_such_folder"))
    assert all(exists(quoted, here) for quoted in ("pet search", "/quit", "error.<code>", "assets/templates"))


def exists(quoted: str, path: Path) -> bool:
    """Return whether a quoted text names something that exists, or is a literal and not a name.

    A name with dots must exist in each part, the one called in each call, a command of the terminal in its word, and
    a path in the project. Other text with spaces or marks is a value.
    """
    if quoted in ELSEWHERE or is_known(quoted, path):
        return True
    if command := re.match(r"pet (?!-)([a-z-]+)", quoted):
        return command[1] in arguments.commands()
    if re.fullmatch(r"/[a-z]+", quoted):
        return quoted[1:] in SLASHES
    if called := re.match(rf"@?({NAME}(?:\.{NAME})*)(?:\(|$)", quoted):
        if FILE_OF_OWNERS.fullmatch(quoted) or all(is_known(part, path) for part in called[1].split(".")):
            return True
        return called[1].endswith("_") and any(name.startswith(called[1]) for name in definitions() | names_of(path))
    first, _, rest = quoted.partition("/")
    if rest and first in TOP:
        return (ROOT / quoted).exists()
    return True


def is_known(name: str, path: Path) -> bool:
    return name in definitions() or name in names_of(path)


@cache
def modules() -> list[Path]:
    return sorted((ROOT / "pet").rglob("*.py"))


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def names_of(path: Path) -> set[str]:
    """Return all names that occur in a file's code."""
    names: set[str] = set()
    for node in ast.walk(tree(path)):
        match node:
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name) | ast.keyword(arg=str(name)):
                names.add(name)
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                names.add(name)
            case ast.alias(name=name, asname=other):
                names |= {*name.split("."), other or name}
            case ast.ImportFrom(module=str(name)):
                names |= set(name.split("."))
    return names


@cache
def definitions() -> set[str]:
    """Return what is defined anywhere: modules, module-level names, members of classes, whole strings and words of
    the catalogue, commands and events."""
    names = set(dir(builtins)) | {*catalogue("en"), *EVENT_TYPES} | {row.args.__name__ for row in COMMANDS}
    names |= {part for key in catalogue("en") for part in key.split(".")}
    for path in modules():
        names |= set(path.relative_to(ROOT).with_suffix("").parts)
        documented = {id(node) for node in documentation(path)}
        for node in ast.walk(tree(path)):
            match node:
                case ast.Module(body=body) | ast.ClassDef(body=body):
                    names |= set(defined(body))
                case ast.Attribute(attr=name, ctx=ast.Store()):
                    names.add(name)
                case ast.Constant(value=str(text)) if id(node) not in documented:
                    names |= {text} if " " in text else {text, *text.split(".")}
    return names


def defined(body: list[ast.stmt]) -> Iterator[str]:
    for node in body:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name
            case ast.Assign(targets=targets):
                yield from (target.id for target in targets if isinstance(target, ast.Name))


@cache
def documentation(path: Path) -> list[ast.Constant]:
    """Return docstrings, also those under constants."""
    values = [node.value for node in ast.walk(tree(path)) if isinstance(node, ast.Expr)]
    return [value for value in values if isinstance(value, ast.Constant) and isinstance(value.value, str)]


def prose(path: Path) -> Iterator[tuple[int, str]]:
    yield from ((node.lineno, str(node.value)) for node in documentation(path))
    text = path.read_text(encoding="utf-8")
    if not re.search("#.*``", text):  # no comment has a name
        return
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
