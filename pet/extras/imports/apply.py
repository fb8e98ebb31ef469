"""Carry out an import plan, and undo it.

Files are written through the versioned store as the owner's change, on the version the preview showed; conversations
become transcripts. The record holds names, versions and ids only, no content.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime

from pet.errors import FileConflict, UnknownConversation, WorkspaceError
from pet.extras.imports.character_cards import drop_card, store_card
from pet.extras.imports.contents import Kind, SourceContents, Talk
from pet.extras.imports.plan import ImportPlan, talk_id
from pet.fs.directory import Absent, version_of
from pet.fs.locks import as_write_errors
from pet.ids import new_id
from pet.model import MISSING, Author, CoreFile, Receipt, StopReason, TextPart, TurnEnd, Usage
from pet.settings.import_records import ImportRecord
from pet.transcripts.entries import (
    MemorySet,
    OpenerAsked,
    RoundCompleted,
    TitleSet,
    TranscriptEntry,
    TurnFinished,
    UserMessage,
)
from pet.transcripts.foreign import source
from pet.transcripts.store import TranscriptStore
from pet.workspace.locked_file import OwnerFiles, contents_of
from pet.workspace.safe_replace import Change, commit
from pet.workspace.skills import is_skill_name
from pet.workspace.store import WorkspaceStore

_LONGEST_TITLE = 120


@dataclass(slots=True)
class _Turn:
    """An incomplete turn: the owner's messages until the pet answers."""

    at: str
    texts: list[str] = field(default_factory=list)
    id: str = field(default_factory=new_id)
    rounds: int = 0


def talk_entries(talk: Talk, kind: Kind, *, memory: bool, at: str) -> Iterator[TranscriptEntry]:
    """Yield the entries. ``memory``: it counts as held with memory on; ``at``: for messages without a time."""
    last = talk.at or at
    yield MemorySet(id=new_id(), at=last, memory=memory)
    title = " ".join(talk.title.split())[:_LONGEST_TITLE]
    if title:
        yield TitleSet(id=new_id(), at=last, title=title)
    turn: _Turn | None = None
    opening: list[str] = []
    for message in talk.messages:
        last = max(last, message.at) if message.at else last
        if message.who == "owner":
            if turn is not None and turn.rounds:
                yield _finished(turn, last)
                turn = None
            turn = turn or _Turn(last)
            turn.texts.append(message.text)
        elif turn is None:
            opening.append(message.text)
        else:
            if not turn.rounds:
                yield from _begun(turn, opening, kind, memory=memory)
                opening = []
            turn.rounds += 1
            yield _round(turn, message.text, kind, last)
    if turn is not None:
        if not turn.rounds:
            yield from _begun(turn, opening, kind, memory=memory)
        yield _finished(turn, last)
    elif opening:  # no answer followed
        turn = _Turn(last)
        yield from _begun(turn, opening, kind, memory=memory)
        yield _finished(turn, last)


def _begun(turn: _Turn, opening: list[str], kind: Kind, *, memory: bool) -> Iterator[TranscriptEntry]:
    if opening:
        yield OpenerAsked(id=new_id(), at=turn.at, text="\n\n".join(opening))
    text, foreign = "\n\n".join(turn.texts), (source("import", kind),)
    yield UserMessage(id=new_id(), at=turn.at, turn=turn.id, text=text, memory=memory, foreign=foreign)


def _round(turn: _Turn, text: str, kind: Kind, at: str) -> RoundCompleted:
    return RoundCompleted(
        id=new_id(),
        at=at,
        turn=turn.id,
        round=turn.rounds,
        parts=(TextPart(text=text),),
        stop=StopReason.END_TURN,
        usage=Usage(),
        model=kind,
    )


def _finished(turn: _Turn, at: str) -> TurnFinished:
    return TurnFinished(id=new_id(), at=at, turn=turn.id, end=TurnEnd.DONE, error=None, round=0, cut_text="")


