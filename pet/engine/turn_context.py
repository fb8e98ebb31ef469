"""One turn's data: conversation, gate, files, limits, history and progress, beside the services all turns share."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from pet.access import TurnGate, VisibleFiles
from pet.engine.cancellation import CancelScope, TurnAborted
from pet.engine.conversation_record import TranscriptWriter
from pet.engine.memory_maintenance import tidy_if_due
from pet.engine.message_history import MessageHistory
from pet.engine.models import LocalModelLimits
from pet.engine.services import EngineServices
from pet.engine.system_prompt import system_prompt
from pet.engine.token_budget import TokenEstimator
from pet.engine.usage import MeteredProvider
from pet.errors import ProviderFault, ToolRefused
from pet.events import ErrorInfo, Event, Mood, ToolEnded, ToolsMissing, ToolStarted
from pet.i18n import Texts
from pet.language.wishes import asks_for_reminder, asks_to_write
from pet.model import (
    Decision,
    Message,
    Proposal,
    Receipt,
    Refused,
    Request,
    Source,
    SystemBlock,
    ToolSpec,
    TurnEnd,
    Usage,
)
from pet.prompt.context import SentFiles
from pet.providers.base import RoundDone, Streamed
from pet.settings.connections import ModelInUse
from pet.settings.schema import Settings
from pet.tools.tool import Confirm, ToolContext, ToolOutcome, TurnTools
from pet.transcripts.conversation import Conversation
from pet.transcripts.foreign import ForeignGuard, OwnersWords, in_request, is_imported, own_words
from pet.workspace.gated_files import GatedFiles, Snapshot

if TYPE_CHECKING:
    from pet.memory.search.gated_memory import GatedMemory
    from pet.net.fetch import FetchPolicy
    from pet.workspace.skills import Skill

T = TypeVar("T")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class TurnReach:
    """``fetches``: the fetch policy of tests; ``characters``: the most of a text from outside in a request."""

    scope: CancelScope
    history: MessageHistory
    fetches: Callable[[], FetchPolicy] | None
    characters: int

    def owner_texts(self) -> list[str]:
        """Return the owner's messages, this turn's too. What the program sends in their place is not among them."""
        return [turn.text for turn in self.history.conversation.turns if turn.kind != "continue"]

    async def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the result. Raises ToolRefused if the turn ends."""
        try:
            return await self.scope.run(work)
        except TurnAborted as aborted:
            raise ToolRefused("stopped" if aborted.end is TurnEnd.STOPPED else "memory_off") from None


_LOSING_SHARE = 0.25
"""A write that removes a larger share of the lines needs the owner's consent."""


@dataclass(slots=True)
class TurnProgress:
    """Mutable state that the parts of one turn share; on the engine's thread."""

    usage: Usage = field(default_factory=Usage)
    """Sum over all model calls so far."""
    compacting: bool = False
    _unrecorded: Usage = field(default_factory=Usage)

    def add_usage(self, usage: Usage) -> None:
        self.usage = self.usage.plus(usage)
        self._unrecorded = self._unrecorded.plus(usage)

    def take_unrecorded(self) -> Usage:
        """Return the usage since the last call, for the transcript."""
        usage, self._unrecorded = self._unrecorded, Usage()
        return usage


CACHE_SECONDS = 300
"""A provider's cache lifetime since the last use: the shorter of the Messages API's two. A provider with a longer
one is sent a new one early, which costs more and is as true."""


@dataclass(frozen=True, slots=True)
class Opening:
    """The part of a request before its messages; ``key``: all that it is made from."""

    key: object
    system: tuple[SystemBlock, ...]
    tools: tuple[ToolSpec, ...]


