"""Domain model: messages and their parts, usage, stop reasons, receipts, proposals. Pure data."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import lru_cache, reduce
from typing import TYPE_CHECKING, Literal

from pet.untrusted.parsers import read_json

Role = Literal["user", "assistant"]
Version = str
"""Hex SHA-256 of a file's bytes, or ``MISSING`` without a file."""

MISSING: Version = "missing"


class CoreFile(StrEnum):
    """The three files of a pet; the values are the names on disk."""

    SOUL = "SOUL.md"
    USER = "USER.md"
    MEMORY = "MEMORY.md"


HEARTBEAT = "HEARTBEAT.md"
OPTIONAL_FILES = ("IDENTITY.md", "AGENTS.md", "TOOLS.md", HEARTBEAT, "BOOTSTRAP.md")
INSTRUCTION_FILES = tuple(name for name in OPTIONAL_FILES if name != "IDENTITY.md")
"""Files that instruct a model."""
"""Files of the owner that are read if present and never written by the pet."""


class Author(StrEnum):
    """Writer of a version of a file."""

    OWNER = "owner"
    PET = "pet"
    OUTSIDE = "outside"  # another program, noticed later
    SYSTEM = "system"  # templates, backups, upkeep


# --- messages -----------------------------------------------------------------------------------


_PACKED = ("id", "at", "text", "arguments", "snippet")
"""Fields that are packed."""


class Packable:
    """Base of a class whose texts can be kept compressed in memory (``pack_texts``); reading them stays the same."""

    __slots__ = ("_block", "_place")
    _block: bytes
    _place: int  # of its first text in the block

    if not TYPE_CHECKING:  # a type checker would take any name

        def __getattr__(self, name: str) -> str:
            """Return a packed text: only then its slot is empty."""
            if name not in _PACKED:
                raise AttributeError(name)
            text = texts_of(self._block)[self._place + _PACKED.index(name)]
            if text is None:
                raise AttributeError(name)
            return text


def pack_texts(items: Iterable[Packable]) -> None:
    """Compress the texts of all items together, for those of which thousands are kept and few are read. Packed ones
    stay as they are. One thread at a time; others may read meanwhile.
    """
    items = [item for item in items if not hasattr(item, "_block")]
    texts = [getattr(item, name, None) for item in items for name in _PACKED]
    block = zlib.compress(json.dumps(texts, ensure_ascii=False).encode("utf-8", "surrogatepass"))
    for number, item in enumerate(items):
        object.__setattr__(item, "_place", number * len(_PACKED))
        object.__setattr__(item, "_block", block)
        for name in _PACKED:
            if hasattr(type(item), name):
                object.__delattr__(item, name)  # readers on other threads have one of both at any moment


@lru_cache(maxsize=2)
def texts_of(block: bytes) -> list[str | None]:
    """Return the texts of a block, of each item those of ``_PACKED``. The last blocks are kept: their texts are read
    one by one.
    """
    texts: list[str | None] = read_json(zlib.decompress(block).decode("utf-8", "surrogatepass"))
    return texts


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPart(Packable):
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OpaquePart:
    """A provider's block that goes back unchanged, and to no other model: thinking, redacted thinking.

    ``raw`` is the block as received; it is never edited, only sent again or left out whole. ``server``: the host that
    sent it; ``model``: as requested. Both are "" in older transcripts.
    """

    raw: Mapping[str, object]
    server: str = ""
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCallPart(Packable):
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
class ContextPart(Packable):
    """Content that changes from turn to turn (date and time, recall, recent days).

    Stored with the user message and replayed byte for byte. ``gated`` parts came from gated files and are left out
    while memory is off. A ``summary`` replaces turns that are no longer sent; it is made for each request from the
    transcript. ``file_changes`` correct the files in the prompt, and are never stored.
    """

    kind: Literal["time", "recall", "recent_days", "summary", "file_changes"]
    text: str
    gated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A picture, or the text of a file, of the owner's message. ``id`` is the SHA-256 of the stored bytes.

    ``pages``: of a document's text, 1 for other texts, 0 for pictures and in older transcripts. ``unread``: pages of
    the document beyond a limit of reading. ``sent``: ranges of the pages that go along, such as ``1-40,280``; "" for
    all.
    """

    id: str
    kind: Literal["image/png", "image/jpeg", "text/plain"]
    name: str  # original file name; "" if unknown
    width: int  # 0 for text
    height: int
    bytes: int
    pages: int = 0
    unread: int = 0
    sent: str = ""


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
"""Origin of a turn. Values are on disk and in the pages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    role: Role
    parts: tuple[Part, ...]


