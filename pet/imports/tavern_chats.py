"""Read SillyTavern's chats: one JSON object per line.

The first line is about the chat, unless a group chat starts with a message; since 1.13 it names neither side
("unused").
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from pet.imports.contents import Talk, TalkMessage, from_text
from pet.imports.source import ImportSource, storable_text
from pet.untrusted.parsers import read_json

_MAX_LINE = 8 << 20
_UNNAMED = "unused"


def read_head(source: ImportSource, name: str) -> dict[str, Any] | None:
    """Return the first line's object, or None if the file is not a chat."""
    with source.open(name) as opened:
        head = _parsed(opened.readline(_MAX_LINE))
    if head is None:
        return None
    of_group = isinstance(head.get("mes"), str) and isinstance(head.get("is_user"), bool)
    return head if of_group or "chat_metadata" in head or {"user_name", "character_name"} <= head.keys() else None


def characters(source: ImportSource, name: str) -> frozenset[str]:
    """Return the names of the speakers other than the owner."""
    head = read_head(source, name)
    named = head.get("character_name") if head is not None else None
    if isinstance(named, str) and named not in ("", _UNNAMED):
        return frozenset({storable_text(named)})
    with source.open(name) as opened:
        names = (item.get("name") for item in _messages(opened) if item.get("is_user") is not True)
        return frozenset(storable_text(each) for each in names if isinstance(each, str))


def read_chats(source: ImportSource, names: list[str]) -> Iterator[Talk]:
    """Yield the chats that contain a message; files without a readable first line are skipped."""
    for name in names:
        head = read_head(source, name)
        if head is None:
            continue
        speakers = characters(source, name)
        with source.open(name) as opened:
            messages = _talk_messages(opened, next(iter(speakers)) if len(speakers) == 1 else "")
            first = next(messages, None)
            if first is not None:
                yield Talk(
                    source_id=f"sillytavern {name}",
                    title=name.rpartition("/")[2].removesuffix(".jsonl"),
                    at=from_text(head.get("create_date")) or first.at,
                    messages=_chain(first, messages),
                )


def _chain(first: TalkMessage, rest: Iterator[TalkMessage]) -> Iterator[TalkMessage]:
    yield first
    yield from rest


def _talk_messages(opened: BinaryIO, character: str) -> Iterator[TalkMessage]:
    """Yield the messages. ``character``: the only other speaker; "" in a group, whose replies get a name prefix."""
    for item in _messages(opened):
        text, name = storable_text(item["mes"]).strip(), item.get("name")
        owner = item.get("is_user") is True
        if text and not owner and isinstance(name, str) and name and storable_text(name) != character:
            text = f"{storable_text(name)}: {text}"
        if text:
            yield TalkMessage("owner" if owner else "pet", text, from_text(item.get("send_date")))


def _messages(opened: BinaryIO) -> Iterator[dict[str, Any]]:
    """Yield the messages' objects, skipping unreadable lines and system messages."""
    while line := opened.readline(_MAX_LINE):
        item = _parsed(line)
        if item is not None and item.get("is_system") is not True and isinstance(item.get("mes"), str):
            yield item


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        value = read_json(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
