"""A command is a method marked with ``@command``: its signature is the contract, its docstring the printed summary.

    class UsageCommands:
        @command(Client.CHAT)
        def get_spent(self, args: SpentArgs) -> SpentView:
            \"\"\"What a reply or a conversation took, in tokens and money.\"\"\"

The method takes at most one argument, a dataclass, and returns a dataclass or None. The dispatcher checks the client,
decodes the argument and encodes the reply; the TypeScript client is printed from the same signatures.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from types import NoneType
from typing import Any, TypeVar

_CLIENTS = "_command_clients"
Method = TypeVar("Method", bound=Callable[..., Any])


class Client(StrEnum):
    """Who is asking. The transport knows it; the caller never says it."""

    CHAT = "chat"  # the chat window: chat, history, settings
    PET = "pet"  # the pet window: can read no file
    BUBBLE = "bubble"  # the speech bubble: what it says now, and nothing else
    SOCKET = "socket"  # a second start, the command line


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing:
    """No arguments, or nothing to say in reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """``args`` and ``reply`` are ``Nothing`` for a method without an argument, or that returns None."""

    name: str
    args: type
    reply: type
    clients: frozenset[Client]
    summary: str


def command(*clients: Client) -> Callable[[Method], Method]:
    """Make a method a command that these clients may call, and no others."""

    def mark(method: Method) -> Method:
        setattr(method, _CLIENTS, frozenset(clients))
        return method

    return mark


def commands_of(area: type) -> tuple[Command, ...]:
    """Return the commands of a class, in the order of their definition. Raises TypeError for a wrong signature."""
    return tuple(command_of(method) for method in vars(area).values() if hasattr(method, _CLIENTS))


def command_of(method: Callable[..., object]) -> Command:
    """Return the command that a method is. Raises TypeError for a wrong signature."""
    hints = typing.get_type_hints(method)
    reply = hints.pop("return", None)
    if len(hints) > 1 or len(inspect.signature(method).parameters) != len(hints) + 1 or reply is None:
        raise TypeError(f"{method.__qualname__}: a command takes self and at most one argument, all with types")
    return Command(
        name=method.__name__,
        args=next(iter(hints.values()), Nothing),
        reply=Nothing if reply is NoneType else reply,
        clients=getattr(method, _CLIENTS),
        summary=inspect.cleandoc(method.__doc__ or "").partition("\n\n")[0],
    )
