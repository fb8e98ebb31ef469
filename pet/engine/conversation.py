"""A live conversation: transcript, gate and the job that runs, a turn or a compaction.

Implements the owner's acts: send, stop, resend, continue, flip the switch, answer a proposal. Thread-safe; each act
is in the transcript before anything leaves the machine.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import wait as wait_for
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from itertools import takewhile
from threading import Lock
from typing import Literal

from pet.access import ConversationGate, MemoryMode, TurnGate
from pet.engine.cancellation import CancelScope
from pet.engine.compaction import CompactionJob, NotesJob, memory_on_turns, plan_manual
from pet.engine.conversation_record import ConversationRecord, RunningJob, TranscriptWriter
from pet.engine.document_pages import DocumentPages
from pet.engine.large_model import LargeModel
from pet.engine.memory_switch import MemorySwitch
from pet.engine.message_history import MessageHistory
from pet.engine.models import LocalModelLimits, small_way, turn_limits
from pet.engine.receipts import Receipts, save_message
from pet.engine.services import EngineServices
from pet.engine.turn import RunningTurn
from pet.engine.turn_context import ReplyStrategy, TurnContext, TurnProgress, WarmPrompt
from pet.errors import (
    AttachmentRefused,
    BadArguments,
    EmptyContent,
    NothingToCompact,
    PetError,
    TurnRunning,
    UnknownProposal,
)
from pet.events import ErrorInfo, Event, ProposalAsked, ProposalClosed, TurnStarted
from pet.extra import is_provided, switches
from pet.ids import new_id
from pet.memory.store.daily_log import agent_of
from pet.model import (
    Allowed,
    Attachment,
    Decision,
    ForeignSource,
    ModelChoice,
    Proposal,
    Receipt,
    Refused,
    Source,
    TurnKind,
)
from pet.prompt.context import time_context
from pet.providers.endpoint import host_of
from pet.providers.quirks import goes_back
from pet.text.token_estimate import estimate_tokens
from pet.tools.approval import allowed_sources
from pet.transcripts.conversation import Conversation
from pet.transcripts.entries import TranscriptEntry, UserMessage
from pet.transcripts.foreign import in_request, of_message, source, union
from pet.transcripts.store import Transcript
from pet.workspace.gated_files import GatedFiles

_log = logging.getLogger(__name__)
_LONGEST_WISH = 1_000  # characters
_FLIP_POLL = 0.01  # seconds
_WORTH_NOTES = 20  # estimated tokens of the owner's messages


Job = RunningTurn | CompactionJob | NotesJob


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


class OpenProposals:
    """The open proposals of a conversation. On the engine's thread; ``list_open`` from any."""

    def __init__(self, conversation: str, emit: Callable[[Event], object]) -> None:
        self._conversation = conversation
        self._emit = emit
        self._open: dict[str, tuple[Proposal, asyncio.Future[Decision]]] = {}

    def list_open(self) -> list[Proposal]:
        """Return the proposals that wait for the owner, oldest first; from any thread."""
        return [proposal for proposal, _ in list(self._open.values())]

    async def ask(self, turn: str, proposal: Proposal) -> Decision:
        """Show the proposal and wait for the decision, without a time limit; hiding the window leaves it pending."""
        answer: asyncio.Future[Decision] = asyncio.get_running_loop().create_future()
        self._open[proposal.id] = (proposal, answer)
        self._emit(ProposalAsked(conversation=self._conversation, turn=turn, proposal=proposal))
        decision: Decision = Refused(why="stopped")
        try:
            decision = await answer
            return decision
        finally:
            self._open.pop(proposal.id, None)
            self._emit(
                ProposalClosed(
                    conversation=self._conversation, turn=turn, proposal=proposal.id, outcome=_outcome(decision)
                )
            )

    def answer(self, proposal_id: str, decision: Decision) -> None:
        """Pass on the decision. Raises UnknownProposal if it is not open."""
        if proposal_id not in self._open:
            raise UnknownProposal()
        future = self._open[proposal_id][1]
        if not future.done():
            future.set_result(decision)

    def refuse_all(self, why: Literal["stopped", "closed", "memory_off"]) -> None:
        """Refuse all open proposals. On the engine's thread."""
        for _, future in list(self._open.values()):
            if not future.done():
                future.set_result(Refused(why=why))


def _outcome(decision: Decision) -> Literal["allowed", "edited", "refused"]:
    if isinstance(decision, Allowed):
        return "edited" if decision.edited else "allowed"
    return "refused"


