"""Records of a reader's findings, and their times as ISO 8601 with zone. Pure."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import PurePosixPath
from typing import Literal

from pet.extras.imports.card import ReadCard
from pet.language.calendar_words import month_number

Kind = Literal[
    "workspace", "memory_list", "chatgpt", "claude", "deepseek", "grok", "open_webui", "sillytavern", "vault"
]
SkipReason = Literal[
    "kept",
    "instructions",
    "name",
    "deep",
    "not_text",
    "too_large",
    "broken",
    "unreadable",
    "other_card",
    "same_name",
    "forgotten",
    "link",
    "skill",
    "skill_files",
    "other",
]


@dataclass(frozen=True, slots=True)
class Skipped:
    """Something that is not imported."""

    name: str
    reason: SkipReason


LeftOutKind = Literal[
    "branches",
    "thoughts",
    "tools",
    "pictures",
    "audio",
    "files",
    "sources",
    "hidden",
    "empty",
    "too_large",
    "other",
]
"""A kind of content of conversations that is not imported: replaced messages, a model's thoughts, calls of tools with
their results, pictures, recordings, attached files (whose names stay), marks of sources, what the program hid,
conversations without a message or over the limits, and whatever a reader does not know."""
LeftOut = Counter[LeftOutKind]


@dataclass(frozen=True, slots=True)
class TalkMessage:
    """``at``: ISO 8601 with zone, "" if unknown."""

    who: Literal["owner", "pet"]
    text: str
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """One conversation. ``messages`` can be iterated once; ``source_id`` is stable across reads; ``left_out`` is
    complete when ``messages`` were iterated."""

    source_id: str
    title: str
    at: str
    messages: Iterable[TalkMessage]
    left_out: LeftOut = field(default_factory=Counter)


@dataclass(slots=True, kw_only=True)
class SourceContents:
    """``files``: texts by the pet's file names, skills included; ``talks``: each call reads all conversations again;
    ``card``: the character card beside the chats; ``folders``: notes by folder of a vault's root; ``left_out``: of
    the latest reading, besides conversations."""

    kind: Kind
    files: dict[str, str] = field(default_factory=dict)
    talks: Callable[[], Iterator[Talk]] = lambda: iter(())
    card: ReadCard | None = None
    folders: dict[str, int] = field(default_factory=dict)
    skipped: list[Skipped] = field(default_factory=list)
    left_out: LeftOut = field(default_factory=Counter)


_MOST_NAMED = 5


def left_behind(names: Iterable[str], taken: Collection[str]) -> list[Skipped]:
    """Return what is not taken, a folder or many files of a kind by one name."""
    used = {name[: at + 1] for name in taken for at, char in enumerate(name) if char == "/"}
    kinds: dict[str, list[str]] = {}
    for name in names:
        if name not in taken:
            folders = [name[: at + 1] for at, char in enumerate(name) if char == "/"]
            unused = next((folder for folder in folders if folder not in used), None)
            ending = PurePosixPath(name).suffix
            kinds.setdefault(unused or f"{folders[-1] if folders else ''}*{ending}", []).append(name)
    grouped = ([kind] if kind[-1] == "/" or len(names) > _MOST_NAMED else names for kind, names in kinds.items())
    return [Skipped(name, "other") for group in grouped for name in group]


_FIRST, _LAST = 0.0, 4102444800.0  # 1970 to 2100
_PACKED = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})\s?@(\d{1,2})h\s?(\d{1,2})m(?:\s?(\d{1,2})s)?.*")
_SPOKEN = re.compile(r"([A-Z][a-z]+) (\d{1,2}), (\d{4}) (\d{1,2}):(\d{2}) ?([ap])m", re.IGNORECASE)


def from_seconds(value: object) -> str:
    """Parse seconds or milliseconds since 1970."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    seconds = value / 1000 if value > _LAST else value
    return datetime.fromtimestamp(seconds, UTC).isoformat() if _FIRST < seconds < _LAST else ""


def from_text(value: object) -> str:
    """Parse ISO 8601 or one of SillyTavern's formats; without a zone, local time."""
    if not isinstance(value, str):
        return from_seconds(value)
    if value.isdecimal() and len(value) < 16:
        return from_seconds(int(value))
    moment = _parsed(value.strip()[:64])
    try:
        return "" if moment is None else from_seconds(moment.timestamp())
    except (OverflowError, OSError, ValueError):
        return ""


def _parsed(text: str) -> datetime | None:
    packed, spoken = _PACKED.fullmatch(text), _SPOKEN.fullmatch(text)
    try:
        if packed:
            year, month, day, hour, minute, second = (int(part or 0) for part in packed.groups())
            return datetime(year, month, day, hour, minute, second).astimezone()
        if spoken:  # always English
            month = month_number(spoken[1].lower())
            hour = int(spoken[4]) % 12 + (12 if spoken[6].lower() == "p" else 0)
            return datetime(int(spoken[3]), month, int(spoken[2]), hour, int(spoken[5])).astimezone()
        return datetime.fromisoformat(text)
    except (ValueError, OverflowError):
        return None
