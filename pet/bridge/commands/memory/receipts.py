"""Changes that the pet's tool calls made: undo, redo, restore a masked secret."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pet.bridge.command import Client, command
from pet.engine.conversations import Conversations
from pet.engine.receipts import Receipts
from pet.model import Receipt
from pet.services.conversation.masked_secrets import CallArgs, keep_secret
from pet.services.core_files import WriteReply
from pet.workspace.versioned.store import WorkspaceStore


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptReply:
    """None: nothing had to be changed."""

    receipt: Receipt | None


@dataclass(frozen=True, slots=True)
class ReceiptCommands:
    """The actor is the owner. ``written``: returns the reply for a file's change."""

    store: WorkspaceStore
    conversations: Conversations
    written: Callable[[str, Receipt | None], WriteReply]

    @command(Client.CHAT)
    def undo_receipt(self, args: CallArgs) -> WriteReply:
        """Undo the change of this call, byte for byte."""
        receipts = self._of(args)
        return self.written(receipts.file_of(args.turn, args.call), receipts.undo(args.turn, args.call))

    @command(Client.CHAT)
    def redo_receipt(self, args: CallArgs) -> WriteReply:
        """Redo a change that was undone."""
        receipts = self._of(args)
        return self.written(receipts.file_of(args.turn, args.call), receipts.redo(args.turn, args.call))

    @command(Client.CHAT)
    def keep_secret(self, args: CallArgs) -> ReceiptReply:
        """Restore what was masked in the change of this call."""
        return ReceiptReply(receipt=keep_secret(self.store, self.conversations, args))

    def _of(self, args: CallArgs) -> Receipts:
        return self.conversations.open(args.conversation).receipts
