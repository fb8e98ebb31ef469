"""Registry of a pet's conversations: live ones, stored ones, and the global pause."""

from __future__ import annotations

import logging
from collections.abc import Callable
from threading import RLock

from pet.access import Access, ConversationGate, MemoryMode, PetGate
from pet.engine.conversation import LiveConversation
from pet.engine.large_model import files_to_send
from pet.engine.models import small_way
from pet.engine.recall import days_for_message
from pet.engine.services import EngineServices
from pet.engine.system_prompt import PromptView, system_prompt
from pet.errors import PetError, UnknownTurn, WriteFailed
from pet.events import ConversationChanged, ConversationDeleted, MemoryPaused
from pet.ids import new_id
from pet.model import ContextPart, Receipt, Source, ToolSpec
from pet.prompt.context import SentFiles, recent_days_context, time_context
from pet.settings.schema import changed
from pet.tools.toolset import tool_specs
from pet.transcripts.entries import MemorySet, TitleSet, TranscriptEntry, UserMessage
from pet.transcripts.store import ConversationSummary, TranscriptStore
from pet.workspace.gated_files import GatedFiles

_log = logging.getLogger(__name__)
_NEXT = ""  # placeholder for the id of the next turn
_MOST_LOADED = 30  # conversations whose messages stay in memory, the last used