class LiveConversation:
    """A conversation open in a tab or in the terminal."""

    def __init__(self, transcript: Transcript, gate: ConversationGate, services: EngineServices) -> None:
        self.id = transcript.id
        self.gate = gate
        self.transcript = transcript
        self._services = services
        self.record = record = ConversationRecord(transcript, services)
        self._lock = record.lock  # held while an act is checked and recorded, and while a job starts or ends
        self._saving = Lock()
        self._written_down: set[str] = set()
        self.warm = WarmPrompt()
        self._switch = MemorySwitch(record, gate, services, self.memory_may_have_closed)
        self.proposals = OpenProposals(self.id, services.emit)
        self.receipts = Receipts(record, services)
        self.documents = DocumentPages(record, gate, services)

    @property
    def running_turn(self) -> str | None:
        return self.record.running_turn

    @property
    def title(self) -> str:
        return self.record.title

    @property
    def model(self) -> ModelChoice | None:
        """The model chosen for this conversation; None: its pet's, or the default."""
        return self.record.model

    @property
    def opening(self) -> str:
        """Return the pet's question before the first message; "" in most conversations."""
        return self.record.opening_question()[0]

    def folded(self) -> Conversation:
        """Return the current folded conversation, including the running turn."""
        return self.record.folded()

    def snapshot(self, mark: Callable[[], int]) -> ConversationSnapshot:
        """Return the conversation's state, with ``mark`` evaluated at the same instant.

        Taken on the engine's thread, since a running turn's events are emitted there.
        """
        self.record.folded()  # on this thread, where it takes longest
        return self._services.loop.submit(self._take_snapshot(mark)).result(timeout=10)

    async def _take_snapshot(self, mark: Callable[[], int]) -> ConversationSnapshot:
        self._switch.sync()
        while True:
            with self._lock:
                if self._switch.announced:  # a flip recorded but not yet announced would count twice
                    return self._snapshot_now(mark())
            await asyncio.sleep(_FLIP_POLL)

    def _snapshot_now(self, seq: int) -> ConversationSnapshot:
        running = self.record.running
        round_, text = running.job.streaming if running else (0, "")
        return ConversationSnapshot(
            conversation=self.record.folded(),
            seq=seq,
            running=self.running_turn,
            round=round_,
            text=text,
            proposals=tuple(self.proposals.list_open()),
            compacting=running is not None and running.job.compacting,
        )

    # --- sending --------------------------------------------------------------------------------

    def prepare(self, draft: str) -> None:
        """Prepare recall for a message that is being typed, while the switch allows recall. Returns at once."""
        self._services.index.prepare(draft if self.gate.access().recalls else "")

    def send(self, text: str, attachments: tuple[Attachment, ...] = ()) -> str:
        """Store the owner's message and start a turn. Return its id immediately.

        Raises EmptyContent, AttachmentRefused for a memory file while memory is off, or TurnRunning during a reply.
        """
        if not text.strip() and not attachments:
            raise EmptyContent(file="")
        return self._start(
            text, "message", None, self.documents.with_pages(text, attachments, self.record.folded().turns)
        )

    def resend(self, turn_id: str, text: str | None, attachments: tuple[Attachment, ...] | None = None) -> str:
        """Supersede a turn and all later ones: with ``text`` edit and resend, without it regenerate.

        ``attachments`` None: unchanged. Raises as ``send``.
        """
        turn = self.record.folded().turn(turn_id)
        sent = turn.attachments
        if attachments is not None:
            same = {each.id: each for each in turn.attachments}  # with the pages that went along
            sent = self.documents.with_pages(text or turn.text, [same.get(each.id, each) for each in attachments])
        if not (turn.text if text is None else text).strip() and not sent:
            raise EmptyContent(file="")
        if text is not None:
            return self._start(text, "edit", turn_id, sent)
        # Regenerating a "continue" request keeps its kind: it is not the owner's text, so no bubble and no title.
        return self._start(turn.text, "continue" if turn.kind == "continue" else "regenerate", turn_id, sent)

    def continue_turn(self, turn_id: str) -> str:
        """Continue a reply that was cut or stopped: sends a fixed request, no prefill."""
        self.record.folded().turn(turn_id)
        return self._start(self._services.effective.texts()("engine.continue"), "continue", None)

    def get_acquainted(self) -> str:
        """Let the pet speak first: it asks the owner's name and its own. Return the turn's id. Raises TurnRunning.

        Sends a fixed request, which is not shown, as ``continue_turn`` does.
        """
        texts = self._services.effective.texts()
        turn = self._start(texts("engine.acquaint"), "continue", None)
        if not self.gate.temporary:
            self.record.rename(texts("engine.acquaint_title"))
        return turn

    def compact(self, wish: str = "") -> None:
        """Start a compaction; returns immediately. ``wish``: what the owner wants of the summary, in their words.
        Raises TurnRunning, NothingToCompact."""
        with self._lock:
            self.end_notes()
            self.record.check_free()
            gate = self.gate.begin_turn()
            conversation = self.record.folded()
            plan = plan_manual(conversation, gate.started)
            if plan is None:
                raise NothingToCompact()
            plan = replace(plan, wish=wish.strip()[:_LONGEST_WISH])
            self._begin(CompactionJob(self._context(gate, conversation.turns[-1].id, "", running=False), plan))

    def _start(
        self, text: str, kind: TurnKind, supersedes: str | None, attachments: tuple[Attachment, ...] = ()
    ) -> str:
        with self._lock:
            self.end_notes()
            self.record.check_free()
            memory_files = self._memory_files(attachments)
            turn_id = new_id()
            gate = self.gate.begin_turn()
            now = self._services.clock.now()
            at = now.isoformat()
            opening = self.record.opening_context(supersedes, gate)
            message = UserMessage(
                id=new_id(),
                at=at,
                turn=turn_id,
                text=text,
                context=(time_context(now, self._services.effective.texts()), *opening),
                memory=gate.started.learns,
                read_only=gate.started.memory and not gate.started.learns,
                turn_kind=kind,
                supersedes=supersedes,
                attachments=attachments,
                memory_files=memory_files,
                foreign=self._foreign(text, attachments, supersedes, opened=bool(opening)),
            )
            self.record.store_opening()
            self.transcript.append(message, durable=True)
            context = self._context(gate, turn_id, text if kind != "continue" else "", running=True)
            turn = RunningTurn(context, _strategy_of, _without_tools(context), on_sent=self.record.emit_changed)
            self._services.emit(
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
            self._begin(turn, turn_id)
        return turn_id

    def _foreign(
        self, text: str, attachments: tuple[Attachment, ...], supersedes: str | None, *, opened: bool
    ) -> tuple[ForeignSource, ...]:
        """Return what of others the requests of a new message carry."""
        conversation = self.record.folded()
        turns = takewhile(lambda turn: turn.id != supersedes, conversation.turns)
        agent = agent_of(self.record.opening_question()[1]) if opened else ""
        return union(
            in_request(replace(conversation, turns=tuple(turns))),
            of_message(text, attachments),
            (source("agent", agent),) if agent else (),
        )

    def _memory_files(self, attachments: tuple[Attachment, ...]) -> tuple[str, ...]:
        """Return the ids of attachments that are memory files, or were when they were sent before. Raises
        AttachmentRefused for one while memory is off; each request checks again.
        """
        gated = self._services.attachments.gated(attachments, marked=True) if attachments else []
        if gated and not self.gate.access().replays_gated:
            raise AttachmentRefused("memory_off", name=gated[0].name)
        return tuple(each.id for each in gated)

    def _context(self, gate: TurnGate, turn_id: str, message: str, *, running: bool) -> TurnContext:
        """Return the context of a turn; ``running`` False: for an act after that turn, with its full history. Its
        requests all go to the model that the conversation uses now."""
        services, record, upto = self._services, self.record, turn_id if running else None
        used = services.effective.in_use(record.folded(upto).model)
        texts, limits = services.effective.texts(), services.models.limits(used)
        sizes = services.sizes[limits.settings.model]
        return TurnContext(
            services=services,
            conversation=self.id,
            turn=turn_id,
            message=message,
            gate=gate,
            scope=CancelScope(gate),
            progress=TurnProgress(),
            files=GatedFiles(services.store, gate, Source(conversation=self.id, turn=turn_id)),
            used=used,
            history=MessageHistory(
                lambda: record.folded(upto),
                upto,
                texts,
                attachments=services.attachments,
                blind=lambda: sizes.blind,
                goes_back=lambda part: goes_back(part, host_of(limits.settings.base_url), limits.settings.model),
                demo=used.settings.demo,
            ),
            journal=TranscriptWriter(
                self.transcript,
                turn_id,
                services.clock,
                off=gate.was_revoked,
                read_only=gate.started.memory and not gate.started.learns,
            ),
            confirm=partial(self.proposals.ask, turn_id),
            texts=texts,
            settings=limits.settings,
            notebook=limits.notebook,
            sizes=sizes,
            written_down=self._written_down,
            warm=self.warm,
            emit=services.emit,
            provider=partial(services.provider, used, sizes, keep=not self.transcript.temporary),
            mark=partial(services.in_flight.marked, self.id),
        )

    # --- the running job ------------------------------------------------------------------------

    def _begin(self, job: Job, turn: str | None = None) -> None:
        """Start the job on the engine's thread. The caller holds the lock and has checked that none runs."""
        self.record.running = RunningJob(job, turn, self._services.loop.submit(self._run(job, turn)))

    async def _run(self, job: Job, turn: str | None) -> None:
        try:
            await job.run()
        except Exception as bug:  # noqa: BLE001  the boundary of a job: the chat must not wait for ever
            job.failed(ErrorInfo.of_bug(bug, job.name, _log))
        finally:
            with self._lock:
                # Idle before the last event, so that a listener may send at once.
                self.record.running = None
                self.record.job_ended.notify_all()
                if job.ended is not None:
                    self._services.emit(job.ended)
            if turn is not None:
                self.record.emit_changed()
        if isinstance(job, RunningTurn) and self.record.running is None:
            try:
                await job.strategy.after_turn()
            except Exception as bug:  # noqa: BLE001  as above; the turn has ended
                ErrorInfo.of_bug(bug, "reading ahead", _log)

    def stop(self) -> None:
        """Stop the running job; no effect if none runs."""
        running = self.record.running
        if running is not None:
            running.job.gate.stop()  # blocks writes at once, however busy the engine is
            self._services.loop.call(lambda: self._stop_now(running.job))

    def _stop_now(self, job: Job) -> None:
        job.stop()
        self.proposals.refuse_all("stopped")

    def take_notes(self, since: str, on_noted: Callable[[], object]) -> bool:
        """Start to note what is worth keeping of the turns that began after ``since``, an ISO time; return whether a
        model will be asked. ``on_noted``: called once it was.

        Only turns held with memory on, while it is on; not during a reply, and not with a model without tools.
        """
        with self._lock:
            gate = self.gate.begin_turn()
            if not (self.record.is_free and gate.started.learns):
                return False
            ended = [
                turn for turn in self.record.folded().turns if turn.at > since and turn.id not in self._written_down
            ]
            turns = memory_on_turns(ended)
            if sum(estimate_tokens(turn.text) for turn in turns if turn.kind != "continue") < _WORTH_NOTES:
                return False
            context = self._context(gate, turns[-1].id, "", running=False)
            if context.notebook is not None or context.settings.notes_when_asked:
                return False
            self._begin(NotesJob(context, turns, on_noted))
        return True

    def end_notes(self) -> None:
        """Stop ``take_notes``, and wait until nothing of it is written any more; none begin again while the caller
        holds the lock. Not on the engine's thread. Raises TurnRunning if they don't end in time."""
        with self._lock:
            while (running := self.record.running) is not None and running.job.yields:
                self.stop()
                if not self.record.job_ended.wait(10):
                    raise TurnRunning()

    def memory_may_have_closed(self) -> None:
        """Cancel, before returning, an open tool loop that lost access by the switch or the pet's pause."""
        running = self.record.running
        if running is not None:
            self._services.loop.call_now(lambda: self._close_memory_now(running.job))

    def _close_memory_now(self, job: Job) -> None:
        job.memory_closed()
        if job.gate.was_revoked():
            self.proposals.refuse_all("memory_off")

    def wait(self, timeout: float | None = None) -> None:
        """Wait until the running job has ended; for the terminal and for tests. Raises TimeoutError."""
        running = self.record.running
        if running is not None:
            running.done.result(timeout)

    def close(self) -> None:
        """Refuse open proposals and stop the job; recorded in the transcript."""
        running = self.record.running
        if running is not None:
            self._services.loop.call(lambda: self.proposals.refuse_all("closed"))
            self.stop()
            wait_for({running.done}, timeout=10)

    async def read_ahead(self) -> None:
        """Let a small model on this computer compute what the next message needs. On the engine's thread."""
        small = await asyncio.to_thread(self._next_small_model)
        if small is not None:
            await small.read_ahead()

    def _next_small_model(self) -> ReplyStrategy | None:
        with self._lock:
            if not self.record.is_free:
                return None
            turns = self.record.folded().turns
            message = turns[-1].text if turns else ""
            return _small_model(self._context(self.gate.begin_turn(), "", message, running=False))

    # --- the memory switch ----------------------------------------------------------------------

    def set_memory(self, memory: bool | MemoryMode) -> None:
        """Move the memory switch: less access takes effect immediately, more with the next message. READ_ONLY ends a
        running turn that began ON as OFF does.

        Once OFF returns, no request of this conversation with memory leaves any process. Raises UnknownConversation,
        WriteFailed (OFF still holds until the program ends), MemoryInFlight (OFF is recorded, but a request of
        another process could not be stopped yet).
        """
        self._switch.move(MemoryMode.of(memory))
        if not self.gate.access().recalls:
            self._services.index.prepare("")

    def set_switch(self, name: str, on: bool) -> None:
        """Move an extra's switch of this conversation: on from the next message, off at once. Raises BadArguments for
        an unknown one, ConversationTemporary, UnknownConversation, WriteFailed.
        """
        switch = switches().get(name)
        if switch is None:
            raise BadArguments(where="name", why="value")
        if not switch.temporary:
            self.gate.check_keeps()
        with self._lock:
            self.keep()
            self.record.set_switch(name, on)

    # --- the owner's other acts -----------------------------------------------------------------

    def keep(self) -> None:
        """Give an empty conversation a file, so that a tab with a draft survives a restart."""
        with self._lock:
            self.record.check_there()
            if not self.gate.temporary and not self.transcript.stored:
                self._switch.store(self.gate.memory_mode, self.record.now(), durable=False)
                self.record.store_opening()

    def branch(self, turn_id: str) -> list[TranscriptEntry]:
        """Return the entries of a new conversation that starts with this one up to the turn. Raises UnknownTurn, or
        TurnRunning if that turn is.
        """
        with self._lock:
            self.record.check_there()
            self._switch.sync()
            return self.record.branch(turn_id, self.gate.memory_mode)

    def remember_turn(self, turn_id: str, *, switch_on: bool = False) -> Receipt | None:
        """Save the owner's message of a turn to today's log, on the owner's request.

        Returns None if it was saved before. ``switch_on``: turn memory on first. Raises ConversationTemporary,
        UnknownTurn, WriteFailed.
        """
        self.gate.check_keeps()
        self.record.folded().turn(turn_id)
        if switch_on:
            self.set_memory(True)
        with self._saving:  # of two clicks the second sees what the first has written
            return save_message(self._services, self.transcript, self.record.folded().turn(turn_id))

    def answer(self, proposal_id: str, decision: Decision) -> None:
        """Answer a proposal. Raises UnknownProposal if it is no longer open."""
        self._services.loop.submit(self._answer(proposal_id, decision)).result(timeout=10)

    async def _answer(self, proposal_id: str, decision: Decision) -> None:
        asked = next((each for each in self.proposals.list_open() if each.id == proposal_id), None)
        self.proposals.answer(proposal_id, decision)
        if asked is not None and (sources := allowed_sources(asked, decision)):
            with suppress(PetError):  # the question is repeated in a later message
                self.record.allow_foreign(sources)

    def choose_model(self, choice: ModelChoice | None) -> None:
        """Use this model from the next message on. Raises UnknownConversation, WriteFailed."""
        with self._lock:
            self.keep()
            self.record.choose_model(choice)

    def release(self) -> None:
        """Drop the messages from memory unless it is in use; they are read again when needed."""
        if self._lock.acquire(blocking=False):
            try:
                if self.record.running is None:
                    self.warm.files = self.warm.opening = None
                    self._switch.release()
                    self.record.release()
            finally:
                self._lock.release()


_SHORT_WINDOW, _SHORT_REPLY = 8_192, 300  # tokens, as for models known to be small


def _without_tools(context: TurnContext) -> Callable[[TurnContext], ReplyStrategy] | None:
    """Return the making of the strategy for a model that turns out to have no tools; None if the owner wants none."""
    if context.notebook is not None or context.settings.notebook == "off" or not is_provided("small_models"):
        return None

    def make(context: TurnContext) -> ReplyStrategy:
        small = small_way()
        assert small is not None
        reply = _SHORT_REPLY if context.window <= _SHORT_WINDOW else context.window // 8
        limits = LocalModelLimits(window=context.window, reply_tokens=reply)
        narrowed = turn_limits(context.settings, limits)
        narrow = replace(context, settings=narrowed.settings, notebook=narrowed.notebook)
        return small.strategy(narrow, limits, recalled=True)

    return make


def _strategy_of(context: TurnContext) -> ReplyStrategy:
    return _small_model(context) or LargeModel(context)


def _small_model(context: TurnContext) -> ReplyStrategy | None:
    """Return the strategy of a small model; None: the model has tools."""
    limits = context.notebook
    return None if limits is None or (small := small_way()) is None else small.strategy(context, limits)
