"""Common parts of the data exports of ChatGPT and Claude. Pure."""

from __future__ import annotations

from pet.imports.contents import Talk, TalkMessage
from pet.imports.source import storable_text

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
