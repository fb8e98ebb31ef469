"""One turn: from the owner's message, already on disk, to the end of the reply.

Pure coordinator: provider, files, prompt, transcript, clock and event sink are injected. Order: gate, snapshot,
request, stream, tools, next round. Sends nothing the gate does not allow at the moment of sending, retries included.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import replace

from pet.access.policy import TurnGate
from pet.engine.cancellation import CancelScope
from pet.engine.claim_detection.check import check_claim
from pet.engine.mood.tags import strip_mood_tags
from pet.engine.request.shown_memories import shown_memories
from pet.engine.turn_context import TurnContext
from pet.engine.send_scope import sending, wait_before_retry
from pet.engine.stop_reasons import TurnAborted, replayable_parts, reply_text, turn_end_for
from pet.engine.turn.request_preparation import RequestPreparer
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
    ToolEnded,
    ToolStarted,
    TurnEnded,
)
from pet.ids import new_id
from pet.model import (
    Decision,
    Message,
    Proposal,
    Refused,
    ReplyPart,
    Request,
    StopReason,
    ToolCallPart,
    ToolResultPart,
    TurnEnd,
    Usage,
)
from pet.providers.base import Provider, RoundDone, Streamed, TextChunk, ThinkingChunk
from pet.tools.spec import ToolContext, ToolOutcome
from pet.tools.toolset import named_file, run_call, tool_specs, words_of

_log = logging.getLogger(__name__)

_PARTIAL_EVERY = 1.0  # seconds
_PARTIAL_RATE = 100_000  # characters a second
_MOST_CALLS = 32  # of one round that run; a server can send a thousand in one reply


class RunningTurn:
    """A running turn. Call ``stop`` and ``memory_closed`` on the engine's thread."""

    def __init__(self, parts: TurnContext) -> None:
        self._p = parts
        self._course = CancelScope(parts.gate)
        self._round = 0
        self._pieces: list[str] = []  # text of the streaming round
        self._recorder: asyncio.TimerHandle | None = None
        self._recorded = 0  # length of the last partial record
        self._usage = Usage()
        self._finished = False
        self._in_tool_loop = False
        self._call_ids: set[str] = set()
        self._heard = False  # part of this round's reply arrived: its request has left

    def stop(self) -> None:
        """The owner pressed Stop: partial text is kept, open calls are refused."""
        self._course.cancel(TurnEnd.STOPPED)

    def memory_closed(self) -> None:
        """Memory went OFF: an open tool loop is cancelled; a first plain reply may finish.

        Before the first byte of the reply the request may not have left yet, and is cancelled.
        """
        if self._p.gate.was_revoked() and (self._in_tool_loop or not self._heard):
            self._course.cancel(TurnEnd.MEMORY_OFF)

    @property
    def streaming(self) -> tuple[int, str]:
        """Return the running round and its text so far; read on the engine's thread."""
        return self._round, self._text

    @property
    def _text(self) -> str:
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)]
        return self._pieces[0] if self._pieces else ""

    @property
    def gate(self) -> TurnGate:
        return self._p.gate

    async def run(self) -> TurnEnd:
        """Run to the end and close the turn in the transcript. Return how it ended."""
        error: PetError | None = None
        try:
            end = await self._rounds()
            await self._tidy()
        except TurnAborted as ended:
            end, error = ended.end, ended.error
        except asyncio.CancelledError:
            self._finish(TurnEnd.STOPPED, None)
            raise
        except PetError as failure:
            # A failure caused by cancellation counts as the cancellation.
            told = self._course.ending
            end, error = (told, None) if told else (TurnEnd.FAILED, failure)
        self._finish(end, ErrorInfo.of(error) if error else None)
        return end

    async def get_ready(self) -> None:
        """What makes the conversation's next reply begin sooner; to be called while nothing runs in it."""

    def failed(self, error: ErrorInfo) -> None:
        """Close the turn after an unexpected exception."""
        self._finish(TurnEnd.FAILED, error)

    # --- rounds ---------------------------------------------------------------------------------

    async def _rounds(self) -> TurnEnd:
        p = self._p
        tools = await self._load_tools()
        prepare = RequestPreparer(p, self._course, tools)
        await prepare.recall()
        loop: list[Message] = []  # this turn's own rounds, thinking unchanged
        for self._round in range(1, p.settings.max_rounds + 1):
            done = self._told_apart(await self._one_round(tools, prepare, tuple(loop)))
            self._usage = self._usage.plus(done.usage)
            p.journal.round_said(self._round, done)
            self._pieces = []
            if done.stop is StopReason.PAUSE_TURN:
                loop.append(Message(role="assistant", parts=done.parts))
                continue
            calls = [part for part in done.parts if isinstance(part, ToolCallPart)]
            if done.stop is not StopReason.TOOL_USE or not calls:
                return turn_end_for(done.stop)
            self._in_tool_loop = True
            results = await self._run_calls(calls, tools)
            loop.append(Message(role="assistant", parts=replayable_parts(done.parts)))
            loop.append(Message(role="user", parts=results))
        return TurnEnd.MAX_ROUNDS

    async def _load_tools(self) -> ToolContext:
        """Raises TurnAborted."""
        return await self._course.run(self._p.load_tools(self._p.said, self._confirm))

    def _told_apart(self, done: RoundDone) -> RoundDone:
        """Make call ids unique, as the page and the API require; some servers repeat them."""
        parts: list[ReplyPart] = []
        for part in done.parts:
            if not isinstance(part, ToolCallPart):
                parts.append(part)
                continue
            own = part.id if part.id not in self._call_ids else f"call_{new_id()}"
            self._call_ids.add(own)
            parts.append(replace(part, id=own))
        return replace(done, parts=tuple(parts))

    async def _one_round(self, tools: ToolContext, prepare: RequestPreparer, loop: tuple[Message, ...]) -> RoundDone:
        """Make one model call, retrying transient faults; the gate is checked for every attempt."""
        p = self._p
        attempt = 0
        while True:
            self._heard = False
            request = self._request(tools, loop)
            if await prepare.compact_if_needed(request):
                request = self._request(tools, loop)
            attempt += 1
            try:
                done = await self._course.run(self._stream(request))
            except ProviderFault as fault:
                failed = fault
            else:
                p.sizes.counted(request, done.usage)
                if done.stop is StopReason.WINDOW_EXCEEDED and self._text:
                    p.sizes.refused(request, ProviderFault("window_exceeded"))  # the next turn compacts first
                if done.stop is StopReason.WINDOW_EXCEEDED and not self._text:
                    failed = ProviderFault("window_exceeded")
                elif done.stop is StopReason.CUT and not done.parts:
                    failed = ProviderFault("cut", retryable=True)
                else:
                    return done
            self._heard = False
            if failed.kind == "no_pictures" and not self._text and prepare.drop_images():
                continue
            if (
                failed.kind == "window_exceeded"
                and not self._text
                and await prepare.compact_after_overflow(failed, request)
            ):
                continue
            wait = None if self._text else p.services.retry.next_wait(failed, attempt)
            if wait is None:
                raise prepare.explain_overflow(failed)
            self._say_waiting(failed, wait, attempt)
            await self._course.run(wait_before_retry(self._course, wait))

    def _request(self, tools: ToolContext, loop: tuple[Message, ...]) -> Request:
        p = self._p
        access = p.gate.access()
        return Request(
            model=p.settings.model,
            max_tokens=p.settings.max_tokens,
            system=p.make_prompt(tools.snapshot.visible(access), tools.skills),
            tools=tool_specs(access, p.texts, tools.skills),
            messages=p.replay.messages(access) + loop,
            effort=p.settings.effort,
            thinking=p.settings.thinking,
        )

    async def _stream(self, request: Request) -> RoundDone:
        p = self._p
        provider = await p.provider()
        async with sending(self._course, p.mark) as left:
            p.emit(RoundStarted(conversation=p.conversation, turn=p.turn, round=self._round))
            async for event in self._events(provider, request):
                self._heard = True
                left()
                match event:
                    case TextChunk(text=text):
                        self._pieces.append(text)
                        self._record_soon()
                        p.emit(TextDelta(conversation=p.conversation, turn=p.turn, round=self._round, text=text))
                    case ThinkingChunk(characters=n):
                        p.emit(
                            ThinkingDelta(conversation=p.conversation, turn=p.turn, round=self._round, characters=n)
                        )
                    case RoundDone():
                        return event
        return RoundDone(parts=reply_text(self._text), stop=StopReason.CUT, usage=Usage(), model="")

    async def _events(self, provider: Provider, request: Request) -> AsyncIterator[Streamed]:
        """Stream the model's events without mood tags."""
        async for event in strip_mood_tags(provider.stream(request), self._say_mood):
            yield event

    def _say_mood(self, mood: Mood) -> None:
        self._p.emit(MoodSaid(conversation=self._p.conversation, turn=self._p.turn, mood=mood))

    # --- tools ----------------------------------------------------------------------------------

    async def _run_calls(self, calls: list[ToolCallPart], tools: ToolContext) -> tuple[ToolResultPart, ...]:
        """Run the first ``_MOST_CALLS`` calls in order. Cancellation refuses those that remain, and ends the turn."""
        p = self._p
        results: list[ToolResultPart] = []
        for number, call in enumerate(calls):
            file = named_file(call)
            self._say_tool(self._round, call.id, call.name, file or words_of(call))
            await asyncio.sleep(0)  # a refused call waits for nothing: others get their turn among them
            beyond = number >= _MOST_CALLS
            outcome = self._refused_now() or (self._one_too_many() if beyond else await run_call(call, tools))
            p.journal.tool_done(self._round, call, file, outcome, durable=outcome.receipt is not None)
            self._say_done(call.id, outcome)
            results.append(ToolResultPart(call_id=call.id, text=outcome.text, is_error=outcome.error is not None))
        self._course.raise_if_cancelled()
        return tuple(results)

    def _say_tool(self, round_: int, call: str, tool: str, file: str | None) -> None:
        p = self._p
        p.emit(ToolStarted(conversation=p.conversation, turn=p.turn, round=round_, call=call, tool=tool, file=file))

    def _say_done(self, call: str, outcome: ToolOutcome) -> None:
        p = self._p
        error = ErrorInfo.of(outcome.error) if outcome.error else None
        p.emit(ToolEnded(conversation=p.conversation, turn=p.turn, call=call, error=error, receipt=outcome.receipt))

    async def _tidy(self) -> None:
        """Run maintenance of nearly full files if due; the finished reply is unaffected."""
        p = self._p
        if self._course.reason() is not None or not p.gate.access().learns:
            return
        try:
            receipts = await asyncio.to_thread(p.tidy)
        except PetError as failure:
            _log.info("not tidied: %s", failure.error_code)
            return
        for receipt in receipts:
            call, outcome = f"tidy_{new_id()}", ToolOutcome(text="", receipt=receipt)
            p.journal.done_beside(call, "tidy", receipt.file, outcome)
            self._say_tool(0, call, "tidy", receipt.file)
            self._say_done(call, outcome)

    async def _confirm(self, proposal: Proposal) -> Decision:
        """Ask the owner; Stop and OFF before, during or right after the answer take precedence."""
        refused = self._refusal()
        if refused is not None:
            return refused
        decision = await self._p.confirm(proposal)
        return self._refusal() or decision

    def _refused_now(self) -> ToolOutcome | None:
        """Return the outcome of a call that must no longer run, else None."""
        refusal = self._refusal()
        if refusal is None:
            return None
        return ToolOutcome(text=self._p.texts(f"error.tool_{refusal.why}"), error=ToolRefused(refusal.why))

    def _one_too_many(self) -> ToolOutcome:
        error = ToolRefused("too_many", limit=_MOST_CALLS)
        return ToolOutcome(text=self._p.texts(f"error.{error.error_code}", **error.args_), error=error)

    def _refusal(self) -> Refused | None:
        over = self._course.reason()
        if over is None:
            return None
        return Refused(why="stopped" if over is TurnEnd.STOPPED else "memory_off")

    # --- ending ---------------------------------------------------------------------------------

    def _say_waiting(self, fault: ProviderFault, seconds: float, attempt: int) -> None:
        self._p.emit(
            RetryWaiting(
                conversation=self._p.conversation,
                turn=self._p.turn,
                error=ErrorInfo.of(fault),
                seconds=seconds,
                attempt=attempt,
            )
        )

    def _finish(self, end: TurnEnd, info: ErrorInfo | None) -> None:
        """Close the turn in the transcript, and for the page even if the transcript can't be written."""
        if self._finished:
            return
        self._finished = True
        if self._recorder is not None:
            self._recorder.cancel()
        claim: Claim | None = None
        try:
            self._p.journal.closed(end, info, self._round, self._text)
            claim = self._claim()
            self._show_memories()
        except PetError as problem:  # disk full, or conversation deleted
            end, info = TurnEnd.FAILED, info or ErrorInfo.of(problem)
        finally:
            self._p.emit(
                TurnEnded(
                    conversation=self._p.conversation,
                    turn=self._p.turn,
                    end=end,
                    error=info,
                    usage=self._usage,
                    claim=claim,
                )
            )

    def _show_memories(self) -> None:
        """Announce the entries shown under the reply where it uses more than was known when it began."""
        own = next((turn for turn in self._p.replay.conversation.turns if turn.id == self._p.turn), None)
        shown = shown_memories(own) if own is not None else ()
        if any(not each.sure for each in shown):
            self._p.emit(ContextUsed(conversation=self._p.conversation, turn=self._p.turn, used=list(shown)))

    def _claim(self) -> Claim | None:
        self._p.replay.renew()
        turns = self._p.replay.conversation.turns
        own = next((turn for turn in reversed(turns) if turn.id == self._p.turn), None)
        return check_claim(own, keeps=self._p.gate.started.keeps) if own else None

    # --- partial replies ------------------------------------------------------------------------

    def _record_soon(self) -> None:
        """Record the partial text at most a second after it arrived, also if the stream stalls. A record holds the
        whole text, so long ones are written less often: at most ``_PARTIAL_RATE`` characters a second.
        """
        if self._recorder is None:
            wait = max(_PARTIAL_EVERY, self._recorded / _PARTIAL_RATE)
            self._recorder = asyncio.get_running_loop().call_later(wait, self._record)

    def _record(self) -> None:
        self._recorder = None
        if self._text:
            self._recorded = len(self._text)
            with suppress(PetError):  # the end of the round retries and reports it
                self._p.journal.partial(self._round, self._text)
