"""One turn: from the owner's message, already on disk, to the end of the reply (PRODUCT §7).

The loop is a pure coordinator: provider, files, prompt, transcript, clock and event sink are passed in. It owns
the order of things: gate, snapshot, request, stream, tools, next round; and it refuses to send anything the gate
does not allow at the moment of sending, retries included.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from pet.clock import Clock
from pet.engine.ends import Ended, end_of, sendable, text_parts
from pet.engine.journal import Journal
from pet.errors import PetError, ProviderFault, ToolRefused
from pet.events import (
    ErrorInfo,
    Event,
    RetryWaiting,
    RoundStarted,
    TextDelta,
    ThinkingDelta,
    ToolEnded,
    ToolStarted,
    TurnEnded,
)
from pet.gate import Access, TurnGate
from pet.ids import new_id
from pet.model import (
    Decision,
    Message,
    Proposal,
    Refused,
    ReplyPart,
    Request,
    StopReason,
    SystemBlock,
    ToolCallPart,
    ToolResultPart,
    TurnEnd,
    Usage,
)
from pet.providers.base import Provider, RoundDone, TextCame, ThinkingCame
from pet.providers.retry import RetryPolicy
from pet.texts import Texts
from pet.tools.spec import Confirm, ToolContext, ToolOutcome
from pet.tools.toolset import named_file, run_call, tool_specs
from pet.workspace.gated import GatedFiles, Snapshot

T = TypeVar("T")

_PARTIAL_EVERY = 1.0  # seconds; PRODUCT §7.2


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnLimits:
    """The settings a turn needs, as they were when it began."""

    model: str
    max_tokens: int
    effort: str
    thinking: str
    max_rounds: int
    file_characters: int
    losing_share: float = 0.25  # PRODUCT §4.3


PromptMaker = Callable[[Snapshot, Access], tuple[SystemBlock, ...]]
History = Callable[[Access], tuple[Message, ...]]
"""The conversation up to and with this turn's message, as this access may replay it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnParts:
    """Everything one turn is made of."""

    conversation: str
    turn: str
    gate: TurnGate
    files: GatedFiles
    provider: Callable[[], Awaitable[Provider]]
    make_prompt: PromptMaker
    history: History
    journal: Journal
    emit: Callable[[Event], None]
    confirm: Confirm
    texts: Texts
    limits: TurnLimits
    retry: RetryPolicy
    clock: Clock


