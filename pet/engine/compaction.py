"""Compaction: choose the turns to summarise, flush notes, summarise, record.

A plan keeps a number of recent turns or a fifth of them, whichever is more, unless those alone exceed the budget, and
takes at least one turn sent before, so that compaction terminates. With memory on, a first model call writes notes;
a failed flush is ignored. Nothing made while memory was on is kept once it is off, and nothing is removed from the
transcript.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from math import ceil

from pet.access import Access, TurnGate
from pet.engine.cancellation import TurnAborted, sending
from pet.engine.turn_context import TurnContext
from pet.errors import FileBroken, FileConflict, PetError, ProviderFault, WriteFailed
from pet.events import CompactionEnded, CompactionStarted, ErrorInfo
from pet.i18n import Language, Texts, is_chinese
from pet.ids import new_id
from pet.language.redaction import redact
from pet.model import Message, Request, StopReason, SystemBlock, TextPart, ToolCallPart, ToolSpec, TurnEnd, Usage
from pet.prompt.budget import truncate
from pet.prompt.fence import escape, one_line
from pet.providers.base import RoundDone
from pet.text.markup import SUMMARY, TALK, wrap
from pet.text.token_estimate import estimate_tokens
from pet.tools.tool import ToolContext
from pet.tools.toolset import run_call, tool_specs
from pet.transcripts.conversation import Conversation, Round, Turn
from pet.transcripts.foreign import with_own_words_only
from pet.transcripts.request_messages import first_sent, usable_summary

_NOTE = 300  # characters
_LEAST_MESSAGE = 200  # minimum characters of a message, however small the budget


def render_turns(turns: Sequence[Turn], access: Access, texts: Texts, room: int) -> str:
    """Render the turns; ``room`` is the token budget per turn, so that a single long one is truncated."""
    rendered = [_turn(turn, access, texts, room) for turn in turns]
    return wrap(TALK, escape("\n".join(rendered)))


def chunk_turns(turns: Sequence[Turn], access: Access, texts: Texts, room: int) -> list[tuple[Turn, ...]]:
    """Split the turns into chunks of at most ``room`` tokens each; no chunk is empty."""
    groups: list[list[Turn]] = []
    used = 0
    for turn in turns:
        size = estimate_tokens(_turn(turn, access, texts, room))
        if not groups or used + size > room:
            groups.append([])
            used = 0
        groups[-1].append(turn)
        used += size
    return [tuple(each) for each in groups]


def memory_on_turns(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """Return the turns held with memory on; only these may be flushed. Since the owner may be away, of turns with
    something foreign only the owner's own words are left."""
    return tuple(
        replace(turn, rounds=tuple(each for each in turn.rounds if not each.off))
        for turn in with_own_words_only(turns)
        if turn.memory
    )


def detect_language(turns: Sequence[Turn], otherwise: Language) -> Language:
    """Return the owner's language: Chinese from a quarter of Chinese letters on, else ``otherwise`` or English."""
    text = "".join(turn.text for turn in turns if turn.kind != "continue")[:20_000]
    letters = sum(char.isalpha() for char in text)
    if not letters:
        return otherwise
    wide = sum(map(is_chinese, text))
    return "zh" if wide * 4 >= letters else "en" if otherwise == "zh" else otherwise


def _turn(turn: Turn, access: Access, texts: Texts, room: int) -> str:
    limit = max(_LEAST_MESSAGE, room)  # characters: even at one token each, two messages stay near the budget
    when = turn.at[:16].replace("T", " ")
    sent = "".join(f"[{one_line(each.name, 80) or each.kind}] " for each in turn.attachments)
    lines = [f"{texts('engine.talk.owner')} ({when}): {sent}{_indented(turn.text, limit)}"]
    lines += [line for each in turn.rounds for line in _round(each, turn, access, texts, limit)]
    return "\n".join(lines)


def _round(each: Round, turn: Turn, access: Access, texts: Texts, limit: int) -> list[str]:
    lines: list[str] = []
    for part in each.parts:
        if isinstance(part, TextPart) and part.text.strip():
            lines.append(f"{texts('engine.talk.pet')}: {_indented(part.text, limit)}")
        elif isinstance(part, ToolCallPart):
            masked = turn.gated and not access.replays_gated
            lines.append(texts("tool.masked") if masked else _call(part))
    return lines


