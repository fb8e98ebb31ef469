"""Exports that hold each kind of content that its reader leaves out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from pet.extras.imports.contents import Kind, LeftOutKind

_SECONDS = 1_760_000_000
_AT = "2025-10-09T08:53:20Z"


def _chatgpt() -> Any:
    def message(role: str, content_type: str, **more: Any) -> dict[str, Any]:
        about: dict[str, Any] = {key: more.pop(key) for key in ("recipient", "metadata") if key in more}
        author = {"role": role, "name": more.pop("name", None)}
        return {"author": author, "content": {"content_type": content_type, **more}, "create_time": _SECONDS, **about}

    recording = {"content_type": "audio_asset_pointer", "asset_pointer": "sediment://file_9"}
    video = {"content_type": "real_time_user_audio_video_asset_pointer", "frames_asset_pointers": []}
    picture = {"content_type": "image_asset_pointer", "asset_pointer": "sediment://file_1"}
    files = {"attachments": [{"id": "file_1", "name": "a.png"}, {"id": "file_2", "name": "b.pdf"}]}
    messages = [
        message("system", "text", parts=[""]),
        message("system", "text", parts=["You are brief."]),
        message("user", "user_editable_context", user_profile="I am Ana"),
        message("assistant", "model_editable_context", model_set_context="1. Likes tea"),
        message("user", "text", parts=["Hi"], metadata={"is_visually_hidden_from_conversation": True}),
        message("user", "multimodal_text", parts=[picture, recording, video, "Hello"], metadata=files),
        message("assistant", "thoughts", thoughts=[{"content": "a thought"}]),
        message("assistant", "reasoning_recap", content="Thought for 4s"),
        message("assistant", "code", text="search()", recipient="web.run"),
        message("tool", "execution_output", text="4"),
        message("tool", "multimodal_text", parts=[picture], name="dalle.text2im"),
        message("assistant", "text", parts=["A\u30104\u2020source\u3011, \ue200cite\ue202turn0\ue201B"]),
        message("assistant", "hologram", light="green"),
        message("butler", "text", parts=["Tea?"]),
        message("assistant", "text", parts=[{"content_type": "smell"}, "Bye"]),
    ]
    mapping: dict[str, Any] = {
        f"n{at}": {"parent": f"n{at - 1}" if at else None, "message": each} for at, each in enumerate(messages)
    }
    mapping["gone"] = {"parent": "n5", "message": message("assistant", "text", parts=["an abandoned reply"])}
    talk = {"title": "All", "create_time": _SECONDS, "mapping": mapping, "id": "a", "current_node": "n14"}
    nothing = {"title": "Nothing", "create_time": _SECONDS, "mapping": {}, "id": "b", "current_node": None}
    return [talk, nothing, {"id": "c", "mapping": None}]


def _claude() -> Any:
    def message(id_: str, parent: str, sender: str, *content: dict[str, Any], **more: Any) -> dict[str, Any]:
        about = {"uuid": id_, "parent_message_uuid": parent, "sender": sender, "created_at": _AT}
        return {**about, "content": list(content), **more}

    said = {"type": "text", "text": "Hello", "citations": [{"url": "https://a.test"}]}
    blocks: list[dict[str, Any]] = [
        {"type": "thinking", "thinking": "hm"},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "tool_use", "name": "web_search", "input": {}},
        {"type": "tool_result", "content": []},
        {"type": "image", "source": {}},
        {"type": "voice_note", "text": "..."},
        {"type": "hologram"},
        {"type": "token_budget"},
        said,
    ]
    files = {
        "attachments": [{"file_name": "lease.pdf", "extracted_content": "a long lease"}],
        "files": [{"file_name": "berth.png", "file_kind": "image"}, {"file_name": "b.csv", "file_kind": "document"}],
    }
    messages = [
        message("1", "0", "human", {"type": "text", "text": "Hi"}, **files),
        message("2-gone", "1", "assistant", {"type": "text", "text": "an abandoned reply"}),
        message("2", "1", "assistant", *blocks),
        message("3", "2", "butler", {"type": "text", "text": "Tea?"}),
    ]
    talk = {"uuid": "a", "name": "All", "created_at": _AT, "chat_messages": messages}
    nothing = {"uuid": "b", "name": "Nothing", "created_at": _AT, "chat_messages": []}
    return [talk, nothing, {"uuid": "c"}]


def _deepseek() -> Any:
    def node(id_: str, parent: str | None, *fragments: tuple[str, str], **more: Any) -> dict[str, Any]:
        parts = [{"type": kind, "content": text} for kind, text in fragments]
        message = {"fragments": parts, "inserted_at": _AT, **more} if parts else None
        return {"id": id_, "parent": parent, "message": message}

    nodes = [
        node("root", None),
        node("1", "root", ("REQUEST", "Hi"), files=[{"file_name": "b.csv"}]),
        node("2-gone", "1", ("RESPONSE", "an abandoned reply")),
        node("2", "1", ("THINK", "hm"), ("SEARCH", ""), ("READ_LINK", ""), ("HOLOGRAM", "x"), ("RESPONSE", "Hello")),
    ]
    about = {"inserted_at": _AT, "updated_at": _AT}
    talk = {"id": "a", "title": "All", **about, "mapping": {each["id"]: each for each in nodes}}
    return [talk, {"id": "b", "title": "Nothing", **about, "mapping": {}}, {"id": "c"}]


def _grok() -> Any:
    def response(id_: str, parent: str | None, sender: str, message: str, **more: Any) -> dict[str, Any]:
        at = {"$date": {"$numberLong": str(_SECONDS * 1000 + int(id_))}}
        return {
            "response": {
                "_id": id_,
                "parent_response_id": parent,
                "sender": sender,
                "message": message,
                "create_time": at,
                **more,
            }
        }

    cited = '<grok:render card_id="1" type="render_inline_citation"><argument name="id">1</argument></grok:render>'
    drawn = '<grok:render card_id="2" type="render_generated_image"><argument name="id">2</argument></grok:render>'
    more = {
        "thinking_trace": "hm",
        "agent_thinking_traces": [{"thinking_trace": "hmm"}],
        "steps": [{"tagged_text": {}}, {"tagged_text": {}}],
        "web_search_results": [{"url": "https://a.test"}],
        "generated_image_urls": ["users/a/image.jpg"],
    }
    talk = {
        "conversation": {"id": "a", "title": "All", "create_time": _AT},
        "responses": [
            response("1", None, "human", "Hi", file_attachments=["6900"]),
            response("2", "1", "ASSISTANT", "an abandoned reply"),
            response("3", "1", "grok-4", f"Hello{cited}{drawn}", **more),
            "not a response",
        ],
    }
    nothing = {"conversation": {"id": "b", "title": "Nothing", "create_time": _AT}, "responses": []}
    return {"conversations": [talk, nothing], "projects": [{"name": "Boats"}], "tasks": [], "media_posts": [{}, {}]}


def _open_webui() -> Any:
    def message(id_: str, parent: str | None, role: str, content: Any, **more: Any) -> dict[str, Any]:
        return {"id": id_, "parentId": parent, "role": role, "content": content, "timestamp": _SECONDS, **more}

    def details(kind: str) -> str:
        return f'<details type="{kind}" done="true">\n<summary>x</summary>\nhm\n</details>\n'

    files = [{"type": "file", "name": "b.pdf"}, {"type": "image", "url": "data:image/png;base64,AAAA"}]
    reply = details("reasoning") + details("tool_calls") + details("code_interpreter") + "<think>hm</think>Hello"
    parts = [{"type": "text", "text": "And?"}, {"type": "image_url", "image_url": {}}, {"type": "hologram"}]
    messages = [
        message("0", None, "system", "You are brief."),
        message("1", "0", "user", "Hi", files=files),
        message("2-gone", "1", "assistant", "an abandoned reply"),
        message("2", "1", "assistant", reply, sources=[{"document": ["a page"]}]),
        message("3", "2", "tool", "4"),
        message("4", "3", "user", parts),
        message("5", "4", "butler", "Tea?"),
    ]
    history = {"messages": {each["id"]: each for each in messages}, "currentId": "5"}
    talk = {"id": "a", "title": "All", "chat": {"history": history}, "created_at": _SECONDS}
    nothing = {"id": "b", "title": "Nothing", "chat": {"messages": []}, "created_at": _SECONDS}
    return [talk, nothing, {"id": "c"}]


def _tavern() -> Any:
    def message(name: str, text: str, extra: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
        return {"name": name, "mes": text, "is_user": name == "Ana", "send_date": _AT, "extra": extra or {}, **more}

    shown = {"image": "a.png", "media": [{"type": "image"}, {"type": "video"}], "reasoning": "hm"}
    lines = [
        {"user_name": "Ana", "character_name": "Momo", "chat_metadata": {"note_prompt": "Write in verse."}},
        message("Momo", "Hello", shown, swipes=["Hello", "Hi", "Hey"], swipe_id=0),
        message("Ana", "Hi", {"file": {"name": "b.txt"}}),
        message("System", "hidden from the prompt", is_system=True),
        message("System", "", {"tool_invocations": [{"name": "roll"}, {"name": "roll"}]}, is_system=True),
        "no message",
    ]
    return "\n".join(json.dumps(line) for line in lines) + "\n{cut off\n"


_FILES: Mapping[Kind, tuple[str, Callable[[], Any]]] = {
    "chatgpt": ("conversations.json", _chatgpt),
    "claude": ("conversations.json", _claude),
    "deepseek": ("conversations.json", _deepseek),
    "grok": ("prod-grok-backend.json", _grok),
    "open_webui": ("chat-export-1.json", _open_webui),
    "sillytavern": ("Momo.jsonl", _tavern),
}

LEFT_OUT: Mapping[Kind, Mapping[LeftOutKind, int]] = {
    "chatgpt": {
        "branches": 1,
        "thoughts": 2,
        "tools": 2,
        "pictures": 2,
        "audio": 2,
        "files": 1,
        "sources": 2,
        "hidden": 4,
        "empty": 1,
        "other": 4,
    },
    "claude": {
        "branches": 1,
        "thoughts": 2,
        "tools": 2,
        "pictures": 2,
        "audio": 1,
        "files": 2,
        "sources": 1,
        "empty": 1,
        "other": 3,
    },
    "deepseek": {"branches": 1, "thoughts": 1, "tools": 2, "files": 1, "empty": 1, "other": 2},
    "grok": {
        "branches": 1,
        "thoughts": 2,
        "tools": 2,
        "pictures": 1,
        "files": 1,
        "sources": 1,
        "empty": 1,
        "other": 4,
    },
    "open_webui": {
        "branches": 1,
        "thoughts": 2,
        "tools": 3,
        "pictures": 2,
        "files": 1,
        "sources": 1,
        "hidden": 1,
        "empty": 1,
        "other": 3,
    },
    "sillytavern": {
        "branches": 2,
        "thoughts": 1,
        "tools": 2,
        "pictures": 2,
        "audio": 1,
        "files": 1,
        "hidden": 2,
        "other": 2,
    },
}
"""How many of each kind the export of a service holds."""


def export_with_everything(folder: Path, kind: Kind) -> Path:
    name, content = _FILES[kind]
    made = content()
    (folder / name).write_text(made if isinstance(made, str) else json.dumps(made), encoding="utf-8")
    return folder / name