@dataclass(slots=True)
class WarmPrompt:
    """A conversation's prompt as a provider's cache holds it. In memory only; on the engine's thread."""

    files: SentFiles | None = None
    opening: Opening | None = None
    sent_at: datetime | None = None
    """Time of the last request; None before the first since the start."""

    def is_warm(self, now: datetime) -> bool:
        """Whether the cache still holds it. Of a clock that was put back, or forward, nothing is concluded."""
        return self.sent_at is not None and timedelta() <= now - self.sent_at < timedelta(seconds=CACHE_SECONDS)


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnContext:
    """Dependencies and data of one turn. ``message``: the owner's message. ``confirm``: shows the owner a proposal.
    ``settings``, ``notebook``: as in ``TurnLimits``. ``written_down``: turns already flushed, also if the summary
    failed. ``warm``: of the conversation; each request changes it."""

    services: EngineServices
    conversation: str
    turn: str
    message: str
    gate: TurnGate
    scope: CancelScope
    progress: TurnProgress
    files: GatedFiles
    used: ModelInUse
    history: MessageHistory
    journal: TranscriptWriter
    confirm: Confirm
    texts: Texts
    settings: Settings
    notebook: LocalModelLimits | None
    sizes: TokenEstimator
    written_down: set[str]
    warm: WarmPrompt
    emit: Callable[[Event], object]
    provider: Callable[[], Awaitable[MeteredProvider]]
    """Returns the model's provider. Raises ProviderFault, SettingsInvalid."""
    mark: Callable[[], AbstractContextManager[None]]
    """Held while a request with memory may be leaving."""

    @property
    def window(self) -> int:
        """Tokens that a request and its reply may have together."""
        return self.sizes.window(self.settings.context_window)

    def system(self, files: VisibleFiles, skills: tuple[Skill, ...]) -> tuple[SystemBlock, ...]:
        """Return the system prompt for a model with tools."""
        return system_prompt(self.services, self.services.models.settings(self.used), files, skills).blocks

    def maintain_memory(self) -> list[Receipt]:
        """Maintain nearly full files if that is due. Raises PetError. Call off the event loop, before the files are
        read for the turn."""
        services, source = self.services, Source(conversation=self.conversation, turn=self.turn)
        settings, day = services.effective.current(), services.maintenance_day
        moved = tidy_if_due(services.store, self.gate, source, services.clock, settings, day)
        return [*moved, *services.more_upkeep(self.gate, source)]

    def despite_stop(self) -> TurnContext:
        """Return a context whose writes are refused once memory is switched off, but not by a stop of the turn."""
        gate = self.gate.despite_stop()
        files = GatedFiles(self.services.store, gate, Source(conversation=self.conversation, turn=self.turn))
        return replace(self, gate=gate, scope=CancelScope(gate), files=files)

    # --- tools ----------------------------------------------------------------------------------

    async def load_tools(self) -> ToolContext:
        """Read files and skills and open the index on another thread; the index only if the gate allows it. The
        result is fixed for the turn. Raises TurnAborted."""

        services = self.services

        def read() -> tuple[Snapshot, tuple[Skill, ...], GatedMemory | None, str]:
            memory = self._open_memory() if self.gate.access().recalls else None
            return self.files.snapshot(), services.skills.offered(), memory, services.store.forgotten.mark()

        async def load() -> tuple[tuple[Snapshot, tuple[Skill, ...], GatedMemory | None, str], TurnTools]:
            has_tools = self.notebook is None
            more = await services.more_tools(self.conversation, self.gate) if has_tools else TurnTools()
            return await asyncio.to_thread(read), more

        (snapshot, skills, memory, tombstones), more = await self.scope.run(load())
        # The most of a web page in a request: as of a file, and half a small window, a character to a token.
        page = min(self.settings.prompt_file_characters, self.window // 2)
        for problem in more.missing:
            self.emit(ToolsMissing(conversation=self.conversation, turn=self.turn, error=ErrorInfo.of(problem)))
        return ToolContext(
            files=self.files,
            gate=self.gate,
            confirm=self._confirm,
            snapshot=snapshot,
            texts=self.texts,
            file_characters=self.settings.prompt_file_characters,
            losing_share=_LOSING_SHARE,
            message=self.message,
            unasked=self.settings.notes_when_asked and not asks_to_write(self.message),
            foreign=self._guard(),
            now=self.services.clock.now,
            memory=memory,
            forget=self.services.forgetter,
            skills=skills,
            tombstones=tombstones,
            more=more.tools,
            reach=TurnReach(self.scope, self.history, self.services.fetches, page),
        )

    def _open_memory(self) -> GatedMemory | None:
        """Return this turn's access to the index; None if there is no usable index."""
        from pet.memory.search.gated_memory import GatedMemory
        from pet.transcripts.fold import fold

        def conversation(id_: str) -> Conversation:
            return fold(self.services.transcripts.open(id_).entries)

        try:
            return GatedMemory(self.services.index.get(), self.gate, self.conversation, conversation)
        except OSError as error:
            _log.warning("no memory index: %s", type(error).__name__)
            return None

    def _guard(self) -> ForeignGuard:
        def words() -> OwnersWords:
            turns = [turn for turn in self.history.conversation.turns if turn.kind != "continue"][-2:]
            own, earlier = own_words(self.message), [own_words(turn.text) for turn in turns if not is_imported(turn)]
            text = "\n".join((own, *earlier)) if self.message else ""
            return OwnersWords(text, wish=asks_to_write(own), reminder=asks_for_reminder(own))

        return ForeignGuard(
            in_request=lambda: in_request(self.history.conversation),
            allowed=self.history.conversation.allowed,
            words=words,
        )

    async def _confirm(self, proposal: Proposal) -> Decision:
        """Ask the owner; Stop and OFF before, during or right after the answer take precedence."""
        refused = self._refusal()
        if refused is not None:
            return refused
        decision = await self.confirm(proposal)
        return self._refusal() or decision

    def refused_call(self) -> ToolOutcome | None:
        """Return the outcome of a call that must no longer run, else None."""
        refusal = self._refusal()
        if refusal is None:
            return None
        return ToolOutcome(text=self.texts(f"error.tool_{refusal.why}"), error=ToolRefused(refusal.why))

    def _refusal(self) -> Refused | None:
        end = self.scope.reason()
        if end is None:
            return None
        return Refused(why="stopped" if end is TurnEnd.STOPPED else "memory_off")

    def announce_call(self, round_: int, call: str, tool: str, file: str | None) -> None:
        self.emit(
            ToolStarted(conversation=self.conversation, turn=self.turn, round=round_, call=call, tool=tool, file=file)
        )

    def announce_outcome(self, call: str, outcome: ToolOutcome) -> None:
        error = ErrorInfo.of(outcome.error) if outcome.error else None
        self.emit(
            ToolEnded(conversation=self.conversation, turn=self.turn, call=call, error=error, receipt=outcome.receipt)
        )

    def report_write(self, call: str, tool: str, file: str, outcome: ToolOutcome) -> None:
        """Record and announce a write of the program's own, without a call in the reply."""
        self.journal.done_beside(call, tool, file, outcome)
        self.announce_call(0, call, tool, file)
        self.announce_outcome(call, outcome)


class ReplyStrategy(Protocol):
    """The parts of a turn that depend on the kind of model; made for one turn, on the engine's thread. A model that
    calls tools for all it writes, and has no process of ours, does nothing after a reply."""

    async def prepare(self, tools: ToolContext, /) -> ToolContext:
        """Do what precedes the first request: recall, notes that were asked for. Return the files as they are."""

    async def after_reply(self) -> None:
        """Take the notes that the owner did not ask for, once the reply is recorded. Raises PetError, TurnAborted."""
        return

    async def after_stop(self) -> None:
        """Write what the owner asked for and ``prepare`` was stopped before. Raises PetError, TurnAborted."""
        return

    async def after_turn(self) -> None:
        """Let the model's own process compute how the next turn begins, if this one has a reply."""
        return

    async def read_ahead(self) -> None:
        """Let the model's own process compute how the next turn begins."""
        return

    def request(self, tools: ToolContext, rounds: tuple[Message, ...], /) -> Request:
        """Return the next request for the access of this moment; ``rounds``: this turn's own."""

    async def make_room(self, request: Request, tools: ToolContext, /) -> bool:
        """Shorten the history if the request exceeds the token budget; whether it did."""

    async def make_room_after(self, fault: ProviderFault, request: Request, tools: ToolContext, /) -> bool:
        """Shorten the history after the server rejected the request as too long; whether to retry."""

    def shown(self, events: AsyncIterator[Streamed], on_mood: Callable[[Mood], None], /) -> AsyncIterator[Streamed]:
        """Return the stream as the owner sees it."""

    def settle(self, done: RoundDone, /) -> RoundDone | None:
        """Return the round as it is recorded; None: the call is made once more."""

    def end_of(self, done: RoundDone, /) -> TurnEnd | None:
        """Return the turn's end; None: it goes on with the round's calls. Raises TurnAborted."""
