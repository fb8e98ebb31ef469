"""Put back what was masked in something the pet wrote: an owner's act, on the store itself, part of no request."""

from __future__ import annotations

from dataclasses import dataclass

from pet.engine.conversation.conversations import Conversations
from pet.errors import FileBroken, FileConflict, SecretGone, VersionUnknown
from pet.model import Author, Broken, Present, Receipt, ToolCallPart
from pet.tools.restore_secret import put_back, wanted_text
from pet.transcripts.records.entries import RoundCompleted, ToolCompleted, TranscriptEntry
from pet.workspace.text.encoded_text import NotText, decode_text, normalize_newlines
from pet.workspace.versioned.store import WorkspaceStore

_TRIES = 16  # attempts while other programs keep changing the file


@dataclass(frozen=True, slots=True, kw_only=True)
class CallArgs:
    """A call of a tool, by the turn it was made in."""

    conversation: str
    turn: str
    call: str


def keep_secret(store: WorkspaceStore, conversations: Conversations, call: CallArgs) -> Receipt | None:
    """Restore what was redacted in this call's change. None: it stands there already.

    Raises SecretGone if its position no longer exists, ConversationTemporary, FileBroken, FileConflict.
    """
    live = conversations.open(call.conversation)
    live.gate.check_keeps()
    made_by, receipt = _written(live.transcript.entries, call)
    before = _text_before(store, receipt)
    wanted = wanted_text(made_by, before)
    for _ in range(_TRIES):
        state = store.read(receipt.file)
        if isinstance(state, Broken):
            raise FileBroken(file=receipt.file, problem=state.problem)
        if not isinstance(state, Present):
            raise SecretGone(file=receipt.file)
        text = put_back(receipt, wanted, before, normalize_newlines(state.text))
        try:
            made = store.write(receipt.file, text, base=state.version, author=Author.OWNER)
            live.receipts.kept(call.turn, call.call, made)
            return made
        except FileConflict:
            continue
    raise FileConflict(file=receipt.file)


def _text_before(store: WorkspaceStore, receipt: Receipt) -> str:
    """Return the file's text before the call; "" if that version is no longer stored."""
    try:
        return decode_text(store.version_bytes(receipt.file, receipt.before)).text
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
