"""Bind each handler to its row of the command table."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import partial

from pet.bridge.api import COMMANDS, Nothing
from pet.bridge.dispatch import Commands

_ROWS = frozenset(row.name for row in COMMANDS)


def bind_commands(*handlers: object) -> Commands:
    """Bind every public method named like a row. Raises ValueError unless each row has a handler."""
    commands = Commands()
    for each in handlers:
        for name in vars(type(each)):
            if name in _ROWS:
                handler = getattr(each, name)
                takes = len(inspect.signature(handler).parameters)
                commands.bind(name, handler if takes else partial(_without, handler))
    commands.check_complete()
    return commands


def _without(handler: Callable[[], object], _args: Nothing) -> object:
    return handler()
