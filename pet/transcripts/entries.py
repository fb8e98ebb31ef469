"""What a transcript's lines say: one frozen dataclass per kind, each with ``id`` and ``at`` (ISO 8601 with zone).

Shapes only; ``codec`` turns them into lines and back. Nothing here is ever changed after it was written: what
replaces something is a new entry that says so.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pet.events import ErrorInfo
from pet.model import Attachment, ContextPart, Receipt, ReplyPart, StopReason, TurnEnd, TurnKind, Usage, UsedMemory

VERSION = 1
"""Of the file format. A file that names a higher one is left alone."""

ReceiptState = Literal["standing", "undone", "kept", "forgotten"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """The first line of every file: which conversation, and which machine writes here."""

    id: str
    at: str
    version: int = VERSION
    conversation: str
    machine: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySet:
    """The brain switch. The first of a conversation says where it began, each later one was flipped by the owner."""

    id: str
    at: str
    memory: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TitleSet:
    id: str
    at: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenerAsked:
    """The pet had asked after something it remembers, and this conversation is the answer. Shown above the first
    message, sent beside it, and only while the brain is on. ``about``: the whole note that it asks after and quotes
    a part of, so that the question goes with the note when that is forgotten."""

    id: str
    at: str
    text: str
    about: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserMessage:
    """The owner's message, on disk before the request leaves; with it a turn begins."""

    id: str
    at: str
    turn: str
    text: str
    context: tuple[ContextPart, ...] = ()
    memory: bool
    turn_kind: TurnKind = "message"
    supersedes: str | None = None
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialReply:
    """What a round had said so far. Counts only where nothing later tells how that round ended.

    ``off``: the brain had gone OFF since the turn began, so that some of it was said while OFF. Of a
    pause a transcript has no other trace.
    """

    id: str
    at: str
    turn: str
    round: int
    text: str
    off: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundCompleted:
    """A model call came to its end; ``parts`` exactly as received, thinking included; ``off`` as above."""

    id: str
    at: str
    turn: str
    round: int
    parts: tuple[ReplyPart, ...]
    stop: StopReason
    usage: Usage
    model: str
    off: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCompleted:
    """A call was answered: ``text`` is what the model was told, ``error`` and ``receipt`` what the owner sees.

    In round 0, which no reply has, stands what was written for the turn without a call in it: what the pet wrote
    down before older turns were summarised, upkeep, "save it now". It is shown and enters no request.
    """

    id: str
    at: str
    turn: str
    round: int
    call_id: str
    tool: str
    file: str | None
    text: str
    is_error: bool
    error: ErrorInfo | None
    receipt: Receipt | None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFinished:
    """The turn is over. ``cut_text``: what round ``round`` had said when it was broken off; ``off`` as above."""

    id: str
    at: str
    turn: str
    end: TurnEnd
    error: ErrorInfo | None
    round: int
    cut_text: str
    off: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextCleared:
    """From here on requests carry nothing of what was said before; the chat still shows it."""

    id: str
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextFound:
    """What was looked up for a turn's message before its first request: added to that message's context.

    Only turns held while ON have one; ``used`` names what was recalled, for the chips under the reply.
    """

    id: str
    at: str
    turn: str
    context: tuple[ContextPart, ...]
    used: tuple[UsedMemory, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted:
    """In requests, ``text`` stands for all turns up to and with ``upto`` (a turn's id). Nothing is removed.

    ``memory``: it was made from an unmasked conversation, and is left out while the brain is off.
    ``without``: turns that were taken out of the conversation when it was made, and of which it does not tell.
    """

    id: str
    at: str
    upto: str
    memory: bool
    text: str
    usage: Usage
    without: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnsRemoved:
    """The owner took these turns out of the conversation, or with ``removed`` False put them back.

    What they said stays in the file, and is neither shown, sent, found nor handed on.
    """

    id: str
    at: str
    turns: tuple[str, ...]
    removed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptChanged:
    """What became of a written change since. ``done``: the id of the ToolDone with its receipt.

    ``kept``: a masked secret was put back, by ``receipt``. Never recorded as ``forgotten``: then the receipt itself
    names the same version before and after.
    """

    id: str
    at: str
    turn: str
    done: str
    state: ReceiptState
    receipt: Receipt | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown:
    """A line of a kind that this version does not know: kept as it stands, and skipped."""

    id: str
    at: str
    kind: str
    line: str


Entry = (
    Header
    | MemorySet
    | TitleSet
    | OpenerAsked
    | UserMessage
    | PartialReply
    | RoundCompleted
    | ToolCompleted
    | TurnFinished
    | ContextCleared
    | ContextFound
    | Compacted
    | TurnsRemoved
    | ReceiptChanged
    | Unknown
)
