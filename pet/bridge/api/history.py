"""All that was said: looking through it, and taking a conversation out as a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pet.bridge.api.base import CHAT, Command, SavedFile


@dataclass(frozen=True, slots=True, kw_only=True)
class SnippetPiece:
    """A piece of a snippet; ``found``: it is one of the words that were looked for."""

    text: str
    found: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryHit:
    """A turn in which all the words stand."""

    conversation: str
    title: str
    turn: str
    at: str
    who: Literal["owner", "pet"]
    snippet: list[SnippetPiece]


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryHits:
    """The conversation that was written to last comes first. ``more``: there are others."""

    hits: list[HistoryHit]
    more: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class HistorySearchArgs:
    """``count``: hits at most."""

    query: str
    count: int = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportArgs:
    conversation: str
    format: Literal["markdown", "json"]


ROWS: tuple[Command, ...] = (
    Command("search_history", HistorySearchArgs, HistoryHits, CHAT, "The owner's search through all that was said."),
    Command("export_conversation", ExportArgs, SavedFile, CHAT, "Put a conversation into the downloads folder."),
)
