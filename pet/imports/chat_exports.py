"""Read conversations exported by ChatGPT, Claude, DeepSeek, Grok and Open WebUI.

Keeps the visible messages of the branch in use, pasted texts and the names of attached files.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from pet.imports.contents import Talk, TalkMessage, from_seconds, from_text
from pet.imports.source import storable_text
from pet.untrusted.parsers import read_json

_LONGEST = 200


def exported_talk(
    service: str, id_: object, title: object, at: str, messages: tuple[TalkMessage, ...], *, is_branched: bool = False
) -> Talk:
    """Return the conversation. Without an id, title and time identify it; without ``at``, the first known time of a
    message counts."""
    return Talk(
        source_id=f"{service} {id_ if isinstance(id_, str) else (title, at)}",
        title=storable_text(title) if isinstance(title, str) else "",
        at=at or next((message.at for message in messages if message.at), ""),
        messages=messages,
        is_branched=is_branched,
    )


def _branch_of(
    items: list[dict[str, Any]], id_key: str, parent_key: str, leaf: object, when: Callable[[dict[str, Any]], str]
) -> list[dict[str, Any]]:
    """Return the items from the first to ``leaf``; without a known leaf to the newest one and its newest replies.

    An item without a parent's id, or whose parent is gone, follows the one before it in the list. The first item's
    parent is the root.
    """
    ids = [id_ if isinstance(id_ := item.get(id_key), str) else f"#{at}" for at, item in enumerate(items)]
    known, root = set(ids), items[0].get(parent_key) if items else None
    parents: dict[str, str | None] = {}
    for at, (id_, item) in enumerate(zip(ids, items, strict=True)):
        parent = item.get(parent_key)
        if isinstance(parent, str) and parent in known:
            parents.setdefault(id_, parent)
        elif parent_key in item and parent in (None, root):
            parents.setdefault(id_, None)
        else:
            parents.setdefault(id_, ids[at - 1] if at else None)
    by_age = [ids[at] for at in sorted(range(len(items)), key=lambda at: (when(items[at]), at))]
    name = leaf if isinstance(leaf, str) and leaf in known else by_age[-1] if by_age else None
    if name != leaf:  # a message may be dated after its replies, or they may have no time
        newest_child = {parents[id_]: id_ for id_ in by_age}
        while name in newest_child:
            name = newest_child.pop(name)
    by_id, branch = dict(zip(ids, items, strict=True)), list[dict[str, Any]]()
    while name is not None and name in by_id:
        branch.append(by_id.pop(name))
        name = parents[name]
    return branch[::-1]


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
    """Return one conversation with its canvases, without other tool calls, hidden messages and abandoned branches."""
    mapping = item["mapping"]
    messages = tuple(_shown(reversed(list(_branch(mapping, item.get("current_node"))))))
    id_ = item.get("conversation_id") or item.get("id")
    branched = sum(1 for _ in _shown(mapping.values())) > len(messages)
    at = from_seconds(item.get("create_time"))
    return exported_talk("chatgpt", id_, item.get("title"), at, messages, is_branched=branched)


def _shown(nodes: Iterable[object]) -> Iterator[TalkMessage]:
    for node in nodes:
        message = node.get("message") if isinstance(node, dict) else None
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
    if role not in ("user", "assistant") or not isinstance(content, dict):
        return None
    if isinstance(about, dict) and about.get("is_visually_hidden_from_conversation") is True:
        return None
    recipient = message.get("recipient")
    if isinstance(recipient, str) and recipient.startswith(_CANVAS):
        written = storable_text(_canvas(content)).strip()
        return TalkMessage("pet", written, from_seconds(message.get("create_time"))) if written else None
    if recipient not in (None, "all") or content.get("content_type") not in _TEXTS:  # a tool call, a thought
        return None
    parts = content.get("parts")
    texts = [_part_text(part) for part in parts] if isinstance(parts, list) else []
    texts.append(file_names(about.get("attachments"), "name") if isinstance(about, dict) else "")
    text = storable_text("\n\n".join(text for text in texts if text.strip())).strip()
    if not text:
        return None
    return TalkMessage("owner" if role == "user" else "pet", text, from_seconds(message.get("create_time")))


_CANVAS = "canmore."


def _canvas(content: Mapping[str, Any]) -> str:
    """Return what a call writes beside the conversation: title and text of a document, its new text, or comments."""
    parts = content.get("parts")
    call = content.get("text") or (parts[0] if isinstance(parts, list) and parts else None)
    try:
        given = read_json(call.encode()) if isinstance(call, str) else None
    except ValueError:
        return call if isinstance(call, str) else ""
    if not isinstance(given, dict):
        return ""
    changes = [(each.get("replacement"), each.get("comment")) for each in _dicts(given.get("updates"))]
    changes += [(None, each.get("comment")) for each in _dicts(given.get("comments"))]
    texts = [given.get("name"), given.get("content"), *(text for change in changes for text in change)]
    return "\n\n".join(text for text in texts if isinstance(text, str) and text.strip())


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
    """Return one conversation without thinking, tool calls and abandoned branches."""
    every, leaf = _dicts(item["chat_messages"]), item.get("current_leaf_message_uuid")
    branch = _branch_of(every, "uuid", "parent_message_uuid", leaf, lambda each: from_text(each.get("created_at")))
    messages, at = tuple(_spoken_messages(branch)), from_text(item.get("created_at"))
    branched = sum(1 for _ in _spoken_messages(every)) > len(messages)
    return exported_talk("claude", item.get("uuid"), item.get("name"), at, messages, is_branched=branched)


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


def _spoken_messages(items: list[dict[str, Any]]) -> Iterator[TalkMessage]:
    for item in items:
        if item.get("sender") not in ("human", "assistant"):
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


def _dict(item: object) -> dict[str, Any]:
    return item if isinstance(item, dict) else {}


def is_deepseek(item: object) -> bool:
    return is_chatgpt(item) and isinstance(item, dict) and "inserted_at" in item


def read_deepseek(item: Mapping[str, Any]) -> Talk:
    """Return one conversation without thoughts, searches and abandoned branches."""
    nodes = [{**node, "id": id_} for id_, node in item["mapping"].items() if isinstance(node, dict)]
    every = [_dict(each.get("message")) | {"id": each["id"], "parent": each.get("parent")} for each in nodes]
    branch = _branch_of(every, "id", "parent", None, lambda each: from_text(each.get("inserted_at")))
    turns = [each for each in branch if _dicts(each.get("fragments")) or isinstance(each.get("content"), str)]
    messages = tuple(
        message for at, each in enumerate(turns) for message in _deepseek_messages(each, asked=at % 2 == 0)
    )
    spoken = sum(1 for each in every for _ in _deepseek_messages(each, asked=True))
    id_, at = item.get("id"), from_text(item.get("inserted_at"))
    return exported_talk("deepseek", id_, item.get("title"), at, messages, is_branched=spoken > len(messages))


def _deepseek_messages(message: Mapping[str, Any], *, asked: bool) -> Iterator[TalkMessage]:
    """Yield what is said in a message. ``asked``: by the owner, in an older export that doesn't say so."""
    parts = _dicts(message.get("fragments")) or [{"type": "REQUEST" if asked else "RESPONSE", **message}]
    for kind, who in (("REQUEST", "owner"), ("RESPONSE", "pet")):
        texts = [part.get("content") for part in parts if part.get("type") == kind]
        files = file_names(message.get("files"), "file_name") if who == "owner" and texts else ""
        text = storable_text("\n\n".join(each for each in (*texts, files) if isinstance(each, str) and each.strip()))
        if text.strip():
            yield TalkMessage(
                "owner" if who == "owner" else "pet", text.strip(), from_text(message.get("inserted_at"))
            )


