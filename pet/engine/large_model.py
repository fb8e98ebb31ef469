"""Reply strategy for models with tools: the whole prompt, tool schemas, and compaction of a too large request.

Compaction terminates: each removes turns that were sent, and after a server's rejection there is one retry.
"""

from __future__ import annotations

import logging
from dataclasses import replace

from pet.access import VisibleFiles
from pet.engine.cancellation import turn_end_for, without_reply
from pet.engine.compaction import (
    COMPACTED_SHARE,
    Compaction,
    CompactionPlan,
    ContextBudget,
    plan_for_room,
    sent_turns,
)
from pet.engine.message_history import sized
from pet.engine.mood import strip_mood_tags
from pet.engine.recall import add_recall
from pet.engine.services import EngineServices
from pet.engine.token_budget import parts_tokens
from pet.engine.turn_context import Opening, ReplyStrategy, TurnContext, WarmPrompt
from pet.errors import ProviderFault
from pet.ids import new_id
from pet.model import Message, OpaquePart, ReplyPart, Request, StopReason, TextPart, ToolCallPart, TurnEnd
from pet.prompt.context import KEPT_FILES, SentFiles
from pet.providers.base import RoundDone
from pet.settings.schema import Settings
from pet.tools.tool import ToolContext
from pet.tools.toolset import tool_specs
from pet.transcripts.conversation import Conversation
from pet.transcripts.foreign import union
from pet.transcripts.request_messages import first_sent, replay_parts
from pet.workspace.line_diff import changes
from pet.workspace.skills import Skill

_log = logging.getLogger(__name__)


def files_to_send(
    services: EngineServices,
    warm: WarmPrompt,
    conversation: Conversation,
    files: VisibleFiles,
    settings: Settings,
    skills: tuple[Skill, ...],
    tombstones: str,
    *,
    following: str | None = None,
) -> SentFiles:
    """Return the files as the request of the conversation's last turn, or of the turn ``following`` it, carries them:
    as the cached prompt has them, with the changes since, or as they are now if there is no cache to lose. Changes
    nothing. ``tombstones``: the mark of forgotten texts."""
    access, texts, first = files.access, services.effective.texts(), first_sent(conversation, files.access)
    others = tuple(each for each in files.states if each.name not in KEPT_FILES)
    key = (access, settings, skills, texts.language, others, tombstones, first)
    anew = SentFiles(key=key, base=files)
    sent = warm.files if warm.is_warm(services.clock.now()) else None
    if sent is None or sent.key != key or not access.memory or settings.prompt_mode != "full":
        return anew
    turns = [turn.id for turn in conversation.turns] + ([following] if following is not None else [])
    carried = sent.follow(files, turns[first:], texts, limit=settings.prompt_file_characters, diff=changes)
    if carried is not sent and services.store.forgotten.is_forgotten(sent.texts(), owner_text=anew.texts()):
        return anew
    return carried or anew


class LargeModel(ReplyStrategy):
    """The ``ReplyStrategy`` of one turn with tools."""

    shown = staticmethod(strip_mood_tags)

    def __init__(self, context: TurnContext) -> None:
        self._context = context
        self._overflowed = False
        self._replied = False
        self._call_ids: set[str] = set()

    async def prepare(self, tools: ToolContext) -> ToolContext:
        described = union(*(tool.foreign for tool in tools.more))
        if described and not set(described) <= set(tools.foreign.present()):
            self._context.journal.record_context((), (), "meaning", described)
            self._context.history.renew()
        await add_recall(self._context, tools)
        return tools

    def request(self, tools: ToolContext, rounds: tuple[Message, ...]) -> Request:
        context = self._context
        warm, services, access = context.warm, context.services, context.gate.access()
        files, conversation = tools.snapshot.visible(access), context.history.conversation
        warm.files = sent = files_to_send(
            services, warm, conversation, files, context.settings, tools.skills, tools.tombstones
        )
        warm.sent_at = services.clock.now()
        key = sent.key, sent.base, tools.more, context.used, services.pet_name()
        if (opening := warm.opening) is None or opening.key != key:
            system = context.system(sent.base, tools.skills)
            warm.opening = opening = Opening(key, system, tool_specs(access, context.texts, tools.skills, tools.more))
        return Request(
            model=context.settings.model,
            max_tokens=context.settings.max_tokens,
            system=opening.system,
            tools=opening.tools,
            messages=context.history.messages(access, sent.beside) + rounds,
            effort=context.settings.effort,
            thinking=context.settings.thinking,
        )

    async def make_room(self, request: Request, tools: ToolContext) -> bool:
        """Compact if the request exceeds the token budget. Raises if it was necessary and failed."""
        plan = self._plan(request, refused=False)
        if plan is None:
            return False
        try:
            await self._compact(plan, tools)
        except ProviderFault as fault:
            if self._context.sizes.tokens(request) >= self._context.window:
                raise
            _log.info("not compacted: %s", fault.error_code)  # it still fits: the reply takes precedence
            return False
        return True

    async def make_room_after(self, fault: ProviderFault, request: Request, tools: ToolContext) -> bool:
        """Compact after the server rejected the request as too long, once per turn."""
        self._context.sizes.refused(request, fault)
        if self._overflowed:
            return False
        self._overflowed = True
        plan = self._plan(request, refused=True)
        if plan is None:
            return False
        await self._compact(plan, tools)
        return True

    def settle(self, done: RoundDone) -> RoundDone:
        return self._without_unused_thinking(self._with_unique_call_ids(done))

    def end_of(self, done: RoundDone) -> TurnEnd | None:
        calls = any(isinstance(part, ToolCallPart) for part in done.parts)
        empty = not calls and not any(isinstance(part, TextPart) and part.text.strip() for part in done.parts)
        if empty and not self._replied and done.stop is StopReason.END_TURN:
            raise without_reply(done.thinking)
        self._replied = True
        if done.stop is StopReason.PAUSE_TURN or (done.stop is StopReason.TOOL_USE and calls):
            return None
        return turn_end_for(done.stop)

    def _without_unused_thinking(self, done: RoundDone) -> RoundDone:
        """Leave out thinking that is never sent again: of a turn without calls."""
        if self._call_ids or done.stop is StopReason.PAUSE_TURN:
            return done
        return replace(done, parts=tuple(part for part in done.parts if not isinstance(part, OpaquePart)))

    def _with_unique_call_ids(self, done: RoundDone) -> RoundDone:
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

    def _plan(self, request: Request, *, refused: bool) -> CompactionPlan | None:
        context = self._context
        conversation, access = context.history.conversation, context.gate.access()
        marker = context.texts("tool.masked")
        size = context.sizes.tokens(request)
        if not refused and size < context.window * COMPACTED_SHARE:
            return None
        turns = sent_turns(conversation, access, context.turn)
        goes_back = context.history.goes_back
        parts = (replay_parts(each, access, marker, shown=sized, goes_back=goes_back) for each in turns)
        costs = tuple(round(parts_tokens(each) * context.sizes.ratio) for each in parts)
        room = ContextBudget(size=size, window=context.window, costs=costs)
        return plan_for_room(conversation, access, context.turn, room, refused=refused)

    async def _compact(self, plan: CompactionPlan, tools: ToolContext) -> None:
        context = self._context
        compaction = Compaction(context, tools)
        try:
            await compaction.run(plan)
        finally:
            if compaction.ended is not None:
                context.emit(compaction.ended)
        context.history.renew()
        await add_recall(context, tools, again=True)
