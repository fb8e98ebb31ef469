"""Read conversations exported by ChatGPT, Claude, DeepSeek, Grok and Open WebUI, and SillyTavern's chats.

Keeps the visible messages of the branch in use, pasted texts and the names of attached files. SillyTavern has one
JSON object per line: the first is about the chat, unless a group chat starts with a message; since 1.13 it names
neither side ("unused").
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from typing import Any, BinaryIO

from pet.extras.imports.contents import Kind, LeftOut, LeftOutKind, Talk, TalkMessage, from_seconds, from_text
from pet.extras.imports.source import ImportSource, storable_text
from pet.untrusted.parsers import read_json

_LONGEST = 200


def _exported_talk(
    service: str,
    id_: object,
    title: object,
    at: str,
    branch: list[dict[str, Any]],
    every: list[dict[str, Any]],
    read: Callable[[list[dict[str, Any]], LeftOut], Iterator[TalkMessage]],
) -> Talk:
    """Return the conversation: the messages of the branch in use, and what is left out of them; of other branches
    only the number of messages counts. Without an id, title and time identify it; without ``at``, the first known
    time of a message counts."""
    left = LeftOut()
    messages = tuple(read(branch, left))
    left["branches"] += max(sum(1 for _ in read(every, LeftOut())) - len(messages), 0)
    return Talk(
        source_id=f"{service} {id_ if isinstance(id_, str) else (title, at)}",
        title=storable_text(title) if isinstance(title, str) else "",
        at=at or next((message.at for message in messages if message.at), ""),
        messages=messages,
        left_out=left,
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
    names = (" ".join(name.split()) for each in _dicts(items) if isinstance(name := each.get(key), str))
    return "\n".join(f"[{name[:_LONGEST]}]" for name in names if name)


_TEXTS = ("text", "multimodal_text")
_THOUGHTS = ("thoughts", "reasoning_recap")
_CONTEXTS = ("user_editable_context", "model_editable_context")
_CALLS = ("code", "execution_output", "tether_quote", "tether_browsing_display", "sonic_webpage", "system_error")
_PARTS: Mapping[str, LeftOutKind] = {
    "image_asset_pointer": "pictures",
    "audio_asset_pointer": "audio",
    "video_container_asset_pointer": "audio",
    "real_time_user_audio_video_asset_pointer": "audio",
}
_SPOKEN = ("audio_transcription", "string_part")
_NO_ID = re.compile(r"[^\w-]+")  # around the ids of files in an address
_MARK = re.compile(
    "\ue200([a-z_]+)\ue202([^\ue200\ue201]*)\ue201|\u3010[^\u3010\u3011\u2020]*+\u2020[^\u3010\u3011]*+\u3011"
)
"""A mark in a reply: a citation, or a name or URL with metadata."""
_WRITING = re.compile(r"^:::(?:writing\b[^\n]*)?[ \t]*$\n?", re.MULTILINE)
"""The lines around a text that is meant for use elsewhere, as a mail."""
_ENTITY = re.compile(r'\["[^"]*","([^"]*)"')


def is_chatgpt(item: object) -> bool:
    return isinstance(item, dict) and isinstance(item.get("mapping"), dict)


def read_chatgpt(item: Mapping[str, Any]) -> Talk:
    """Return one conversation with its canvases."""
    every = _nodes(item)
    branch = _branch_of(every, "id", "parent", item.get("current_node"), _node_time)
    id_, at = item.get("conversation_id") or item.get("id"), from_seconds(item.get("create_time"))
    return _exported_talk("chatgpt", id_, item.get("title"), at, branch, every, _shown)


def _nodes(item: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [{**node, "id": id_} for id_, node in item["mapping"].items() if isinstance(node, dict)]


def _node_time(node: Mapping[str, Any]) -> str:
    return from_seconds(_dict(node.get("message")).get("create_time"))


def _shown(nodes: list[dict[str, Any]], left: LeftOut) -> Iterator[TalkMessage]:
    for node in nodes:
        message = node.get("message")
        if isinstance(message, dict):
            visible = _visible_message(message, left)
            if visible is not None:
                yield visible


def _visible_message(message: Mapping[str, Any], left: LeftOut) -> TalkMessage | None:
    author, content, about = (_dict(message.get(key)) for key in ("author", "content", "metadata"))
    role, kind, recipient = author.get("role"), content.get("content_type"), message.get("recipient")
    if role == "tool":
        before = left.total()
        _part_texts(content, left)
        if left.total() == before and not str(author.get("name")).startswith(_CANVAS):
            left["tools"] += 1
        return None
    if role == "system" or kind in _CONTEXTS or about.get("is_visually_hidden_from_conversation") is True:
        left["hidden"] += int(not _is_blank(content))
        return None
    if role not in ("user", "assistant"):
        left["other"] += 1
        return None
    at = from_seconds(message.get("create_time"))
    if isinstance(recipient, str) and recipient.startswith(_CANVAS):
        written = storable_text(_canvas(content)).strip()
        left["tools"] += int(not written)
        return TalkMessage("pet", written, at) if written else None
    if kind in _THOUGHTS or recipient not in (None, "all") or kind not in _TEXTS:
        called = recipient not in (None, "all") or kind in _CALLS
        left["thoughts" if kind in _THOUGHTS else "tools" if called else "other"] += 1
        return None
    texts = _part_texts(content, left)
    attached = _dicts(about.get("attachments"))
    pointers = (str(_dict(part).get("asset_pointer")) for part in _list(content.get("parts")))
    pictures = {id_ for pointer in pointers for id_ in _NO_ID.split(pointer)}
    left["files"] += sum(str(each.get("id")) not in pictures for each in attached)
    text = storable_text("\n\n".join(text for text in (*texts, file_names(attached, "name")) if text.strip())).strip()
    return TalkMessage("owner" if role == "user" else "pet", text, at) if text else None


def _is_blank(content: Mapping[str, Any]) -> bool:
    values = (value for key, value in content.items() if key != "content_type")
    return not any(str(part).strip() for value in values for part in (value if isinstance(value, list) else [value]))


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
    kind, written = str(given.get("type")), given.get("content")
    if kind.startswith("code/") and isinstance(written, str):
        written = f"```{kind.removeprefix('code/')}\n{written}\n```"
    changes = [(each.get("replacement"), each.get("comment")) for each in _dicts(given.get("updates"))]
    changes += [(None, each.get("comment")) for each in _dicts(given.get("comments"))]
    texts = [given.get("name"), written, *(text for change in changes for text in change)]
    return "\n\n".join(text for text in texts if isinstance(text, str) and text.strip())


def _part_texts(content: Mapping[str, Any], left: LeftOut) -> list[str]:
    """Return texts and transcripts of speech."""
    texts = []
    for part in _list(content.get("parts")):
        kind = part.get("content_type") if isinstance(part, dict) else ""
        text = part.get("text") if isinstance(part, dict) and kind in _SPOKEN else part
        if isinstance(text, str):
            left["sources"] += sum(1 for mark in _MARK.finditer(text) if mark[1] not in ("entity", "url"))
            text = _MARK.sub(_unmarked, text)
            texts.append(_WRITING.sub("", text) if ":::writing" in text else text)
        elif part is not None:
            left[_PARTS.get(str(kind), "other")] += 1
    return texts


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
    """Return one conversation with its artifacts."""
    every, leaf = _dicts(item["chat_messages"]), item.get("current_leaf_message_uuid")
    branch = _branch_of(every, "uuid", "parent_message_uuid", leaf, lambda each: from_text(each.get("created_at")))
    at = from_text(item.get("created_at"))
    return _exported_talk("claude", item.get("uuid"), item.get("name"), at, branch, every, _spoken_messages)


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


def _spoken_messages(items: list[dict[str, Any]], left: LeftOut) -> Iterator[TalkMessage]:
    for item in items:
        if item.get("sender") not in ("human", "assistant"):
            left["other"] += 1
            continue
        text = storable_text(_message_text(item, left)).strip()
        if text:
            yield TalkMessage(
                "owner" if item["sender"] == "human" else "pet", text, from_text(item.get("created_at"))
            )


_BLOCKS: Mapping[str, LeftOutKind] = {
    "thinking": "thoughts",
    "redacted_thinking": "thoughts",
    "image": "pictures",
    "voice_note": "audio",
    "document": "files",
    "tool_use": "tools",
    "tool_result": "tools",
}
_UNSHOWN = ("token_budget", "flag")


def _message_text(item: Mapping[str, Any], left: LeftOut) -> str:
    """Return text blocks, artifacts, pasted texts and file names; older exports have only ``text``."""
    content = _dicts(item.get("content"))
    spoken = [_block_text(block, left) for block in content] if content else [_unwrapped(item.get("text"), left)]
    attached = _dicts(item.get("attachments"))
    pasted = [each.get("extracted_content") for each in attached if each.get("file_name", "") in _PASTED]
    files = [each for each in attached if each.get("file_name") not in _PASTED] + _dicts(item.get("files"))
    for each in files:
        left["pictures" if each.get("file_kind") == "image" else "files"] += 1
    texts = [*spoken, *pasted, file_names(files, "file_name")]
    return "\n\n".join(text for text in texts if isinstance(text, str) and text.strip())


def _block_text(block: Mapping[str, Any], left: LeftOut) -> str:
    kind, given = block.get("type"), _dict(block.get("input"))
    if kind == "text":
        left["sources"] += len(_list(block.get("citations")))
        return _unwrapped(block.get("text"), left)
    if kind == "tool_use" and block.get("name") == "artifacts":
        texts = [given.get("title"), given.get("content"), given.get("new_str")]
        if written := "\n\n".join(text for text in texts if isinstance(text, str) and text.strip()):
            return written
    if kind == "tool_result" and block.get("name") == "artifacts":
        return ""
    if kind not in _UNSHOWN:
        left[_BLOCKS.get(str(kind), "tools" if "tool" in str(kind) else "other")] += 1
    return text if kind == "voice_note" and isinstance(text := block.get("text"), str) else ""


_ARTIFACT = re.compile(r"<(?:antArtifact|xaiArtifact)\b([^>]{0,2000})>|</(?:antArtifact|xaiArtifact)>")
_TITLE = re.compile(r'\btitle="([^"]*)"')
_THOUGHT = re.compile(r"<antThinking>")


def _unwrapped(text: object, left: LeftOut) -> str:
    """Return a text without its thoughts, its artifacts as their title and content."""
    if not isinstance(text, str):
        return ""
    text = _without(text, _THOUGHT, "</antThinking>", lambda _opening: "thoughts", left)
    return _ARTIFACT.sub(_artifact_title, text)


def _artifact_title(tag: re.Match[str]) -> str:
    title = _TITLE.search(tag[1] or "")
    return f"{title[1]}\n\n" if title else ""


def _without(
    text: str, opening: re.Pattern[str], ending: str, kind_of: Callable[[re.Match[str]], LeftOutKind], left: LeftOut
) -> str:
    """Return the text without what is between an opening and the next ending."""
    kept, at = [], 0
    for opened in opening.finditer(text):
        end = text.find(ending, opened.end()) if opened.start() >= at else 0
        if end < 0:
            break
        if end:
            left[kind_of(opened)] += 1
            kept.append(text[at : opened.start()])
            at = end + len(ending)
    return "".join((*kept, text[at:]))


def _list(items: object) -> list[Any]:
    return items if isinstance(items, list) else []


def _dicts(items: object) -> list[dict[str, Any]]:
    return [each for each in items if isinstance(each, dict)] if isinstance(items, list) else []


def _dict(item: object) -> dict[str, Any]:
    return item if isinstance(item, dict) else {}


def is_deepseek(item: object) -> bool:
    return is_chatgpt(item) and isinstance(item, dict) and "inserted_at" in item


def read_deepseek(item: Mapping[str, Any]) -> Talk:
    """Return one conversation."""
    every = [_dict(node.get("message")) | {"id": node["id"], "parent": node.get("parent")} for node in _nodes(item)]
    branch = _branch_of(every, "id", "parent", None, lambda each: from_text(each.get("inserted_at")))
    id_, at = item.get("id"), from_text(item.get("inserted_at"))
    return _exported_talk("deepseek", id_, item.get("title"), at, branch, every, _deepseek_messages)


_FRAGMENTS: Mapping[str, LeftOutKind] = {"THINK": "thoughts", "SEARCH": "tools", "READ_LINK": "tools"}


def _deepseek_messages(items: list[dict[str, Any]], left: LeftOut) -> Iterator[TalkMessage]:
    """Yield the messages; in an older export, which doesn't say who speaks, owner and pet take turns."""
    turns = [each for each in items if _dicts(each.get("fragments")) or isinstance(each.get("content"), str)]
    for place, message in enumerate(turns):
        speaks = {"USER": "REQUEST", "ASSISTANT": "RESPONSE"}.get(str(message.get("role")).upper())
        whole = {**message, "type": speaks or ("RESPONSE" if place % 2 else "REQUEST")}
        texts: dict[str, list[str]] = {"REQUEST": [], "RESPONSE": []}
        for part in _dicts(message.get("fragments")) or [whole]:
            kind, text = str(part.get("type")), part.get("content")
            kind = "RESPONSE" if kind.endswith("_RESPONSE") else kind
            if kind not in texts:
                left[_FRAGMENTS.get(kind, "tools" if kind.startswith("TOOL") else "other")] += 1
            elif isinstance(text, str) and text.strip():
                texts[kind].append(text)
        left["thoughts"] += int(isinstance(thought := message.get("thinking_content"), str) and bool(thought.strip()))
        left["tools"] += int(bool(_list(message.get("search_results"))))
        left["files"] += len(_dicts(message.get("files")))
        asked, names = texts["REQUEST"], file_names(message.get("files"), "file_name")
        at = from_text(message.get("inserted_at"))
        if asked or (names and not texts["RESPONSE"]):
            yield TalkMessage("owner", _joined(*asked, names), at)
        if texts["RESPONSE"]:
            yield TalkMessage("pet", _joined(*texts["RESPONSE"]), at)


