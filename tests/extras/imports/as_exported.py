"""Exports with what real ones hold besides plain texts, as the formats are described by those who read them.

ChatGPT: branches, voice, pictures, tools, thoughts, citations, custom instructions, nodes without a message. Claude:
pasted texts, files, thinking, chats without a message. SillyTavern since 1.13 and groups before and since. Contents
are our own.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

_AT = 1_760_000_000.0


def _node(parent: str | None, message: dict[str, Any] | None, *children: str) -> dict[str, Any]:
    return {"parent": parent, "children": list(children), "message": message}


def _message(role: str, content: Any, at: float | None, **more: Any) -> dict[str, Any]:
    return {
        "id": f"{role}-{at}",
        "author": {"role": role, "name": None, "metadata": {}},
        "create_time": at,
        "update_time": None,
        "content": content,
        "status": "finished_successfully",
        "end_turn": None,
        "weight": 1.0,
        "metadata": {},
        "recipient": "all",
        "channel": None,
        **more,
    }


def _text(*parts: object) -> dict[str, Any]:
    return {"content_type": "text", "parts": list(parts)}


def _picture(name: str) -> dict[str, Any]:
    return {
        "content_type": "image_asset_pointer",
        "asset_pointer": f"sediment://{name}",
        "size_bytes": 48029,
        "width": 1024,
        "height": 768,
        "fovea": None,
        "metadata": {"dalle": None, "sanitized": True},
    }


def chatgpt_conversation() -> dict[str, Any]:
    """What is shown of it: a question by voice, a photograph with a question, a regenerated reply with marks."""
    instructions = {
        "content_type": "user_editable_context",
        "user_profile": "I am Ana",
        "user_instructions": "Brief.",
    }
    spoken = {
        "content_type": "multimodal_text",
        "parts": [
            {
                "content_type": "real_time_user_audio_video_asset_pointer",
                "expiry_datetime": None,
                "audio_asset_pointer": {"content_type": "audio_asset_pointer", "format": "wav"},
                "frames_asset_pointers": [],
            },
            {
                "content_type": "audio_transcription",
                "text": "Which tea did my aunt like?",
                "direction": "in",
                "decoding_id": None,
            },
        ],
    }
    told = {
        "content_type": "multimodal_text",
        "parts": [
            {"content_type": "audio_transcription", "text": "Lapsang, you said.", "direction": "out"},
            {"content_type": "audio_asset_pointer", "asset_pointer": "sediment://file_1", "format": "wav"},
        ],
    }
    photo = {"content_type": "multimodal_text", "parts": [_picture("file_2"), "Is this the jetty at Kilbride?"]}
    attached = {"attachments": [{"id": "file_2", "name": "jetty.jpg", "mime_type": "image/jpeg", "size": 48029}]}
    alone = {"attachments": [{"id": "file_3", "name": "chart.pdf", "mime_type": "application/pdf"}]}
    marked = (
        'It is, by \ue200entity\ue202["place","Kilbride Bay","bay"]\ue201 itself'
        " \ue200cite\ue202turn0search3\ue202turn0search4\ue201and was built in 1911【4†source】."
    )
    mapping = {
        "client-created-root": _node(None, None, "system"),
        "system": _node("client-created-root", _message("system", _text(""), None), "context"),
        "context": _node(
            "system",
            _message("user", instructions, None, metadata={"is_visually_hidden_from_conversation": True}),
            "q1",
        ),
        "q1": _node("context", _message("user", spoken, _AT), "a1"),
        "a1": _node("q1", _message("assistant", told, _AT + 2), "q2-first", "q2"),
        "q2-first": _node("a1", _message("user", _text("an edited question"), _AT + 3), "a2-first"),
        "a2-first": _node("q2-first", _message("assistant", _text("its abandoned answer"), _AT + 4)),
        "q2": _node("a1", _message("user", photo, _AT + 10, metadata=attached), "thoughts"),
        "thoughts": _node(
            "q2",
            _message("assistant", {"content_type": "thoughts", "thoughts": [{"content": "a thought"}]}, _AT + 11),
            "recap",
        ),
        "recap": _node(
            "thoughts",
            _message("assistant", {"content_type": "reasoning_recap", "content": "Thought for 4s"}, _AT + 11),
            "search",
        ),
        "search": _node(
            "recap",
            _message("assistant", {"content_type": "code", "text": "search('jetty')"}, _AT + 12, recipient="web.run"),
            "found",
        ),
        "found": _node(
            "search",
            _message("tool", {"content_type": "sonic_webpage", "text": "a page", "url": "https://a.test"}, _AT + 13),
            "a2-gone",
            "a2",
        ),
        "a2-gone": _node("found", _message("assistant", _text("an abandoned reply"), _AT + 14)),
        "a2": _node("found", _message("assistant", _text(marked), _AT + 15), "q3"),
        "q3": _node("a2", _message("user", _text(""), _AT + 20, metadata=alone), "drawn"),
        "drawn": _node(
            "q3",
            _message(
                "tool",
                {"content_type": "multimodal_text", "parts": [_picture("file_4")]},
                None,
                author={"role": "tool"},
            ),
            "a3",
        ),
        "a3": _node("drawn", _message("assistant", _text("Here is", None, 4, "the chart."), _AT + 21)),
    }
    return {
        "title": None,
        "create_time": _AT,
        "update_time": _AT + 30,
        "mapping": mapping,
        "moderation_results": [],
        "current_node": "a3",
        "conversation_id": "6900-branches",
        "id": "6900-branches",
        "is_archived": False,
        "safe_urls": [],
        "voice": "maple",
    }


def canvas_conversation() -> dict[str, Any]:
    """A document beside the talk, its new text, and a comment on it."""

    def call(recipient: str, at: float, **given: Any) -> dict[str, Any]:
        code = {"content_type": "code", "language": "json", "text": json.dumps(given)}
        return _message("assistant", code, at, recipient=recipient)

    def done(at: float) -> dict[str, Any]:
        author = {"role": "tool", "name": "canmore.create_textdoc", "metadata": {}}
        return _message("tool", _text("Successfully created text document"), at, author=author)

    note = {"name": "Harbour note", "type": "document", "content": "Dear harbour,\n\nthe boat is sold."}
    shorter = [{"pattern": ".*", "multiple": False, "replacement": "The boat is sold."}]
    who = [{"pattern": "sold", "comment": "Say who buys it."}]
    messages = [
        _message("user", _text("Write me a note to the harbour."), _AT),
        call("canmore.create_textdoc", _AT + 1, **note),
        done(_AT + 2),
        _message("assistant", _text("It is beside our talk."), _AT + 3),
        _message("user", _text("Shorter."), _AT + 4),
        call("canmore.update_textdoc", _AT + 5, updates=shorter),
        call("canmore.comment_textdoc", _AT + 6, comments=who),
    ]
    names = [f"n{at}" for at in range(len(messages))]
    mapping = {
        name: _node(names[at - 1] if at else None, message, *names[at + 1 : at + 2])
        for at, (name, message) in enumerate(zip(names, messages, strict=True))
    }
    return {"title": "Canvas", "create_time": _AT, "mapping": mapping, "current_node": names[-1], "id": "6900-canvas"}


def edited_claude_conversation(*, leaf: bool) -> dict[str, Any]:
    """A first message that was edited: both branches, in the order in which they were written."""
    root = "00000000-0000-4000-8000-000000000000"

    def message(id_: str, parent: str, sender: str, text: str, minute: int) -> dict[str, Any]:
        at = f"2025-10-09T08:{minute:02}:20.123456Z"
        content = [{"type": "text", "text": text}]
        return {
            "uuid": id_,
            "parent_message_uuid": parent,
            "sender": sender,
            "text": text,
            "content": content,
            "created_at": at,
        }

    messages = [
        message("q1-first", root, "human", "I live in Rome", 1),
        message("a1-first", "q1-first", "assistant", "Rome!", 2),
        message("q1", root, "human", "I live in Oslo", 3),
        message("a1", "q1", "assistant", "Oslo!", 4),
        message("q2", "a1", "human", "And my cat?", 5),
        message("a2", "q2", "assistant", "With you.", 6),
    ]
    more = {"current_leaf_message_uuid": "a2"} if leaf else {}
    at = "2025-10-09T08:01:20.123456Z"
    return {"uuid": "6900-edited", "name": "Home", "created_at": at, "chat_messages": messages, **more}


def deepseek_conversation(*, fragments: bool) -> dict[str, Any]:
    def node(id_: str, parent: str | None, kind: str = "", text: str = "", second: int = 0) -> dict[str, Any]:
        at = f"2025-10-09T16:53:{second:02}.123000+08:00"
        thought = [{"type": "THINK", "content": "hm"}] if kind == "RESPONSE" else []
        told = {"fragments": [*thought, {"type": kind, "content": text}]} if fragments else {"content": text}
        message = {"files": [], "model": "deepseek-reasoner", "inserted_at": at, **told} if kind else None
        return {"id": id_, "parent": parent, "children": [], "message": message}

    nodes = [
        node("root", None),
        node("1", "root", "REQUEST", "I keep bees", 1),
        node("2", "1", "RESPONSE", "Wasps?", 2),
        node("3", "1", "RESPONSE", "How many?", 3),
        node("4", "3", "REQUEST", "Three hives", 4),
        node("5", "4", "RESPONSE", "Noted.", 5),
    ]
    at = "2025-10-09T16:53:00.123000+08:00"
    mapping = {each["id"]: each for each in nodes}
    return {"id": "6900-bees", "title": "Bees", "inserted_at": at, "updated_at": at, "mapping": mapping}


def grok_export() -> dict[str, Any]:
    def response(id_: str, sender: str, message: str, ms: int) -> dict[str, Any]:
        at = {"$date": {"$numberLong": str(1_760_000_000_000 + ms)}}
        return {"response": {"_id": id_, "sender": sender, "message": message, "create_time": at, "model": "grok-4"}}

    def about(id_: str, title: str) -> dict[str, Any]:
        return {"id": id_, "title": title, "create_time": "2025-10-09T08:53:20.123456Z", "system_prompt_name": ""}

    sails = [response("1", "human", "I sail", 0), response("2", "assistant", "Where to?", 1)]
    sails.append(response("3", "human", "Kilbride", 2))
    return {
        "conversations": [
            {"conversation": about("6900-sails", "Sailing"), "responses": sails},
            {"conversation": about("6900-hi", "Hi"), "responses": [response("1", "human", "Hi", 0)]},
        ],
        "projects": [],
        "tasks": [],
    }


def open_webui_chat(*, history: bool) -> dict[str, Any]:
    def message(id_: str, parent: str | None, role: str, content: str, at: int, **more: Any) -> dict[str, Any]:
        return {
            "id": id_,
            "parentId": parent,
            "role": role,
            "content": content,
            "timestamp": 1_760_000_000 + at,
            **more,
        }

    thought = '<details type="reasoning" done="true" duration="4">\n<summary>Thought</summary>\n> hm\n</details>\n'
    asked = message("1", None, "user", "I play the cello", 0, files=[{"type": "file", "name": "score.pdf"}])
    reply = message("2", "1", "assistant", f"{thought}Since when?", 1)
    again = message("3", "1", "assistant", "Which one?", 2)
    known = {each["id"]: each for each in (asked, reply, again)}
    chat = {"title": "Cello", "models": ["llama3"], "messages": [asked, reply], "timestamp": 1_760_000_000_000}
    if history:
        chat["history"] = {"messages": known, "currentId": "2"}
    return {"id": "6900-cello", "title": "Cello", "chat": chat, "created_at": 1_760_000_000, "archived": False}


def claude_conversation() -> dict[str, Any]:
    def message(sender: str, content: list[Any], **more: Any) -> dict[str, Any]:
        return {
            "uuid": f"{sender}-{len(content)}",
            "text": "```\nThis block is not supported on your current device yet.\n```",
            "content": content,
            "sender": sender,
            "created_at": "2025-10-09T08:53:20.123456Z",
            "updated_at": "2025-10-09T08:53:20.123456Z",
            "attachments": [],
            "files": [],
            **more,
        }

    pasted = {
        "file_name": "",
        "file_size": 900,
        "file_type": "txt",
        "extracted_content": "Dear Ana, the boat is sold.",
    }
    paper = {"file_name": "lease.pdf", "file_size": 90_000, "file_type": "pdf", "extracted_content": "a long lease"}
    said: dict[str, Any] = {"type": "text", "text": "Whose boat is meant?", "citations": [], "start_timestamp": None}
    return {
        "uuid": "6900-attachments",
        "name": "",
        "summary": "",
        "created_at": "2025-10-09T08:53:20.123456Z",
        "updated_at": "2025-10-09T09:00:00.000000Z",
        "account": {"uuid": "a"},
        "chat_messages": [
            message("human", [said], attachments=[pasted]),
            message(
                "assistant",
                [
                    {"type": "thinking", "thinking": "hm", "summaries": []},
                    {"type": "tool_use", "name": "view", "input": {}},
                    {"type": "tool_result", "content": [{"type": "text", "text": "a result"}]},
                    {"type": "text", "text": "Your aunt's."},
                    {"type": "token_budget"},
                ],
            ),
            message("human", [], text="", attachments=[paper], files=[{"file_name": "berth.png"}, {"file_name": ""}]),
            message("assistant", [{"type": "tool_use", "name": "view", "input": {}}]),
            None,
        ],
    }


def empty_claude_conversation() -> dict[str, Any]:
    return {"uuid": "6900-empty", "name": "Nothing", "created_at": "2025-10-09T08:53:20Z", "chat_messages": []}


def _lines(file: Path, lines: list[dict[str, Any]]) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines), encoding="utf-8")
    return file


def _tavern_message(name: str, text: str, **more: Any) -> dict[str, Any]:
    sent = {"send_date": "2025-10-09T08:53:20.123Z", "extra": {"api": "openai", "model": "x", "reasoning": "hidden"}}
    return {"name": name, "is_user": False, "is_system": False, "mes": text, **sent, **more}


def tavern_chat(file: Path) -> Path:
    """As SillyTavern has written them since 1.13: the first line names neither side."""
    return _lines(
        file,
        [
            {
                "chat_metadata": {"integrity": "x", "note_prompt": ""},
                "user_name": "unused",
                "character_name": "unused",
            },
            _tavern_message("Pim", "You're late.", swipe_id=0, swipes=["You're late.", "Soup?"], swipe_info=[{}, {}]),
            _tavern_message("Lin", "The tide was against me.", is_user=True, force_avatar="User Avatars/lin.png"),
            _tavern_message("Pim", "It always is.", swipe_id=2, swipes=["Hm.", "Aye.", "It always is."]),
            _tavern_message("Pim", "left out of the prompt", is_system=True),
        ],
    )


def tavern_group(file: Path, *, headless: bool) -> Path:
    """A group's chat. ``headless``: from before its first line was about the chat."""
    head = [] if headless else [{"chat_metadata": {}, "user_name": "unused", "character_name": "unused"}]
    of_group = {"is_group": True, "original_avatar": "pim.png", "force_avatar": "/thumbnail?file=pim.png"}
    return _lines(
        file,
        [
            *head,
            _tavern_message("Pim", "Lamp's lit.", **of_group),
            _tavern_message("Gull", "Crumbs?", **of_group),
            _tavern_message("Lin", "For both.", is_user=True),
            _tavern_message("Gull", "Mine!", **of_group),
        ],
    )
