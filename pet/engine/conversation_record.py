"""The stored side of a live conversation: transcript, fold, title, opening question, the owner's edits, and what a
turn writes.

Edits append entries and announce them; none deletes one. Thread-safe; hold ``lock`` to make several steps one act.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from threading import Condition, RLock
from typing import TYPE_CHECKING

from pet.access import MemoryMode, TurnGate
from pet.clock import Clock
from pet.engine.services import EngineServices
from pet.errors import PetError, TurnRunning, UnknownConversation, UnknownTurn
from pet.events import (
    ConversationChanged,
    EarlierDropped,
    ErrorInfo,
    Event,
    ExtraSwitched,
    TurnsRemoved,
    VariantChosen,
)
from pet.ids import new_id
from pet.model import ContextPart, ForeignSource, ModelChoice, RecallWay, ToolCallPart, TurnEnd, Usage, UsedMemory
from pet.prompt.context import question_context
from pet.providers.base import RoundDone
from pet.tools.tool import ToolOutcome
from pet.transcripts import entries
from pet.transcripts.conversation import Conversation, branch_title
from pet.transcripts.entries import (
    Compacted,
    ContextFound,
    PartialReply,
    RoundCompleted,
    ToolCompleted,
    TranscriptEntry,
    TurnFinished,
)
from pet.transcripts.fold import GrowingFold, branch_entries
from pet.transcripts.store import Transcript

if TYPE_CHECKING:
    from pet.engine.compaction import CompactionJob, NotesJob
    from pet.engine.turn import RunningTurn


@dataclass(frozen=True, slots=True)
class RunningJob:
    """The job that runs in a conversation. ``turn``: if it is one. ``job.yields``: it refuses no act of the owner: a
    message, a compaction and the deletion end it first. ``job.ended``: its last event, emitted with the conversation
    idle; None if nothing began."""

    job: RunningTurn | CompactionJob | NotesJob
    turn: str | None
    done: Future[None]


class ConversationRecord:
    """``running``: the conversation's one job; changes under ``lock``, of which ``job_ended`` is the condition."""

    def __init__(self, transcript: Transcript, services: EngineServices) -> None:
        self.id = transcript.id
        self.transcript = transcript
        self.lock = RLock()
        self.job_ended = Condition(self.lock)
        self.running: RunningJob | None = None
        self._retired = False
        self._services = services
        self._fold = GrowingFold()
        self._opening = ("", "")  # the question and its note, until the transcript has both

    @property
    def title(self) -> str:
        return self.folded().title

    @property
    def model(self) -> ModelChoice | None:
        """The model chosen for this conversation; None: its pet's, or the default."""
        return self.folded().model

    def folded(self, running: str | None = None) -> Conversation:
        """Return the folded conversation with the running turn, or with ``running``, which is about to run."""
        return self._fold.conversation(self.transcript.entries, running or self.running_turn)

    def release(self) -> None:
        """Drop the messages from memory; they are read again when needed."""
        self._fold = GrowingFold()
        self.transcript.rest()

    def check_there(self) -> None:
        """Raises UnknownConversation once it is being deleted."""
        if self._retired:
            raise UnknownConversation()

    @property
    def running_turn(self) -> str | None:
        running = self.running
        return running.turn if running is not None else None

    @property
    def busy(self) -> bool:
        """Whether a job runs that the owner's acts must wait for."""
        running = self.running
        return running is not None and not running.job.yields

    @property
    def is_free(self) -> bool:
        """Whether no job runs and it is not being deleted."""
        return self.running is None and not self._retired

    def check_free(self) -> None:
        """Raises UnknownConversation, TurnRunning."""
        self.check_there()
        if self.busy:
            raise TurnRunning()

    def retire(self, retired: bool = True) -> None:
        """Block further appends before deletion. Raises TurnRunning while a job runs."""
        with self.lock:
            if retired and self.running is not None:
                raise TurnRunning()
            self._retired = retired

    def now(self) -> str:
        return self._services.clock.now().isoformat()

    def emit_changed(self) -> None:
        with suppress(PetError):  # deleted meanwhile, which is announced itself
            self._services.emit(ConversationChanged(conversation=self.id, title=self.title))

    # --- edits ----------------------------------------------------------------------------------

    def rename(self, title: str) -> None:
        """Set the title: one line of at most 200 characters. Raises UnknownConversation, WriteFailed."""
        self.check_there()
        title = " ".join(title.split())[:200]
        self._append(entries.TitleSet(id=new_id(), at=self.now(), title=title))

    def choose_model(self, choice: ModelChoice | None) -> None:
        self._append(entries.ModelSet(id=new_id(), at=self.now(), choice=choice))

    def set_switch(self, name: str, on: bool) -> None:
        entry = entries.SwitchSet(id=new_id(), at=self.now(), name=name, on=on)
        self._append(entry, ExtraSwitched(conversation=self.id, name=name, on=on))

    def allow_foreign(self, sources: tuple[ForeignSource, ...]) -> None:
        """Ask no longer about notes because of these sources."""
        self.transcript.append(entries.ForeignAllowed(id=new_id(), at=self.now(), sources=sources), durable=True)

    def drop_earlier(self) -> None:
        """Drop earlier messages from requests; they stay in the transcript."""
        with self.lock:
            self.check_there()
            at = self.now()
            self.transcript.append(entries.ContextCleared(id=new_id(), at=at), durable=True)
            self._services.emit(EarlierDropped(conversation=self.id, at=at))

    def remove_turn(self, turn_id: str) -> None:
        """Remove a turn and its continuations from display, requests and search. They stay in the file and can be
        restored. Raises UnknownTurn, TurnRunning, WriteFailed.
        """
        with self.lock:
            self.check_free()
            turns = self.folded().turns
            first = turns.index(self.folded().turn(turn_id))
            end = next((at for at in range(first + 1, len(turns)) if turns[at].kind != "continue"), len(turns))
            self._set_removed([turn.id for turn in turns[first:end]], removed=True)

    def restore_turns(self, turn_ids: Sequence[str]) -> None:
        """Restore turns to their positions. Raises UnknownTurn if one has no position any more, TurnRunning."""
        with self.lock:
            self.check_free()
            removed = self.folded().removed
            if not turn_ids or any(turn not in removed for turn in turn_ids):
                raise UnknownTurn()
            self._set_removed(list(turn_ids), removed=False)

    def choose_variant(self, turn_id: str) -> None:
        """Show another variant of a turn and what followed it; only these are sent from now on. No effect if it is
        active. Raises UnknownTurn, TurnRunning, WriteFailed.
        """
        with self.lock:
            self.check_free()
            turns = self.folded().turns
            if not any(turn_id in (turn.id, *turn.variants) for turn in turns):
                raise UnknownTurn()
            if all(turn.id != turn_id for turn in turns):
                entry = entries.VariantSet(id=new_id(), at=self.now(), turn=turn_id)
                self._append(entry, VariantChosen(conversation=self.id, turn=turn_id))

    def branch(self, turn_id: str, memory_mode: MemoryMode) -> list[TranscriptEntry]:
        """Return the entries of a new conversation that starts with this one up to the turn. Raises UnknownTurn, or
        TurnRunning if that turn is.
        """
        folded = self.folded()
        if folded.turn(turn_id).end is None:
            raise TurnRunning()
        title = branch_title(self.title)
        return branch_entries(
            self.transcript.entries, folded, turn_id, memory_mode=memory_mode, title=title, at=self.now()
        )

    def _set_removed(self, turns: list[str], *, removed: bool) -> None:
        entry = entries.TurnsRemovedSet(id=new_id(), at=self.now(), turns=tuple(turns), removed=removed)
        self._append(entry, TurnsRemoved(conversation=self.id, turns=turns, removed=removed))

    def _append(self, entry: TranscriptEntry, event: Event | None = None) -> None:
        self.transcript.append(entry, durable=True)
        if event is not None:
            self._services.emit(event)
        self.emit_changed()

    # --- the pet's question above the first message ---------------------------------------------

    def open_with(self, text: str, about: str) -> None:
        """Show the pet's question above the first message, with which it is stored. ``about``: the whole note that it
        refers to."""
        with self.lock:
            self._opening = (text, about)

    def opening_question(self) -> tuple[str, str]:
        """Return the question with its note; empty if not set, or one of them is forgotten."""
        text, about = self._opening
        if not text:
            folded = self.folded()
            text, about = folded.opening, folded.opening_about
        is_forgotten = self._services.store.forgotten.is_forgotten
        return ("", "") if text and (is_forgotten(text) or is_forgotten(about)) else (text, about)

    def opening_context(self, supersedes: str | None, gate: TurnGate) -> tuple[ContextPart, ...]:
        """Return the question as context for the first message."""
        turns = self.folded().turns
        is_first = not turns or turns[0].id == supersedes
        text, about = self.opening_question() if is_first and gate.started.recalls else ("", "")
        return (question_context(text, about, self._services.effective.texts()),) if text else ()

    def store_opening(self) -> None:
        """Append the question, once the conversation gets a file."""
        text, about = self.opening_question() if self._opening[0] else ("", "")
        self._opening = ("", "")
        if text:
            entry = entries.OpenerAsked(id=new_id(), at=self.now(), text=text, about=about)
            self.transcript.append(entry, durable=False)


