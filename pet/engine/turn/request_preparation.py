"""Prepare a turn's request: recall, and compaction if the request exceeds the token budget.

Terminates: each compaction removes turns that were sent, and after a server's rejection there is one retry.
"""

from __future__ import annotations

import logging

from pet.engine.cancellation import CancelScope
from pet.engine.compaction.plan import CompactionPlan, ContextBudget, plan_for_room, sent_turns
from pet.engine.compaction.run import Compaction
from pet.engine.request.attachments import is_picture, sized
from pet.engine.request.recall import Recall
from pet.engine.request.token_budget import parts_tokens
from pet.engine.turn_context import TurnContext
from pet.errors import ProviderFault
from pet.events import ContextUsed
from pet.model import Request
from pet.tools.spec import ToolContext
from pet.transcripts.conversation.request_messages import replay_parts

_log = logging.getLogger(__name__)


class RequestPreparer:
    """For one turn; lives on the engine's thread."""

    def __init__(self, p: TurnContext, course: CancelScope, tools: ToolContext) -> None:
        self._p = p
        self._course = course
        self._tools = tools
        self._refused = False

    async def recall(self, *, again: bool = False) -> None:
        """Add recall results to the message's context, and emit the confident ones for the chips under the reply.

        Which other results the reply uses is known at its end.
        """
        p = self._p
        look = Recall(p, self._tools.memory, self._prompted())
        conversation = p.replay.conversation
        turn = conversation.turn(p.turn)  # raises UnknownTurn if another machine superseded it meanwhile
        found = await self._course.run(look.find(conversation, turn, again=again))
        self._course.raise_if_cancelled()
        if found.context or found.used or found.way != "meaning":
            p.journal.context_found(found.context, found.used, found.way)
            p.replay.renew()
        if sure := [each for each in found.used if each.sure]:
            p.emit(ContextUsed(conversation=p.conversation, turn=p.turn, used=sure))

    def _prompted(self) -> list[str]:
        """The texts of the files that go along whole with every request of this turn."""
        limit = self._p.settings.prompt_file_characters
        files = self._tools.snapshot.visible(self._p.gate.access())
        texts = [files.text(state.name) for state in files.states]
        return [" ".join(text.split()) for text in texts if text and len(text) <= limit]

    async def compact_if_needed(self, request: Request) -> bool:
        """Compact if the request exceeds the token budget; whether it did. Raises if it was necessary and failed."""
        plan = self._plan(request, refused=False)
        if plan is None:
            return False
        try:
            await self._compact(plan)
        except ProviderFault as fault:
            if self._p.sizes.tokens(request) >= self._p.window:
                raise
            _log.info("not compacted: %s", fault.error_code)  # it still fits: the reply takes precedence
            return False
        return True

    async def compact_after_overflow(self, fault: ProviderFault, request: Request) -> bool:
        """Compact after the server rejected the request as too long, once per turn. Whether to retry."""
        self._p.sizes.refused(request, fault)
        if self._refused:
            return False
        self._refused = True
        plan = self._plan(request, refused=True)
        if plan is None:
            return False
        await self._compact(plan)
        return True

    def drop_images(self) -> bool:
        """The model has no image input. Whether to retry with earlier images by name; if this turn's message has
        images, the error is reported.
        """
        p = self._p
        known, p.sizes.blind = p.sizes.blind, True
        own = next((turn for turn in p.replay.conversation.turns if turn.id == p.turn), None)
        if known or own is None or any(map(is_picture, own.attachments)):
            return False
        p.replay.renew()
        return True

    def explain_overflow(self, fault: ProviderFault) -> ProviderFault:
        """Distinguish whether the conversation or this single message exceeds the window."""
        p = self._p
        conversation = p.replay.conversation
        own = next((turn for turn in conversation.turns if turn.id == p.turn), None)
        if fault.kind != "window_exceeded" or own is None:
            return fault
        parts = replay_parts(own, p.gate.access(), p.texts("tool.masked"), shown=sized)
        tokens = round(parts_tokens(parts) * p.sizes.ratio)
        return fault if tokens < p.window / 2 else ProviderFault("message_too_long", tokens=round(tokens, -3))

    def _plan(self, request: Request, *, refused: bool) -> CompactionPlan | None:
        p = self._p
        conversation, access = p.replay.conversation, p.gate.access()
        marker = p.texts("tool.masked")
        size = p.sizes.tokens(request)
        if not refused and size < p.window * p.settings.compact_share:
            return None
        turns = sent_turns(conversation, access, p.turn)
        parts = (replay_parts(each, access, marker, shown=sized) for each in turns)
        costs = tuple(round(parts_tokens(each) * p.sizes.ratio) for each in parts)
        room = ContextBudget(size=size, window=p.window, costs=costs)
        return plan_for_room(conversation, access, p.turn, room, p.settings, refused=refused)

    async def _compact(self, plan: CompactionPlan) -> None:
        await self._course.run(Compaction(self._p, self._course, self._tools).run(plan))
        self._p.replay.renew()
        await self.recall(again=True)