def _call(call: ToolCallPart) -> str:
    """Render a call: the tool's name, and for a note its text, so that it is not noted again."""
    about = f" {one_line(call.arguments, _NOTE)}" if call.name == "memory_write" else ""
    return f"[{one_line(call.name, 40)}{about}]"


def _indented(text: str, limit: int) -> str:
    return truncate(text.strip(), limit, lambda _gap: "…").text.replace("\n", "\n  ")


_TYPICAL_SUMMARY = 800  # typical size of a summary
COMPACTED_SHARE = 0.8
"""Share of the model's window from which a request is compacted."""
KEPT_TURNS = 10
"""Newest turns that are not summarised, unless a fifth of the turns is more."""
_KEPT_SHARE = 0.2
_SMALL_GAIN = 0.05  # of the window: below it, two model calls are not worth it while there is room
_NEARLY_ALL = 0.95


@dataclass(frozen=True, slots=True, kw_only=True)
class CompactionPlan:
    """The turns to summarise, and the previous summary, which is included. ``without``: removed turns that the
    summary will not cover. ``wish``: the owner's words on the summary.
    """

    turns: tuple[Turn, ...]
    before: str
    without: tuple[str, ...] = ()
    wish: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ContextBudget:
    """``size``: tokens of the request; ``costs``: tokens of each finished turn in it, in order."""

    size: int
    window: int
    costs: tuple[int, ...]


def sent_turns(conversation: Conversation, access: Access, running: str | None) -> tuple[Turn, ...]:
    """Return the turns before the running one that requests carry unsummarised."""
    ended = [turn for turn in conversation.turns if turn.id != running]
    return tuple(ended[first_sent(conversation, access) :])


def plan_manual(conversation: Conversation, access: Access) -> CompactionPlan | None:
    """Plan for a manual compaction: all turns that need not be kept. None: nothing to compact."""
    turns = sent_turns(conversation, access, None)
    return _plan(conversation, access, turns, len(turns) - _kept(len(turns)))


def plan_for_room(
    conversation: Conversation,
    access: Access,
    running: str,
    room: ContextBudget,
    *,
    refused: bool = False,
) -> CompactionPlan | None:
    """Plan to fit a request into the token budget; None if it fits or nothing can be removed.

    ``refused``: the server rejected the request as too long, whatever the estimate was.
    """
    enough = COMPACTED_SHARE * room.window
    if room.size < enough and not refused:
        return None
    turns = sent_turns(conversation, access, running)
    take = max(len(turns) - _kept(len(turns)), 1)
    while take < len(turns) and _left(room, take) >= enough:  # the turns to keep exceed the budget alone
        take += 1
    spare = room.size < _NEARLY_ALL * room.window and not refused
    if spare and sum(room.costs[:take]) < _SMALL_GAIN * room.window:
        return None
    return _plan(conversation, access, turns, take)


def _kept(count: int) -> int:
    return max(KEPT_TURNS, ceil(count * _KEPT_SHARE))


def _left(room: ContextBudget, take: int) -> int:
    return room.size - sum(room.costs[:take]) + _TYPICAL_SUMMARY


def _plan(conversation: Conversation, access: Access, turns: Sequence[Turn], take: int) -> CompactionPlan | None:
    if take < 1 or not turns:
        return None
    before = usable_summary(conversation, access)
    return CompactionPlan(
        turns=tuple(turns[:take]), before=before.text if before else "", without=conversation.removed
    )


_log = logging.getLogger(__name__)

_PORTION = 0.4  # of the window: the prompt's files take up to a third, and the reply needs room
_LEAST_PORTION = 400  # tokens
_SUMMARY_TOKENS = 2_000  # limit of the model's answer
_SUMMARY_CHARACTERS = 8_000
_MOST_NOTES = 12  # maximum notes per flush
_HALVINGS = 3  # retries with a smaller chunk if the window turns out smaller than known


