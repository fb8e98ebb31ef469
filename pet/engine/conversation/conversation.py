"""A live conversation: transcript, gate and running turn.

Implements the owner's acts: send, stop, resend, continue, flip the switch, answer a proposal. Thread-safe; each act
is in the transcript before anything leaves the machine. Jobs run in ``job_runner``; the opening question is in
``opening_question``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from threading import Lock, RLock

from pet.access.policy import ConversationGate, MemoryMode, TurnGate
from pet.engine.compaction.job import CompactionJob
from pet.engine.compaction.plan import plan_when_asked
from pet.engine.conversation.job_runner import JobRunner
from pet.engine.conversation.memory_switch import MemorySwitch
from pet.engine.conversation.opening_question import OpeningQuestion
from pet.engine.conversation.owner_notes import save_message
from pet.engine.conversation.proposals import OpenProposals
from pet.engine.conversation.turn_edits import TurnEdits
from pet.engine.receipts import Receipts
from pet.engine.services import EngineServices
from pet.engine.turn_context import TurnContext, build_turn_context
from pet.engine.turn.small_model import new_turn
from pet.engine.turn.turn import RunningTurn
from pet.errors import AttachmentRefused, EmptyContent, NothingToCompact, TurnRunning, UnknownConversation
from pet.events import ConversationChanged, EarlierDropped, TurnStarted
from pet.ids import new_id
from pet.model import Attachment, Decision, ModelChoice, Proposal, Receipt, TurnKind
from pet.transcripts.conversation.branch import branch_entries
from pet.transcripts.conversation.fold import fold, model_of, title_of
from pet.transcripts.conversation.model import Conversation
from pet.transcripts.records import entries
from pet.transcripts.records.entries import TranscriptEntry
from pet.transcripts.store import Transcript
from pet.transcripts.title import branch_title

_LONGEST_WISH = 1_000  # characters
_FLIP_POLL = 0.01  # seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationSnapshot:
    """State of a conversation at one instant; ``round`` and ``text`` are those of the streaming round."""

    conversation: Conversation
    seq: int
    running: str | None
    round: int
    text: str
    proposals: tuple[Proposal, ...]
    compacting: bool = False


class LiveConversation:
    """A conversation open in a tab or in the terminal."""

    def __init__(self, transcript: Transcript, gate: ConversationGate, around: EngineServices) -> None:
        self.id = transcript.id
        self.gate = gate
        self._transcript = transcript
        self._around = around
        self._lock = RLock()
        self._saving = Lock()
        self._written_down: set[str] = set()
        self._retired = False
        self._folded: tuple[tuple[TranscriptEntry, ...], str | None, Conversation] | None = None
        self.proposals = OpenProposals(self.id, around.emit)
        self._work = JobRunner(self.id, self._lock, around, self.proposals, title=lambda: self.title)
        self._opening = OpeningQuestion(transcript, around, self.folded)
        self._switch = MemorySwitch(
            transcript, gate, around, self._lock, self._check_there, self._work.memory_may_have_closed
        )
        self.receipts = Receipts(transcript, around, self.folded)
        self.turns = TurnEdits(transcript, around, self.folded, self._lock, self._check_free)

    @property
    def transcript(self) -> Transcript:
        return self._transcript

    @property
    def running_turn(self) -> str | None:
        return self._work.turn

    @property
    def title(self) -> str:
        return title_of(self._transcript.entries)

    def folded(self) -> Conversation:
        """Return the current folded conversation, including the running turn."""
        told, running = self._transcript.entries, self.running_turn
        kept = self._folded
        if kept is None or kept[0] is not told or kept[1] != running:  # the same tuple while nothing is new
            kept = self._folded = (told, running, fold(told, running=running))
        return kept[2]

    def snapshot(self, mark: Callable[[], int]) -> ConversationSnapshot:
        """Return the conversation's state, with ``mark`` evaluated at the same instant.

        Taken on the engine's thread, since a running turn's events are emitted there.
        """
        self.folded()  # on this thread, where it takes longest
        return self._around.loop.submit(self._look(mark)).result(timeout=10)

    async def _look(self, mark: Callable[[], int]) -> ConversationSnapshot:
        self._switch.sync()
        while True:
            with self._lock:
                if self._switch.announced:  # a flip recorded but not yet announced would count twice
                    return self._look_now(mark())
            await asyncio.sleep(_FLIP_POLL)

    def _look_now(self, seq: int) -> ConversationSnapshot:
        round_, text = self._work.streaming
        return ConversationSnapshot(
            conversation=self.folded(),
            seq=seq,
            running=self._work.turn,
            round=round_,
            text=text,
            proposals=tuple(self.proposals.list_open()),
            compacting=self._work.compacting,
        )

    # --- saying things --------------------------------------------------------------------------

    def send(self, text: str, attachments: tuple[Attachment, ...] = ()) -> str:
        """Store the owner's message and start a turn. Return its id immediately.

        Raises EmptyContent, AttachmentRefused for a memory file while memory is off, or TurnRunning during a reply.
        """
        if not text.strip() and not attachments:
            raise EmptyContent(file="")
        return self._start(text, "message", None, attachments)

    def resend(self, turn_id: str, text: str | None, attachments: tuple[Attachment, ...] | None = None) -> str:
        """Supersede a turn and all later ones: with ``text`` edit and resend, without it regenerate.

        ``attachments`` None: unchanged. Raises as ``send``.
        """
        turn = self.folded().turn(turn_id)
        sent = turn.attachments if attachments is None else attachments
        if not (turn.text if text is None else text).strip() and not sent:
            raise EmptyContent(file="")
        if text is not None:
            return self._start(text, "edit", turn_id, sent)
        # Regenerating a "continue" request keeps its kind: it is not the owner's text, so no bubble and no title.
        return self._start(turn.text, "continue" if turn.kind == "continue" else "regenerate", turn_id, sent)

    def continue_turn(self, turn_id: str) -> str:
        """Continue a reply that was cut or stopped: sends a fixed request, no prefill."""
        self.folded().turn(turn_id)
        return self._start(self._around.prompting.texts()("engine.continue"), "continue", None)

    def get_acquainted(self) -> str:
        """Let the pet speak first: it asks the owner's name and its own. Return the turn's id. Raises TurnRunning.

        Sends a fixed request, which is not shown, as ``continue_turn`` does.
        """
        texts = self._around.prompting.texts()
        turn = self._start(texts("engine.acquaint"), "continue", None)
        if not self.gate.temporary:
            self.rename(texts("engine.acquaint_title"))
        return turn

    def open_with(self, text: str, about: str) -> None:
        """Show the pet's question above the first message. Stored with the owner's first message.

        ``about``: the whole note the question refers to.
        """
        with self._lock:
            self._opening.ask(text, about)

    @property
    def opening(self) -> str:
        """Return the pet's question before the first message; "" in most conversations."""
        return self._opening.asked()[0]

    async def get_ready(self) -> None:
        """The owner may write here next: let a small model of this computer read ahead. On the engine's thread."""
        turn = await asyncio.to_thread(self._next_turn)
        if turn is not None:
            await turn.get_ready()

    def _next_turn(self) -> RunningTurn | None:
        """As the next message would start one; None while something runs."""
        with self._lock:
            if self._retired or self._work.busy:
                return None
            turns = self.folded().turns
            said = turns[-1].text if turns else ""
            return new_turn(self._context(self.gate.begin_turn(), "", said, running=False))

    def stop(self) -> None:
        """Stop the running turn; no effect if none runs."""
        self._work.stop()

    def wait(self, timeout: float | None = None) -> None:
        """Wait until the running turn has ended; for the terminal and for tests."""
        self._work.wait(timeout)

    # --- the memory switch -----------------------------------------------------------------------

    def set_memory(self, memory: bool | MemoryMode) -> None:
        """Move the memory switch: less access takes effect immediately, more with the next message. READ ends a
        running turn that began ON as OFF does.

        Once OFF returns, no request of this conversation with memory leaves any process. Raises UnknownConversation,
        WriteFailed (OFF still holds until the program ends), MemoryInFlight (OFF is recorded, but a request of
        another process could not be stopped yet).
        """
        self._switch.move(MemoryMode.of(memory))

    def memory_may_have_closed(self) -> None:
        """The switch or the pet's pause may have gone OFF: cancels an open tool loop before returning."""
        self._work.memory_may_have_closed()

    def keep(self) -> None:
        """Give an empty conversation a file, so that a tab with a draft survives a restart."""
        with self._lock:
            self._check_there()
            if not self.gate.temporary and not self._transcript.stored:
                self._switch.record(self.gate.memory_mode, self._now(), durable=False)
                self._opening.keep()

    def drop_earlier(self) -> None:
        """Drop earlier messages from requests; they stay in the transcript."""
        with self._lock:
            self._check_there()
            at = self._now()
            self._transcript.append(entries.ContextCleared(id=new_id(), at=at), durable=True)
            self._around.emit(EarlierDropped(conversation=self.id, at=at))

    def branch(self, turn_id: str) -> list[TranscriptEntry]:
        """Return the entries of a new conversation that starts with this one up to the turn. Raises UnknownTurn, or
        TurnRunning if that turn is.
        """
        with self._lock:
            self._check_there()
            if self.folded().turn(turn_id).end is None:
                raise TurnRunning()
            self._switch.sync()
            return branch_entries(
                self._transcript.entries,
                self.folded(),
                turn_id,
                memory_mode=self.gate.memory_mode,
                title=branch_title(self.title),
                at=self._now(),
            )

    # --- other acts -----------------------------------------------------------------------------

    def compact(self, wish: str = "") -> None:
        """Start a compaction; returns immediately. ``wish``: what the owner wants of the summary, in their words.
        Raises TurnRunning, NothingToCompact."""
        around = self._around
        with self._lock:
            self._check_free()
            gate = self.gate.begin_turn()
            conversation = self.folded()
            settings = around.models.limits(around.models.in_use(conversation.model)).settings
            plan = plan_when_asked(conversation, gate.started, settings)
            if plan is None:
                raise NothingToCompact()
            plan = replace(plan, wish=wish.strip()[:_LONGEST_WISH])
            last = conversation.turns[-1].id
            self._work.begin_compacting(CompactionJob(self._context(gate, last, "", running=False), plan))

    def remember_turn(self, turn_id: str, *, switch_on: bool = False) -> Receipt | None:
        """Save the owner's message of a turn to today's log, on the owner's request.

        Returns None if it was saved before. ``switch_on``: turn memory on first. Raises ConversationTemporary,
        UnknownTurn, WriteFailed.
        """
        self.gate.check_keeps()
        self.folded().turn(turn_id)
        if switch_on:
            self.set_memory(True)
        with self._saving:  # of two clicks the second sees what the first has written
            return save_message(self._around, self._transcript, self.folded().turn(turn_id))

    def answer(self, proposal_id: str, decision: Decision) -> None:
        """Answer a proposal. Raises UnknownProposal if it is no longer open."""
        self._around.loop.submit(self._answer(proposal_id, decision)).result(timeout=10)

    def rename(self, title: str) -> None:
        """Set the title: one line of at most 200 characters. Raises UnknownConversation, WriteFailed."""
        self._check_there()
        title = " ".join(title.split())[:200]
        self._transcript.append(entries.TitleSet(id=new_id(), at=self._now(), title=title), durable=True)
        self._around.emit(ConversationChanged(conversation=self.id, title=self.title))

    @property
    def model(self) -> ModelChoice | None:
        """The model chosen for this conversation; None: its pet's, or the default."""
        return model_of(self._transcript.entries)

    def choose_model(self, choice: ModelChoice | None) -> None:
        """Use this model from the next message on. Raises UnknownConversation, WriteFailed."""
        with self._lock:
            self._check_there()
            self.keep()
            self._transcript.append(entries.ModelSet(id=new_id(), at=self._now(), choice=choice), durable=True)
            self._around.emit(ConversationChanged(conversation=self.id, title=self.title))

    def close(self) -> None:
        """Refuse open proposals and stop the turn; recorded in the transcript."""
        self._work.close()

    def rest(self) -> None:
        """Let go of the messages in memory unless it is in use; they are read again when they are asked for."""
        if not self._lock.acquire(blocking=False):
            return
        try:
            if not self._work.busy:
                self._folded = None
                self._switch.rest()
                self._transcript.rest()
        finally:
            self._lock.release()

    def retire(self, retired: bool = True) -> None:
        """Block further appends before deletion. Raises TurnRunning during a reply."""
        with self._lock:
            if retired:
                self._work.raise_if_busy()
            self._retired = retired

    # --- inside ---------------------------------------------------------------------------------

    def _check_there(self) -> None:
        if self._retired:
            raise UnknownConversation()

    def _check_free(self) -> None:
        self._check_there()
        self._work.raise_if_busy()

    def _memory_files(self, attachments: tuple[Attachment, ...]) -> tuple[str, ...]:
        """Return the ids of those that are memory files, or were when they were sent before. Raises AttachmentRefused
        for one while memory is off; each request asks once more.
        """
        found = self._around.attachments.gated(attachments, marked=True)
        if found and not self.gate.access().replays_gated:
            raise AttachmentRefused("memory_off", name=found[0].name)
        return tuple(each.id for each in found)

    def _start(
        self, text: str, kind: TurnKind, supersedes: str | None, attachments: tuple[Attachment, ...] = ()
    ) -> str:
        around = self._around
        with self._lock:
            self._check_free()
            memory_files = self._memory_files(attachments)
            turn_id = new_id()
            gate = self.gate.begin_turn()
            at = self._now()
            said = entries.UserMessage(
                id=new_id(),
                at=at,
                turn=turn_id,
                text=text,
                context=around.prompting.message_context() + self._opening.context(supersedes, gate),
                memory=gate.started.learns,
                read_only=gate.started.memory and not gate.started.learns,
                turn_kind=kind,
                supersedes=supersedes,
                attachments=attachments,
                memory_files=memory_files,
            )
            self._opening.keep()
            self._transcript.append(said, durable=True)
            words = text if kind != "continue" else ""
            turn = new_turn(self._context(gate, turn_id, words, running=True))
            around.emit(
                TurnStarted(
                    conversation=self.id,
                    turn=turn_id,
                    at=at,
                    text=text,
                    memory=gate.started.learns,
                    supersedes=supersedes,
                    kind=kind,
                    attachments=list(attachments),
                )
            )
            self._work.begin_turn(turn_id, turn)
        around.emit(ConversationChanged(conversation=self.id, title=self.title))
        return turn_id

    def _context(self, gate: TurnGate, turn_id: str, said: str, *, running: bool) -> TurnContext:
        return build_turn_context(
            self._around,
            self._transcript,
            gate,
            turn=turn_id,
            said=said,
            running=running,
            emit=self._work.emit,
            confirm=partial(self.proposals.ask, turn_id),
            written_down=self._written_down,
        )

    async def _answer(self, proposal_id: str, decision: Decision) -> None:
        self.proposals.answer(proposal_id, decision)

    def _now(self) -> str:
        return self._around.clock.now().isoformat()