def _joined(*texts: str) -> str:
    return storable_text("\n\n".join(text for text in texts if text.strip())).strip()


def is_grok(item: object) -> bool:
    return (
        isinstance(item, dict)
        and isinstance(item.get("conversation"), dict)
        and isinstance(item.get("responses"), list)
    )


def read_grok(item: Mapping[str, Any]) -> Talk:
    """Return one conversation with its artifacts."""
    about, listed = item["conversation"], _list(item["responses"])
    every = [response for each in _dicts(listed) if (response := _dict(each.get("response")))]
    branch = _branch_of(every, "_id", "parent_response_id", about.get("leaf_response_id"), _grok_time)
    at = from_text(about.get("create_time"))
    talk = _exported_talk("grok", about.get("id"), about.get("title"), at, branch, every, _grok_messages)
    talk.left_out["other"] += len(listed) - len(every)
    return talk


_RENDERED = re.compile(r"<grok:render\b([^>]{0,1000})>")


def _grok_messages(items: list[dict[str, Any]], left: LeftOut) -> Iterator[TalkMessage]:
    for item in items:
        owner = str(item.get("sender")).casefold() in ("human", "user")  # else "assistant", or a model's name
        text, rendered = item.get("message"), LeftOut()
        text = item.get("query") if owner and not text else text
        text = _without(_unwrapped(text, left), _RENDERED, "</grok:render>", _rendered_kind, rendered)
        left["thoughts"] += int(bool(item.get("thinking_trace"))) + len(_list(item.get("agent_thinking_traces")))
        searched = bool(_list(item.get("web_search_results")) or _list(item.get("xposts")))
        left["tools"] += len(_list(item.get("steps"))) or int(searched)
        left["pictures"] += max(len(_list(item.get("generated_image_urls"))), rendered["pictures"])
        left["files"] += len(_list(item.get("file_attachments")))
        left["sources"] += rendered["sources"] or len(_list(item.get("cited_web_search_results")))
        if text := storable_text(text).strip():
            yield TalkMessage("owner" if owner else "pet", text, _grok_time(item))


