"""Read SillyTavern's chats: one JSON object per line.

The first line is about the chat, unless a group chat starts with a message; since 1.13 it names neither side
("unused").
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from typing import Any, BinaryIO

from pet.extras.imports.contents import LeftOut, Talk, TalkMessage, from_text
from pet.extras.imports.source import ImportSource, storable_text
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
        names = (item.get("name") for item in _messages(opened, LeftOut()) if item.get("is_user") is not True)
        return frozenset(storable_text(each) for each in names if isinstance(each, str))


def read_chats(source: ImportSource, names: list[str]) -> Iterator[Talk]:
    """Yield the chats; files without a readable first line are skipped."""
    for name in names:
        head = read_head(source, name)
        if head is None:
            continue
        speakers, left = characters(source, name), LeftOut()
        with source.open(name) as opened:
            messages = _talk_messages(opened, next(iter(speakers)) if len(speakers) == 1 else "", left)
            first = next(messages, None)
            yield Talk(
                source_id=f"sillytavern {name}",
                title=storable_text(name.rpartition("/")[2].removesuffix(".jsonl")),
                at=from_text(head.get("create_date")) or (first.at if first else ""),
                messages=chain([first], messages) if first else (),
                left_out=left,
            )


def _talk_messages(opened: BinaryIO, character: str, left: LeftOut) -> Iterator[TalkMessage]:
    """Yield the messages. ``character``: the only other speaker; "" in a group, whose replies get a name prefix."""
    for item in _messages(opened, left):
        text, name = storable_text(item["mes"]).strip(), item.get("name")
        owner = item.get("is_user") is True
        if text and not owner and isinstance(name, str) and name and storable_text(name) != character:
            text = f"{storable_text(name)}: {text}"
        if text:
            yield TalkMessage("owner" if owner else "pet", text, from_text(item.get("send_date")))


def _messages(opened: BinaryIO, left: LeftOut) -> Iterator[dict[str, Any]]:
    """Yield the messages' objects, without unreadable lines and what is hidden from the prompt."""
    while line := opened.readline(_MAX_LINE):
        item = _parsed(line)
        if item is None or not isinstance(item.get("mes"), str):
            note = item.get("chat_metadata") if item is not None else None
            is_head = item is not None and ("chat_metadata" in item or "user_name" in item)
            left["hidden"] += int(isinstance(note, dict) and bool(note.get("note_prompt")))
            left["other"] += int(not is_head and bool(line.strip()))
            continue
        extra = item["extra"] if isinstance(item.get("extra"), dict) else {}
        calls = extra.get("tool_invocations")
        if item.get("is_system") is True:
            left["tools"] += len(calls) if isinstance(calls, list) else 0
            left["hidden"] += int(not calls)
            continue
        _count_beside(item, extra, left)
        yield item


def _count_beside(item: dict[str, Any], extra: dict[str, Any], left: LeftOut) -> None:
    """Count what comes with a message and is not its text."""
    swipes, media, files = item.get("swipes"), extra.get("media"), extra.get("files")
    left["branches"] += max(len(swipes) - 1, 0) if isinstance(swipes, list) else 0
    left["thoughts"] += int(bool(extra.get("reasoning")))
    left["files"] += int(bool(extra.get("file"))) + (len(files) if isinstance(files, list) else 0)
    left["pictures"] += int(bool(extra.get("image")))
    for each in media if isinstance(media, list) else ():
        recorded = isinstance(each, dict) and each.get("type") in ("audio", "video")
        left["audio" if recorded else "pictures"] += 1


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        value = read_json(line)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None