class Compaction:
    """One compaction. ``tools``: of the turn or act that requires it. ``ended``: set by ``run``, for the caller to
    emit at once: between the record and the event no other task may run."""

    def __init__(self, context: TurnContext, tools: ToolContext) -> None:
        self._context = context
        self._tools = tools
        self._usage = Usage()
        self._local = False
        self.ended: CompactionEnded | None = None

    async def run(self, plan: CompactionPlan) -> None:
        """Summarise the plan's turns. Raises TurnAborted, ProviderFault, and PetError if it can't be recorded."""
        context = self._context
        context.scope.raise_if_cancelled()
        access = context.gate.access()
        error: ErrorInfo | None = None
        done: str | None = None
        context.progress.compacting = True
        context.emit(CompactionStarted(conversation=context.conversation))
        try:
            text = await context.scope.run(self._summary(plan, access))
            context.scope.raise_if_cancelled()  # made with memory on: must not be stored once it is off
            context.journal.compacted(
                plan.turns[-1].id, access.memory, text, self._usage, plan.without, local=self._local
            )
            done = plan.turns[-1].id
        except PetError as failure:
            error = ErrorInfo.of(failure)
            raise
        finally:
            context.progress.compacting = False
            self.ended = compaction_ended(context, done, error)

    async def _summary(self, plan: CompactionPlan, access: Access) -> str:
        room = max(_LEAST_PORTION, int(self._context.window * _PORTION) - estimate_tokens(plan.before))
        for halving in range(_HALVINGS + 1):
            try:
                return await self._portions(plan, access, room >> halving, flushes=halving == 0)
            except ProviderFault as fault:
                if fault.kind != "window_exceeded" or halving == _HALVINGS or room >> halving <= _LEAST_PORTION:
                    raise
        raise AssertionError  # the last round returns or raises

    async def _portions(self, plan: CompactionPlan, access: Access, room: int, *, flushes: bool) -> str:
        texts = Texts(detect_language(plan.turns, self._context.texts.language))
        summary = plan.before
        for portion in chunk_turns(plan.turns, access, texts, room):
            history = render_turns(portion, access, texts, room)
            noted = memory_on_turns([turn for turn in portion if turn.id not in self._context.written_down])
            if flushes and access.learns and noted:
                await self._flush(noted, render_turns(noted, access, texts, room), texts)
            summary = await self._summarise(summary, history, texts, plan.wish)
        return summary

    # --- the summary ----------------------------------------------------------------------------

    async def _summarise(self, before: str, history: str, texts: Texts, wish: str) -> str:
        context = self._context
        pieces = [texts("engine.summary.earlier") + "\n" + wrap(SUMMARY, escape(before))] if before else []
        pieces.append(texts("engine.summary.said") + "\n" + history)
        if wish:
            pieces.append(texts("engine.summary.wish", words=escape(wish)))
        pieces.append(texts("engine.summary.now"))
        reply = await self._ask(
            system=(SystemBlock(text=texts("engine.summary.rules")),),
            tools=(),
            text="\n\n".join(pieces),
            most=min(context.settings.max_tokens, _SUMMARY_TOKENS),
        )
        text = "".join(part.text for part in reply.parts if isinstance(part, TextPart)).strip()
        if reply.stop is StopReason.WINDOW_EXCEEDED:
            raise ProviderFault("window_exceeded")
        if reply.stop in (StopReason.REFUSAL, StopReason.CUT) or not text:
            raise ProviderFault("no_summary", retryable=True)
        return self._kept(text)

    def _kept(self, text: str) -> str:
        """Redact secrets and forgotten texts, and truncate to a summary's length."""
        lines = [
            line
            for line in redact(text).text.split("\n")
            if not self._context.services.store.forgotten.is_forgotten(line)
        ]
        return truncate("\n".join(lines), _SUMMARY_CHARACTERS, lambda _gap: "…").text

    # --- the flush ------------------------------------------------------------------------------

    async def note(self, turns: tuple[Turn, ...]) -> bool:
        """Let the pet note what is worth keeping, in one call: of as many of the newest turns as fit into it. Return
        whether the call succeeded. Raises TurnAborted."""
        context, access = self._context, self._context.gate.access()
        texts = Texts(detect_language(turns, context.texts.language))
        room = max(_LEAST_PORTION, int(context.window * _PORTION))
        newest = chunk_turns(turns, access, texts, room)[-1]
        history = render_turns(newest, access, texts, room)
        return await context.scope.run(self._flush(newest, history, texts))

    async def _flush(self, turns: tuple[Turn, ...], history: str, texts: Texts) -> bool:
        """Let the pet note what is worth keeping. Return whether the call was made; PetError is only logged."""
        try:
            tools = tuple(
                each for each in tool_specs(self._context.gate.access(), texts) if each.name == "memory_write"
            )
            if not tools or self._context.settings.notes_when_asked:
                return False
            reply = await self._ask(
                system=self._context.system(self._tools.snapshot.visible(self._context.gate.access()), ()),
                tools=tools,
                text=history + "\n\n" + texts("engine.flush", day=turns[0].at[:10], until=turns[-1].at[:10]),
                most=self._context.settings.max_tokens,
            )
            if reply.stop is StopReason.TOOL_USE:
                await self._write_down([part for part in reply.parts if isinstance(part, ToolCallPart)])
            self._context.written_down.update(turn.id for turn in turns)
            return True
        except PetError as failure:
            _log.info("no notes of earlier turns: %s", failure.error_code)
            return False

    async def _write_down(self, calls: list[ToolCallPart]) -> None:
        tools = self._tools.renewed()
        for call in calls[:_MOST_NOTES]:
            self._context.scope.raise_if_cancelled()
            if call.name == "memory_write":
                # Once started, write and record complete together, even during cancellation.
                await asyncio.shield(self._note(call, tools))

    async def _note(self, call: ToolCallPart, tools: ToolContext) -> None:
        outcome = await run_call(call, tools)
        if isinstance(outcome.error, WriteFailed | FileBroken | FileConflict):
            raise outcome.error  # the turns are flushed again once the log is writable
        if outcome.receipt is None:  # a duplicate or refused: nothing to report to the owner
            return
        self._context.report_write(f"flush_{new_id()}", call.name, outcome.receipt.file, outcome)

    # --- asking ---------------------------------------------------------------------------------

    async def _ask(
        self, *, system: tuple[SystemBlock, ...], tools: tuple[ToolSpec, ...], text: str, most: int
    ) -> RoundDone:
        """Make one model call and consume the stream. Raises ProviderFault, TurnAborted."""
        context = self._context
        provider = await context.provider()
        request = Request(
            model=context.settings.model,
            max_tokens=most,
            system=system,
            tools=tools,
            messages=(Message(role="user", parts=(TextPart(text=text),)),),
            effort=context.settings.effort,
            thinking=context.settings.thinking,
        )
        async with sending(context.scope, context.mark) as mark_sent:
            async for event in provider.stream(request):
                mark_sent()
                context.scope.raise_if_cancelled()
                if isinstance(event, RoundDone):
                    self._usage = self._usage.plus(event.usage)
                    self._local = event.local
                    return event
        return RoundDone(parts=(), stop=StopReason.CUT, usage=Usage(), model="")


