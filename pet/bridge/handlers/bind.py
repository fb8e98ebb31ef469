"""Puts each handler on its row of the table; the table itself says when one is missing."""

from __future__ import annotations

from pet.bridge.api import COMMANDS
from pet.bridge.dispatch import Commands

_ROWS = frozenset(row.name for row in COMMANDS)


def bind_commands(*handlers: object) -> Commands:
    """Every public method that has the name of a row is its handler. Raises ValueError unless each row has one."""
    commands = Commands()
    for each in handlers:
        for name in vars(type(each)):
            if name in _ROWS:
                commands.bind(name, getattr(each, name))
    commands.check_complete()
    return commands
