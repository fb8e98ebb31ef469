"""Heartbeat: a periodic small request, by HEARTBEAT.md, that decides whether the pet says something unasked.

Sends nothing unless the bubble might show it (no quiet hours, full screen, open chat, "do not disturb"), memory is
neither paused nor off by default, the interval has passed and the day's tokens suffice; HEARTBEAT.md can't change
these. Reads through the access policy and aborts once access shrinks. Never writes a file.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from threading import Event
from typing import TYPE_CHECKING

from pet.access import ConversationGate, TurnGate
from pet.engine.cancellation import CancelScope, TurnAborted, sending
from pet.engine.mood import strip_mood_tags
from pet.engine.usage import all_tokens
from pet.errors import PetError, places_of
from pet.extras.heartbeat.line import HEARTBEAT, heartbeat_line
from pet.extras.heartbeat.record import HeartbeatRecord
from pet.extras.heartbeat.request import (
    DAY_CHARACTERS,
    DAYS,
    HeartbeatInputs,
    heartbeat_request,
    heartbeat_tokens,
    spoken,
)
from pet.extras.heartbeat.settings import HeartbeatSettings
from pet.ids import new_id
from pet.language.redaction import redact
from pet.memory.store.digest import plain_words, recent_days
from pet.model import HEARTBEAT as FILE
from pet.model import Message, Request, Source, StopReason, SystemBlock, TextPart, Usage
from pet.providers.base import RoundDone
from pet.text.markup import has_instructions
from pet.workspace.gated_files import GatedFiles

if TYPE_CHECKING:
    from pet.app.pet import Pet
    from pet.engine.services import EngineServices

_SECONDS = 60.0  # maximum for a request


def background_reply(
    services: EngineServices,
    gate: TurnGate,
    name: str,
    prompt: tuple[tuple[SystemBlock, ...], tuple[Message, ...]],
    max_tokens: int,
    *,
    begin: Callable[[], bool],
    spent: Callable[[Usage], None],
) -> str:
    """Return the model's whole reply; "" for a failure, a cut reply, or if the gate lost its access meanwhile.

    ``prompt``: system blocks and messages. ``begin``: called before the request leaves, which it does not if that
    returns False; ``spent``: called with the reported usage. Blocks; not for the engine's thread.
    """
    scope = CancelScope(gate)

    async def stream() -> str:
        used = services.models.effective.in_use(None)
        if used.problem is not None:
            raise used.problem
        request = Request(
            model=services.models.limits(used).settings.model,
            max_tokens=max_tokens,
            system=prompt[0],
            tools=(),
            messages=prompt[1],
            thinking="off",
        )
        if not begin():
            return ""
        provider = await services.provider(used, services.sizes.of(request.model), keep=True)
        # Marked as in flight, so that a pause cancels it.
        async with sending(scope, lambda: services.in_flight.marked(f"{name}-{new_id()}")):
            async for event in strip_mood_tags(provider.stream(request), lambda _mood: None):
                scope.raise_if_cancelled()
                if isinstance(event, RoundDone):
                    spent(event.usage)
                    whole = event.stop is StopReason.END_TURN
                    return "".join(each.text for each in event.parts if isinstance(each, TextPart)) if whole else ""
        return ""

    async def reply() -> str:
        try:
            return await asyncio.wait_for(scope.run(stream()), _SECONDS)
        except (PetError, TimeoutError) as failure:
            _log.info("no %s: %s", name, failure.error_code if isinstance(failure, PetError) else "timeout")
            return ""

    with suppress(TurnAborted):
        text = services.loop.submit(reply()).result(_SECONDS + 10)
        return text if scope.reason() is None else ""
    return ""


_CHECK_SECONDS = 300.0
_REPLY_TOKENS = 200
_MOST_CHARACTERS = 400  # a longer reply is dropped
_log = logging.getLogger(__name__)


class Heartbeat:
    """Checks whether a request is due, and shows what the model says."""

    def __init__(self, pet: Pet) -> None:
        self._pet = pet
        self._stopped = Event()
        self.record = HeartbeatRecord(
            proactive=pet.proactive,
            settings=lambda: pet.effective.current().of(HeartbeatSettings),
            forgotten=pet.store.forgotten.is_forgotten,
            clock=pet.clock,
        )

    def run(self) -> None:
        """Check periodically until ``stop``; for a separate thread."""
        while not self._stopped.wait(_CHECK_SECONDS):
            try:
                self.check()
            except Exception as error:  # noqa: BLE001  thread boundary: the next check may succeed
                _log.warning("no heartbeat: %s", places_of(error))

    def stop(self) -> None:
        self._stopped.set()

    def check(self) -> None:
        """Send a request if one is due, and show the reply. Blocks; a failure is only logged."""
        pet, record = self._pet, self.record
        if not record.is_due() or not self._may_speak() or not pet.judges_well():
            return
        gate = ConversationGate(pet.gate, memory=pet.effective.current().default_memory_mode).begin_turn()
        if not gate.access().memory:
            return
        request = self._request(gate)
        if request is None:
            return
        tokens = heartbeat_tokens(*request) + _REPLY_TOKENS
        if tokens > record.tokens_left():
            return
        reply = background_reply(
            pet.services,
            gate,
            "heartbeat",
            request,
            _REPLY_TOKENS,
            begin=lambda: record.request(tokens),
            spent=lambda usage: record.spent(all_tokens(usage)),
        )
        text = self._checked(reply)
        if text and not gate.was_revoked() and self._may_speak():
            record.message(text)
            pet.bubble.offer(heartbeat_line(pet.bubble, text))

    def _may_speak(self) -> bool:
        """Return whether the bubble could show a text now."""
        return self._pet.bubble.shown(None) is None and self._pet.bubble.may(HEARTBEAT)

    def _request(self, gate: TurnGate) -> tuple[tuple[SystemBlock, ...], tuple[Message, ...]] | None:
        """Return system blocks and messages; None if HEARTBEAT.md has no instructions or may not be read."""
        pet = self._pet
        files = GatedFiles(pet.store, gate, Source(conversation="", turn=""))
        try:
            visible = files.snapshot().visible(gate.access())
            if not has_instructions(visible.text(FILE)):
                return None
            now, texts = pet.clock.now(), pet.texts()
            logs = files.recent_logs(now.date(), DAYS)
            days = recent_days(logs, days=DAYS, characters=DAY_CHARACTERS)
            gate.check_recall()
            due = [plain_words(each.text) for each in pet.reminders.snapshot().due]
            inputs = HeartbeatInputs(
                files={state.name: visible.text(state.name) for state in visible.states},
                days=days,
                due=due[:5],
                sent=self.record.messages(),
                pet_name=pet.name(),
                now=now,
            )
            return heartbeat_request(inputs, texts)
        except PetError as refused:
            _log.info("no heartbeat: %s", refused.error_code)
            return None

    def _checked(self, reply: str) -> str:
        """Return the text to show; "" for silence, forgotten text, and repetitions."""
        text = redact(spoken(reply)).text
        if (
            len(text) > _MOST_CHARACTERS
            or self._pet.store.forgotten.is_forgotten(text)
            or self.record.was_shown_today(text)
        ):
            return ""
        return text
