"""Run a compaction: flush notes, summarise, record.

With memory on, a first model call lets the pet write down what is worth keeping; then the turns are summarised, in
chunks if long. Nothing made while memory was on is kept once it is off; a failed flush is ignored; nothing is removed
from the transcript.
"""

from __future__ import annotations

import asyncio
import logging

from pet.access.policy import Access
from pet.engine.compaction.history_text import chunk_turns, detect_language, memory_on_turns, render_turns
from pet.engine.compaction.plan import CompactionPlan
from pet.engine.send_scope import sending
from pet.engine.turn_context import TurnContext
from pet.errors import FileBroken, FileConflict, PetError, ProviderFault, WriteFailed
from pet.events import CompactionEnded, CompactionStarted, ErrorInfo
from pet.i18n import Texts
from pet.ids import new_id
from pet.model import (
    Message,
    Request,
    StopReason,
    SystemBlock,
    TextPart,
    ToolCallPart,
    ToolSpec,
    Usage,
)
from pet.prompt.fence import escape
from pet.prompt.tokens import estimate_tokens
from pet.prompt.truncate import truncate
from pet.providers.base import RoundDone
from pet.text.redaction import redact
from pet.text.sections import SUMMARY, wrap
from pet.tools.spec import ToolContext
from pet.tools.toolset import run_call, tool_specs
from pet.transcripts.conversation.model import Turn

_log = logging.getLogger(__name__)

_PORTION = 0.4  # of the window: the prompt's files take up to a third, and the reply needs room
_LEAST_PORTION = 400  # tokens
_SUMMARY_TOKENS = 2_000  # limit of the model's answer
_SUMMARY_CHARACTERS = 8_000
_MOST_NOTES = 12  # maximum notes per flush
_HALVINGS = 3  # retries with a smaller chunk if the window turns out smaller than known


