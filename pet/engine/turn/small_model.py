"""A turn with a small model: it is asked what is to be noted, the program writes that, then it replies without tools.

The writes go through the same tools as a large model's calls: gate, locks, masking, consent for SOUL.md, receipts and
history are theirs. While memory is off nothing is asked and nothing is written.
"""

from __future__ import annotations

import json
import logging
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import replace
from typing import Any, TypeVar

from pet.access.policy import VisibleFiles
from pet.engine.notebook.changes import with_line, with_name, with_note, with_soul
from pet.engine.notebook.decisions import (
    Correct,
    Decision,
    Note,
    Soul,
    is_decided,
    needs_no_question,
    read_decision,
    read_soul_change,
    settle,
)
from pet.engine.notebook.history import small_messages, without_noted
from pet.engine.notebook.parrot_filter import ParrotFilter
from pet.engine.turn_context import TurnContext
from pet.engine.services import FILES_SHARE, LocalModelLimits
from pet.engine.send_scope import sending
from pet.engine.stop_reasons import TurnAborted, turn_end_for
from pet.engine.turn.request_preparation import RequestPreparer
from pet.engine.turn.turn import RunningTurn
from pet.errors import PetError, ProviderFault
from pet.i18n import Texts
from pet.ids import new_id
from pet.model import CoreFile, Message, ReplyPart, Request, StopReason, SystemBlock, TextPart, ToolCallPart, TurnEnd
from pet.prompt.notebook import (
    Line,
    day_line,
    language_of,
    line_openings,
    lines_of,
    question,
    question_schema,
    reply_sections,
    soul_question,
    soul_schema,
)
from pet.prompt.tokens import estimate_tokens
from pet.providers.base import Provider, RoundDone, Streamed, TextChunk
from pet.tools.spec import ToolContext
from pet.tools.toolset import run_call
from pet.transcripts.records.entries import NOTE_CALL
from pet.workspace.templates import default_soul

_log = logging.getLogger(__name__)

Answer = TypeVar("Answer")
_ANSWER_TOKENS = 120
_TRIES = 2
_MOST_LINES = 60
_LEAST_HISTORY = 300  # tokens
_MARGIN = 60
_USER, _MEMORY, _SOUL = CoreFile.USER.value, CoreFile.MEMORY.value, CoreFile.SOUL.value


