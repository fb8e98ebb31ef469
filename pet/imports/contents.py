"""Contents of an import source: files for the pet, and conversations, read on demand. Data classes only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Literal

from pet.cards.card_file import ReadCard

Kind = Literal["workspace", "memory_list", "chatgpt", "claude", "sillytavern"]
SkipReason = Literal[
    "kept",
    "instructions",
    "no_day",
    "not_text",
    "too_large",
    "broken",
    "unreadable",
    "other_card",
    "same_name",
    "link",
]


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that is not imported."""

    name: str
    reason: SkipReason


@dataclass(frozen=True, slots=True)
class TalkMessage:
    """``at``: ISO 8601 with zone, "" if unknown."""

    who: Literal["owner", "pet"]
    text: str
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """One conversation. ``messages`` can be iterated once; ``source_id`` is stable across reads."""

    source_id: str
    title: str
    at: str
    messages: Iterable[TalkMessage]


@dataclass(slots=True, kw_only=True)
class SourceContents:
    """``files``: texts by the pet's file names; ``talks``: each call reads all conversations again; ``card``: the
    character card beside the chats."""

    kind: Kind
    files: dict[str, str] = field(default_factory=dict)
    talks: Callable[[], Iterator[Talk]] = lambda: iter(())
    card: ReadCard | None = None
    skipped: list[Skipped] = field(default_factory=list)
