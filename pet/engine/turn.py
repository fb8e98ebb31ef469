"""One turn: from the owner's message, already on disk, to the end of the reply.

Pure coordinator: provider, files, prompt, transcript, clock and event sink are injected. ``run`` is read from top to
bottom: gate, snapshot, request, stream, tools, next round. Sends nothing the gate does not allow at the moment of
sending, retries included. What depends on the kind of model is a ``ReplyStrategy``.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace

from pet.access import TurnGate
from pet.engine.cancellation import TurnAborted, replayable_parts, reply_text, sending, wait_before_retry
from pet.engine.claim_check import check_claim, never_calls
from pet.engine.message_history import is_picture, sized
from pet.engine.recall import add_late_recall, other_memories, shown_memories
from pet.engine.token_budget import parts_tokens
from pet.engine.turn_context import ReplyStrategy, TurnContext
from pet.engine.usage import all_tokens
from pet.errors import PetError, ProviderFault, ToolRefused
from pet.events import (
    Claim,
    ContextUsed,
    ErrorInfo,
    Mood,
    MoodSaid,
    RetryWaiting,
    RoundStarted,
    TextDelta,
    ThinkingDelta,
    TurnEnded,
)
from pet.ids import new_id
from pet.model import Message, Request, StopReason, ToolCallPart, ToolResultPart, TurnEnd, Usage
from pet.providers.base import RoundDone, TextChunk, ThinkingChunk
from pet.tools.tool import ToolContext, ToolOutcome
from pet.tools.toolset import named_file, run_call, words_of
from pet.transcripts.conversation import Turn
from pet.transcripts.request_messages import replay_parts

_LONGEST = 1_200  # characters of a passage
_TIMES = 3
_LEAST = 240  # characters that repetitions take in all
_KEY = 40  # characters by whose earlier place a passage is found
_STEP = 80  # characters between two searches
_LETTERS = 8  # different ones in a passage: lines of signs repeat by themselves


class RepetitionFinder:
    """State of one reply.

    >>> finder = RepetitionFinder()
    >>> any(finder.feed("The sea was calm, and the harbour slept. ") for _ in range(40))
    True
    """

    def __init__(self) -> None:
        self._tail = ""
        self._unsearched = 0

    def feed(self, text: str) -> bool:
        """Return whether the reply so far ends with one passage, ``_TIMES`` times or more."""
        self._tail = (self._tail + text)[-_LONGEST * _TIMES :]
        self._unsearched += len(text)
        if self._unsearched < _STEP or len(self._tail) < _LEAST:
            return False
        self._unsearched = 0
        tail = self._tail
        before = tail.rfind(tail[-_KEY:], 0, -1)
        if before < 0:
            return False
        length = len(tail) - _KEY - before
        whole = tail[-max(length * _TIMES, _LEAST) :]
        repeats = len(whole) >= length * _TIMES and whole[length:] == whole[:-length]
        return repeats and len({each for each in whole[-length:] if each.isalpha()}) >= _LETTERS


_log = logging.getLogger(__name__)

MAX_ROUNDS = 12
"""Rounds of one reply in which the model may use tools."""
_PARTIAL_EVERY = 1.0  # seconds
_PARTIAL_RATE = 100_000  # characters a second
_MOST_CALLS = 32  # of one round that run; a server can send a thousand in one reply


class RunningTurn:
    """A running turn, the job of a conversation. Call ``stop`` and ``memory_closed`` on the engine's thread.
    ``strategy``: the one it goes on with now. ``ended``: set once the turn is closed in the transcript, for
    the conversation to emit."""

    name, yields = "turn", False

    def __init__(
        self,
        context: TurnContext,
        choose: Callable[[TurnContext], ReplyStrategy],
        without_tools: Callable[[TurnContext], ReplyStrategy] | None = None,
        on_sent: Callable[[], object] = lambda: None,
    ) -> None:
        """``choose``: returns the strategy, once more if the server then says that its model has no tools.
        ``without_tools``: returns the one to go on with if the server refuses them for the model. ``on_sent``: called
        once the first request is on its way, for what needn't precede it."""
        self._context = context
        self._choose = choose
        self.strategy = choose(context)
        self._without_tools = without_tools
        self._on_sent = on_sent
        self._round = 0
        self._pieces: list[str] = []  # text of the streaming round
        self._recorder: asyncio.TimerHandle | None = None
        self._recorded = 0  # length of the last partial record
        self._in_tool_loop = False
        self._has_left = False  # part of this round's reply arrived: its request has left
        self._last: RoundDone | None = None  # as it was recorded
        self.ended: TurnEnded | None = None

    @property
    def gate(self) -> TurnGate:
        return self._context.gate

    @property
    def compacting(self) -> bool:
        return self._context.progress.compacting

    @property
    def streaming(self) -> tuple[int, str]:
        """Return the running round and its text so far; read on the engine's thread."""
        return self._round, self._text

    @property
    def _text(self) -> str:
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0] if self._pieces else ""

    def stop(self) -> None:
        """Stop on the owner's request: partial text is kept, open calls are refused."""
        self._context.scope.cancel(TurnEnd.STOPPED)

    def memory_closed(self) -> None:
        """Cancel an open tool loop once access was reduced; a first plain reply may finish.

        Before the first byte of the reply the request may not have left yet, and is cancelled.
        """
        if self._context.gate.was_revoked() and (self._in_tool_loop or not self._has_left):
            self._context.scope.cancel(TurnEnd.MEMORY_OFF)

    async def run(self) -> None:
        """Run to the end and close the turn in the transcript."""
        error: PetError | None = None
        try:
            await self._maintain_memory()
            end = await self._rounds()
            await self._after_reply()
        except TurnAborted as aborted:
            end, error = aborted.end, aborted.error
        except asyncio.CancelledError:
            self._finish(TurnEnd.STOPPED, None)
            raise
        except PetError as failure:
            # A failure caused by cancellation counts as the cancellation.
            cancelled = self._context.scope.ending
            end, error = (cancelled, None) if cancelled else (TurnEnd.FAILED, failure)
        if end is TurnEnd.STOPPED:
            await self._after_stop()
        self._finish(end, ErrorInfo.of(error) if error else None)

    def failed(self, error: ErrorInfo) -> None:
        """Close the turn after an unexpected exception."""
        self._finish(TurnEnd.FAILED, error)

    # --- rounds ---------------------------------------------------------------------------------

    async def _rounds(self) -> TurnEnd:
        """Run the snapshot, then rounds of request, stream and tools, until the turn's end, which is returned."""
        context = await self._with_facts()
        tools = await self.strategy.prepare(await context.load_tools())
        rounds: list[Message] = []  # this turn's own, thinking unchanged
        for self._round in range(1, MAX_ROUNDS + 1):
            done: RoundDone | None = None
            while done is None:
                done = self.strategy.settle(await self._call_model(tools, tuple(rounds)))
            self._last = done = replace(done, usage=context.progress.take_unrecorded())
            context.journal.round_done(self._round, done)
            self._pieces = []
            end = self.strategy.end_of(done)
            if end is not None:
                return end
            if done.stop is StopReason.PAUSE_TURN:
                rounds.append(Message(role="assistant", parts=done.parts))
                continue
            first, self._in_tool_loop = not self._in_tool_loop, True
            results = await self._run_calls([part for part in done.parts if isinstance(part, ToolCallPart)], tools)
            rounds.append(Message(role="assistant", parts=replayable_parts(done.parts)))
            rounds.append(Message(role="user", parts=results))
            if first:  # once, as a machine that is too slow would make every round wait
                await add_late_recall(context, tools)
        return TurnEnd.MAX_ROUNDS

    async def _with_facts(self) -> TurnContext:
        """Ask the server what its model can do, and choose another strategy for one that takes no tools."""
        context = self._context
        facts = await context.scope.run(context.services.models.ask_facts(context.used))
        context.sizes.reported = facts.window if facts is not None else 0
        if facts is None:
            return context
        limits = context.services.models.limits(context.used)
        if limits.notebook is not None and context.notebook is None:
            self._context = context = replace(context, settings=limits.settings, notebook=limits.notebook)
            self.strategy, self._without_tools = self._choose(context), None
        return context

    async def _after_reply(self) -> None:
        """Let the strategy take notes. The reply is whole: what fails or is stopped here doesn't change its end."""
        context = self._context
        self._has_left = False  # a request of the notes is cancelled once access is reduced
        try:
            await self.strategy.after_reply()
        except (PetError, TurnAborted) as problem:
            _log.info("no notes after the reply: %s", type(problem).__name__)
        usage = context.progress.take_unrecorded()
        if self._last is not None and all_tokens(usage) and not context.gate.was_revoked():
            # The last record of a round counts: once more, with what the notes took.
            done = replace(self._last, usage=self._last.usage.plus(usage))
            context.journal.round_done(self._round, done)

    async def _after_stop(self) -> None:
        """Let the strategy write what the owner asked for. What fails here doesn't change the turn's end."""
        try:
            await self.strategy.after_stop()
        except (PetError, TurnAborted) as problem:
            _log.info("nothing written after the stop: %s", type(problem).__name__)

    async def _call_model(self, tools: ToolContext, rounds: tuple[Message, ...]) -> RoundDone:
        """Make one model call, retrying transient faults; the gate is checked for every attempt."""
        context, strategy = self._context, self.strategy
        attempt = 0
        while True:
            self._has_left = False
            request = strategy.request(tools, rounds)
            if await strategy.make_room(request, tools):
                request = strategy.request(tools, rounds)
            attempt += 1
            try:
                done = await context.scope.run(self._stream(request))
                fault = self._fault_of(done, request)
            except ProviderFault as raised:
                fault = raised
            if fault is None:
                context.progress.add_usage(done.usage)
                return done
            self._has_left = False
            if not self._text and fault.kind == "no_pictures" and self._drop_images():
                continue
            if not self._text and fault.kind == "no_tools" and self._without_tools is not None:
                await context.services.models.tools_refused(context.used)
                strategy = self.strategy = self._without_tools(context)
                self._without_tools = None
                tools = await strategy.prepare(tools)
                continue
            overflow = not self._text and fault.kind == "window_exceeded"
            if overflow and await strategy.make_room_after(fault, request, tools):
                continue
            wait = None if self._text else context.services.retry.next_wait(fault, attempt)
            if wait is None:
                raise self._explain_overflow(fault, request)
            self._emit_waiting(fault, wait, attempt)
            await context.scope.run(wait_before_retry(context.scope, wait))

    async def _stream(self, request: Request) -> RoundDone:
        context = self._context
        provider, repetition = await context.provider(), RepetitionFinder()
        async with sending(context.scope, context.mark) as mark_sent:
            context.emit(self._round_started())
            asyncio.get_running_loop().call_soon(self._on_sent)  # it runs as soon as the request waits for the server
            self._on_sent = lambda: None
            async for event in self.strategy.shown(provider.stream(request), self._emit_mood):
                self._has_left = True
                mark_sent()
                match event:
                    case TextChunk(text=text):
                        self._pieces.append(text)
                        self._record_soon()
                        context.emit(
                            TextDelta(
                                conversation=context.conversation, turn=context.turn, round=self._round, text=text
                            )
                        )
                        if repetition.feed(text):
                            parts = reply_text(self._text)
                            return RoundDone(parts=parts, stop=StopReason.REPEATS, usage=Usage(), model="")
                    case ThinkingChunk(characters=n, takes_back=taken_back):
                        if taken_back:
                            self._pieces, self._recorded = [], 0
                            context.emit(self._round_started())
                        context.emit(
                            ThinkingDelta(
                                conversation=context.conversation, turn=context.turn, round=self._round, characters=n
                            )
                        )
                    case RoundDone():
                        return event
        return RoundDone(parts=reply_text(self._text), stop=StopReason.CUT, usage=Usage(), model="")

    def _round_started(self) -> RoundStarted:
        context = self._context
        return RoundStarted(conversation=context.conversation, turn=context.turn, round=self._round)

    def _fault_of(self, done: RoundDone, request: Request) -> ProviderFault | None:
        """Return the fault that a completed call amounts to, and learn its token count."""
        context = self._context
        context.sizes.counted(request, done.usage)
        if done.stop is StopReason.WINDOW_EXCEEDED:
            fault = ProviderFault("window_exceeded")
            if not self._text:
                return fault
            context.sizes.refused(request, fault)  # the next turn compacts first
        if done.stop is StopReason.CUT and not done.parts:
            return ProviderFault("cut", retryable=True)
        return None

    def _drop_images(self) -> bool:
        """Send earlier images by name to a model without image input. Whether to retry: not if this turn's message
        has images, which is reported as an error.
        """
        context = self._context
        known, context.sizes.blind = context.sizes.blind, True
        own = self._own_turn()
        if known or own is None or any(map(is_picture, own.attachments)):
            return False
        context.history.renew()
        return True

    def _explain_overflow(self, fault: ProviderFault, request: Request) -> ProviderFault:
        """Distinguish whether the conversation, this single message or the pet's files exceed the window, if they
        do."""
        context = self._context
        own = self._own_turn()
        if fault.kind != "window_exceeded" or own is None:
            return fault
        if context.sizes.has_room(request, fault):
            host, message = (str(fault.args_.get(name, "")) for name in ("host", "message"))
            return ProviderFault("bad_request", host=host, message=message)
        parts = replay_parts(own, context.gate.access(), context.texts("tool.masked"), shown=sized)
        tokens = round(parts_tokens(parts) * context.sizes.ratio)
        if tokens >= context.window / 2:
            return ProviderFault("message_too_long", tokens=round(tokens, -3))
        return fault if len(context.history.conversation.turns) > 1 else ProviderFault("window_too_small")

    def _own_turn(self) -> Turn | None:
        turns = self._context.history.conversation.turns
        return next((turn for turn in reversed(turns) if turn.id == self._context.turn), None)

    def _emit_mood(self, mood: Mood) -> None:
        self._context.emit(MoodSaid(conversation=self._context.conversation, turn=self._context.turn, mood=mood))

    def _emit_waiting(self, fault: ProviderFault, seconds: float, attempt: int) -> None:
        context, error = self._context, ErrorInfo.of(fault)
        context.emit(
            RetryWaiting(
                conversation=context.conversation, turn=context.turn, error=error, seconds=seconds, attempt=attempt
            )
        )

    # --- tools ----------------------------------------------------------------------------------

    async def _run_calls(self, calls: list[ToolCallPart], tools: ToolContext) -> tuple[ToolResultPart, ...]:
        """Run the first ``_MOST_CALLS`` calls in order. Cancellation refuses those that remain, and ends the turn."""
        context = self._context
        results: list[ToolResultPart] = []
        for number, call in enumerate(calls):
            file = named_file(call)
            context.announce_call(self._round, call.id, call.name, file or words_of(call))
            await asyncio.sleep(0)  # a refused call never suspends: let other tasks run in between
            outcome = context.refused_call()
            if outcome is None:
                outcome = self._one_too_many() if number >= _MOST_CALLS else await run_call(call, tools)
            context.journal.tool_done(self._round, call, file, outcome, durable=outcome.receipt is not None)
            context.announce_outcome(call.id, outcome)
            results.append(ToolResultPart(call_id=call.id, text=outcome.text, is_error=outcome.error is not None))
        context.scope.raise_if_cancelled()
        return tuple(results)

    def _one_too_many(self) -> ToolOutcome:
        error = ToolRefused("too_many", limit=_MOST_CALLS)
        return ToolOutcome(text=self._context.texts(f"error.{error.error_code}", **error.args_), error=error)

    async def _maintain_memory(self) -> None:
        """Run maintenance of nearly full files if due, before the turn reads them."""
        context = self._context
        if (
            context.warm.is_warm(context.services.clock.now())
            or context.scope.reason() is not None
            or not context.gate.access().learns
        ):
            return  # maintenance would make the provider read the whole prompt again
        try:
            receipts = await asyncio.to_thread(context.maintain_memory)
        except PetError as failure:
            _log.info("not maintained: %s", failure.error_code)
            return
        for receipt in receipts:
            context.report_write(f"tidy_{new_id()}", "tidy", receipt.file, ToolOutcome(text="", receipt=receipt))

    # --- ending ---------------------------------------------------------------------------------

    def _finish(self, end: TurnEnd, error: ErrorInfo | None) -> None:
        """Close the turn in the transcript, and set ``ended`` even if the transcript can't be written."""
        if self.ended is not None:
            return
        context = self._context
        if self._recorder is not None:
            self._recorder.cancel()
        claim: Claim | None = None
        try:
            context.journal.closed(end, error, self._round, self._text)
            context.history.renew()
            own = self._own_turn()
            if own is not None:
                claim = self._claim(own)
                self._emit_used_memories(own)
        except PetError as problem:  # disk full, or conversation deleted
            end, error = TurnEnd.FAILED, error or ErrorInfo.of(problem)
        finally:
            self.ended = TurnEnded(
                conversation=context.conversation,
                turn=context.turn,
                end=end,
                error=error,
                usage=context.progress.usage,
                claim=claim,
            )

    def _claim(self, own: Turn) -> Claim | None:
        """Return the mark of this turn, with the offer of the small way for a model whose tools are of no use."""
        context = self._context
        claim = check_claim(own, keeps=context.gate.started.keeps)
        offered = self._without_tools is not None and context.settings.notebook == "auto"
        if claim is None or claim.kind not in ("saved", "asked") or not offered or context.used.settings.local_model:
            return claim
        return replace(claim, never_calls=never_calls(context.history.conversation.turns))

    def _emit_used_memories(self, own: Turn) -> None:
        """Announce the entries that were recalled, and which of them the reply used."""
        if own.used:
            used, sent = list(shown_memories(own)), other_memories(own)
            self._context.emit(
                ContextUsed(conversation=self._context.conversation, turn=self._context.turn, used=used, sent=sent)
            )

    # --- partial replies ------------------------------------------------------------------------

    def _record_soon(self) -> None:
        """Record the partial text at most a second after it arrived, also if the stream stalls. A record holds the
        whole text: the longer it is, the less often it is written, at most ``_PARTIAL_RATE`` characters a second.
        """
        if self._recorder is None:
            wait = max(_PARTIAL_EVERY, self._recorded / _PARTIAL_RATE)
            self._recorder = asyncio.get_running_loop().call_later(wait, self._record)

    def _record(self) -> None:
        self._recorder = None
        if self._text:
            self._recorded = len(self._text)
            with suppress(PetError):  # the end of the round retries and reports it
                self._context.journal.partial(self._round, self._text)
