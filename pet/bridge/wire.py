"""What goes over the wire beside arguments: events with their tags, and the envelope of a reply."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TypeVar

from pet.errors import BadArguments, PetError
from pet.events import EVENTS, ErrorInfo, Event
from pet.serde import Data, encode, fields_of, from_data, parse

T = TypeVar("T")


def event_type(event: type) -> str:
    """The tag under which the page knows an event: ``TurnStarted`` is ``turn_started``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", event.__name__).lower()


EVENT_TYPES: Mapping[str, type] = {event_type(kind): kind for kind in EVENTS}


def event_data(event: Event) -> Data:
    """The event with its tag in front."""
    return {"type": event_type(type(event)), **fields_of(event)}


class CommandFailed(PetError):
    """The other side answered with an error; it is worded by that error's code and arguments."""

    def __init__(self, error: ErrorInfo) -> None:
        super().__init__(**error.args)
        self.error = error
        self.retryable = error.retryable

    @property
    def error_code(self) -> str:
        return self.error.code


def reply_envelope(value: object) -> str:
    """The JSON of a reply."""
    return encode({"ok": True, "value": value})


def error_envelope(error: ErrorInfo) -> str:
    """The JSON of a failure."""
    return encode({"ok": False, "error": error})


def open_envelope(reply: type[T], text: str) -> T:
    """The reply inside. Raises CommandFailed if it is an error, BadArguments if it is no envelope."""
    data = parse(text)
    if isinstance(data, dict) and data.get("ok") is True and data.keys() == {"ok", "value"}:
        return from_data(reply, data["value"])
    if isinstance(data, dict) and data.get("ok") is False and data.keys() == {"ok", "error"}:
        raise CommandFailed(from_data(ErrorInfo, data["error"]))
    raise BadArguments(where="", why="envelope")
