"""Read Claude's data export: ``conversations.json`` with ``chat_messages``, and ``memories.json`` with notes.

A long pasted text is an attachment without a file name; it becomes part of the message. Of other files the names are
kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pet.imports.contents import Talk, TalkMessage
from pet.imports.readers.exports import exported_talk, file_names
from pet.imports.readers.times import from_text
from pet.imports.source import storable_text

_PASTED = ("", "paste.txt")


def is_claude(item: object) -> bool:
    return isinstance(item, dict) and isinstance(item.get("chat_messages"), list)


def read_claude(item: Mapping[str, Any]) -> Talk:
    """Return one conversation without thinking and tool calls."""
    messages = tuple(_spoken_messages(item["chat_messages"]))
    at = from_text(item.get("created_at"))
    return exported_talk("claude", item.get("uuid"), item.get("name"), at, messages)


def memory_text(value: object) -> str:
    """Return the notes in ``memories.json``, about the owner and about projects."""
    items = value if isinstance(value, list) else [value]
    texts: list[str] = []
    for item in items:
        if not isinstance(item, dict):
            continue
        whole = item.get("conversations_memory")
        projects = item.get("project_memories")
        texts += [whole] if isinstance(whole, str) else []
        texts += [each for each in projects.values() if isinstance(each, str)] if isinstance(projects, dict) else []
    return storable_text("\n\n".join(text.strip() for text in texts if text.strip()))


def _spoken_messages(items: list[Any]) -> Iterator[TalkMessage]:
    for item in items:
        if not isinstance(item, dict) or item.get("sender") not in ("human", "assistant"):
            continue
        text = storable_text(_message_text(item)).strip()
        if text:
            yield TalkMessage(
                "owner" if item["sender"] == "human" else "pet", text, from_text(item.get("created_at"))
            )


def _message_text(item: Mapping[str, Any]) -> str:
    """Return text blocks, pasted texts and file names; older exports have only ``text``."""
    content = _dicts(item.get("content"))
    spoken = (
        [block.get("text") for block in content if block.get("type") == "text"] if content else [item.get("text")]
    )
    attached = _dicts(item.get("attachments"))
    pasted = [each.get("extracted_content") for each in attached if each.get("file_name", "") in _PASTED]
    files = [each for each in attached if each.get("file_name") not in _PASTED]
    texts = [*spoken, *pasted, file_names([*files, *_dicts(item.get("files"))], "file_name")]
    return "\n\n".join(text for text in texts if isinstance(text, str) and text.strip())


def _dicts(items: object) -> list[dict[str, Any]]:
    return [each for each in items if isinstance(each, dict)] if isinstance(items, list) else []
