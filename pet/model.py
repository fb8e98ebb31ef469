"""The domain model: messages and their parts, usage, stop reasons, receipts, proposals.

Owns shapes only; it does no I/O and imports nothing else of the package.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import reduce
from typing import Literal

Role = Literal["user", "assistant"]
Version = str
"""Hex SHA-256 of a file's bytes, or ``MISSING`` when there is no file."""

MISSING: Version = "missing"


class CoreFile(StrEnum):
    """The three files a pet is made of; the values are the names on disk."""

    SOUL = "SOUL.md"
    USER = "USER.md"
    MEMORY = "MEMORY.md"


HEARTBEAT = "HEARTBEAT.md"
OPTIONAL_FILES = ("IDENTITY.md", "AGENTS.md", "TOOLS.md", HEARTBEAT, "BOOTSTRAP.md")
"""Owner-written text that is read if present and never written by the pet."""


class Author(StrEnum):
    """Who made a version of a file."""

    OWNER = "owner"
    PET = "pet"
    OUTSIDE = "outside"  # another program, noticed later
    SYSTEM = "system"  # templates, backups, upkeep


# --- messages -----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPart:
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OpaquePart:
    """A block of the provider's that goes back unchanged within its turn: thinking, redacted thinking.

    ``raw`` is the block as received; it is never edited, only sent again or left out whole.
    """

    raw: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallPart:
    """A tool call; ``arguments`` is the JSON text exactly as the model wrote it, valid or not."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResultPart:
    call_id: str
    text: str
    is_error: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextPart:
    """What changes from turn to turn (date and time, recall, recent days).

    Stored with the user message and replayed byte for byte. ``gated`` parts came from gated files and are
    left out while the brain is off. A ``summary`` stands for turns that are not sent any more; it is made anew for
    each request, from the transcript's own record.
    """

    kind: Literal["time", "recall", "recent_days", "summary"]
    text: str
    gated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A picture or a text file that went with the owner's message. ``id`` is the SHA-256 of the stored bytes."""

    id: str
    kind: Literal["image/png", "image/jpeg", "text/plain"]
    name: str  # as it came; "" where nobody knows any more
    width: int  # 0 for text
    height: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ImagePart:
    """A picture in a request; ``data`` is base64."""

    kind: Literal["image/png", "image/jpeg"]
    data: str
    width: int
    height: int


Part = TextPart | OpaquePart | ToolCallPart | ToolResultPart | ContextPart | ImagePart
ReplyPart = TextPart | OpaquePart | ToolCallPart


TurnKind = Literal["message", "regenerate", "edit", "continue"]
"""How a turn began. Values are on disk and in the pages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    role: Role
    parts: tuple[Part, ...]


class StopReason(StrEnum):
    """Why a round ended. ``CUT`` is ours: the stream ended without saying so."""

    END_TURN = "end_turn"
    TOOL_USE = "tool_use"
    MAX_TOKENS = "max_tokens"
    STOP_SEQUENCE = "stop_sequence"
    PAUSE_TURN = "pause_turn"
    REFUSAL = "refusal"
    WINDOW_EXCEEDED = "model_context_window_exceeded"
    CUT = "cut"


class TurnEnd(StrEnum):
    """Why a turn ended, as the owner sees it."""

    DONE = "done"
    STOPPED = "stopped"  # by the owner
    FAILED = "failed"  # with an error code
    MEMORY_OFF = "memory_off"  # the brain was switched off inside a tool loop
    MAX_ROUNDS = "max_rounds"
    MAX_TOKENS = "max_tokens"
    REFUSED = "refused"  # by the model
    CUT = "cut"


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one round. A server that does not say leaves None; nothing is guessed here."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None

    def plus(self, other: Usage) -> Usage:
        """The sum; None counts as nothing unless both are None."""
        both = {each.name: (getattr(self, each.name), getattr(other, each.name)) for each in fields(Usage)}
        return Usage(**{name: (a or 0) + (b or 0) for name, (a, b) in both.items() if (a, b) != (None, None)})

    @staticmethod
    def total(usages: Iterable[Usage]) -> Usage:
        return reduce(Usage.plus, usages, Usage())


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemBlock:
    """One block of the system prompt; ``cache``: a cache breakpoint stands after it."""

    text: str
    cache: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """A tool as the model is told of it; ``schema`` is JSON Schema for its arguments."""

    name: str
    description: str
    schema: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One model call, complete. Two equal requests are sent as equal bytes."""

    model: str
    max_tokens: int
    system: tuple[SystemBlock, ...]
    tools: tuple[ToolSpec, ...]
    messages: tuple[Message, ...]
    effort: str = ""  # "" leaves the server's default
    thinking: Literal["default", "off"] = "default"
    schema: Mapping[str, object] | None = None  # JSON Schema of the whole reply, for servers that obey one
    temperature: float | None = None  # None leaves the server's default


