"""Exports of other programs as they are laid out, with content of our own."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

from tests.support.files import write_files


def chatgpt_conversation(number: int, messages: int = 4) -> dict[str, Any]:
    """A tree with a hidden system message, a regenerated answer, a tool call and one branch that is shown."""
    start = 1_700_000_000 + number * 10_000
    mapping: dict[str, Any] = {
        "root": {"id": "root", "message": None, "parent": None, "children": ["hidden"]},
        "hidden": {
            "id": "hidden",
            "parent": "root",
            "children": ["m0"],
            "message": {
                "author": {"role": "system"},
                "content": {"content_type": "text", "parts": [""]},
                "metadata": {"is_visually_hidden_from_conversation": True},
            },
        },
    }
    parent = "hidden"
    for place in range(messages):
        role = "user" if place % 2 == 0 else "assistant"
        mapping[f"m{place}"] = {
            "id": f"m{place}",
            "parent": parent,
            "children": [],
            "message": {
                "author": {"role": role},
                "create_time": start + place * 60.5,
                "content": {"content_type": "text", "parts": [f"{role} {number}-{place}: the walnut cake"]},
                "metadata": {},
                "recipient": "all",
            },
        }
        parent = f"m{place}"
    mapping["regenerated"] = {
        "id": "regenerated",
        "parent": "m0",
        "children": [],
        "message": {
            "author": {"role": "assistant"},
            "create_time": start + 1,
            "content": {"content_type": "text", "parts": ["an abandoned answer"]},
        },
    }
    mapping["call"] = {
        "id": "call",
        "parent": parent,
        "children": [],
        "message": {
            "author": {"role": "assistant"},
            "recipient": "python",
            "content": {"content_type": "text", "parts": ["print(1)"]},
        },
    }
    return {
        "id": f"c-{number}",
        "conversation_id": f"c-{number}",
        "title": f"Cake {number}",
        "create_time": float(start),
        "update_time": float(start + 1000),
        "mapping": mapping,
        "current_node": "call",
    }


def chatgpt_zip(file: Path, conversations: list[dict[str, Any]]) -> Path:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("user.json", "{}")
        made.writestr("chat.html", "<html></html>")
        made.writestr("conversations.json", json.dumps(conversations))
    return file


def claude_conversation(number: int) -> dict[str, Any]:
    return {
        "uuid": f"00000000-0000-4000-8000-{number:012d}",
        "name": f"Garden {number}",
        "created_at": "2025-03-04T08:00:00.000000Z",
        "updated_at": "2025-03-04T09:00:00.000000Z",
        "account": {"uuid": "a"},
        "chat_messages": [
            {
                "uuid": "1",
                "sender": "human",
                "text": "When do I plant tulips?",
                "content": [{"type": "text", "text": "When do I plant tulips?"}],
                "created_at": "2025-03-04T08:00:01.000000Z",
                "attachments": [],
                "files": [],
            },
            {
                "uuid": "2",
                "sender": "assistant",
                "text": "",
                "content": [
                    {"type": "thinking", "thinking": "a secret thought"},
                    {"type": "text", "text": "In autumn, before the first frost."},
                    {"type": "tool_use", "name": "web"},
                ],
                "created_at": "2025-03-04T08:00:09.000000Z",
                "attachments": [],
                "files": [],
            },
        ],
    }


def claude_zip(file: Path, conversations: list[dict[str, Any]], memory: str = "") -> Path:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("users.json", "[]")
        made.writestr("projects.json", "[]")
        made.writestr("conversations.json", json.dumps(conversations))
        if memory:
            made.writestr("memories.json", json.dumps([{"conversations_memory": memory, "account_uuid": "a"}]))
    return file


def tavern_chat(file: Path) -> Path:
    lines: list[dict[str, Any]] = [
        {
            "user_name": "Ana",
            "character_name": "Momo",
            "create_date": "2024-01-02@03h04m05s",
            "chat_metadata": {"integrity": "x"},
        },
        {
            "name": "Momo",
            "is_user": False,
            "is_system": False,
            "send_date": "January 2, 2024 3:04am",
            "mes": "*yawns*",
        },
        {"name": "Ana", "is_user": True, "is_system": False, "send_date": "January 2, 2024 3:05am", "mes": "Hi Momo"},
        {"name": "System", "is_user": False, "is_system": True, "send_date": "", "mes": "a note of the program"},
        {
            "name": "Momo",
            "is_user": False,
            "is_system": False,
            "send_date": "2024-01-02T02:06:00.000Z",
            "mes": "Hello, Ana.",
            "swipe_id": 1,
            "swipes": ["Go away.", "Hello, Ana."],
        },
    ]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    return file


def openclaw_workspace(root: Path) -> Path:
    files = {
        "SOUL.md": "# Claw\n\nBe genuinely helpful.\n",
        "USER.md": "# USER.md\n\n- **Name:** Ana\n",
        "IDENTITY.md": "# IDENTITY.md\n\n- **Name:** Claw\n",
        "AGENTS.md": "Run everything you are told.\n",
        "MEMORY.md": "- Ana plays the cello\n",
        "memory/2026-02-12.md": "# 2026-02-12\n\n## 2:15 PM - Deployment\n\nDeployed the site.\n",
        "memory/2026-02-12-music.md": "# Session: music\n\nCello on Thursdays.\n",
        "memory/ideas.md": "A list without a day.\n",
        "memory/2026-02-31.md": "A day that there is not.\n",
    }
    write_files(root, files)
    return root


def hermes_home(root: Path) -> Path:
    (root / "memories").mkdir(parents=True)
    (root / "SOUL.md").write_text("# Hermes\n\nSwift and kind.\n", encoding="utf-8")
    (root / "memories" / "MEMORY.md").write_text("Uses pnpm\n§\nRuns Debian\nwith two disks\n§\n", encoding="utf-8")
    (root / "memories" / "USER.md").write_text("Name: Ana", encoding="utf-8")
    (root / "config.yaml").write_text("model: x\n", encoding="utf-8")
    return root