class SmallModelTurn(RunningTurn):
    """As ``RunningTurn``, in one round."""

    def __init__(self, parts: TurnContext, limits: LocalModelLimits) -> None:
        super().__init__(parts)
        self._limits = limits
        # In the language of the message, which a small model keeps to more surely than to a rule.
        self._words = Texts(language_of(parts.said, parts.texts.language))
        self._context_lines: tuple[str, ...] = ()
        self._share = 1.0  # of the room for earlier messages; smaller after the server refused for size
        self._replied = False

    async def _rounds(self) -> TurnEnd:
        p = self._p
        tools = await self._load_tools()
        await self._preparer(tools).recall()  # first, or it would find the note of this very message
        if await self._write_down(tools):
            tools = await self._load_tools()
        prepare = self._preparer(tools)
        self._round = 1
        done = await self._one_round(tools, prepare, ())
        if not any(isinstance(part, TextPart) and part.text.strip() for part in done.parts):
            self._usage = self._usage.plus(done.usage)
            done = await self._one_round(tools, prepare, ())  # all of it was repeated context: once more
        if not any(isinstance(part, TextPart) and part.text.strip() for part in done.parts):
            done = replace(done, parts=(TextPart(text=self._words("notebook.lost")),), stop=StopReason.END_TURN)
        self._usage = self._usage.plus(done.usage)
        p.journal.round_said(self._round, replace(done, usage=self._usage))  # with what the questions took
        self._pieces = []
        self._replied = True
        if done.stop is StopReason.MAX_TOKENS:
            return TurnEnd.DONE  # the limit is the program's for small models: no setting would lift it
        return turn_end_for(done.stop)

    async def get_ready(self) -> None:
        """Let the model's own process compute how the next question and reply begin. What it computes of gated files
        stays in its memory, and is erased as that of turns is."""
        if not self._limits.warms or (self._finished and not self._replied):
            return
        try:
            tools = await self._load_tools()
            if self._may_note:
                await self._compute(self._question(_noted_lines(tools), "."))
            if not self._replied:  # after a reply, the whole conversation is computed already
                now = day_line(self._p.services.clock.now(), self._words)
                await self._compute(self._request(tools, (Message(role="user", parts=(TextPart(text=now),)),)))
        except (PetError, TurnAborted) as why:
            _log.info("not read ahead: %s", type(why).__name__)

    async def _compute(self, request: Request) -> None:
        await self._course.run(self._answer(replace(request, max_tokens=1)))

    def _preparer(self, tools: ToolContext) -> _NoCompaction:
        return _NoCompaction(self._p, self._course, tools, shrink=self._shrink)

    # --- what is to be noted --------------------------------------------------------------------

    async def _write_down(self, tools: ToolContext) -> bool:
        """Ask, decide, write. Whether a file changed."""
        p = self._p
        if not self._may_note or needs_no_question(p.said):
            return False
        lines = _noted_lines(tools)
        asked = self._question(lines, p.said)
        answer: Decision | None = await self._ask(asked, lambda said: read_decision(said, len(lines)), is_decided)
        return await self._carry_out(settle(answer, p.said, lines), lines, tools)

    @property
    def _may_note(self) -> bool:
        return self._limits.notes and self._p.gate.access().learns

    def _question(self, lines: list[Line], message: str) -> Request:
        return self._bound(*question(lines, message, self._words), question_schema(len(lines)))

    def _bound(
        self, system: tuple[SystemBlock, ...], messages: tuple[Message, ...], schema: Mapping[str, object]
    ) -> Request:
        return Request(
            model=self._p.settings.model,
            max_tokens=_ANSWER_TOKENS,
            system=system,
            tools=(),
            messages=messages,
            thinking="off",
            schema=schema,
            temperature=0.0,
        )

    async def _carry_out(self, decision: Decision, lines: list[Line], tools: ToolContext) -> bool:
        today = self._p.services.clock.now().date()
        match decision:
            case Note():
                made = with_note(tools.snapshot.text(_MEMORY), self._p.said, today)
                return await self._write(_MEMORY, made, "notebook.noted", tools)
            case Correct(line=place, new=new):
                line = lines[place]
                made = with_line(tools.snapshot.text(line.file), line, new, today)
                return await self._write(line.file, made, "notebook.corrected", tools, text=new)
            case Soul():
                return await self._change_soul(tools)
        return False

    async def _change_soul(self, tools: ToolContext) -> bool:
        soul = tools.snapshot.text(_SOUL)
        lines = lines_of(_SOUL, soul)[:_MOST_LINES]
        if not lines:
            return False
        renamed = with_name(soul, self._p.said)
        if renamed is not None:
            return await self._write(_SOUL, renamed, "notebook.soul_changed", tools)
        asked = self._bound(*soul_question(lines, self._p.said, self._words), soul_schema(len(lines)))
        change = await self._ask(asked, lambda said: read_soul_change(said, len(lines)))
        if change is None:
            return False
        made = with_soul(soul, lines[change.line], change)
        return await self._write(_SOUL, made, "notebook.soul_changed", tools)

    async def _write(self, file: str, made: str | None, told: str, tools: ToolContext, **args: str) -> bool:
        """Write through the tool, as if the model had called it. What came of it stands beside the message, so that
        the reply may speak of it; whether the file changed."""
        if made is None:
            return False
        p = self._p
        call = ToolCallPart(
            id=f"{NOTE_CALL}{new_id()}",
            name="write",
            arguments=json.dumps({"path": file, "content": made}, ensure_ascii=False),
        )
        self._say_tool(0, call.id, call.name, file)
        # One line more or another is no loss of text: only SOUL.md needs the owner's word.
        context = replace(tools, losing_share=1.0)
        outcome = self._refused_now() or await run_call(call, context)
        if outcome.receipt is None:
            if outcome.error is not None:
                _log.info("not noted: %s", outcome.error.error_code)
                told = "notebook.soul_refused" if file == _SOUL else "notebook.not_noted"
            elif file != _SOUL:
                told = "notebook.known"
        outcome = replace(outcome, text=self._words(told, **args))
        p.journal.done_beside(call.id, call.name, file, outcome)
        self._say_done(call.id, outcome)
        p.replay.renew()
        self._course.raise_if_cancelled()
        return outcome.receipt is not None

    async def _ask(
        self,
        request: Request,
        read: Callable[[str], Answer | None],
        is_enough: Callable[[str], bool] = lambda _said: False,
    ) -> Answer | None:
        """The answer to a bound question; a form that can't be read is asked for once more, then given up."""
        for _ in range(_TRIES):
            found = read(await self._course.run(self._answer(request, is_enough)))
            if found is not None:
                return found
        return None

    async def _answer(self, request: Request, is_enough: Callable[[str], bool] = lambda _said: False) -> str:
        """``is_enough``: whether the rest of the answer says nothing more; a process of our own is not waited for."""
        provider = await self._p.provider()
        said = ""
        async with sending(self._course, self._p.mark) as left:
            async for event in provider.stream(request):
                left()
                match event:
                    case TextChunk(text=text):
                        said += text
                    case RoundDone(usage=usage):
                        self._usage = self._usage.plus(usage)
                if self._limits.warms and is_enough(said):
                    break
        return said

    # --- the reply ------------------------------------------------------------------------------

    def _request(self, tools: ToolContext, loop: tuple[Message, ...]) -> Request:
        p = self._p
        access = p.gate.access()
        files = tools.snapshot.visible(access)
        system = self._system(files, frozenset())
        used = sum(estimate_tokens(block.text) for block in system) + p.settings.max_tokens + _MARGIN
        room = max(_LEAST_HISTORY, round((self._limits.window - used) * self._share / max(1.0, p.sizes.ratio)))
        history = small_messages(p.replay.conversation, access, p.turn, self._words, room)
        self._context_lines = history.context
        if history.noted:
            system = self._system(files, history.noted)
        return Request(
            model=p.settings.model,
            max_tokens=p.settings.max_tokens,
            system=system,
            tools=(),
            messages=(*history.messages, *loop),
            thinking="off",
        )

    def _system(self, files: VisibleFiles, noted: frozenset[str]) -> tuple[SystemBlock, ...]:
        sections = reply_sections(
            soul=files.text(_SOUL) or default_soul(self._words.language),
            user=files.text(_USER) if files.access.memory else None,
            memory=without_noted(files.text(_MEMORY), noted) if files.access.memory else None,
            texts=self._words,
            most=round(self._limits.window * FILES_SHARE),
            learns=files.access.learns,
        )
        return (SystemBlock(text="".join(section.text for section in sections), cache=True),)

    async def _events(self, provider: Provider, request: Request) -> AsyncIterator[Streamed]:
        """The reply without lines that repeat the context."""
        filtered = ParrotFilter(self._context_lines, line_openings(self._words))
        async for event in super()._events(provider, request):
            match event:
                case TextChunk(text=text):
                    shown = filtered.feed(text)
                    if shown:
                        yield TextChunk(text=shown)
                case RoundDone():
                    rest = filtered.finish()
                    if rest:
                        yield TextChunk(text=rest)
                    yield replace(event, parts=_texts_of(self._text)) if filtered.dropped else event
                case _:
                    yield event

    def _shrink(self) -> bool:
        """Leave out more of what was said earlier. Whether that can help: once in a turn."""
        if self._share < 1.0:
            return False
        self._share = 0.4
        return True


class _NoCompaction(RequestPreparer):
    """A small model makes no summaries: earlier messages are left out instead."""

    def __init__(self, *args: Any, shrink: Callable[[], bool]) -> None:
        super().__init__(*args)
        self._leave_out = shrink

    async def compact_if_needed(self, request: Request) -> bool:  # noqa: ARG002
        return False

    async def compact_after_overflow(self, fault: ProviderFault, request: Request) -> bool:
        self._p.sizes.refused(request, fault)
        return self._leave_out()


def _noted_lines(tools: ToolContext) -> list[Line]:
    texts = ((name, tools.snapshot.text(name)) for name in (_USER, _MEMORY))
    return [line for name, text in texts for line in lines_of(name, text)][-_MOST_LINES:]


def _texts_of(text: str) -> tuple[ReplyPart, ...]:
    return (TextPart(text=text),) if text.strip() else ()


def new_turn(parts: TurnContext) -> RunningTurn:
    """The turn for the model that these limits are for."""
    return RunningTurn(parts) if parts.limits.notebook is None else SmallModelTurn(parts, parts.limits.notebook)
