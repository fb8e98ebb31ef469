"""Receipt states of a conversation: undone, redone, secret kept, changed by restored versions.

Each change of state is a transcript entry, appended after the file changed, so that all windows and the terminal
agree. The file's own history remains the only undo mechanism.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pet.engine.services import EngineServices
from pet.errors import UnknownReceipt
from pet.events import ReceiptsChanged
from pet.ids import new_id
from pet.model import Author, Receipt
from pet.transcripts.conversation.model import Conversation, Turn
from pet.transcripts.records.entries import ReceiptChanged, ReceiptState, ToolCompleted
from pet.transcripts.store import Transcript


class Receipts:
    """The receipts of one conversation. Thread-safe."""

    def __init__(self, transcript: Transcript, around: EngineServices, folded: Callable[[], Conversation]) -> None:
        self._transcript = transcript
        self._around = around
        self._folded = folded

    def file_of(self, turn_id: str, call: str) -> str:
        """Return the file the call wrote. Raises UnknownReceipt."""
        return self._find(turn_id, call)[2].file

    def undo(self, turn_id: str, call: str) -> Receipt | None:
        """Undo the change, after undoing a kept secret. None: the file already has its previous content.

        Raises UnknownReceipt, FileConflict, VersionUnknown, WriteFailed.
        """
        turn, done, receipt = self._find(turn_id, call)
        change = turn.change_of(done)
        kept = change.receipt if change and change.state == "kept" else None
        made = self._around.store.undo(kept or receipt, author=Author.OWNER)
        self._record(done, "standing" if kept and kept != receipt else "undone")
        return made

    def redo(self, turn_id: str, call: str) -> Receipt | None:
        """Redo an undone change. None: already applied. Raises as ``undo``."""
        _turn, done, receipt = self._find(turn_id, call)
        inverse = replace(receipt, before=receipt.after, after=receipt.before)
        made = self._around.store.undo(inverse, author=Author.OWNER)
        self._record(done, "standing")
        return made

    def kept(self, turn_id: str, call: str, made: Receipt | None) -> None:
        """Record that a redacted secret was restored by ``made``; None: it was present already. Also in a superseded
        turn.
        """
        for done in self._transcript.entries:
            if isinstance(done, ToolCompleted) and (done.turn, done.call_id) == (turn_id, call) and done.receipt:
                self._record(done, "kept", made or done.receipt)
                return

    def follow(self, restored: Receipt) -> None:
        """Update states after a file version was restored, which undoes or redoes a change made here."""
        for turn in self._folded().with_receipts():
            for done in turn.tools:
                receipt = done.receipt
                if receipt is None or receipt.file != restored.file:
                    continue
                change, state = turn.change_of(done), turn.state_of(done)
                latest = (change.receipt if change and state == "kept" else None) or receipt
                if state == "undone":
                    if receipt.after == restored.after:
                        self._record(done, "standing")
                elif (receipt.before, latest.after) == (restored.after, restored.before):
                    self._record(done, "undone")
                elif (latest.before, latest.after) == (restored.after, restored.before):
                    self._record(done, "standing")  # only the secret is gone again

    def last(self) -> tuple[Turn, ToolCompleted] | None:
        """Return the newest change that is not undone: the last one recorded, whichever turn it belongs to."""
        standing = {
            done.id: (turn, done)
            for turn in self._folded().with_receipts()
            for done in turn.tools
            if done.receipt is not None and turn.state_of(done) in ("standing", "kept")
        }
        return next((standing[each.id] for each in reversed(self._transcript.entries) if each.id in standing), None)

    def _find(self, turn_id: str, call: str) -> tuple[Turn, ToolCompleted, Receipt]:
        for turn in self._folded().with_receipts():
            for done in turn.tools:
                if turn.id == turn_id and done.call_id == call and done.receipt is not None:
                    return turn, done, done.receipt
        raise UnknownReceipt

    def _record(self, done: ToolCompleted, state: ReceiptState, receipt: Receipt | None = None) -> None:
        at = self._around.clock.now().isoformat()
        entry = ReceiptChanged(id=new_id(), at=at, turn=done.turn, done=done.id, state=state, receipt=receipt)
        self._transcript.append(entry, durable=True)
        self._around.emit(ReceiptsChanged(conversation=self._transcript.id))