class Compaction:
    """One compaction. ``tools``: of the turn or act that requires it. ``ended``: set once ``run`` is over, for the
    caller to emit."""

    def __init__(self, p: TurnContext, tools: ToolContext) -> None:
        self._p = p
        self._tools = tools
        self._usage = Usage()
        self._local = False
        self.ended: CompactionEnded | None = None

    async def run(self, plan: CompactionPlan) -> None:
        """Summarise the plan's turns. Raises TurnAborted, ProviderFault, and PetError if it can't be recorded."""
        p = self._p
        access = p.gate.access()
        error: ErrorInfo | None = None
        done: str | None = None
        p.progress.compacting = True
        p.emit(CompactionStarted(conversation=p.conversation))
        try:
            text = await self._summary(plan, access)
            p.scope.raise_if_cancelled()  # made with memory on: must not be stored once it is off
            p.journal.compacted(plan.turns[-1].id, access.memory, text, self._usage, plan.without, local=self._local)
            done = plan.turns[-1].id
        except PetError as failure:
            error = ErrorInfo.of(failure)
            raise
        finally:
            p.progress.compacting = False
            self.ended = compaction_ended(p, done, error)

    async def _summary(self, plan: CompactionPlan, access: Access) -> str:
        room = max(_LEAST_PORTION, int(self._p.window * _PORTION) - estimate_tokens(plan.before))
        for halving in range(_HALVINGS + 1):
            try:
                return await self._portions(plan, access, room >> halving, flushes=halving == 0)
            except ProviderFault as fault:
                if fault.kind != "window_exceeded" or halving == _HALVINGS or room >> halving <= _LEAST_PORTION:
                    raise
        raise AssertionError  # the last round returns or raises

    async def _portions(self, plan: CompactionPlan, access: Access, room: int, *, flushes: bool) -> str:
        texts = Texts(detect_language(plan.turns, self._p.texts.language))
        summary = plan.before
        for portion in chunk_turns(plan.turns, access, texts, room):
            said = render_turns(portion, access, texts, room)
            noted = memory_on_turns([turn for turn in portion if turn.id not in self._p.written_down])
            if flushes and access.learns and noted:
                await self._flush(noted, render_turns(noted, access, texts, room), texts)
            summary = await self._summarise(summary, said, texts, plan.wish)
        return summary

    # --- the summary ----------------------------------------------------------------------------

    async def _summarise(self, before: str, said: str, texts: Texts, wish: str) -> str:
        p = self._p
        pieces = [texts("engine.summary.earlier") + "\n" + wrap(SUMMARY, escape(before))] if before else []
        pieces.append(texts("engine.summary.said") + "\n" + said)
        if wish:
            pieces.append(texts("engine.summary.wish", words=escape(wish)))
        pieces.append(texts("engine.summary.now"))
        reply = await self._ask(
            system=(SystemBlock(text=texts("engine.summary.rules")),),
            tools=(),
            text="\n\n".join(pieces),
            most=min(p.settings.max_tokens, _SUMMARY_TOKENS),
        )
        text = "".join(part.text for part in reply.parts if isinstance(part, TextPart)).strip()
        if reply.stop is StopReason.WINDOW_EXCEEDED:
            raise ProviderFault("window_exceeded")
        if reply.stop in (StopReason.REFUSAL, StopReason.CUT) or not text:
            raise ProviderFault("no_summary", retryable=True)
        return self._kept(text)

    def _kept(self, text: str) -> str:
        """Redact secrets and forgotten texts, and truncate to a summary's length."""
        lines = [line for line in redact(text).text.split("\n") if not self._p.services.memory.is_forgotten(line)]
        return truncate("\n".join(lines), _SUMMARY_CHARACTERS, lambda _gap: "…").text

    # --- the flush ------------------------------------------------------------------------------

    async def _flush(self, turns: tuple[Turn, ...], said: str, texts: Texts) -> None:
        """Let the pet write down what is worth keeping; failures are contained here."""
        try:
            tools = tuple(each for each in tool_specs(self._p.gate.access(), texts) if each.name == "memory_write")
            if not tools:
                return
            reply = await self._ask(
                system=self._p.system(self._tools.snapshot.visible(self._p.gate.access()), ()),
                tools=tools,
                text="\n\n".join((said, texts("engine.flush.now", day=turns[0].at[:10], until=turns[-1].at[:10]))),
                most=self._p.settings.max_tokens,
            )
            if reply.stop is StopReason.TOOL_USE:
                await self._write_down([part for part in reply.parts if isinstance(part, ToolCallPart)])
            self._p.written_down.update(turn.id for turn in turns)
        except PetError as failure:
            _log.info("nothing was written down before a summary: %s", failure.error_code)

    async def _write_down(self, calls: list[ToolCallPart]) -> None:
        context = self._tools.renewed()
        for call in calls[:_MOST_NOTES]:
            self._p.scope.raise_if_cancelled()
            if call.name == "memory_write":
                # Once started, write and record complete together, even during cancellation.
                await asyncio.shield(self._note(call, context))

    async def _note(self, call: ToolCallPart, context: ToolContext) -> None:
        outcome = await run_call(call, context)
        if isinstance(outcome.error, WriteFailed | FileBroken | FileConflict):
            raise outcome.error  # the log will be there again, and the turns with what was to be noted of them
        if outcome.receipt is None:  # a duplicate or refused: nothing to report to the owner
            return
        self._p.report_write(f"flush_{new_id()}", call.name, outcome.receipt.file, outcome)

    # --- asking ---------------------------------------------------------------------------------

    async def _ask(
        self, *, system: tuple[SystemBlock, ...], tools: tuple[ToolSpec, ...], text: str, most: int
    ) -> RoundDone:
        """Make one model call and consume the stream. Raises ProviderFault, TurnAborted."""
        p = self._p
        provider = await p.provider()
        request = Request(
            model=p.settings.model,
            max_tokens=most,
            system=system,
            tools=tools,
            messages=(Message(role="user", parts=(TextPart(text=text),)),),
            effort=p.settings.effort,
            thinking=p.settings.thinking,
        )
        async with sending(p.scope, p.mark) as left:
            async for event in provider.stream(request):
                left()
                p.scope.raise_if_cancelled()
                if isinstance(event, RoundDone):
                    self._usage = self._usage.plus(event.usage)
                    self._local = event.local
                    return event
        return RoundDone(parts=(), stop=StopReason.CUT, usage=Usage(), model="")


def compaction_ended(p: TurnContext, after_turn: str | None, error: ErrorInfo | None) -> CompactionEnded:
    at = p.services.clock.now().isoformat()
    return CompactionEnded(conversation=p.conversation, after_turn=after_turn, at=at, error=error)