# --- files --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Present:
    """A readable file. ``text`` is decoded, without BOM, line ends as on disk."""

    name: str
    text: str
    version: Version


@dataclass(frozen=True, slots=True, kw_only=True)
class Missing:
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """There is a file, and it can't be used: never treated as missing, never overwritten."""

    name: str
    problem: Literal["not_utf8", "too_large", "unreadable", "link", "not_a_file"]
    version: Version  # of the bytes where they can be read, else ""


FileState = Present | Missing | Broken


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Which message made the pet change a file."""

    conversation: str
    turn: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NotedText:
    """One entry that a change wrote, as the owner reads it. Of a reminder also ``due``, YYYY-MM-DD; ``at``, HH:MM or
    empty; ``repeats``, its series in the owner's words, or empty."""

    text: str
    due: str = ""
    at: str = ""
    repeats: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """A file really changed. ``history_id`` names the kept earlier version for View and Undo.

    ``noted`` is for the chat alone: secrets are masked in it, forgetting removes it, and no request holds it.
    """

    file: str
    history_id: str
    before: Version
    after: Version
    added: int  # lines
    removed: int  # lines
    author: Author
    merged: bool = False  # a foreign editor's change was merged in
    masked: tuple[str, ...] = ()  # kinds of secrets left out; "keep it anyway" puts them back
    noted: tuple[NotedText, ...] = ()  # the entries it wrote, the first few


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A change that waits for the owner: the whole text before and after, never a cut.

    ``reason`` is ``soul`` (any change of SOUL.md), ``losing_text`` (too many lines would go) or ``forget``: then
    ``file`` is "", ``before`` lists whole what would be forgotten, ``after`` is "" and there is nothing to edit.
    """

    id: str
    file: str
    reason: Literal["soul", "losing_text", "forget"]
    before: str
    after: str
    base: Version


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """The model that a conversation uses, of a saved connection. ``origin``: where that connection led when it was
    chosen, "" for a model on this computer; ``name``: what it was called then."""

    connection: str
    model: str
    origin: str = ""
    name: str = ""


RecallWay = Literal["meaning", "words", "late"]
"""How entries were found for a message: by words, dates and embeddings; without embeddings; or not in time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedMemory:
    """Something recalled for a message: the chip under the reply that opens it.

    Lines are 1-based and inclusive. Of a conversation, ``path`` is ``conversations/<id>.jsonl`` and ``turn`` says
    where in it. ``snippet`` is for the owner's eyes and never enters a request from here. ``sure``: it was surely
    meant, whether or not the reply uses it.
    """

    path: str
    start_line: int
    end_line: int
    source: str  # profile, memory, log, conversation
    snippet: str
    turn: str | None = None
    sure: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """``text`` is the text the owner approved: the proposal's ``after``, or what they made of it."""

    text: str
    edited: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    why: Literal["owner", "stopped", "closed", "no_terminal", "memory_off"]


Decision = Allowed | Refused
