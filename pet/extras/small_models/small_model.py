"""Reply strategy for small models: a reply without tools, and one bound question about what to note.

The question follows the reply, so that the owner waits for the reply alone. A wish to remember or to forget is
carried out before the reply without a question, a wish to remember also if the turn is stopped before; a wish about
the pet needs a confirmation first. The reply mentions what was written.

The program writes the notes, through the same tools as a large model's calls: gate, locks, masking, consent for
SOUL.md, receipts and history are theirs. While memory is off there is no question and no write.
"""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from typing import TypeVar

from pet.access import VisibleFiles
from pet.engine.cancellation import TurnAborted, reply_text, sending, turn_end_for, without_reply
from pet.engine.models import FILES_SHARE, LocalModelLimits
from pet.engine.mood import strip_mood_tags
from pet.engine.recall import add_recall
from pet.engine.turn_context import TurnContext
from pet.errors import PetError, ProviderFault
from pet.events import Mood
from pet.extras.small_models.decisions import (
    NO_EVIDENCE,
    Decision,
    Evidence,
    Note,
    Soul,
    SoulChange,
    fitting_lines,
    forget_query,
    is_copied_soul,
    is_decided,
    is_wish_to_forget,
    is_wish_to_remember,
    needs_no_question,
    notes_first,
    read_decision,
    read_soul_change,
    settle,
    weigh,
    with_name,
    with_soul,
)
from pet.extras.small_models.messages import ParrotFilter, copied_lines, small_messages, warming_requests, with_newer
from pet.extras.small_models.prompts import (
    LONGEST_SOUL,
    MOST_LINES,
    Line,
    day_line,
    language_of,
    line_openings,
    lines_of,
    question,
    question_schema,
    reply_sections,
    shown_places,
    soul_examples,
    soul_question,
    soul_schema,
)
from pet.i18n import Texts
from pet.ids import new_id
from pet.language.wishes import stated_fact
from pet.memory.store.split_entries import bare
from pet.model import (
    CoreFile,
    Message,
    Request,
    StopReason,
    SystemBlock,
    TextPart,
    ToolCallPart,
    TurnEnd,
)
from pet.prompt.build import Section, file_warnings
from pet.providers.base import RoundDone, Streamed, TextChunk, ThinkingChunk
from pet.text.token_estimate import estimate_tokens
from pet.tools.tool import ToolContext
from pet.tools.toolset import run_call
from pet.transcripts.entries import LATE_NOTE_CALL, NOTE_CALL
from pet.workspace.file_names import log_name
from pet.workspace.templates import default_soul

_log = logging.getLogger(__name__)

Answer = TypeVar("Answer")
_ANSWER_TOKENS = 120
_TRIES = 2
_REPLY_TOKENS, _PER_TOKEN = 600, 4  # of a reply: about a page, and more to a long message
_MOST_HITS, _BY_WORDS = 6, 3
_LEAST_HISTORY = 300  # tokens
_MARGIN = 60
_LONGEST_NOTE = 400  # characters
_USER, _MEMORY, _SOUL = CoreFile.USER.value, CoreFile.MEMORY.value, CoreFile.SOUL.value


