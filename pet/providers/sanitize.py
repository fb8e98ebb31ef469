"""Values that model servers send and take, for every protocol: tool arguments, call ids and tool names. Pure."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from pet.model import Message, Part, ToolCallPart, ToolResultPart
from pet.untrusted.parsers import read_json_object


class ReplyTooLarge(ValueError):
    """The server's response exceeds a limit."""


_NOT_IN_IDS = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_ID = 40


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


def with_unique_calls(messages: Iterable[Message]) -> Iterator[Message]:
    """Yield the messages with repeated call ids renamed: some servers count from 1 in each reply, others refuse."""
    times: Counter[str] = Counter()
    renamed: dict[str, str] = {}
    for message in messages:
        parts: list[Part] = []
        for part in message.parts:
            if isinstance(part, ToolCallPart):
                times[part.id] += 1
                renamed[part.id] = new = part.id if times[part.id] == 1 else f"{part.id[:36]}_{times[part.id]}"
                parts.append(part if new == part.id else replace(part, id=new))
            elif isinstance(part, ToolResultPart) and renamed.get(part.call_id, part.call_id) != part.call_id:
                parts.append(replace(part, call_id=renamed[part.call_id]))
            else:
                parts.append(part)
        yield Message(role=message.role, parts=tuple(parts))


def tool_name(name: str, tools: Collection[str]) -> str:
    """Return the tool's name as the model wrote it, without what servers and templates put around it.

    >>> tool_name(" functions.read", ["read"])
    'read'
    """
    name = name.strip()
    short = re.split(r"[.:/]", name)[-1]
    return short if name not in tools and short in tools else name


def encode_tool_name(tool: str) -> str:
    """Return a name that every API accepts; models may call unknown tools by any name."""
    return _NOT_IN_IDS.sub("_", tool)[:64] or "_"