def _rendered_kind(tag: re.Match[str]) -> LeftOutKind:
    return "sources" if "inline_citation" in tag[1] else "pictures"


def _grok_time(item: Mapping[str, Any]) -> str:
    """Return the time of a message: ISO text, or milliseconds in MongoDB's form."""
    value = item.get("create_time")
    if isinstance(value, dict):
        value = value.get("$date")
    return from_text(value.get("$numberLong") if isinstance(value, dict) else value)


_DETAILS = re.compile(r'<details\b[^>]{0,500}\btype="(reasoning|tool_calls|code_interpreter)"')
_TAGGED = re.compile(r"<think(?:ing)?>")


def is_open_webui(item: object) -> bool:
    chat = item.get("chat") if isinstance(item, dict) else None
    return isinstance(chat, dict) and (
        isinstance(chat.get("history"), dict) or isinstance(chat.get("messages"), list)
    )


def read_open_webui(item: Mapping[str, Any]) -> Talk:
    """Return one conversation."""
    chat = item["chat"]
    history = chat.get("history")
    known = history.get("messages") if isinstance(history, dict) else None
    every = _dicts(list(known.values()) if isinstance(known, dict) and known else chat.get("messages"))
    leaf = history.get("currentId") if isinstance(history, dict) else None
    branch = _branch_of(every, "id", "parentId", leaf, lambda each: from_seconds(each.get("timestamp")))
    id_, title = item.get("id") or chat.get("id"), item.get("title") or chat.get("title")
    at = from_seconds(item.get("created_at") or chat.get("timestamp"))
    return _exported_talk("open_webui", id_, title, at, branch, every, _open_webui_messages)