class SmallModel:
    """The ``ReplyStrategy`` of one turn with a small model. ``replied``: whether its reply is in the transcript.
    ``recalled``: whether the message has its recall results already."""

    def __init__(self, context: TurnContext, limits: LocalModelLimits, *, recalled: bool = False) -> None:
        self._context = context
        self._limits = limits
        self._recalled = recalled
        # In the language of the message, which a small model keeps to more surely than to a rule.
        self._words = Texts(language_of(context.message, context.texts.language))
        self._copies: tuple[str, ...] = ()  # lines that the reply would only copy
        self._share = 1.0  # of the room for earlier messages; smaller after the server refused for size
        self._empty_replies = 0
        self._repeats = False  # a reply consisted of repeated context
        self._evidence = NO_EVIDENCE
        self._note_call = NOTE_CALL
        self._prepared = False  # the message was weighed, and its request is being answered
        self.replied = False

    async def prepare(self, tools: ToolContext) -> ToolContext:
        if not self._recalled:  # before the notes, or it would find the note of this very message
            await add_recall(self._context, tools)
        if self._may_note:
            self._evidence = await self._weigh([])
        self._prepared = True
        if not notes_first(self._context.message, self._evidence):
            return tools
        remembers = is_wish_to_remember(self._context.message, self._evidence)
        noted = await (self._note_wish(tools) if remembers else self._take_notes(tools))
        return await self._context.load_tools() if noted else tools

    async def after_stop(self) -> None:
        """Note what the owner asked to remember, unless ``prepare`` came so far."""
        if self._prepared or not self._may_note:
            return
        self._evidence = await self._weigh([])
        if is_wish_to_remember(self._context.message, self._evidence):
            await self._note_wish(await self._context.despite_stop().load_tools())

    async def after_reply(self) -> None:
        message = self._context.message
        noted = notes_first(message, self._evidence) or needs_no_question(message, self._evidence)
        if self._may_note and not noted:
            self._note_call = LATE_NOTE_CALL
            await self._take_notes(await self._context.load_tools())

    async def after_turn(self) -> None:
        if self.replied:
            await self.read_ahead()

    async def read_ahead(self) -> None:
        """Let the model's own process compute how the next question and reply begin. What it computes of gated files
        stays in its memory, and is erased like a turn's cached state."""
        if not self._limits.warms:
            return
        try:
            tools = await self._context.load_tools()
            if self._may_note:
                await self._compute(self._question(self._noted_lines(tools), "."))
            if not self.replied:  # after a reply, the whole conversation is computed already
                now = day_line(self._context.services.clock.now(), self._words)
                await self._compute(self.request(tools, (Message(role="user", parts=(TextPart(text=now),)),)))
        except (PetError, TurnAborted) as problem:
            _log.info("not read ahead: %s", type(problem).__name__)

    async def _compute(self, request: Request) -> None:
        await self._context.scope.run(self._answer(replace(request, max_tokens=1)))

    # --- notes ----------------------------------------------------------------------------------

    async def _take_notes(self, tools: ToolContext) -> bool:
        """Ask, decide, write. Whether a file changed."""
        context = self._context
        if self._may_note and is_wish_to_forget(context.message, self._evidence):
            return await self._forget(tools)
        if not self._may_note or tools.unasked or needs_no_question(context.message, self._evidence):
            return False
        lines = self._noted_lines(tools)
        fitting = await self._fitting(lines, tools) if len(lines) > MOST_LINES else []
        shown = shown_places(len(lines), fitting)
        evidence = await self._weigh([bare(lines[place].text) for place in shown])
        evidence = evidence.of_all_lines(shown, len(lines))
        if is_wish_to_remember(context.message, evidence):
            return await self._carry_out(settle(None, context.message, lines, evidence), lines, tools)
        answer: Decision | None = await self._ask(
            self._question(lines, context.message, fitting),
            lambda text: read_decision(text, len(lines)),
            partial(is_decided, evidence=evidence),
        )
        return await self._carry_out(settle(answer, context.message, lines, evidence), lines, tools)

    async def _note_wish(self, tools: ToolContext) -> bool:
        """Write what the owner asked to remember, also if the turn is stopped meanwhile. Whether a file changed."""
        context = self._context.despite_stop()
        wish = SmallModel(context, self._limits)
        wish._evidence = self._evidence
        words = tools.foreign.words
        # Also a wish that is known by what it resembles.
        wished = replace(tools.foreign, words=lambda: replace(words(), wish=True))
        return await wish._take_notes(replace(tools, files=context.files, gate=context.gate, foreign=wished))

    async def _weigh(self, lines: list[str]) -> Evidence:
        """Return the evidence of the message and lines; none unless a quick embedder is loaded."""
        texts = [self._context.message, *lines]
        vectors = await asyncio.to_thread(self._context.services.index.embed_quickly, texts)
        return weigh(texts[0], lines, vectors)

    @property
    def _may_note(self) -> bool:
        return self._limits.notes and self._context.gate.access().learns

    def _noted_lines(self, tools: ToolContext) -> list[Line]:
        files = tools.snapshot.visible(self._context.gate.access())
        return [line for name in (_USER, _MEMORY) for line in lines_of(name, files.text(name))]

    async def _fitting(self, lines: list[Line], tools: ToolContext) -> list[int]:
        """Return the places of the lines that fit the message, best first: by the index, and by words."""
        message, now = self._context.message, self._context.services.clock.now()
        by_words = fitting_lines([bare(line.text) for line in lines], message)
        if tools.memory is None:
            return by_words
        try:
            hits = await asyncio.to_thread(tools.memory.search, message, _MOST_HITS, now)
        except PetError:
            return by_words
        spans = {(hit.path, number - 1) for hit in hits for number in range(hit.start_line, hit.end_line + 1)}
        by_index = [place for place, line in enumerate(lines) if (line.file, line.index) in spans]
        return list(dict.fromkeys([*by_words[:_BY_WORDS], *by_index, *by_words]))

    def _question(self, lines: list[Line], message: str, fitting: Sequence[int] = ()) -> Request:
        schema = question_schema(shown_places(len(lines), fitting))
        return self._bound(*question(lines, message, self._words, fitting), schema)

    def _bound(
        self, system: tuple[SystemBlock, ...], messages: tuple[Message, ...], schema: Mapping[str, object]
    ) -> Request:
        return Request(
            model=self._context.settings.model,
            max_tokens=_ANSWER_TOKENS,
            system=system,
            tools=(),
            messages=messages,
            thinking="off",
            schema=schema,
            temperature=0.0,
        )

    async def _carry_out(self, decision: Decision, lines: list[Line], tools: ToolContext) -> bool:
        match decision:
            case Note(older=place):
                text = " ".join(stated_fact(self._context.message).split())
                text = text if len(text) <= _LONGEST_NOTE else text[: _LONGEST_NOTE - 1].rstrip() + "…"
                if place is not None:
                    earlier = bare(lines[place].text)
                    text = self._words("notebook.earlier", text=text, earlier=earlier)
                    own = tools.foreign.words()
                    own = replace(
                        own, text=f"{own.text}\n{self._words('notebook.earlier', text='', earlier=earlier)}"
                    )
                    tools = replace(tools, foreign=replace(tools.foreign, words=lambda: own))
                file = log_name(self._context.services.clock.now().date())
                arguments = {"content": text, "category": "fact", "who": "owner"}
                return await self._write("memory_write", arguments, file, "notebook.noted", tools)
            case Soul():
                return await self._change_soul(tools)
        return False

    async def _change_soul(self, tools: ToolContext) -> bool:
        soul = tools.snapshot.text(_SOUL)
        lines = lines_of(_SOUL, soul)[:MOST_LINES]
        if not lines:
            return False
        renamed = with_name(soul, self._context.message)
        if renamed is not None:
            return await self._write_soul(renamed, tools)
        request = self._bound(*soul_question(lines, self._context.message, self._words), soul_schema(len(lines)))
        change = await self._ask(request, lambda text: read_soul_change(text, len(lines)))
        examples = soul_examples(self._words)
        if change is None or is_copied_soul(change.new, self._context.message, lines, examples):
            wish = self._words("notebook.soul.wish", message=" ".join(self._context.message.split())[:LONGEST_SOUL])
            change = SoulChange(len(lines) - 1 if change is None else change.line, wish)
        changed = with_soul(soul, lines[change.line], change)
        return changed is not None and await self._write_soul(changed, tools)

    async def _write_soul(self, content: str, tools: ToolContext) -> bool:
        return await self._write("write", {"path": _SOUL, "content": content}, _SOUL, "notebook.soul_changed", tools)

    async def _forget(self, tools: ToolContext) -> bool:
        """Let the owner forget what the message names, from the same list as other models' calls. Whether files may
        have changed."""
        context = self._context
        turns = context.history.conversation.turns
        last = turns[-2].text if len(turns) > 1 else ""
        query = forget_query(context.message, self._noted_lines(tools), last)
        arguments = json.dumps({"query": query}, ensure_ascii=False)
        call = ToolCallPart(id=f"{NOTE_CALL}{new_id()}", name="memory_forget", arguments=arguments)
        context.announce_call(0, call.id, call.name, None)
        outcome = context.refused_call() or await run_call(call, tools)
        code = outcome.error.error_code.removeprefix("tool_") if outcome.error else ""
        if code in ("", "forget_refused"):
            key = code or ("forgotten" if '"forgotten"' in outcome.text else "forget_none")
        else:
            key = "not_forgotten" if query else "forget_none"
        outcome = replace(outcome, text=self._words(f"notebook.{key}"))
        context.journal.tool_done(0, call, None, outcome, durable=True)
        context.announce_outcome(call.id, outcome)
        context.history.renew()
        context.scope.raise_if_cancelled()
        return key == "forgotten"

    async def _write(self, tool: str, arguments: Mapping[str, str], file: str, key: str, tools: ToolContext) -> bool:
        """Write through the tool, as if the model had called it; whether the file changed. The outcome, named by
        ``key``, accompanies the message, so that the reply may mention it."""
        context = self._context
        call = ToolCallPart(
            id=f"{self._note_call}{new_id()}", name=tool, arguments=json.dumps(arguments, ensure_ascii=False)
        )
        context.announce_call(0, call.id, call.name, file)
        outcome = context.refused_call() or await run_call(call, tools)
        if outcome.receipt is None:
            if outcome.error is not None:
                _log.info("not noted: %s", outcome.error.error_code)
                key = "notebook.soul_refused" if file == _SOUL else "notebook.not_noted"
            elif file != _SOUL:
                key = "notebook.known"
        outcome = replace(outcome, text=self._words(key))
        context.journal.done_beside(call.id, call.name, file, outcome)
        context.announce_outcome(call.id, outcome)
        context.history.renew()
        context.scope.raise_if_cancelled()
        return outcome.receipt is not None

    async def _ask(
        self,
        request: Request,
        parse: Callable[[str], Answer | None],
        is_enough: Callable[[str], bool] = lambda _text: False,
    ) -> Answer | None:
        """Return the answer to a bound question. One that can't be parsed is requested once more, then given up."""
        for _ in range(_TRIES):
            answer = parse(await self._context.scope.run(self._answer(request, is_enough)))
            if answer is not None:
                return answer
        return None

    async def _answer(self, request: Request, is_enough: Callable[[str], bool] = lambda _text: False) -> str:
        """Return the text of one model call. ``is_enough``: whether the rest may be dropped, as far as the model runs
        in a process of our own."""
        context = self._context
        provider = await context.provider()
        answer = ""
        async with sending(context.scope, context.mark) as mark_sent:
            async for event in provider.stream(request):
                mark_sent()
                match event:
                    case TextChunk(text=text):
                        answer += text
                    case ThinkingChunk(takes_back=True):
                        answer = ""
                    case RoundDone(usage=usage):
                        context.progress.add_usage(usage)
                if self._limits.warms and is_enough(answer):
                    break
        return answer

    # --- the reply ------------------------------------------------------------------------------

    def request(self, tools: ToolContext, rounds: tuple[Message, ...]) -> Request:
        context = self._context
        access = context.gate.access()
        files = tools.snapshot.visible(access)
        system = self._system(files)
        names = (_USER, _MEMORY) if access.memory else ()
        notes = [line.text for name in names for line in lines_of(name, files.text(name))]
        prompt = [line for block in system for line in block.text.splitlines()]
        used = sum(estimate_tokens(block.text) for block in system) + context.settings.max_tokens + _MARGIN
        room = max(_LEAST_HISTORY, round((self._limits.window - used) * self._share / max(1.0, context.sizes.ratio)))
        history = small_messages(context.history.conversation, access, context.turn, self._words, room)
        if history.newer:
            system = self._system(files, history.newer)
        self._copies = (*history.context, *copied_lines(notes, prompt, context.message))
        return Request(
            model=context.settings.model,
            max_tokens=min(context.settings.max_tokens, self._longest_reply()),
            system=system,
            tools=(),
            messages=(*history.messages, *rounds),
            thinking="off",
        )

    def _longest_reply(self) -> int:
        """Return the most tokens of a reply to this message: one without an end is not to fill the window."""
        return _REPLY_TOKENS + _PER_TOKEN * estimate_tokens(self._context.message)

    def _system(
        self, files: VisibleFiles, newer: Mapping[str, str] = MappingProxyType({})
    ) -> tuple[SystemBlock, ...]:
        sections = _sections(files, self._limits, self._words, newer)
        return (SystemBlock(text="".join(section.text for section in sections), cache=True),)

    async def make_room(self, request: Request, tools: ToolContext) -> bool:  # noqa: ARG002
        """Return False: ``request`` itself leaves out earlier messages, and a small model writes no summaries."""
        return False

    async def make_room_after(self, fault: ProviderFault, request: Request, tools: ToolContext) -> bool:  # noqa: ARG002
        """Leave out more of the earlier messages, once per turn."""
        self._context.sizes.refused(request, fault)
        if self._share < 1.0:
            return False
        self._share = 0.4
        return True

    async def shown(
        self, events: AsyncIterator[Streamed], on_mood: Callable[[Mood], None]
    ) -> AsyncIterator[Streamed]:
        """Yield the reply without mood tags and without lines that repeat the context."""
        parrots = ParrotFilter(self._copies, line_openings(self._words))
        reply = ""
        async for event in strip_mood_tags(events, on_mood):
            match event:
                case TextChunk(text=text):
                    if text := parrots.feed(text):
                        reply += text
                        yield TextChunk(text=text)
                case ThinkingChunk(takes_back=True):
                    reply, parrots = "", ParrotFilter(self._copies, line_openings(self._words))
                    yield event
                case RoundDone():
                    if rest := parrots.finish():
                        reply += rest
                        yield TextChunk(text=rest)
                    self._repeats = self._repeats or bool(parrots.dropped)
                    yield replace(event, parts=reply_text(reply.strip() and reply)) if parrots.dropped else event
                case _:
                    yield event

    def settle(self, done: RoundDone) -> RoundDone | None:
        if any(isinstance(part, TextPart) and part.text.strip() for part in done.parts):
            return done
        self._empty_replies += 1
        if self._empty_replies == 1:
            return None
        if not self._repeats:
            raise without_reply(done.thinking)
        return replace(done, parts=(TextPart(text=self._words("notebook.lost")),), stop=StopReason.END_TURN)

    def end_of(self, done: RoundDone) -> TurnEnd | None:
        self.replied = True
        if done.stop is StopReason.MAX_TOKENS:
            return TurnEnd.DONE  # the limit is the program's for small models: no setting would lift it
        return turn_end_for(done.stop)


def _sections(
    files: VisibleFiles, limits: LocalModelLimits, texts: Texts, newer: Mapping[str, str] = MappingProxyType({})
) -> tuple[Section, ...]:
    """Return the prompt of a small model's replies by subject. ``newer``: as ``with_newer`` has it."""
    access = files.access
    return reply_sections(
        soul=files.text(_SOUL) or default_soul(texts.language),
        user=with_newer(files.text(_USER), newer) if access.memory else None,
        memory=with_newer(files.text(_MEMORY), newer) if access.memory else None,
        texts=texts,
        most=round(limits.window * FILES_SHARE),
        learns=access.learns,
        warnings=file_warnings(files, texts),
    )


class Way:
    strategy = SmallModel
    warming_requests = staticmethod(warming_requests)
    sections = staticmethod(_sections)
