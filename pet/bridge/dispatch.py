"""Dispatch one external call, from the capability check to the response envelope.

A caller learns of a failure only a code with arguments, or for an unexpected exception its incident id. Refuses
everything the command table does not grant. Never raises, since pywebview would send a traceback with file paths to
the page. Each call runs on its own thread, so nothing here is modified after start-up.
"""

from __future__ import annotations

import logging
import traceback
from asyncio import CancelledError
from collections.abc import Callable, Mapping
from typing import Any

from pet.bridge.api import COMMANDS, Client, Command, KeyArgs, Nothing
from pet.bridge.serde import decode, error_envelope, internal_error, reply_envelope
from pet.errors import BadArguments, NotAllowed, PetError, UnknownCommand
from pet.events import ErrorInfo
from pet.ids import new_id

Handler = Callable[[Any], object]
"""Takes the row's arguments, returns the row's reply; may return None for Nothing."""

_log = logging.getLogger(__name__)


class Commands:
    """The command table with its handlers. Bound once in ``compose``, then called from any thread."""

    def __init__(self, table: tuple[Command, ...] = COMMANDS) -> None:
        self._rows: Mapping[str, Command] = {row.name: row for row in table}
        self._handlers: dict[str, Handler] = {}

    def bind(self, name: str, handler: Handler) -> None:
        """Raises ValueError for a name that is not in the table or already bound."""
        if name not in self._rows or name in self._handlers:
            raise ValueError(f"{name} is unknown or bound twice")
        self._handlers[name] = handler

    def check_complete(self) -> None:
        """Raises ValueError unless every row has a handler."""
        missing = self._rows.keys() - self._handlers.keys()
        if missing:
            raise ValueError(f"no handler for {sorted(missing)}")

    def invoke(self, client: Client, name: object, args_json: object) -> str:
        """Return the reply's envelope as JSON. ``client`` comes from the transport; the rest is untrusted."""
        try:
            return self._answer(client, name, args_json)
        except (Exception, CancelledError) as error:  # noqa: BLE001  the thread boundary: the page gets an answer
            row = self._rows.get(name) if isinstance(name, str) else None
            return error_envelope(internal_error(_log_bug(row, error)))

    def _answer(self, client: Client, name: object, args_json: object) -> str:
        try:
            row = self._granted(client, name)
            reply = self._handlers[row.name](_arguments(row, args_json))
            return reply_envelope(_checked(row, reply))
        except PetError as error:
            return error_envelope(ErrorInfo.of(error))

    def _granted(self, client: Client, name: object) -> Command:
        row = self._rows.get(name) if isinstance(name, str) else None
        if row is None:
            raise UnknownCommand(command=name[:40] if isinstance(name, str) else "")
        if client not in row.clients:
            raise NotAllowed(command=row.name)
        return row


def _arguments(row: Command, args_json: object) -> object:
    if not isinstance(args_json, str):
        raise BadArguments(where="", why="json")
    return decode(row.args, args_json)


def _checked(row: Command, reply: object) -> object:
    if reply is None and row.reply is Nothing:
        return Nothing()
    if type(reply) is not row.reply:
        raise TypeError(f"{row.name} replied {type(reply).__name__} instead of {row.reply.__name__}")
    return reply


def _log_bug(row: Command | None, error: BaseException) -> str:
    """Log the location of the exception and return its incident id."""
    incident = new_id()
    name = row.name if row else "?"
    # An exception's message may quote its input: the API key, or conversation text.
    if row and (row.args is KeyArgs or "conversation" in getattr(row.args, "__dataclass_fields__", ())):
        frames = "".join(traceback.format_tb(error.__traceback__))
        _log.error("command %s failed [%s]: %s\n%s", name, incident, type(error).__name__, frames)
    else:
        _log.error("command %s failed [%s]", name, incident, exc_info=error)
    return incident
