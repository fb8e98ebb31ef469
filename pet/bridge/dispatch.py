"""Dispatch one call, from the capability check to the reply: as JSON for pages and sockets, typed in this process.

A failure crosses the boundary as an error code with arguments, or for an unexpected exception as its incident id.
``Commands.invoke`` never raises, since pywebview would send a traceback with file paths to the page. Each call runs
on its own thread; nothing here changes after start-up.
"""

from __future__ import annotations

import logging
from asyncio import CancelledError
from collections.abc import Callable
from pathlib import PurePath
from typing import Any, Concatenate, ParamSpec, TypeVar

from pet.bridge.command import Client, Command, Nothing, commands_of
from pet.errors import BadArguments, NotAllowed, PetError, UnknownCommand, WriteFailed
from pet.events import ErrorInfo
from pet.serde import decode, encode, from_data, parse

T = TypeVar("T")


class CommandFailed(PetError):
    """An error that the other side answered; its text is made of that error's code and arguments."""

    def __init__(self, error: ErrorInfo) -> None:
        super().__init__(**error.args)
        self.error = error
        self.retryable = error.retryable

    @property
    def error_code(self) -> str:
        return self.error.code


def reply_envelope(value: object) -> str:
    """Return a reply as JSON."""
    return encode({"ok": True, "value": value})


def error_envelope(error: ErrorInfo) -> str:
    """Return a failure as JSON."""
    return encode({"ok": False, "error": error})


def open_envelope(reply: type[T], text: str) -> T:
    """Return the reply inside. Raises CommandFailed if it is an error, BadArguments if it is no envelope."""
    data = parse(text)
    if isinstance(data, dict) and data.get("ok") is True and data.keys() == {"ok", "value"}:
        return from_data(reply, data["value"])
    if isinstance(data, dict) and data.get("ok") is False and data.keys() == {"ok", "error"}:
        raise CommandFailed(from_data(ErrorInfo, data["error"]))
    raise BadArguments(where="", why="envelope")


Handler = Callable[..., object]
"""A command's bound method; it returns the reply, or None for ``Nothing``."""
P = ParamSpec("P")
R = TypeVar("R")

_log = logging.getLogger(__name__)


class Commands:
    """The commands of some areas, bound to them; callable from any thread.

    >>> from pet.bridge.command import command
    >>> class ExampleCommands:
    ...     @command(Client.CHAT)
    ...     def do_nothing(self) -> None: ...
    >>> Commands(ExampleCommands()).invoke(Client.CHAT, "do_nothing", "{}")
    '{"ok":true,"value":{}}'
    """

    def __init__(self, *areas: object) -> None:
        self._bound: dict[str, tuple[Command, Handler]] = {}
        for area in areas:
            for command in commands_of(type(area)):
                self.bind(command, getattr(area, command.name))

    def bind(self, command: Command, handler: Handler) -> None:
        """Add a command. Raises ValueError for a name that is already bound."""
        if command.name in self._bound:
            raise ValueError(f"{command.name} is bound twice")
        self._bound[command.name] = command, handler

    @property
    def bound(self) -> tuple[Command, ...]:
        return tuple(command for command, _ in self._bound.values())

    def invoke(self, client: Client, name: object, args_json: object) -> str:
        """Return the reply's envelope as JSON. ``client`` comes from the transport; the rest is untrusted."""
        try:
            return self._answer(client, name, args_json)
        except (Exception, CancelledError) as error:  # noqa: BLE001  thread boundary: the page needs a reply
            return error_envelope(self._bug(name, error))

    def _answer(self, client: Client, name: object, args_json: object) -> str:
        try:
            command, handler = self._granted(client, name)
            if not isinstance(args_json, str):
                raise BadArguments(where="", why="json")
            reply = command.answer(handler, decode(command.args, args_json))
            return reply_envelope(_checked(command, reply))
        except PetError as error:
            return error_envelope(ErrorInfo.of(error))

    def call(self, client: Client, method: Callable[Concatenate[Any, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Call a command within this process, for example ``call(Client.CHAT, PetCommands.list_pets)``.

        Raises PetError: the command's own, or CommandFailed with the incident id of a bug.
        """
        handler: Callable[P, R] = self._granted(client, method.__name__)[1]  # type: ignore[assignment]
        try:
            return handler(*args, **kwargs)
        except PetError:
            raise
        except Exception as error:  # noqa: BLE001  the same boundary as for a page
            raise CommandFailed(self._bug(method.__name__, error)) from None

    def _granted(self, client: Client, name: object) -> tuple[Command, Handler]:
        entry = self._bound.get(name) if isinstance(name, str) else None
        if entry is None:
            raise UnknownCommand(command=name[:40] if isinstance(name, str) else "")
        if client not in entry[0].clients:
            raise NotAllowed(command=entry[0].name)
        return entry

    def _bug(self, name: object, error: BaseException) -> ErrorInfo:
        known = name if isinstance(name, str) and name in self._bound else "?"
        internal = ErrorInfo.of_bug(error, f"command {known}", _log)  # logs it, a disk error too
        return _of_disk(error) or internal


def _of_disk(error: BaseException) -> ErrorInfo | None:
    """Return the error for a full disk or a denied write, without the path; None for any other exception."""
    if not isinstance(error, OSError):
        return None
    named = isinstance(error.filename, str)
    failed = WriteFailed.from_os_error(PurePath(error.filename).name if named else "", error)
    worded = failed.error_code == "disk_full" or (named and failed.error_code == "write_denied")
    return ErrorInfo.of(failed) if worded else None


def _checked(command: Command, reply: object) -> object:
    if reply is None and command.reply is Nothing:
        return Nothing()
    if type(reply) is not command.reply:
        raise TypeError(f"{command.name} replied {type(reply).__name__} instead of {command.reply.__name__}")
    return reply