class Conversations:
    """Registry that opens each conversation once, so that all callers share one gate."""

    def __init__(self, transcripts: TranscriptStore, pet_gate: PetGate, services: EngineServices) -> None:
        self._transcripts = transcripts
        self._gate = pet_gate
        self._services = services
        self._lock = RLock()
        self._live: dict[str, LiveConversation] = {}

    @property
    def paused(self) -> bool:
        return self._gate.paused

    def saved(self) -> list[ConversationSummary]:
        """Return the stored conversations, newest first; temporary ones are not stored."""
        return self._transcripts.list()

    def holds(self, conversation_id: str) -> bool:
        """Whether it exists: live, or as a file, even an unreadable one."""
        with self._lock:
            return conversation_id in self._live or self._transcripts.exists(conversation_id)

    def live(self) -> list[LiveConversation]:
        """Return the conversations that are open in this program."""
        with self._lock:
            return list(self._live.values())

    def create(self, *, memory: bool | MemoryMode, temporary: bool = False, reads: bool = False) -> LiveConversation:
        """Make an empty conversation and announce it. Its file is written with the first message; a temporary one has
        none. ``reads``: memory is read only in a temporary one, instead of OFF."""
        gate = ConversationGate(self._gate, memory=memory, temporary=temporary, reads=reads)
        transcript = self._transcripts.create(memory=gate.memory_mode, temporary=temporary)
        with self._lock:
            conversation = self._live[transcript.id] = LiveConversation(transcript, gate, self._services)
        self._services.emit(ConversationChanged(conversation=conversation.id))
        return conversation

    def branch(self, conversation_id: str, turn_id: str) -> LiveConversation:
        """Create a conversation that starts with another's turns up to ``turn_id``; of a temporary one it is
        temporary too. Raises UnknownConversation, UnknownTurn, TurnRunning, WriteFailed.
        """
        source = self.open(conversation_id)
        entries = source.branch(turn_id)
        if source.gate.temporary:
            branched = self.create(memory=MemoryMode.OFF, temporary=True)
            for entry in entries:
                branched.transcript.append(entry)
            self._services.attachments.share(conversation_id, branched.id)
        else:
            id_ = new_id()
            self._transcripts.add_whole(id_, self._services.clock.now().isoformat(), entries)
            branched = self.open(id_)
        self._services.emit(ConversationChanged(conversation=branched.id, title=branched.title))
        return branched

    def keep(self, conversation_id: str) -> LiveConversation:
        """Store a copy of a temporary conversation, with its attachments, as an ordinary one with the same memory
        mode, and return it. Raises UnknownConversation, UnknownTurn for an empty one, TurnRunning, WriteFailed.
        """
        source = self.open(conversation_id)
        turns = source.folded().turns
        if not source.gate.temporary:
            return source
        if not turns:
            raise UnknownTurn
        entries = source.branch(turns[-1].id)
        title = TitleSet(id=new_id(), at=source.record.now(), title=source.title)
        self._services.attachments.keep(conversation_id)
        id_ = new_id()
        self._transcripts.add_whole(id_, self._services.clock.now().isoformat(), [*entries, title])
        kept = self.open(id_)
        self._services.emit(ConversationChanged(conversation=kept.id, title=kept.title))
        return kept

    def open(self, conversation_id: str) -> LiveConversation:
        """Return the live conversation, its switch as recorded in the transcript. Raises UnknownConversation."""
        with self._lock:
            if conversation_id not in self._live:
                transcript = self._transcripts.open(conversation_id)
                gate = ConversationGate(self._gate, memory=_switch_of(transcript.entries))
                self._live[conversation_id] = LiveConversation(transcript, gate, self._services)
            live = self._live[conversation_id] = self._live.pop(conversation_id)  # the last used is the last
            long_unused = list(self._live.values())[-_MOST_LOADED - 1 : -_MOST_LOADED]
        for each in long_unused:
            each.release()
        return live

    def find(self, conversation_id: str | None) -> LiveConversation | None:
        """Return the conversation as ``open`` does, or None if it can't be opened."""
        if conversation_id is None:
            return None
        try:
            return self.open(conversation_id)
        except PetError:
            return None

    def preview_prompt(
        self, conversation_id: str | None, *, memory: bool | MemoryMode, mode: str | None = None
    ) -> PromptView:
        """Return the prompt of the conversation's next request with this memory mode; None: of a new one's first.
        ``mode``: another prompt mode. Changes nothing. Raises UnknownConversation."""
        services, live = self._services, self.open(conversation_id) if conversation_id is not None else None
        gate = ConversationGate(PetGate(), memory=memory).begin_turn()
        access, files = gate.started, GatedFiles(services.store, gate, Source(conversation="", turn=""))
        texts, visible = services.effective.texts(), files.snapshot().visible(access)
        conversation = live.folded() if live is not None else None
        last = conversation.turns[-1] if conversation is not None and conversation.turns else None
        context = last.context if last is not None else _first_context(services, files, access)
        limits = services.models.limits(services.effective.in_use(live.model if live is not None else None))
        carried, small = SentFiles(key=None, base=visible), small_way()
        tools: tuple[ToolSpec, ...] = ()
        if limits.notebook is not None and small is not None:
            sections = tuple(small.sections(visible, limits.notebook, texts))
            blocks = ["".join(section.text for section in sections)]
        else:
            skills, settings = services.skills.offered(), limits.settings
            settings = settings if mode is None else changed(settings, {"prompt_mode": mode})
            if live is not None and conversation is not None:
                mark = services.store.forgotten.mark()
                carried = files_to_send(
                    services, live.warm, conversation, visible, settings, skills, mark, following=_NEXT
                )
            prompt = system_prompt(services, settings, carried.base, skills)
            sections, blocks = prompt.sections, [block.text for block in prompt.blocks]
            tools = tool_specs(access, texts, skills)
        return PromptView(
            memory=access.learns,
            read_only=access.memory and not access.learns,
            blocks=blocks,
            sections=list(sections),
            tools=[tool.name for tool in tools],
            characters=sum(map(len, blocks)),
            tokens=sum(section.tokens for section in sections),
            changes=[part.text for part in carried.beside.values()],
            recall_way=last.recall_way if last is not None and memory is not False else "meaning",
            beside=[part.text for part in context if access.memory or not part.gated],
        )

    def delete(self, conversation_id: str) -> None:
        """Delete the transcript. Raises UnknownConversation, or TurnRunning during a reply."""
        with self._lock:
            conversation = self.open(conversation_id)
            with conversation.record.lock:
                conversation.end_notes()
                conversation.record.retire()
            messages = (entry for entry in conversation.transcript.entries if isinstance(entry, UserMessage))
            sent = {each.id for message in messages for each in message.attachments}
            del self._live[conversation_id]
            try:
                if conversation.transcript.stored:
                    self._transcripts.delete(conversation_id)
            except WriteFailed:
                self._live[conversation_id] = conversation
                conversation.record.retire(False)
                raise
            try:
                self._services.attachments.release(conversation_id, sent)
            except WriteFailed as failure:  # unreferenced now: daily maintenance retries
                _log.warning("attachments left: %s", failure)
        self._services.emit(ConversationDeleted(conversation=conversation_id))

    def on_deleted_elsewhere(self, conversation_id: str) -> None:
        """Cancel a running turn and close it in the windows, after another program deleted it."""
        with self._lock:
            live = self._live.get(conversation_id)
            if (live is not None and not live.transcript.stored) or self._transcripts.exists(conversation_id):
                return
            self._live.pop(conversation_id, None)
        if live is not None:
            live.close()
        self._services.emit(ConversationDeleted(conversation=conversation_id))

    def follow_restored(self, receipt: Receipt) -> list[str]:
        """Update receipts after a file version was restored, in the conversations that wrote the replaced or restored
        versions. Return those conversations.
        """
        versions = {receipt.before, receipt.after}
        history = self._services.store.history(receipt.file)
        sources = (kept.source for kept in history if kept.source is not None and kept.version in versions)
        followed: list[str] = []
        for conversation in dict.fromkeys(source.conversation for source in sources):
            try:
                self.open(conversation).receipts.follow(receipt)
            except PetError as failure:  # deleted since, or not writable: the file itself is restored
                _log.info("a receipt was not updated: %s", failure.error_code)
            else:
                followed.append(conversation)
        return followed

    def pause(self, paused: bool, record: Callable[[], None] = lambda: None) -> None:
        """Force memory OFF in every tab, or return control to the switches.

        ``record`` runs after the running turns were closed and before the pause is announced.
        """
        self._gate.pause(paused)
        try:
            for conversation in self.live():
                conversation.memory_may_have_closed()
            record()
        finally:
            self._services.emit(MemoryPaused(paused=paused))

    def close(self) -> None:
        """Stop all replies and refuse all open proposals."""
        for conversation in self.live():
            conversation.close()


def _first_context(services: EngineServices, files: GatedFiles, access: Access) -> tuple[ContextPart, ...]:
    """Return the context of a conversation's first message, without what is recalled for it."""
    now, texts = services.clock.now(), services.effective.texts()
    days = days_for_message(files, now.date()) if access.recalls else []
    return (time_context(now, texts), *([recent_days_context(days, texts)] if days else []))


def _switch_of(entries: tuple[TranscriptEntry, ...]) -> MemoryMode:
    """Return the switch's last position in the transcript; OFF if it has none."""
    return next((entry.memory_mode for entry in reversed(entries) if isinstance(entry, MemorySet)), MemoryMode.OFF)