def is_grok(item: object) -> bool:
    return (
        isinstance(item, dict)
        and isinstance(item.get("conversation"), dict)
        and isinstance(item.get("responses"), list)
    )


def read_grok(item: Mapping[str, Any]) -> Talk:
    """Return one conversation without abandoned branches."""
    about = item["conversation"]
    every = _dicts([each.get("response") for each in _dicts(item["responses"])])
    branch = _branch_of(every, "_id", "parent_response_id", about.get("leaf_response_id"), _grok_time)
    messages = tuple(_grok_messages(branch))
    branched = sum(1 for _ in _grok_messages(every)) > len(messages)
    at = from_text(about.get("create_time"))
    return exported_talk("grok", about.get("id"), about.get("title"), at, messages, is_branched=branched)


def _grok_messages(items: list[dict[str, Any]]) -> Iterator[TalkMessage]:
    for item in items:
        text, sender = item.get("message"), str(item.get("sender")).casefold()
        if (
            isinstance(text, str)
            and (text := storable_text(text).strip())
            and sender in ("human", "user", "assistant")
        ):
            yield TalkMessage("pet" if sender == "assistant" else "owner", text, _grok_time(item))


def _grok_time(item: Mapping[str, Any]) -> str:
    """Return the time of a message: ISO text, or milliseconds in MongoDB's form."""
    value = item.get("create_time")
    if isinstance(value, dict):
        value = value.get("$date")
    return from_text(value.get("$numberLong") if isinstance(value, dict) else value)


_THOUGHT = re.compile(r'<details\b[^>]{0,500}\btype="(?:reasoning|tool_calls|code_interpreter)"')
_THOUGHT_END = "</details>"


def _without_thoughts(text: str) -> str:
    kept, at = [], 0
    for thought in _THOUGHT.finditer(text):
        end = text.find(_THOUGHT_END, thought.end()) if thought.start() >= at else 0
        if end < 0:
            break
        if end:
            kept.append(text[at : thought.start()])
            at = end + len(_THOUGHT_END)
    return "".join((*kept, text[at:]))


def is_open_webui(item: object) -> bool:
    chat = item.get("chat") if isinstance(item, dict) else None
    return isinstance(chat, dict) and (
        isinstance(chat.get("history"), dict) or isinstance(chat.get("messages"), list)
    )


def read_open_webui(item: Mapping[str, Any]) -> Talk:
    """Return one conversation without thoughts, tool calls and abandoned branches."""
    chat = item["chat"]
    history = chat.get("history")
    known = history.get("messages") if isinstance(history, dict) else None
    every = _dicts(list(known.values()) if isinstance(known, dict) and known else chat.get("messages"))
    leaf = history.get("currentId") if isinstance(history, dict) else None
    branch = _branch_of(every, "id", "parentId", leaf, lambda each: from_seconds(each.get("timestamp")))
    messages = tuple(_open_webui_messages(branch))
    branched = sum(1 for _ in _open_webui_messages(every)) > len(messages)
    id_, title = item.get("id") or chat.get("id"), item.get("title") or chat.get("title")
    at = from_seconds(item.get("created_at") or chat.get("timestamp"))
    return exported_talk("open_webui", id_, title, at, messages, is_branched=branched)


def _open_webui_messages(items: list[dict[str, Any]]) -> Iterator[TalkMessage]:
    for item in items:
        text, role = item.get("content"), item.get("role")
        if role not in ("user", "assistant"):
            continue
        texts = [_without_thoughts(text) if isinstance(text, str) else "", file_names(item.get("files"), "name")]
        whole = storable_text("\n\n".join(each.strip() for each in texts if each.strip()))
        if whole:
            yield TalkMessage("owner" if role == "user" else "pet", whole, from_seconds(item.get("timestamp")))