def compaction_ended(context: TurnContext, after_turn: str | None, error: ErrorInfo | None) -> CompactionEnded:
    at = context.services.clock.now().isoformat()
    return CompactionEnded(conversation=context.conversation, after_turn=after_turn, at=at, error=error)


class _JobBesideTurns:
    """The base of the jobs that are no turns."""

    streaming = (0, "")

    def __init__(self, context: TurnContext) -> None:
        self._context = context
        self.ended: CompactionEnded | None = None

    @property
    def gate(self) -> TurnGate:
        return self._context.gate

    @property
    def compacting(self) -> bool:
        return self._context.progress.compacting

    def stop(self) -> None:
        self._context.scope.cancel(TurnEnd.STOPPED)

    def memory_closed(self) -> None:
        if self._context.gate.was_revoked():
            self._context.scope.cancel(TurnEnd.MEMORY_OFF)


class CompactionJob(_JobBesideTurns):
    """A single compaction. Its writes are recorded with the last turn."""

    name, yields = "compaction", False

    def __init__(self, context: TurnContext, plan: CompactionPlan) -> None:
        super().__init__(context)
        self._plan = plan

    async def run(self) -> None:
        """Run to the end; ``ended`` reports success or failure, and stays None if nothing began."""
        context = self._context
        with suppress(TurnAborted, PetError):
            compaction = Compaction(context, await context.load_tools())
            try:
                await compaction.run(self._plan)
            finally:
                self.ended = compaction.ended

    def failed(self, error: ErrorInfo) -> None:
        self.ended = compaction_ended(self._context, None, error)


class NotesJob(_JobBesideTurns):
    """Notes of a conversation at rest. ``on_noted``: called after the model answered."""

    name, yields = "notes", True

    def __init__(self, context: TurnContext, turns: tuple[Turn, ...], on_noted: Callable[[], object]) -> None:
        super().__init__(context)
        self._turns = turns
        self._on_noted = on_noted

    async def run(self) -> None:
        with suppress(TurnAborted):
            if await Compaction(self._context, await self._context.load_tools()).note(self._turns):
                self._on_noted()

    def failed(self, error: ErrorInfo) -> None:
        """Show nothing: notes are made silently."""
