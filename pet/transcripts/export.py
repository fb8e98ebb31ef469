"""A conversation as a file to keep or to hand on: Markdown to read, JSON for programs. Pure.

Only what was said aloud and what was changed goes out: no thinking, no tool results, no recalled memory, since
whoever gets the file was not told those.
"""

from __future__ import annotations

import json
import re

from pet.i18n import Texts
from pet.transcripts.fold import Conversation, Turn

FORMAT = "soulpet-conversation"
FORMAT_VERSION = 1
_SEPARATOR = "\n\n"


def to_markdown(conversation: Conversation, texts: Texts, pet_name: str) -> str:
    """Title, then each turn under who said it and when. Ends with a line end."""
    parts = [f"# {_one_line(conversation.title) or texts('export.untitled')}"]
    if conversation.opening:
        parts += [f"## {_one_line(pet_name)}", _body(conversation.opening)]
    for turn in conversation.turns:
        if turn.kind != "continue":  # our fixed request to go on is not the owner's word
            parts.append(f"## {texts('export.owner')} · {_minute(turn.at)}")
            parts += [each for each in (_body(turn.text), *_sent(turn, texts)) if each]
        parts.append(f"## {_one_line(pet_name)}")
        parts.append(_body(_reply(turn)) or f"*{texts('export.no_reply')}*")
        changed = _changed(turn)
        if changed:
            parts.append(f"*{texts('export.changed', files=', '.join(changed))}*")
    return _SEPARATOR.join(parts) + "\n"


def to_json(conversation: Conversation) -> str:
    """One object: title and turns, times as ISO 8601 with zone. Ends with a line end."""
    turns = [
        {
            "at": turn.at,
            "memory": turn.memory,
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


def file_stem(title: str) -> str:
    """A name for the exported file that every file system takes, without its ending."""
    safe = re.sub(r'[\x00-\x1f\x7f<>:"/\\|?*]+', " ", title)
    return " ".join(safe.split())[:60].strip(" .") or "conversation"


def _reply(turn: Turn) -> str:
    return _SEPARATOR.join(round_.text.strip() for round_ in turn.rounds if round_.text.strip())


def _sent(turn: Turn, texts: Texts) -> list[str]:
    """Pictures and files by name; they stay where they are."""
    names = (_one_line(each.name) or each.kind for each in turn.attachments)
    return [f"*{texts('export.attachment', name=name)}*" for name in names]


def _changed(turn: Turn) -> list[str]:
    standing = (done for done in turn.tools if turn.state_of(done) in ("standing", "kept"))
    return list(dict.fromkeys(done.receipt.file for done in standing if done.receipt))


def _body(text: str) -> str:
    """The text as it is, except that none of its headings can pass for one of ours."""
    return re.sub(r"^(#{1,2})(?=[ \t])", r"##\1", text.strip(), flags=re.MULTILINE)


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _minute(at: str) -> str:
    return at[:16].replace("T", " ")
