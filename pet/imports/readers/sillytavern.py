"""SillyTavern's chats: one JSON object a line, the first about the chat, each other one a message."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, BinaryIO

from pet.imports.contents import Talk, TalkMessage
from pet.imports.readers.times import from_text
from pet.imports.source import ImportSource, storable_text
from pet.outside_data import read_json

_MAX_LINE = 8 << 20


def read_head(source: ImportSource, name: str) -> dict[str, Any] | None:
    """The first line; None where the file is no chat."""
    with source.open(name) as opened:
        head = _parsed(opened.readline(_MAX_LINE))
    known = head is not None and ("chat_metadata" in head or {"user_name", "character_name"} <= head.keys())
    return head if known else None


def read_chats(source: ImportSource, names: list[str]) -> Iterator[Talk]:
    for name in names:
        head = read_head(source, name)
        if head is None:
            continue
        character = head.get("character_name")
        character = storable_text(character) if isinstance(character, str) else ""
        with source.open(name) as opened:
            messages = _messages(opened, character)
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


def _messages(opened: BinaryIO, character: str) -> Iterator[TalkMessage]:
    """Line by line; a line that can't be read, and what the program itself said, is passed over."""
    while line := opened.readline(_MAX_LINE):
        item = _parsed(line)
        if item is None or item.get("is_system") is True or not isinstance(item.get("mes"), str):
            continue
        text, name = storable_text(item["mes"]).strip(), item.get("name")
        owner = item.get("is_user") is True
        if text and not owner and character and isinstance(name, str) and name != character:
            text = f"{storable_text(name)}: {text}"  # in a group several speak
        if text:
            yield TalkMessage("owner" if owner else "pet", text, from_text(item.get("send_date")))


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        found = read_json(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None
