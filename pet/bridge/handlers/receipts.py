"""Handlers for undo and redo of a call's change. Owner's acts, never a model's."""

from __future__ import annotations

from collections.abc import Callable

from pet.bridge.api import CallArgs, WriteReply
from pet.engine.conversation.conversations import Conversations
from pet.engine.receipts import Receipts
from pet.model import Receipt


class ReceiptCommands:
    """Every public method is the handler of the row of its name. ``written``: the reply about a file's change."""

    def __init__(self, conversations: Conversations, written: Callable[[str, Receipt | None], WriteReply]) -> None:
        self._conversations = conversations
        self._written = written

    def undo_receipt(self, args: CallArgs) -> WriteReply:
        receipts = self._of(args)
        return self._written(receipts.file_of(args.turn, args.call), receipts.undo(args.turn, args.call))

    def redo_receipt(self, args: CallArgs) -> WriteReply:
        receipts = self._of(args)
        return self._written(receipts.file_of(args.turn, args.call), receipts.redo(args.turn, args.call))

    def _of(self, args: CallArgs) -> Receipts:
        return self._conversations.open(args.conversation).receipts
