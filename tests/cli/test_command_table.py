"""The terminal is a client of the command table: what it calls is marked for it, and what is marked it calls."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pet.cli
from pet.app.commands import AREAS
from pet.bridge.command import Client, Command, commands_of

COMMANDS: dict[tuple[str, str], Command] = {
    (area.__name__, command.name): command
    for area in AREAS
    if isinstance(area, type)
    for command in commands_of(area)
}


def called(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """Yield class and method of each ``Area(pet).method``, ``Area.method`` and ``area.method`` of such an area."""
    areas = {area for area, _ in COMMANDS}

    def area_of(node: ast.expr) -> str:
        made = node.func if isinstance(node, ast.Call) else node
        name = made.id if isinstance(made, ast.Name) else ""
        return name if name in areas else known.get(name, "")

    known: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign):
            pairs = [(node.targets[0], node.value)]
            if isinstance(node.targets[0], ast.Tuple) and isinstance(node.value, ast.Tuple):
                pairs = list(zip(node.targets[0].elts, node.value.elts, strict=True))
            for target, value in pairs:
                if isinstance(target, ast.Name) and isinstance(value, ast.Call) and area_of(value):
                    known[target.id] = area_of(value)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and (area := area_of(node.value)):
            yield area, node.attr


def test_the_terminal_calls_what_is_marked_for_it() -> None:
    files = Path(pet.cli.__file__).parent.rglob("*.py")
    calls = {each for file in files for each in called(ast.parse(file.read_text("utf-8")))}
    commands = {COMMANDS[each] for each in calls if each in COMMANDS}
    assert [each.name for each in commands if not each.clients & {Client.TERMINAL, Client.SOCKET}] == []
    marked = {each.name for each in COMMANDS.values() if Client.TERMINAL in each.clients}
    assert marked - {each.name for each in commands} == set()