def _open_webui_messages(items: list[dict[str, Any]], left: LeftOut) -> Iterator[TalkMessage]:
    for item in items:
        role, files = item.get("role"), _dicts(item.get("files"))
        if role not in ("user", "assistant"):
            left["hidden" if role == "system" else "tools" if role == "tool" else "other"] += 1
            continue
        for each in files:
            left["pictures" if each.get("type") == "image" else "files"] += 1
        left["sources"] += len(_list(item.get("sources")))
        named = [each for each in files if each.get("type") != "image" or each.get("name")]
        texts = [*_content_texts(item.get("content"), left), *_phase_texts(item.get("content_list"), left)]
        whole = _joined(*texts, file_names(named, "name"))
        if whole:
            yield TalkMessage("owner" if role == "user" else "pet", whole, from_seconds(item.get("timestamp")))


def _content_texts(content: object, left: LeftOut) -> Iterator[str]:
    """Yield the texts of a message, which is one or consists of parts."""
    for part in content if isinstance(content, list) else [{"type": "text", "text": content}]:
        kind = part.get("type") if isinstance(part, dict) else None
        if kind == "text" and isinstance(text := part.get("text"), str):
            text = _without(text, _DETAILS, "</details>", _details_kind, left)
            for ending in ("</think>", "</thinking>"):
                text = _without(text, _TAGGED, ending, lambda _opening: "thoughts", left)
            yield text.strip()
        elif kind != "text":
            left["pictures" if kind == "image_url" else "other"] += 1


def _phase_texts(items: object, left: LeftOut) -> Iterator[str]:
    """Yield the answers of a reply in phases, as Qwen Chat exports them."""
    for item in _dicts(items):
        if item.get("phase") == "answer":
            yield from _content_texts(item.get("content"), left)
        else:
            left["thoughts" if "think" in str(item.get("phase")) else "tools"] += 1


def _details_kind(opening: re.Match[str]) -> LeftOutKind:
    return "thoughts" if opening[1] == "reasoning" else "tools"


READERS: Mapping[Kind, tuple[Callable[[object], bool], Callable[[Mapping[str, Any]], Talk]]] = {
    "deepseek": (is_deepseek, read_deepseek),
    "chatgpt": (is_chatgpt, read_chatgpt),
    "claude": (is_claude, read_claude),
    "grok": (is_grok, read_grok),
    "open_webui": (is_open_webui, read_open_webui),
}
"""Of each service: whether an object is a conversation of it, and what reads it."""


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
