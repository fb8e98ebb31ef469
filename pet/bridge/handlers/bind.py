"""Bind each handler to its row of the command table."""

from __future__ import annotations

from pet.bridge.api import COMMANDS
from pet.bridge.dispatch import Commands

_ROWS = frozenset(row.name for row in COMMANDS)


def bind_commands(*handlers: object) -> Commands:
    """Bind every public method named like a row. Raises ValueError unless each row has a handler."""
    commands = Commands()
    for each in handlers:
        for name in vars(type(each)):
            if name in _ROWS:
                commands.bind(name, getattr(each, name))
    commands.check_complete()
    return commands
