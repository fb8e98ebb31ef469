"""Clean the values that servers send, for both protocols: text, tool arguments, call ids and tool names. Pure."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import Any

from pet.untrusted.parsers import join_surrogates, read_json_object

_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_ID = 40


class TextJoiner:
    """Joins surrogate pairs that a stream splits between two chunks."""

    def __init__(self) -> None:
        self._half = ""  # a high surrogate whose pair is pending

    def feed(self, text: str) -> str:
        """Return the text so far in whole characters."""
        text, self._half = self._half + text, ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            text, self._half = text[:-1], text[-1]
        return join_surrogates(text)


def as_mapping(value: object) -> Mapping[str, Any]:
    """Return the mapping; an empty one for anything else."""
    return value if isinstance(value, Mapping) else {}


def as_text(value: object) -> str:
    return value if isinstance(value, str) else ""


def parse_arguments(raw: str) -> dict[str, Any] | None:
    """Return the arguments of a call, or None if they are not a JSON object."""
    try:
        return read_json_object(raw)
    except ValueError:
        return None


def encode_call_id(call_id: str) -> str:
    """Return an id that every API accepts: letters, digits, _ and -, at most 40 characters (OpenAI's limit)."""
    if len(call_id) > _LONGEST_ID:
        return hashlib.sha256(call_id.encode("utf-8", "replace")).hexdigest()[:_LONGEST_ID]
    return _NOT_IN_IDS.sub("_", call_id)


def encode_tool_name(tool: str) -> str:
    """Return a name that every API accepts; models may call unknown tools by any name."""
    return _NOT_IN_IDS.sub("_", tool)[:64] or "_"
