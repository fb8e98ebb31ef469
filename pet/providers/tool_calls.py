"""What both protocols do with what a server sent: its values, text without lone halves, calls and their ids."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from pet.untrusted.parsers import join_surrogates, read_json_object

_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_ID = 40


class TextJoiner:
    """Joins a stream's text where an emoji came in two JSON escapes, cut between them."""

    def __init__(self) -> None:
        self._half = ""  # of a character whose other half is still to come

    def feed(self, text: str) -> str:
        """What there is of it in whole characters."""
        text, self._half = self._half + text, ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return join_surrogates(text)


def as_mapping(value: object) -> Mapping[str, Any]:
    """The object, or an empty one in the place of anything else."""
    return value if isinstance(value, Mapping) else {}


def as_text(value: object) -> str:
    return value if isinstance(value, str) else ""


def parse_arguments(raw: str) -> dict[str, Any] | None:
    """Return the arguments of a call, or None if they are no JSON object."""
    try:
        return read_json_object(raw)
    except ValueError:
        return None


def encode_call_id(call_id: str) -> str:
    """An id as every API takes it: letters, digits, _ and -, and at most the 40 characters that OpenAI allows. Other
    servers make longer ones, and a conversation may go on elsewhere.
    """
    if len(call_id) > _LONGEST_ID:
        return hashlib.sha256(call_id.encode("utf-8", "replace")).hexdigest()[:_LONGEST_ID]
    return _NOT_IN_IDS.sub("_", call_id)


def encode_tool_name(tool: str) -> str:
    """A model may call what does not exist, by any name; an API refuses the whole conversation for it."""
    return _NOT_IN_IDS.sub("_", tool)[:64] or "_"
