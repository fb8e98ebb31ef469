"""Read conversations exported by ChatGPT, Claude and SillyTavern, object by object or line by line.

Keeps visible messages, pasted texts and the names of attached files. An object over the limits is yielded as
skipped. A SillyTavern chat is one JSON object per line, the first about the chat, unless a group chat starts with a
message; since 1.13 the first line names neither side ("unused").
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, BinaryIO, Final

from pet.imports.contents import Talk, TalkMessage, from_seconds, from_text
from pet.imports.source import ImportSource, storable_text
from pet.untrusted.parsers import MAX_DEPTH, TooDeep, read_json

MAX_ITEM = 64 << 20
"""Bytes of one object."""
MAX_VALUES = 2_000_000
"""Objects and arrays within one object, each of at least 56 bytes in memory. 100,000 messages have about 800,000."""
MAX_SCALARS = 5_000_000
"""Texts and numbers within one object: 62 MB of short texts took 1.1 GB."""
TOO_LARGE: Final = object()
_CHUNK = 1 << 20
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.)*+"|["\[\]{}]', re.DOTALL)
_SEPARATOR = re.compile(rb'"(?:[^"\\]++|\\.)*+"|,', re.DOTALL)


def read_objects(stream: BinaryIO, limit: int = MAX_ITEM, most: int = MAX_VALUES) -> Iterator[Any]:
    """Yield the objects of the array, or the single top-level object. Raises ValueError for invalid JSON."""
    held = bytearray()
    place = level = start = values = 0
    outer: int | None = None  # the level of the array's own bracket: 1, or 0 for a single object
    skipping = False
    while chunk := stream.read(_CHUNK):
        if outer is None:
            chunk = chunk.removeprefix(b"\xef\xbb\xbf")
        held += chunk
        done = len(held)
        for token in _TOKEN.finditer(held, place):
            char = token[0]
            if len(char) > 1:
                continue
            if char == b'"':  # incomplete: matched again with the next chunk
                done = token.start()
                break
            if outer is None:
                outer = 1 if char == b"[" else 0
            if char in b"[{":
                if level == outer and char == b"{":
                    start, values = token.start(), 0
                level += 1
                values += 1
                if level > MAX_DEPTH + outer:
                    raise TooDeep
                continue
            level -= 1
            if level < 0:
                raise ValueError("unbalanced")
            if level == outer and char == b"}":
                item = bytes(held[start : token.end()])
                yield TOO_LARGE if skipping or values > most or _has_too_many(item) else read_json(item)
                skipping, start = False, token.end()
        if outer is None and len(held) > _CHUNK:
            raise ValueError("not JSON")
        keep = start if outer is not None and level > outer and not skipping else done
        if len(held) - keep > limit:  # of an object over the limit only the brackets are counted
            if done == keep:
                raise ValueError("a text too long")
            skipping, keep = True, done
        del held[:keep]
        place, start = done - keep, 0
    if level != 0 or outer is None:
        raise ValueError("cut off")


def _has_too_many(item: bytes) -> bool:
    """Whether it has more scalars than the limit; commas within texts don't count."""
    if item.count(b",") <= MAX_SCALARS:
        return False
    commas = (match for match in _SEPARATOR.finditer(item) if match[0] == b",")
    return next(islice(commas, MAX_SCALARS, None), None) is not None


_LONGEST = 200


def exported_talk(service: str, id_: object, title: object, at: str, messages: tuple[TalkMessage, ...]) -> Talk:
    """Return the conversation. Without an id, title and time identify it; without ``at``, the first known time of a
    message counts."""
    return Talk(
        source_id=f"{service} {id_ if isinstance(id_, str) else (title, at)}",
        title=storable_text(title) if isinstance(title, str) else "",
        at=at or next((message.at for message in messages if message.at), ""),
        messages=messages,
    )


def file_names(items: object, key: str) -> str:
    """Return a line per file, its name in brackets; "" for none."""
    files = [each for each in items if isinstance(each, dict)] if isinstance(items, list) else []
    names = (" ".join(name.split()) for each in files if isinstance(name := each.get(key), str))
    return "\n".join(f"[{name[:_LONGEST]}]" for name in names if name)


_TEXTS = ("text", "multimodal_text")
_SPOKEN = ("audio_transcription", "string_part")
_MARK = re.compile(
    "\ue200([a-z_]+)\ue202([^\ue200\ue201]*)\ue201|\u3010[^\u3010\u3011\u2020]*+\u2020[^\u3010\u3011]*+\u3011"
)
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