class StopReason(StrEnum):
    """Reason why a round ended. Two are ours: ``CUT``, the stream ended without one, and ``REPEATS``, it was ended as
    it repeated itself."""

    END_TURN = "end_turn"
    TOOL_USE = "tool_use"
    MAX_TOKENS = "max_tokens"
    STOP_SEQUENCE = "stop_sequence"
    PAUSE_TURN = "pause_turn"
    REFUSAL = "refusal"
    WINDOW_EXCEEDED = "model_context_window_exceeded"
    CUT = "cut"
    REPEATS = "repeats"


class TurnEnd(StrEnum):
    """Reason why a turn ended, for the owner."""

    DONE = "done"
    STOPPED = "stopped"  # by the owner
    FAILED = "failed"  # with an error code
    MEMORY_OFF = "memory_off"  # memory was switched off inside a tool loop
    MAX_ROUNDS = "max_rounds"
    MAX_TOKENS = "max_tokens"
    REFUSED = "refused"  # by the model
    CUT = "cut"


DEMO = "demo"
"""The demo as the model of a reply."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Tokens of one round; None where the server does not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_tokens: int | None = None
    cache_write_tokens: int | None = None

    def plus(self, other: Usage) -> Usage:
        """Return the sum; None counts as 0 unless neither is known."""
        both = {each.name: (getattr(self, each.name), getattr(other, each.name)) for each in fields(Usage)}
        return Usage(**{name: (a or 0) + (b or 0) for name, (a, b) in both.items() if (a, b) != (None, None)})

    @staticmethod
    def total(usages: Iterable[Usage]) -> Usage:
        return reduce(Usage.plus, usages, Usage())


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemBlock:
    """One block of the system prompt; ``cache``: a cache breakpoint follows it."""

    text: str
    cache: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolSpec:
    """Description of a tool for the model; ``schema`` is the JSON Schema of its arguments."""

    name: str
    description: str
    schema: Mapping[str, object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One complete model call. Equal requests are sent as equal bytes."""

    model: str
    max_tokens: int
    system: tuple[SystemBlock, ...]
    tools: tuple[ToolSpec, ...]
    messages: tuple[Message, ...]
    effort: str = ""  # "" leaves the server's default
    thinking: Literal["default", "off"] = "default"
    schema: Mapping[str, object] | None = None  # JSON Schema of the whole reply, for servers that support it
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
    """``lost_at``: of a core file that is gone although it has earlier versions, the ISO time of its last change,
    that it went if that was noticed; "" for one that was never there or that the owner gave up. ``kept``: the id of
    its last version, "" if none can be restored."""

    name: str
    lost_at: str = ""
    kept: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Broken:
    """A file that exists and can't be used: never treated as missing, never overwritten."""

    name: str
    problem: Literal["not_utf8", "too_large", "unreadable", "link", "not_a_file"]
    version: Version  # of the bytes; "" if they can't be read


