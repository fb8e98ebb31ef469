"""A conversation as a file of its own."""

from __future__ import annotations

from typing import Literal

from pet.i18n import Texts
from pet.transcripts.conversation.export import file_stem, to_json, to_markdown
from pet.transcripts.conversation.model import Conversation

Format = Literal["markdown", "json"]


_ENDINGS: dict[Format, str] = {"markdown": "md", "json": "json"}


def exported(conversation: Conversation, kind: Format, texts: Texts, pet_name: str) -> tuple[str, bytes]:
    """Return the conversation as a file: name and bytes."""
    text = to_json(conversation) if kind == "json" else to_markdown(conversation, texts, pet_name)
    return f"{file_stem(conversation.title)}.{_ENDINGS[kind]}", text.encode("utf-8", "replace")
