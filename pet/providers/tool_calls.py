"""What both protocols do with tool calls: text without lone halves, arguments a model wrote, ids of calls."""

from __future__ import annotations

import hashlib
import re
from typing import Any

from pet.outside_data import read_json

NOT_IN_IDS = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_ID = 40


def mend(text: str) -> str:
    """Surrogate halves joined to the character they mean; a lone one becomes U+FFFD, since it has no bytes."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def parse_arguments(raw: str) -> dict[str, Any] | None:
    """The arguments a model wrote, if they are a JSON object; no text at all means none."""
    try:
        found = read_json(raw or "{}", parse_constant=_refuse)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _refuse(constant: str) -> object:
    raise ValueError(f"{constant} is no JSON")


def encode_call_id(call_id: str) -> str:
    """An id as every API takes it: letters, digits, _ and -, and at most the 40 characters that OpenAI allows. Other
    servers make longer ones, and a conversation may go on elsewhere.
    """
    if len(call_id) > _LONGEST_ID:
        return hashlib.sha256(call_id.encode("utf-8", "replace")).hexdigest()[:_LONGEST_ID]
    return NOT_IN_IDS.sub("_", call_id)
