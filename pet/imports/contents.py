"""What a reader found: files for the pet, and conversations that are read when they are needed. Shapes only."""

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
    """What stays out, and why."""

    name: str
    reason: SkipReason


@dataclass(frozen=True, slots=True)
class TalkMessage:
    """``at``: ISO 8601 with zone; "" where the source does not say."""

    who: Literal["owner", "pet"]
    text: str
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """One conversation. ``messages`` may be gone through once. ``source_id``: the same at each reading."""

    source_id: str
    title: str
    at: str
    messages: Iterable[TalkMessage]


@dataclass(slots=True, kw_only=True)
class SourceContents:
    """``files``: texts by the pet's own file names. ``talks`` reads all conversations anew at each call. ``card``:
    the character card beside the chats."""

    kind: Kind
    files: dict[str, str] = field(default_factory=dict)
    talks: Callable[[], Iterator[Talk]] = lambda: iter(())
    card: ReadCard | None = None
    skipped: list[Skipped] = field(default_factory=list)
