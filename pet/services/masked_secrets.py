"""Restore what was masked in a change by the pet. The actor is the owner; part of no request."""

from __future__ import annotations

from dataclasses import dataclass

from pet.engine.conversations import Conversations
from pet.errors import SecretGone, VersionUnknown
from pet.model import Author, Receipt, Source, ToolCallPart, Version
from pet.services.restore_secret import put_back, wanted_text
from pet.transcripts.entries import RoundCompleted, ToolCompleted, TranscriptEntry
from pet.workspace.file_text import NotText, decode_text
from pet.workspace.store import WorkspaceStore, rewrite_text


@dataclass(frozen=True, slots=True, kw_only=True)
class CallArgs:
    """A tool call of a turn."""

    conversation: str
    turn: str
    call: str


def keep_secret(store: WorkspaceStore, conversations: Conversations, call: CallArgs) -> Receipt | None:
    """Restore what was redacted in this call's change; None if it is there already.

    Raises SecretGone if its position no longer exists, ConversationTemporary, FileBroken, FileConflict.
    """
    live = conversations.open(call.conversation)
    live.gate.check_keeps()
    made_by, receipt = _written(live.transcript.entries, call)
    before, after = (_text_of(store, receipt.file, version) for version in (receipt.before, receipt.after))
    wanted = wanted_text(made_by, before)

    def restored(now: str | None) -> str:
        if now is None:
            raise SecretGone(file=receipt.file)
        return put_back(receipt, wanted, before, now, after=after)

    source = Source(conversation=call.conversation, turn=call.turn)
    made = rewrite_text(store, receipt.file, restored, author=Author.OWNER, source=source)
    live.receipts.kept(call.turn, call.call, made)
    return made


def _text_of(store: WorkspaceStore, file: str, version: Version) -> str:
    """Return the file's text in that version; "" if it is no longer stored."""
    try:
        return decode_text(store.version_bytes(file, version)).text
    except (VersionUnknown, NotText):
        return ""


def _written(entries: tuple[TranscriptEntry, ...], made: CallArgs) -> tuple[ToolCallPart, Receipt]:
    """Return the call as the model made it, and its receipt."""
    calls = (
        part
        for entry in entries
        if isinstance(entry, RoundCompleted) and entry.turn == made.turn
        for part in entry.parts
        if isinstance(part, ToolCallPart) and part.id == made.call
    )
    receipts = (
        entry.receipt
        for entry in entries
        if isinstance(entry, ToolCompleted)
        and entry.turn == made.turn
        and entry.call_id == made.call
        and entry.receipt
    )
    call, receipt = next(calls, None), next(receipts, None)
    if call is None or receipt is None or not receipt.masked:
        raise SecretGone(file=receipt.file if receipt else "")
    return call, receipt
