"""JSON envelopes of replies and errors, and the error that a caller gets out of one."""

from __future__ import annotations

from typing import TypeVar

from pet.errors import BadArguments, PetError
from pet.events import ErrorInfo
from pet.serde import encode, from_data, parse

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