@dataclass(frozen=True, slots=True)
class TranscriptWriter:
    """Transcript writer bound to one running turn. ``off``: whether access was reduced since the turn began,
    checked for each entry. ``read_only``: the turn began in READ_ONLY."""

    transcript: Transcript
    turn: str
    clock: Clock
    off: Callable[[], bool] = lambda: False
    read_only: bool = False

    def partial(self, round_: int, text: str) -> None:
        """Record the text of a round so far, not synced to disk."""
        self.transcript.append(PartialReply(**self._new(), round=round_, text=text, off=self.off()))

    def round_done(self, round_: int, done: RoundDone) -> None:
        """Record a completed model call; synced to disk."""
        self.transcript.append(
            RoundCompleted(
                **self._new(),
                round=round_,
                parts=done.parts,
                stop=done.stop,
                usage=done.usage,
                model=done.model,
                off=self.off(),
                read_only=self.read_only,
                local=done.local,
            ),
            durable=True,
        )

    def tool_done(
        self, round_: int, call: ToolCallPart, file: str | None, outcome: ToolOutcome, *, durable: bool = False
    ) -> None:
        """Record a tool's result; ``durable``: synced to disk, required after a file was written."""
        self.transcript.append(
            ToolCompleted(
                **self._new(),
                round=round_,
                call_id=call.id,
                tool=call.name,
                file=file,
                text=outcome.text,
                is_error=outcome.error is not None,
                error=ErrorInfo.of(outcome.error) if outcome.error else None,
                receipt=outcome.receipt,
                pictures=outcome.pictures,
                foreign=outcome.foreign,
            ),
            durable=durable,
        )

    def done_beside(self, call: str, tool: str, file: str, outcome: ToolOutcome) -> None:
        """Record a write without a call in the reply: see ``ToolCompleted``."""
        self.tool_done(0, ToolCallPart(id=call, name=tool, arguments=""), file, outcome, durable=True)

    def record_context(
        self,
        context: tuple[ContextPart, ...],
        used: tuple[UsedMemory, ...],
        way: RecallWay,
        foreign: tuple[ForeignSource, ...],
    ) -> None:
        """Record the recalled context of the turn's message, how recall searched, and what of others is in it."""
        entry = ContextFound(**self._new(), context=context, used=used, way=way, foreign=foreign)
        self.transcript.append(entry, durable=True)

    def compacted(
        self, upto: str, memory: bool, text: str, usage: Usage, without: tuple[str, ...], *, local: bool = False
    ) -> None:
        """Record a summary of the turns up to ``upto``; see ``Compacted``."""
        self.transcript.append(
            Compacted(
                id=new_id(),
                at=self._now(),
                upto=upto,
                memory=memory,
                text=text,
                usage=usage,
                without=without,
                local=local,
            ),
            durable=True,
        )

    def closed(self, end: TurnEnd, error: ErrorInfo | None, round_: int, cut_text: str) -> None:
        """Record the turn's end. ``cut_text``: partial text of the last, unfinished round."""
        self.transcript.append(
            TurnFinished(**self._new(), end=end, error=error, round=round_, cut_text=cut_text, off=self.off()),
            durable=True,
        )

    def _new(self) -> dict[str, str]:
        return {"id": new_id(), "at": self._now(), "turn": self.turn}

    def _now(self) -> str:
        return self.clock.now().isoformat()
