"""Commands: methods marked with ``@command``, whose signature is the contract and whose docstring is the summary.

    class UsageCommands:
        @command(Client.CHAT)
        def get_spent(self, conversation: str, turn: str | None = None) -> SpentView:
            \"\"\"Return what a reply or a conversation cost, in tokens and money.

            ``turn`` None: the whole conversation.
            \"\"\"

The parameters are the fields of the argument on the wire, or there is one parameter, a dataclass with those fields;
the method returns a dataclass or None. The dispatcher checks the client, decodes the argument and encodes the reply;
the TypeScript client is printed from the same signatures.
"""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, make_dataclass
from enum import StrEnum
from functools import cache
from types import NoneType
from typing import Any, TypeVar

_CLIENTS = "_command_clients"
Method = TypeVar("Method", bound=Callable[..., Any])


class Client(StrEnum):
    """The caller, as the transport knows it; never part of the call."""

    CHAT = "chat"  # the chat window: chat, history, settings
    PET = "pet"  # the pet window: can read no file
    BUBBLE = "bubble"  # the speech bubble: its own text and nothing else
    SOCKET = "socket"  # a second start, the command line beside the running pet
    TERMINAL = "terminal"  # the command line, in its own process


@dataclass(frozen=True, slots=True, kw_only=True)
class Nothing:
    """No arguments, or an empty reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """``args``: the dataclass to decode; ``whole``: the method takes the dataclass itself, not its fields. ``reply``
    is ``Nothing`` for a method that returns None."""

    name: str
    args: type
    whole: bool
    reply: type
    clients: frozenset[Client]
    summary: str

    def answer(self, handler: Callable[..., object], args: Any) -> object:
        """Return the reply of ``handler``, the method bound to its area, to decoded arguments."""
        if self.whole:
            return handler(args)
        return handler(**{each.name: getattr(args, each.name) for each in fields(args)})


def command(*clients: Client) -> Callable[[Method], Method]:
    """Mark a method as a command that only these clients may call."""

    def mark(method: Method) -> Method:
        setattr(method, _CLIENTS, frozenset(clients))
        return method

    return mark


def commands_of(area: type) -> tuple[Command, ...]:
    """Return the commands of a class, in the order of their definition. Raises TypeError for a wrong signature."""
    return tuple(command_of(method) for method in vars(area).values() if hasattr(method, _CLIENTS))


@cache
def command_of(method: Callable[..., object]) -> Command:
    """Return the command of a marked method. Raises TypeError for a wrong signature."""
    hints = typing.get_type_hints(method)
    reply = hints.pop("return", None)
    _self, *parameters = inspect.signature(method).parameters.values()
    if len(parameters) != len(hints) or reply is None:
        raise TypeError(f"{method.__qualname__}: a command needs type hints for its parameters and its result")
    only = next(iter(hints.values())) if len(hints) == 1 else None
    whole = isinstance(only, type) and is_dataclass(only)
    summary, _, rest = inspect.cleandoc(method.__doc__ or "").partition("\n\n")
    return Command(
        name=method.__name__,
        args=only if whole and only else _argument(method.__name__, parameters, hints, rest),
        whole=whole,
        reply=Nothing if reply is NoneType else reply,
        clients=getattr(method, _CLIENTS),
        summary=summary,
    )


def given_fields(method: Callable[..., object], args: tuple[object, ...], kwargs: Mapping[str, object]) -> object:
    """Return the value to encode for a call of the method with these arguments."""
    given = inspect.signature(method).bind(None, *args, **kwargs).arguments
    given.pop("self")
    return next(iter(given.values())) if command_of(method).whole else given


def _argument(name: str, parameters: list[inspect.Parameter], hints: Mapping[str, Any], doc: str) -> type:
    """Make the dataclass of a command's parameters: ``rename_pet`` takes ``RenamePetArgs``."""
    if not parameters:
        return Nothing
    made = [
        (each.name, hints[each.name], field() if each.default is each.empty else field(default=each.default))
        for each in parameters
    ]
    title = name.title().replace("_", "") + "Args"
    # Without what nothing calls: making it for each command took half of the time of all commands at a start.
    return make_dataclass(title, made, namespace={"__doc__": doc}, repr=False, slots=True, kw_only=True)
