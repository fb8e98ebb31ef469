"""Export a conversation as Markdown or JSON: visible messages and changed files only. Pure."""

from __future__ import annotations

import json
import re
from typing import Literal

from pet.i18n import Texts
from pet.transcripts.conversation import Conversation, Turn, file_stem

FORMAT = "soulpet-conversation"
FORMAT_VERSION = 1
_SEPARATOR = "\n\n"

ExportFormat = Literal["markdown", "json"]


def exported(conversation: Conversation, kind: ExportFormat, texts: Texts, pet_name: str) -> tuple[str, bytes]:
    """Return the name and bytes of the exported file."""
    text = to_json(conversation) if kind == "json" else to_markdown(conversation, texts, pet_name)
    ending = "json" if kind == "json" else "md"
    return f"{file_stem(conversation.title)}.{ending}", text.encode("utf-8", "replace")


def to_markdown(conversation: Conversation, texts: Texts, pet_name: str) -> str:
    """Return Markdown: title, then each turn under its speaker and time. Ends with a line end."""
    parts = [f"# {_one_line(conversation.title) or texts('export.untitled')}"]
    if conversation.opening:
        parts += [f"## {_one_line(pet_name)}", _body(conversation.opening)]
    for turn in conversation.turns:
        if turn.kind != "continue":  # the fixed "continue" request is not the owner's text
            parts.append(f"## {texts('export.owner')} · {_minute(turn.at)}")
            parts += [each for each in (_body(turn.text), *_sent(turn, texts)) if each]
        parts.append(f"## {_one_line(pet_name)}")
        parts.append(_body(_reply(turn)) or f"*{texts('export.no_reply')}*")
        changed = _changed(turn)
        if changed:
            parts.append(f"*{texts('export.changed', files=', '.join(changed))}*")
    return _SEPARATOR.join(parts) + "\n"


def to_json(conversation: Conversation) -> str:
    """Return one JSON object: title and turns, times as ISO 8601 with zone. Ends with a line end."""
    turns = [
        {
            "at": turn.at,
            "memory": turn.memory,
            "read_only": turn.read_only,
            "owner": "" if turn.kind == "continue" else turn.text,
            "attachments": [{"id": each.id, "kind": each.kind, "name": each.name} for each in turn.attachments],
            "pet": _reply(turn),
            "ended": turn.end.value if turn.end else None,
            "files_changed": _changed(turn),
        }
        for turn in conversation.turns
    ]
    data = {"format": FORMAT, "version": FORMAT_VERSION, "title": conversation.title, "turns": turns}
    if conversation.opening:
        data["opening"] = conversation.opening
    return json.dumps(data, ensure_ascii=False, indent=2) + "\n"


def _reply(turn: Turn) -> str:
    return _SEPARATOR.join(round_.text.strip() for round_ in turn.rounds if round_.text.strip())


def _sent(turn: Turn, texts: Texts) -> list[str]:
    """List images and files by name; their content is not exported."""
    names = (_one_line(each.name) or each.kind for each in turn.attachments)
    return [f"*{texts('export.attachment', name=name)}*" for name in names]


def _changed(turn: Turn) -> list[str]:
    standing = (done for done in turn.tools if turn.state_of(done) in ("standing", "kept"))
    return list(dict.fromkeys(done.receipt.file for done in standing if done.receipt))


def _body(text: str) -> str:
    """Escape headings in the text: only the export's own remain."""
    return re.sub(r"^(#{1,2})(?=[ \t])", r"##\1", text.strip(), flags=re.MULTILINE)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _minute(at: str) -> str:
    return at[:16].replace("T", " ")