class Turn:
    """A running turn. ``stop`` and ``memory_closed`` are called on the engine's thread."""

    def __init__(self, parts: TurnParts) -> None:
        self._p = parts
        self._round = 0
        self._text = ""  # of the round that streams now
        self._recorder: asyncio.TimerHandle | None = None
        self._usage = Usage()
        self._ending: TurnEnd | None = None
        self._finished = False
        self._work: asyncio.Future[Any] | None = None  # what is cancelled when the turn has to end
        self._in_tool_loop = False
        self._call_ids: set[str] = set()
        self._heard = False  # something came of this round's reply: its request has left

    def stop(self) -> None:
        """The owner pressed Stop: what was said stays, open calls are refused."""
        self._end_soon(TurnEnd.STOPPED)

    def memory_closed(self) -> None:
        """The brain went OFF: an open tool loop ends; a first plain reply may still end its sentence.

        Before its first word the request may not have left yet, and must not leave any more (PRODUCT §3.3).
        """
        if self._p.gate.shrank() and (self._in_tool_loop or not self._heard):
            self._end_soon(TurnEnd.MEMORY_OFF)

    @property
    def streaming(self) -> tuple[int, str]:
        """The round that runs and what it has said so far; to be read on the engine's thread."""
        return self._round, self._text

    @property
    def gate(self) -> TurnGate:
        return self._p.gate

    @property
    def ending(self) -> TurnEnd | None:
        return self._ending

    async def run(self) -> TurnEnd:
        """Run to the end and close the turn in the transcript. Returns how it ended."""
        error: PetError | None = None
        try:
            end = await self._rounds()
        except Ended as ended:
            end, error = ended.end, ended.error
        except asyncio.CancelledError:
            self._close(TurnEnd.STOPPED, None)
            raise
        except PetError as failure:
            # What fails because it was told to end has ended as told.
            end, error = (self._ending, None) if self._ending else (TurnEnd.FAILED, failure)
        self._close(end, error)
        return end

    def failed(self, incident: str) -> None:
        """A bug ended the turn: the owner sees that, with the id under which it is in the log."""
        self._finish(TurnEnd.FAILED, ErrorInfo(code="internal", args={"id": incident}))

    # --- rounds ---------------------------------------------------------------------------------

    async def _rounds(self) -> TurnEnd:
        p = self._p
        snapshot = await self._race(asyncio.to_thread(p.files.snapshot))
        context = ToolContext(
            files=p.files,
            gate=p.gate,
            confirm=self._confirm,
            snapshot=snapshot,
            texts=p.texts,
            file_characters=p.limits.file_characters,
            losing_share=p.limits.losing_share,
        )
        loop: list[Message] = []  # this turn's own rounds: thinking included, unchanged (PRODUCT §7.1)
        for self._round in range(1, p.limits.max_rounds + 1):
            done = self._told_apart(await self._one_round(snapshot, tuple(loop)))
            self._usage = self._usage.plus(done.usage)
            p.journal.round_said(self._round, done)
            self._text = ""
            if done.stop is StopReason.PAUSE_TURN:
                loop.append(Message(role="assistant", parts=done.parts))
                continue
            calls = [part for part in done.parts if isinstance(part, ToolCallPart)]
            if done.stop is not StopReason.TOOL_USE or not calls:
                return end_of(done.stop)
            self._in_tool_loop = True
            results = await self._run_calls(calls, context)
            loop.append(Message(role="assistant", parts=sendable(done.parts)))
            loop.append(Message(role="user", parts=results))
        return TurnEnd.MAX_ROUNDS

    def _told_apart(self, done: RoundDone) -> RoundDone:
        """Calls are told apart by their ids, here, in the page and by the API; some servers give one twice."""
        parts: list[ReplyPart] = []
        for part in done.parts:
            if not isinstance(part, ToolCallPart):
                parts.append(part)
                continue
            own = part.id if part.id not in self._call_ids else f"call_{new_id()}"
            self._call_ids.add(own)
            parts.append(replace(part, id=own))
        return replace(done, parts=tuple(parts))

    async def _one_round(self, snapshot: Snapshot, loop: tuple[Message, ...]) -> RoundDone:
        """Ask the model once, again after a fault that may pass; every attempt asks the gate anew."""
        p = self._p
        attempt = 0
        while True:
            attempt += 1
            self._heard = False
            self._check_open()
            try:
                done = await self._race(self._stream(self._request(snapshot, loop)))
            except ProviderFault as fault:
                wait = None if self._text else p.retry.next_wait(fault, attempt)
                if wait is None:
                    raise
                self._say_waiting(fault, wait, attempt)
                await self._pause(wait)
                continue
            if done.stop is StopReason.CUT and not done.parts:
                cut = ProviderFault("cut", retryable=True)
                wait = p.retry.next_wait(cut, attempt)
                if wait is None:
                    raise cut
                self._say_waiting(cut, wait, attempt)
                await self._pause(wait)
                continue
            return done

    def _request(self, snapshot: Snapshot, loop: tuple[Message, ...]) -> Request:
        p = self._p
        access = p.gate.access()
        return Request(
            model=p.limits.model,
            max_tokens=p.limits.max_tokens,
            system=p.make_prompt(snapshot.shrunk(access), access),
            tools=tool_specs(access, p.texts),
            messages=p.history(access) + loop,
            effort=p.limits.effort,
            thinking="off" if p.limits.thinking == "off" else "default",
        )

    async def _stream(self, request: Request) -> RoundDone:
        p = self._p
        provider = await p.provider()
        self._check_open()  # making the provider may have taken a while
        p.emit(RoundStarted(conversation=p.conversation, turn=p.turn, round=self._round))
        async for event in provider.stream(request):
            self._heard = True
            match event:
                case TextCame(text=text):
                    self._text += text
                    self._record_soon()
                    p.emit(TextDelta(conversation=p.conversation, turn=p.turn, round=self._round, text=text))
                case ThinkingCame(characters=count):
                    p.emit(
                        ThinkingDelta(conversation=p.conversation, turn=p.turn, round=self._round, characters=count)
                    )
                case RoundDone():
                    return event
        return RoundDone(parts=text_parts(self._text), stop=StopReason.CUT, usage=Usage(), model="")

    # --- tools ----------------------------------------------------------------------------------

    async def _run_calls(self, calls: list[ToolCallPart], context: ToolContext) -> tuple[ToolResultPart, ...]:
        """Run the calls one after another. An end in between refuses those still open, then ends the turn."""
        p = self._p
        results: list[ToolResultPart] = []
        for call in calls:
            file = named_file(call)
            p.emit(
                ToolStarted(
                    conversation=p.conversation,
                    turn=p.turn,
                    round=self._round,
                    call=call.id,
                    tool=call.name,
                    file=file,
                )
            )
            outcome = self._refused_now() or await run_call(call, context)
            p.journal.tool_done(self._round, call, file, outcome)
            error = outcome.error
            p.emit(
                ToolEnded(
                    conversation=p.conversation,
                    turn=p.turn,
                    call=call.id,
                    error=ErrorInfo.of(error) if error else None,
                    receipt=outcome.receipt,
                )
            )
            results.append(ToolResultPart(call_id=call.id, text=outcome.text, is_error=outcome.error is not None))
        self._check_open()
        return tuple(results)

    async def _confirm(self, proposal: Proposal) -> Decision:
        """Ask the owner; whatever they answer, Stop and OFF before, meanwhile or right after it count more."""
        refused = self._refusal()
        if refused is not None:
            return refused
        decision = await self._p.confirm(proposal)
        return self._refusal() or decision

    def _refused_now(self) -> ToolOutcome | None:
        """An outcome for a call that must not run any more, else None."""
        refusal = self._refusal()
        if refusal is None:
            return None
        return ToolOutcome(text=self._p.texts(f"error.tool_{refusal.why}"), error=ToolRefused(refusal.why))

    def _refusal(self) -> Refused | None:
        over = self._over()
        if over is None:
            return None
        return Refused(why="stopped" if over is TurnEnd.STOPPED else "memory_off")

    # --- ending ---------------------------------------------------------------------------------

    def _over(self) -> TurnEnd | None:
        """How the turn must end, once it must: what was asked first counts."""
        if self._ending is not None:
            return self._ending
        if self._p.gate.over == "stopped":
            return TurnEnd.STOPPED
        return TurnEnd.MEMORY_OFF if self._p.gate.shrank() else None

    def _check_open(self) -> None:
        over = self._over()
        if over is not None:
            raise Ended(over)

    def _end_soon(self, end: TurnEnd) -> None:
        if self._ending is None:
            self._ending = end
            self._p.gate.end("stopped" if end is TurnEnd.STOPPED else "memory_off")
            if self._work is not None:
                self._work.cancel()  # here and now: not one more step of it, so not one more byte

    async def _race(self, work: Coroutine[Any, Any, T]) -> T:
        """The work's result, unless the turn is ended first: then the work is cancelled at once."""
        task = asyncio.ensure_future(work)
        self._work = task
        if self._ending is not None:
            task.cancel()
        try:
            await asyncio.wait({task})
            if task.cancelled() and self._ending is not None:
                raise Ended(self._ending)
            return task.result()
        finally:
            self._work = None
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def _pause(self, seconds: float) -> None:
        self._heard = False
        await self._race(asyncio.sleep(seconds))

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

    def _close(self, end: TurnEnd, error: PetError | None) -> None:
        self._finish(end, ErrorInfo.of(error) if error else None)

    def _finish(self, end: TurnEnd, info: ErrorInfo | None) -> None:
        """Close the turn in the transcript, and for the page also where the transcript can't be written."""
        if self._finished:
            return
        self._finished = True
        if self._recorder is not None:
            self._recorder.cancel()
        try:
            self._p.journal.closed(end, info, self._round, self._text)
        except PetError as problem:  # the disk is full, or the conversation was deleted
            end, info = TurnEnd.FAILED, info or ErrorInfo.of(problem)
        finally:
            self._p.emit(
                TurnEnded(
                    conversation=self._p.conversation, turn=self._p.turn, end=end, error=info, usage=self._usage
                )
            )

    # --- partial replies ------------------------------------------------------------------------

    def _record_soon(self) -> None:
        """The text so far is on disk at most a second after it came, also when the stream then stalls."""
        if self._recorder is None:
            self._recorder = asyncio.get_running_loop().call_later(_PARTIAL_EVERY, self._record)

    def _record(self) -> None:
        self._recorder = None
        if self._text:
            with suppress(PetError):  # the end of the round tries again, and says so
                self._p.journal.partial(self._round, self._text)
