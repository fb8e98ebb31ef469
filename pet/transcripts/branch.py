"""Entries of a branch: a new conversation with the turns of another up to one of them. Pure.

Copies the active path only, with every mark that redaction needs (memory on or off, of turns and of single rounds).
Receipts stay with the conversation that made the change: only one conversation can undo it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from pet.access import MemoryMode
from pet.ids import new_id
from pet.model import Usage
from pet.transcripts.conversation import Conversation
from pet.transcripts.entries import (
    Compacted,
    ContextCleared,
    ContextFound,
    MemorySet,
    ModelSet,
    OpenerAsked,
    PartialReply,
    RoundCompleted,
    TitleSet,
    ToolCompleted,
    TranscriptEntry,
    TurnFinished,
    UserMessage,
)


def branch_entries(
    entries: Sequence[TranscriptEntry],
    conversation: Conversation,
    upto: str,
    *,
    memory_mode: MemoryMode,
    title: str,
    at: str,
) -> list[TranscriptEntry]:
    """Return the branch's entries. ``conversation``: ``entries`` folded; ``upto``: one of its turns; the memory
    switch of the branch is as given. Raises ValueError if ``upto`` is not an active turn.
    """
    turns = [turn.id for turn in conversation.turns]
    path = turns[: turns.index(upto) + 1]
    copied = list(_of_path(entries, set(path), cleared_before=_turn_at(path, conversation.dropped), at=at))
    if conversation.dropped > 0 and conversation.dropped >= len(path):
        copied.append(ContextCleared(id=new_id(), at=at))
    for made in conversation.summaries:
        if made.turns <= len(path):
            last = path[made.turns - 1]
            copied.append(
                Compacted(id=new_id(), at=made.at, upto=last, memory=made.memory, text=made.text, usage=Usage())
            )
    switches = [entry for entry in copied if isinstance(entry, MemorySet)]
    if not switches or switches[-1].memory_mode is not memory_mode:
        copied.append(MemorySet.of(memory_mode, at))
    if conversation.model is not None:
        copied.append(ModelSet(id=new_id(), at=at, choice=conversation.model))
    copied.append(TitleSet(id=new_id(), at=at, title=title))
    return copied


def _turn_at(path: Sequence[str], place: int) -> str | None:
    return path[place] if 0 < place < len(path) else None


def _of_path(
    entries: Sequence[TranscriptEntry], path: set[str], *, cleared_before: str | None, at: str
) -> Iterator[TranscriptEntry]:
    """Yield the entries of these turns, and the switches up to the end of the last of them."""
    of_turn = UserMessage | PartialReply | RoundCompleted | TurnFinished
    end = max(place for place, entry in enumerate(entries) if isinstance(entry, of_turn) and entry.turn in path)
    for place, entry in enumerate(entries):
        match entry:
            case MemorySet() if place <= end:
                yield entry
            case OpenerAsked():
                yield entry
            case UserMessage() if entry.turn in path:
                if entry.turn == cleared_before:
                    yield ContextCleared(id=new_id(), at=at)
                yield replace(entry, supersedes=None)
            case ToolCompleted() if entry.turn in path:
                yield replace(entry, receipt=None)
            case ContextFound() | PartialReply() | RoundCompleted() | TurnFinished() if entry.turn in path:
                yield entry
            case _:
                pass