@dataclass(slots=True, kw_only=True)
class Undone:
    """``left``: files and conversations that changed since the import and were kept."""

    files: list[str] = field(default_factory=list)
    talks: list[str] = field(default_factory=list)
    left: list[str] = field(default_factory=list)


def apply_plan(
    plan: ImportPlan,
    contents: SourceContents,
    store: WorkspaceStore,
    transcripts: TranscriptStore,
    owned: OwnerFiles,
    done: ImportRecord,
    *,
    memory: bool,
    now: datetime,
) -> None:
    """Write the plan. ``done`` is filled step by step, so that it can be undone after an error.

    ``memory``: conversations count as held with memory on. Raises FileConflict for a file that changed since the
    preview, WriteFailed, TextRefused, ImportRefused.
    """
    for each in plan.changed:
        if is_skill_name(each.file):
            done.receipts.append(_add_skill(owned, each.file, each.after))
            continue
        receipt = store.write(each.file, each.after, base=each.base, author=Author.OWNER)
        if receipt is not None:
            done.receipts.append(receipt)
        if contents.card is not None and each.file == CoreFile.SOUL and receipt is not None:
            raw = json.dumps(contents.card.card.raw).encode()
            store_card(store.root, contents.card.carrier, contents.card.content, raw, receipt.after)
    wanted = {talk.id for talk in plan.new_talks}
    for talk in contents.talks() if wanted else ():
        id_ = talk_id(talk)
        if id_ in wanted and not transcripts.exists(id_):
            entries = talk_entries(talk, plan.kind, memory=memory, at=now.isoformat())
            done.talks[id_] = transcripts.add_whole(id_, talk.at or now.isoformat(), entries)


def _add_skill(owned: OwnerFiles, name: str, text: str) -> Receipt:
    """Create a skill. Raises FileConflict if there is one by now, WriteFailed, NewerFormat."""
    with as_write_errors(name), owned.open(name, create=True) as (place, raw):
        if not isinstance(raw, Absent):
            raise FileConflict(file=name)
        data = text.encode()
        made = commit(place, Change(base=None, data=data, author=Author.OWNER))
    id_ = made.entry.id if made is not None else ""
    lines = len(text.splitlines())
    after = version_of(data)
    return Receipt(
        file=name, history_id=id_, before=MISSING, after=after, added=lines, removed=0, author=Author.OWNER
    )


def _remove_skill(owned: OwnerFiles, receipt: Receipt) -> None:
    """Remove an imported skill, and its folder if that is empty. Raises FileConflict if it was changed."""
    with as_write_errors(receipt.file), owned.open(receipt.file, create=True) as (place, raw):
        now = contents_of(receipt.file, raw)
        if now is not None and version_of(now.data) != receipt.after:
            raise FileConflict(file=receipt.file)
        commit(place, Change(base=now, data=None, author=Author.OWNER, kind="restore"))
    with suppress(OSError):  # it holds other files
        (owned.root / receipt.file).parent.rmdir()


def undo(record: ImportRecord, store: WorkspaceStore, transcripts: TranscriptStore, owned: OwnerFiles) -> Undone:
    """Undo an import: files, merged around later changes, and conversations that were not continued."""
    undone = Undone()
    for receipt in reversed(record.receipts):
        try:
            if is_skill_name(receipt.file):
                _remove_skill(owned, receipt)
            else:
                store.undo(receipt, author=Author.OWNER)
            if receipt.file == CoreFile.SOUL:  # else an export would carry the old character
                drop_card(store.root, receipt.after)
            undone.files.append(receipt.file)
        except WorkspaceError:  # overlaps with later changes
            undone.left.append(receipt.file)
    for id_, size in record.talks.items():
        try:
            if transcripts.size(id_) == size:
                transcripts.delete(id_)
                undone.talks.append(id_)
            elif transcripts.exists(id_):
                undone.left.append(id_)
        except UnknownConversation:
            continue
    return undone
