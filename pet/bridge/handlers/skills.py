"""Handlers for skills, and for keeping redacted secrets."""

from __future__ import annotations

from collections.abc import Callable

from pet.bridge.api import CallArgs, Nothing, ReceiptReply, SkillInfo, SkillList
from pet.engine.conversation.conversations import Conversations
from pet.errors import FileBroken, FileConflict, SecretGone, VersionUnknown
from pet.model import Author, Broken, Present, Receipt, ToolCallPart
from pet.tools.restore_secret import put_back, wanted_text
from pet.transcripts.entries import Entry, RoundCompleted, ToolCompleted
from pet.workspace.skills import Skill
from pet.workspace.text.encoded_text import NotText, decode_text, normalize_newlines
from pet.workspace.versioned.store import WorkspaceStore

_TRIES = 16  # attempts while other programs keep changing the file


class SkillCommands:
    """On the store itself: restoring a secret is an owner's act and enters no request."""

    def __init__(
        self, store: WorkspaceStore, conversations: Conversations, find_skills: Callable[[], tuple[Skill, ...]]
    ) -> None:
        self._store = store
        self._conversations = conversations
        self._find_skills = find_skills

    def list_skills(self, _args: Nothing) -> SkillList:
        return SkillList(
            skills=[
                SkillInfo(name=skill.name, description=skill.description, origin=skill.origin, problem=skill.problem)
                for skill in self._find_skills()
            ]
        )

    def keep_secret(self, args: CallArgs) -> ReceiptReply:
        """Restore what was redacted in this call's change. Raises SecretGone if its position no longer exists, and
        ConversationTemporary.
        """
        live = self._conversations.open(args.conversation)
        live.gate.check_keeps()
        entries = live.transcript.entries
        call, receipt = _written(entries, args)
        before = self._said_then(receipt)
        wanted = wanted_text(call, before)
        for _ in range(_TRIES):
            state = self._store.read(receipt.file)
            if isinstance(state, Broken):
                raise FileBroken(file=receipt.file, problem=state.problem)
            if not isinstance(state, Present):
                raise SecretGone(file=receipt.file)
            text = put_back(receipt, wanted, before, normalize_newlines(state.text))
            try:
                made = self._store.write(receipt.file, text, base=state.version, author=Author.OWNER)
                live.receipts.kept(args.turn, args.call, made)
                return ReceiptReply(receipt=made)
            except FileConflict:
                continue
        raise FileConflict(file=receipt.file)

    def _said_then(self, receipt: Receipt) -> str:
        """Return the file's text before the call; "" if that version is no longer stored."""
        try:
            return decode_text(self._store.version_bytes(receipt.file, receipt.before)).text
        except (VersionUnknown, NotText):
            return ""


def _written(entries: tuple[Entry, ...], args: CallArgs) -> tuple[ToolCallPart, Receipt]:
    """Return the call as the model made it, and its receipt."""
    calls = (
        part
        for entry in entries
        if isinstance(entry, RoundCompleted) and entry.turn == args.turn
        for part in entry.parts
        if isinstance(part, ToolCallPart) and part.id == args.call
    )
    receipts = (
        entry.receipt
        for entry in entries
        if isinstance(entry, ToolCompleted)
        and entry.turn == args.turn
        and entry.call_id == args.call
        and entry.receipt
    )
    call, receipt = next(calls, None), next(receipts, None)
    if call is None or receipt is None or not receipt.masked:
        raise SecretGone(file=receipt.file if receipt else "")
    return call, receipt
