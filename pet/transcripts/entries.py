"""Transcript entries: one frozen dataclass per kind, and the order of several machines' entries. Pure.

Entries are immutable once written: a change is a new entry that refers to the old one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from pet.access import MemoryMode
from pet.events import ErrorInfo
from pet.ids import new_id
from pet.model import (
    Attachment,
    ContextPart,
    ForeignSource,
    ModelChoice,
    Packable,
    RecallWay,
    Receipt,
    ReplyPart,
    StopReason,
    TurnEnd,
    TurnKind,
    Usage,
    UsedMemory,
)

VERSION = 1
"""File format version. Files with a higher one are not modified."""

ReceiptState = Literal["standing", "undone", "kept", "forgotten"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TranscriptEntry(Packable):
    """One line of a transcript. ``at``: ISO 8601 with zone."""

    id: str
    at: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Header(TranscriptEntry):
    """The first line of every file: conversation id and the machine that writes the file."""

    version: int = VERSION
    conversation: str
    machine: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySet(TranscriptEntry):
    """State of the memory switch: the first entry is the initial state, each later one a flip by the owner.

    ``memory`` is true for ON only, so that a version without ``read_only`` treats READ as OFF. ``unreadable``: in
    place of a line that can't be read and may have been a switch, or of a switch that is no longer in its file: OFF
    until the owner says otherwise.
    """

    memory: bool
    read_only: bool = False
    unreadable: bool = False

    @staticmethod
    def of(memory_mode: MemoryMode, at: str) -> MemorySet:
        return MemorySet(
            id=new_id(), at=at, memory=memory_mode is MemoryMode.ON, read_only=memory_mode is MemoryMode.READ_ONLY
        )

    @property
    def memory_mode(self) -> MemoryMode:
        return MemoryMode.of(self.memory, read_only=self.read_only)


@dataclass(frozen=True, slots=True, kw_only=True)
class TitleSet(TranscriptEntry):
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSet(TranscriptEntry):
    """The owner chose the conversation's model; ``choice`` None: the pet's, or the default."""

    choice: ModelChoice | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchSet(TranscriptEntry):
    """The owner moved an extra's switch of this conversation. Without an entry it is off."""

    name: str
    on: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenerAsked(TranscriptEntry):
    """The pet's opening question about a note. Shown above the first message and sent with it, only while memory is
    on. ``about``: the whole note, so that the question is erased together with a forgotten note.
    """

    text: str
    about: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UserMessage(TranscriptEntry):
    """The owner's message; begins a turn. Written before the request is sent.

    ``memory``: the turn began ON. ``read_only``: it began in READ; ``memory`` is then false, as above.
    ``memory_files``: ids of attachments that were memory files when they were sent. ``foreign``: what of others the
    conversation's requests carry with it, this message's own included; None in older transcripts.
    """

    turn: str
    text: str
    context: tuple[ContextPart, ...] = ()
    memory: bool
    turn_kind: TurnKind = "message"
    supersedes: str | None = None
    attachments: tuple[Attachment, ...] = ()
    memory_files: tuple[str, ...] = ()
    read_only: bool = False
    foreign: tuple[ForeignSource, ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ForeignAllowed(TranscriptEntry):
    """From now on the owner is not asked about notes because of these sources."""

    sources: tuple[ForeignSource, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PartialReply(TranscriptEntry):
    """Partial text of a round, in full so far. Superseded by any later entry that ends the round.

    ``off``: memory went OFF during the turn, before some of this text. A transcript has no other record of a pause.
    """

    turn: str
    round: int
    text: str
    off: bool = False

    def replaces(self, earlier: TranscriptEntry) -> bool:
        """Whether ``earlier`` is an earlier state of the same round."""
        return isinstance(earlier, PartialReply) and (earlier.turn, earlier.round, earlier.off) == (
            self.turn,
            self.round,
            self.off,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundCompleted(TranscriptEntry):
    """A model call completed; ``parts`` exactly as received, thinking included; ``off`` as in PartialReply.

    ``read_only``: the turn began in READ. Its line has the spoken text in ``parts`` and all parts in
    ``gated_parts``: a version without READ takes the turn for OFF and would replay calls and thinking unredacted.
    """

    turn: str
    round: int
    parts: tuple[ReplyPart, ...]
    stop: StopReason
    usage: Usage
    model: str
    off: bool = False
    read_only: bool = False
    local: bool = False  # made by a local model


NOTE_CALL = "note_"
"""Prefix of the call ids of notes that the program wrote for a small model."""
LATE_NOTE_CALL = f"{NOTE_CALL}late_"
"""Prefix of notes that were written after the reply, whose request did not mention them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCompleted(TranscriptEntry):
    """Result of a tool call: ``text`` for the model, ``error``, ``receipt`` and ``pictures`` for the owner.

    Round 0 holds writes of the turn without a call: notes before a compaction, maintenance, "save it now". They are
    displayed and never part of a request. ``foreign``: what of others the text is from.
    """

    turn: str
    round: int
    call_id: str
    tool: str
    file: str | None
    text: str
    is_error: bool
    error: ErrorInfo | None
    receipt: Receipt | None
    pictures: tuple[Attachment, ...] = ()
    foreign: tuple[ForeignSource, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFinished(TranscriptEntry):
    """End of a turn. ``cut_text``: partial text of ``round`` if it was cancelled; ``off`` as in PartialReply."""

    turn: str
    end: TurnEnd
    error: ErrorInfo | None
    round: int
    cut_text: str
    off: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextCleared(TranscriptEntry):
    """Requests no longer include anything before this entry; the chat still shows it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextFound(TranscriptEntry):
    """Recall results for a turn's message, added to its context before the first request.

    Only turns with memory ON or in READ have one; ``used`` names the recalled entries, for the chips under the reply.
    ``foreign``: what of others is in the context.
    """

    turn: str
    context: tuple[ContextPart, ...]
    used: tuple[UsedMemory, ...] = ()
    way: RecallWay = "meaning"
    foreign: tuple[ForeignSource, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Compacted(TranscriptEntry):
    """In requests, ``text`` replaces all turns up to and including ``upto`` (a turn's id). Nothing is deleted.

    ``memory``: made from an unredacted conversation (ON or READ), so left out while memory is off. ``without``: turns
    that were removed at that time and are not covered by the summary.
    """

    upto: str
    memory: bool
    text: str
    usage: Usage
    without: tuple[str, ...] = ()
    local: bool = False  # as in RoundCompleted


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnsRemovedSet(TranscriptEntry):
    """The owner removed these turns from the conversation, or restored them if ``removed`` is False.

    Their text stays in the file, but is not shown, sent, searched or exported. ``messages``: in the second record,
    the ids of their messages' entries, by which a turn is known whose own name was damaged.
    """

    turns: tuple[str, ...]
    removed: bool
    messages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class VariantSet(TranscriptEntry):
    """The owner chose another variant of a turn (an earlier reply, or the message before an edit): it is active with
    its following turns. A version without this entry shows the newest variant.
    """

    turn: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptChanged(TranscriptEntry):
    """New state of a receipt. ``done``: the id of the ToolCompleted entry with the receipt.

    ``kept``: a redacted secret was restored by ``receipt``. The state ``forgotten`` is never recorded: the receipt
    itself then names the same version before and after.
    """

    turn: str
    done: str
    state: ReceiptState
    receipt: Receipt | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Unknown(TranscriptEntry):
    """A line of an unknown kind, kept unchanged and skipped."""

    kind: str
    line: str


def unreadable_switch(line: bytes, before: Sequence[TranscriptEntry]) -> MemorySet:
    """Return a switch to OFF in place of an unreadable one, after these entries."""
    digest = hashlib.sha256(line).hexdigest()[:16]
    return MemorySet(id=f"unreadable:{digest}", at=before[-1].at if before else "", memory=False, unreadable=True)


LONG_AGO = datetime.min.replace(tzinfo=UTC)


def instant(at: str) -> datetime:
    """Parse a stored time for comparison; an invalid one sorts first."""
    try:
        moment = datetime.fromisoformat(at)
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError):
        return LONG_AGO


def merge(files: Mapping[str, Sequence[TranscriptEntry]]) -> tuple[TranscriptEntry, ...]:
    """Merge all files' entries by time, each id once: conflict copies repeat entries. Entries of one file keep their
    order, whatever that machine's clock did; ties are broken by file name.
    """
    if len(files) == 1:
        (only,) = files.values()
        return tuple(only)
    keyed: list[tuple[datetime, str, int, TranscriptEntry]] = []
    for name, entries in files.items():
        latest = LONG_AGO
        for place, entry in enumerate(entries):
            latest = max(latest, instant(entry.at))
            keyed.append((latest, name, place, entry))
    keyed.sort(key=lambda item: item[:3])
    seen: set[str] = set()
    merged: list[TranscriptEntry] = []
    for *_, entry in keyed:
        if not entry.id or entry.id not in seen:
            seen.add(entry.id)
            merged.append(entry)
    return tuple(merged)
