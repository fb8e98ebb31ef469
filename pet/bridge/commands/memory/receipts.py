"""What becomes of a change that a call of the pet made: undone, done again, a masked secret put back."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pet.bridge.command import Client, command
from pet.engine.conversation.conversations import Conversations
from pet.engine.receipts import Receipts
from pet.model import Receipt
from pet.services.conversation.masked_secrets import CallArgs, keep_secret
from pet.services.core_files import WriteReply
from pet.workspace.versioned.store import WorkspaceStore


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptReply:
    """None: there was nothing to change."""

    receipt: Receipt | None


@dataclass(frozen=True, slots=True)
class ReceiptCommands:
    """Owner's acts, never a model's. ``written``: the reply about a file's change."""

    store: WorkspaceStore
    conversations: Conversations
    written: Callable[[str, Receipt | None], WriteReply]

    @command(Client.CHAT)
    def undo_receipt(self, args: CallArgs) -> WriteReply:
        """Take back what this call wrote, byte for byte."""
        receipts = self._of(args)
        return self.written(receipts.file_of(args.turn, args.call), receipts.undo(args.turn, args.call))

    @command(Client.CHAT)
    def redo_receipt(self, args: CallArgs) -> WriteReply:
        """Make a change again that was undone."""
        receipts = self._of(args)
        return self.written(receipts.file_of(args.turn, args.call), receipts.redo(args.turn, args.call))

    @command(Client.CHAT)
    def keep_secret(self, args: CallArgs) -> ReceiptReply:
        """Put back what was masked in something the pet wrote."""
        return ReceiptReply(receipt=keep_secret(self.store, self.conversations, args))

    def _of(self, args: CallArgs) -> Receipts:
        return self.conversations.open(args.conversation).receipts
