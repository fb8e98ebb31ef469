"""Read ChatGPT's data export: ``conversations.json``, possibly numbered.

Each conversation is a tree of messages in ``mapping``; the visible branch ends in ``current_node``. Of attached files
the names are kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from pet.imports.contents import Talk, TalkMessage
from pet.imports.readers.exports import exported_talk, file_names
from pet.imports.readers.times import from_seconds
from pet.imports.source import storable_text

_TEXTS = ("text", "multimodal_text")
_SPOKEN = ("audio_transcription", "string_part")
_MARK = re.compile("\ue200([a-z_]+)\ue202([^\ue200\ue201]*)\ue201|\u3010[^\u3010\u3011]*\u2020[^\u3010\u3011]*\u3011")
"""A mark in a reply: a citation, or a name or URL with metadata."""
_ENTITY = re.compile(r'\["[^"]*","([^"]*)"')


def is_chatgpt(item: object) -> bool:
    return isinstance(item, dict) and isinstance(item.get("mapping"), dict)


def read_chatgpt(item: Mapping[str, Any]) -> Talk:
    """Return one conversation without tool calls, hidden messages and abandoned branches."""
    messages = tuple(_branch_messages(item["mapping"], item.get("current_node")))
    id_ = item.get("conversation_id") or item.get("id")
    return exported_talk("chatgpt", id_, item.get("title"), from_seconds(item.get("create_time")), messages)


def _branch_messages(mapping: Mapping[str, Any], current: object) -> Iterator[TalkMessage]:
    for node in reversed(list(_branch(mapping, current))):
        message = node.get("message")
        if isinstance(message, dict):
            visible = _visible_message(message)
            if visible is not None:
                yield visible


def _branch(mapping: Mapping[str, Any], current: object) -> Iterator[Mapping[str, Any]]:
    """Yield the nodes from the last message to the first."""
    name = current if isinstance(current, str) and current in mapping else _newest(mapping)
    seen: set[str] = set()
    while isinstance(name, str) and name not in seen and isinstance(mapping.get(name), dict):
        seen.add(name)
        yield mapping[name]
        name = mapping[name].get("parent")


def _newest(mapping: Mapping[str, Any]) -> str | None:
    def when(name: str) -> float:
        node = mapping[name]
        message = node.get("message") if isinstance(node, dict) else None
        time = message.get("create_time") if isinstance(message, dict) else None
        return float(time) if isinstance(time, int | float) else 0.0

    return max(mapping, key=when, default=None)


def _visible_message(message: Mapping[str, Any]) -> TalkMessage | None:
    author, content, about = (message.get(key) for key in ("author", "content", "metadata"))
    role = author.get("role") if isinstance(author, dict) else None
    if (
        role not in ("user", "assistant")
        or not isinstance(content, dict)
        or content.get("content_type") not in _TEXTS
    ):
        return None
    if isinstance(about, dict) and about.get("is_visually_hidden_from_conversation") is True:
        return None
    if message.get("recipient") not in (None, "all"):  # a tool call
        return None
    parts = content.get("parts")
    texts = [_part_text(part) for part in parts] if isinstance(parts, list) else []
    texts.append(file_names(about.get("attachments"), "name") if isinstance(about, dict) else "")
    text = storable_text("\n\n".join(text for text in texts if text.strip())).strip()
    if not text:
        return None
    return TalkMessage("owner" if role == "user" else "pet", text, from_seconds(message.get("create_time")))


def _part_text(part: object) -> str:
    """Return the text or the transcript of speech; "" for a picture."""
    if isinstance(part, dict) and part.get("content_type") in _SPOKEN:
        part = part.get("text")
    return _MARK.sub(_unmarked, part) if isinstance(part, str) else ""


def _unmarked(mark: re.Match[str]) -> str:
    """Return the replacement of a mark."""
    match mark[1]:
        case "entity":
            named = _ENTITY.match(mark[2])
            return named[1] if named else ""
        case "url":
            return mark[2].partition("\ue202")[0]
        case _:
            return ""