FileState = Present | Missing | Broken


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """The message that made the pet change a file, or the other program: ``agent``, as its owner reads it."""

    conversation: str
    turn: str
    agent: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NotedText:
    """One entry that a change wrote, for display. Of a reminder also ``due``, YYYY-MM-DD; ``at``, HH:MM or empty;
    ``repeats``, its series in the owner's language, or empty. ``earlier``: an older line whose question it seems to
    answer, or empty.
    """

    text: str
    due: str = ""
    at: str = ""
    repeats: str = ""
    earlier: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignSource:
    """Something in a request that is not the owner's own words. ``kind``: ``file``, ``picture``, ``page``, ``quote``,
    ``agent``, ``import``, ``tool``, ``conversation``, or one of a later version; ``name``: as the owner knows it, or
    ""; ``id``: of the content, "" where the name is enough."""

    kind: str
    name: str = ""
    id: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """A change of a file. ``history_id`` names the kept earlier version for View and Undo.

    ``noted`` is for the chat alone: secrets are masked in it, forgetting removes it, and no request contains it.
    ``foreign``: what of others was in the request that led to it.
    """

    file: str
    history_id: str
    before: Version
    after: Version
    added: int  # lines
    removed: int  # lines
    author: Author
    merged: bool = False  # a foreign editor's change was merged in
    masked: tuple[str, ...] = ()  # kinds of redacted secrets; "keep it anyway" restores them
    noted: tuple[NotedText, ...] = ()  # the first entries it wrote
    foreign: tuple[ForeignSource, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedCall:
    """A call of another program's tool, which waits for the owner. ``source``: that program, as the owner named it;
    ``changes``: the tool says that it changes something; ``remembered``: the lines of the pet's memory that the
    arguments hold something of."""

    source: str
    tool: str
    changes: bool = False
    remembered: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """A change that waits for the owner: the whole text before and after, never cut.

    ``reason`` is ``soul`` (any change of SOUL.md), ``losing_text`` (too many lines would go),
    ``unasked`` (the owner wants notes only on request; of a log only the new entry), ``foreign`` (likewise: the
    ``foreign`` sources are in the request, and the owner's words don't ask for it), ``forget``: then
    ``file`` is "", ``before`` lists all that would be erased, ``after`` is "" and there is nothing to edit, or
    ``page``: likewise, and ``before`` is the address of a web page to be read, or ``call``: likewise, and ``before``
    is the arguments of ``call``. Of a new entry also ``category``, and ``noted`` if it is a reminder.
    """

    id: str
    file: str
    reason: Literal["soul", "losing_text", "unasked", "foreign", "forget", "page", "call"]
    before: str
    after: str
    base: Version
    category: str = ""
    noted: NotedText | None = None
    call: AskedCall | None = None
    foreign: tuple[ForeignSource, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class WebPage:
    """The readable text of a web page. ``address``: where it was read, after redirects; ``cut``: there is more."""

    address: str
    text: str
    cut: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelChoice:
    """The model of a conversation, on a saved connection. ``origin``: that connection's address when it was chosen,
    "" for a local model; ``name``: the model's name then.
    """

    connection: str
    model: str
    origin: str = ""
    name: str = ""


RecallWay = Literal["meaning", "words", "late"]
"""Method of recall. ``meaning``: words, dates and embeddings; ``words``: without embeddings; ``late``: not in time.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class UsedMemory(Packable):
    """An entry recalled for a message: the chip under the reply that opens it.

    Lines are 1-based and inclusive. For a conversation, ``path`` is ``conversations/<id>.jsonl``, and ``turn`` is its
    turn. ``snippet`` is for display and never enters a request from here. ``sure``: a confident match, whether or not
    the reply uses it. ``superseded``: a newer entry says something else. ``carried``: it went along with an earlier
    message of the conversation, which is still sent. ``heading``: that the entry is under.
    """

    path: str
    start_line: int
    end_line: int
    source: str  # profile, memory, log, conversation
    snippet: str
    turn: str | None = None
    sure: bool = True
    superseded: bool = False
    carried: bool = False
    heading: str = ""


Lasting = Literal["once", "conversation", "always"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Allowed:
    """``text`` is the approved text: the proposal's ``after``, or the owner's edit of it. ``lasting``: of a call,
    whether further ones of its tool are allowed too; of a note beside ``foreign`` sources, whether those because of
    them are."""

    text: str
    edited: bool
    lasting: Lasting = "once"


@dataclass(frozen=True, slots=True, kw_only=True)
class Refused:
    why: Literal["owner", "stopped", "closed", "no_terminal", "memory_off"]


Decision = Allowed | Refused
