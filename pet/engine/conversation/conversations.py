"""All conversations of a pet: which are live, which lie on disk, and the pause over them."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from threading import RLock

from pet.access.policy import ConversationGate, PetGate
from pet.engine.conversation.conversation import LiveConversation
from pet.engine.services import EngineServices
from pet.errors import PetError, WriteFailed
from pet.events import BrainPaused, ConversationChanged, ConversationDeleted
from pet.model import Receipt
from pet.transcripts.entries import Entry, MemorySet, UserMessage
from pet.transcripts.store import ConversationSummary, TranscriptStore

_log = logging.getLogger(__name__)


def sent_with(entries: Iterable[Entry]) -> set[str]:
    """The ids of all attachments that any of these messages ever carried."""
    said = (entry for entry in entries if isinstance(entry, UserMessage))
    return {each.id for message in said for each in message.attachments}


class Conversations:
    """Opens each conversation once, so that its gate is one object for every asker."""

    def __init__(self, transcripts: TranscriptStore, pet_gate: PetGate, around: EngineServices) -> None:
        self._transcripts = transcripts
        self._gate = pet_gate
        self._around = around
        self._lock = RLock()
        self._live: dict[str, LiveConversation] = {}

    @property
    def paused(self) -> bool:
        return self._gate.paused

    def saved(self) -> list[ConversationSummary]:
        """Newest first, those on disk; temporary conversations leave nothing there."""
        return self._transcripts.list()

    def holds(self, conversation_id: str) -> bool:
        """Whether it is there: open, or as a file, be it one that can't be read."""
        with self._lock:
            return conversation_id in self._live or self._transcripts.exists(conversation_id)

    def live(self) -> list[LiveConversation]:
        with self._lock:
            return list(self._live.values())

    def create(self, *, memory: bool, temporary: bool = False) -> LiveConversation:
        transcript = self._transcripts.create(memory=memory and not temporary, temporary=temporary)
        gate = ConversationGate(self._gate, memory=memory, temporary=temporary)
        with self._lock:
            conversation = self._live[transcript.id] = LiveConversation(transcript, gate, self._around)
        self._around.emit(ConversationChanged(conversation=conversation.id))
        return conversation

    def open(self, conversation_id: str) -> LiveConversation:
        """The live conversation, its switch where the transcript says. Raises UnknownConversation."""
        with self._lock:
            if conversation_id not in self._live:
                transcript = self._transcripts.open(conversation_id)
                gate = ConversationGate(self._gate, memory=_switched_on(transcript.entries))
                self._live[conversation_id] = LiveConversation(transcript, gate, self._around)
            return self._live[conversation_id]

    def delete(self, conversation_id: str) -> None:
        """Delete the transcript. Raises UnknownConversation, or TurnRunning while it replies."""
        with self._lock:
            conversation = self.open(conversation_id)
            conversation.retire()
            sent = sent_with(conversation.transcript.entries)
            del self._live[conversation_id]
            try:
                if conversation.transcript.stored:
                    self._transcripts.delete(conversation_id)
            except WriteFailed:
                self._live[conversation_id] = conversation
                conversation.retire(False)
                raise
            try:
                self._around.attachments.release(conversation_id, sent)
            except WriteFailed as failure:  # they are named by nobody now: the daily care tries again
                _log.warning("attachments left: %s", failure)
        self._around.emit(ConversationDeleted(conversation=conversation_id))

    def on_deleted_elsewhere(self, conversation_id: str) -> None:
        """Another program of this pet has deleted it: a turn that runs ends, and the windows show it no longer."""
        with self._lock:
            live = self._live.get(conversation_id)
            if (live is not None and not live.transcript.stored) or self._transcripts.exists(conversation_id):
                return
            self._live.pop(conversation_id, None)
        if live is not None:
            live.close()
        self._around.emit(ConversationDeleted(conversation=conversation_id))

    def follow_restored(self, receipt: Receipt) -> list[str]:
        """A version of a file was restored: the receipts of the conversations that wrote what it replaced or brought
        back say so. Returns these conversations."""
        versions = {receipt.before, receipt.after}
        history = self._around.store.history(receipt.file)
        sources = (kept.source for kept in history if kept.source is not None and kept.version in versions)
        found: list[str] = []
        for conversation in dict.fromkeys(source.conversation for source in sources):
            try:
                self.open(conversation).receipts.follow(receipt)
            except PetError as failure:  # deleted since, or not to be written: the file itself is restored
                _log.info("a receipt was not updated: %s", failure.error_code)
            else:
                found.append(conversation)
        return found

    def pause(self, paused: bool, record: Callable[[], None] = lambda: None) -> None:
        """Force every tab OFF, or let the switches speak again.

        ``record`` runs after the running turns were closed and before the pause is announced.
        """
        self._gate.pause(paused)
        try:
            for conversation in self.live():
                conversation.memory_may_have_closed()
            record()
        finally:
            self._around.emit(BrainPaused(paused=paused))

    def close(self) -> None:
        for conversation in self.live():
            conversation.close()


def _switched_on(entries: tuple[Entry, ...]) -> bool:
    """Where the switch stands by the transcript; one that never says it is OFF."""
    return next((entry.memory for entry in reversed(entries) if isinstance(entry, MemorySet)), False)
