"""Every error is raised with the arguments of its text's placeholders.

Reads the program's source: calls of error classes with literal codes. Calls that pass on another error's arguments
(``**``) are left out.
"""

from __future__ import annotations

import ast
import errno
import inspect
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeGuard

import pytest

from pet import errors
from pet.i18n import LANGUAGES, Language, Texts, catalogue

PROGRAM = Path(errors.__file__).parent
PLACEHOLDER = re.compile(r"\{([a-z_0-9]+)\}")
COMPLETED = {("fetch_slow", "host")}
"""Arguments added later: the fetch adds the host to errors of its deadline."""


@dataclass(frozen=True, slots=True)
class Raised:
    file: str
    line: int
    code: str
    given: frozenset[str]

    @property
    def missing(self) -> list[str]:
        wanted = set(PLACEHOLDER.findall(catalogue("en").get(f"error.{self.code}", "")))
        return sorted(name for name in wanted - self.given if (self.code, name) not in COMPLETED)


def test_errors_are_raised_with_every_argument_of_their_text() -> None:
    raised = list(errors_raised())
    assert len(raised) > 200
    assert [f"{each.file}:{each.line} {each.code}: {each.missing}" for each in raised if each.missing] == []


def test_texts_of_unusable_files_need_the_name_alone() -> None:
    """Their code is built at run time; all are raised with ``file``."""
    codes = {f"error.file_{problem}" for problem in ("not_utf8", "too_large", "unreadable", "link", "not_a_file")}
    assert {name for code in codes for name in PLACEHOLDER.findall(catalogue("en")[code])} == {"file"}


def errors_raised() -> Iterator[Raised]:
    kinds = {kind.__name__: kind for kind in vars(errors).values() if is_error(kind)}
    for file in sorted(PROGRAM.rglob("*.py")):
        name = file.relative_to(PROGRAM).as_posix()
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Name)):
                continue
            given = {keyword.arg for keyword in node.keywords}
            if None in given:
                continue
            arguments = frozenset(argument for argument in given if argument)
            if node.func.id == "fault_of":  # it adds the host
                codes, arguments = codes_of(node, errors.ProviderFault), arguments | {"host"}
            elif node.func.id == "WriteFailed":  # its constructor gives both
                codes, arguments = [errors.WriteFailed.code], frozenset(("file", "reason"))
            elif node.func.id in kinds:
                codes = codes_of(node, kinds[node.func.id])
            else:
                continue
            for code in codes:
                yield Raised(name, node.lineno, code, arguments)


def codes_of(call: ast.Call, kind: type[errors.PetError]) -> list[str]:
    """Return the catalogue's codes; empty if they are not literals."""
    parameters = inspect.signature(kind.__init__).parameters
    chooser = next((name for name in ("problem", "why", "kind") if name in parameters), None)
    if chooser is None:
        return [kind().error_code]
    chosen = next((keyword.value for keyword in call.keywords if keyword.arg == chooser), None)
    chosen = call.args[0] if call.args else chosen
    if chosen is None:
        return [kind().error_code]
    branches = [chosen.body, chosen.orelse] if isinstance(chosen, ast.IfExp) else [chosen]
    literals = [each.value for each in branches if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    others = {"file": ""} if kind is errors.FileBroken else {}
    return [kind(**{chooser: literal}, **others).error_code for literal in literals]


def is_error(kind: object) -> TypeGuard[type[errors.PetError]]:
    return isinstance(kind, type) and issubclass(kind, errors.PetError)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("number", "code"),
    [
        (errno.ENOSPC, "disk_full"),
        (errno.EDQUOT, "disk_full"),
        (errno.EROFS, "write_denied"),
        (errno.EACCES, "write_denied"),
        (errno.EIO, "write_failed"),
    ],
)
def test_what_keeps_a_file_from_being_saved_is_said_in_the_owners_language(
    number: int, code: str, language: Language
) -> None:
    system = os.strerror(number)
    failed = errors.WriteFailed.from_os_error("tabs.json", OSError(number, system))
    said = Texts(language)(f"error.{failed.error_code}", **failed.args_)
    assert (failed.error_code, system in said) == (code, code == "write_failed")
    assert errors.WriteFailed("USER.md", number).error_code == code
