"""HEARTBEAT.md: from time to time one small request decides whether the pet says something by itself.

Sends nothing unless the bubble might show it (no quiet hours, full screen, open chat, "do not disturb"), memory is
neither paused nor off by default, the interval has passed and the day's tokens suffice; what the file itself asks for
changes none of these. Reads through the access policy and gives up as soon as it shrinks. Never writes a file.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from threading import Event

from pet.access.policy import ConversationGate, PetGate, TurnGate
from pet.engine.cancellation import CancelScope
from pet.engine.mood.tags import strip_mood_tags
from pet.engine.request.services import EngineServices
from pet.engine.send_scope import sending
from pet.engine.stop_reasons import TurnAborted
from pet.engine.usage import all_tokens, metered
from pet.errors import PetError, places_of
from pet.ids import new_id
from pet.memory.noted import plain_words
from pet.memory.recent_days import recent_days
from pet.model import HEARTBEAT, Message, Request, Source, StopReason, SystemBlock, TextPart
from pet.prompt.heartbeat import (
    DAY_CHARACTERS,
    DAYS,
    HeartbeatInputs,
    has_instructions,
    heartbeat_request,
    heartbeat_tokens,
    spoken,
)
from pet.providers.base import RoundDone
from pet.services.bubble.proactive_limits import ProactiveLog
from pet.services.reminders import ReminderBook
from pet.settings.schema import Settings
from pet.text.redaction import redact
from pet.workspace.gated_files import GatedFiles

_LOOK_SECONDS = 300.0  # between two looks at the clock; a look sends nothing by itself
_REPLY_TOKENS = 200
_SECONDS = 60.0  # a request takes at most
_MOST_SAID = 400  # characters; longer is no remark
_log = logging.getLogger(__name__)


@dataclass
class Heartbeat:
    """``may_speak``: whether the bubble could show it now; ``say``: shows it. ``suits``: whether the model in use is
    asked at all, which small ones and the demo are not."""

    around: EngineServices
    pet_gate: PetGate
    settings: Callable[[], Settings]
    suits: Callable[[], bool]
    pet_name: Callable[[], str]
    reminders: ReminderBook
    proactive: ProactiveLog
    may_speak: Callable[[], bool]
    say: Callable[[str], None]
    _stopped: Event = field(init=False, default_factory=Event)

    def run(self) -> None:
        """Look again and again until ``stop``; for a thread of its own."""
        while not self._stopped.wait(_LOOK_SECONDS):
            try:
                self.check()
            except Exception as error:  # noqa: BLE001  the thread boundary: the next look may find it mended
                _log.warning("no heartbeat: %s", places_of(error))

    def stop(self) -> None:
        self._stopped.set()

    def check(self) -> None:
        """Ask the model if it is time to; show what it says. Blocks; a failure is silence."""
        settings = self.settings()
        if not self.proactive.heartbeat_due(settings) or not self.may_speak() or not self.suits():
            return
        gate = ConversationGate(self.pet_gate, memory=settings.default_memory_mode).begin_turn()
        if not gate.access().memory:
            return
        made = self._request(gate)
        if made is None or heartbeat_tokens(*made) + _REPLY_TOKENS > self.proactive.heartbeat_tokens_left(settings):
            return
        scope = CancelScope(gate)
        reply = ""
        with suppress(TurnAborted):
            reply = self.around.loop.submit(self._asked(scope, *made)).result(_SECONDS + 10)
        text = self._checked(reply)
        if text and scope.reason() is None and self.may_speak():
            self.proactive.heartbeat_said(text)
            self.say(text)

    def _request(self, gate: TurnGate) -> tuple[tuple[SystemBlock, ...], tuple[Message, ...]] | None:
        """None if HEARTBEAT.md asks for nothing, or may not be read any more."""
        files = GatedFiles(self.around.store, gate, Source(conversation="", turn=""))
        try:
            snapshot = files.snapshot()
            if not has_instructions(snapshot.text(HEARTBEAT)):
                return None
            now, texts = self.around.clock.now(), self.around.texts()
            logs = files.recent_logs(now.date(), DAYS)
            days = recent_days(logs, days=DAYS, characters=DAY_CHARACTERS)
            gate.check_recall()
            due = [plain_words(each.text) for each in self.reminders.look().due]
            inputs = HeartbeatInputs(
                files={str(name): snapshot.text(name) for name in snapshot.files},
                days=days,
                due=due[:5],
                said=self.proactive.heartbeat_sayings,
                pet_name=self.pet_name(),
                now=now,
            )
            return heartbeat_request(inputs, texts)
        except PetError as refused:
            _log.info("no heartbeat: %s", refused.error_code)
            return None

    async def _asked(self, scope: CancelScope, system: tuple[SystemBlock, ...], messages: tuple[Message, ...]) -> str:
        """Raises TurnAborted if memory was switched off meanwhile."""
        try:
            return await asyncio.wait_for(scope.run(self._stream(scope, system, messages)), _SECONDS)
        except (PetError, TimeoutError) as failure:
            _log.info("no heartbeat: %s", failure.error_code if isinstance(failure, PetError) else "timeout")
            return ""

    async def _stream(
        self, scope: CancelScope, system: tuple[SystemBlock, ...], messages: tuple[Message, ...]
    ) -> str:
        around = self.around
        used = around.model_in_use(None)
        if used.problem is not None:
            raise used.problem
        request = Request(
            model=around.limits(used).settings.model,
            max_tokens=_REPLY_TOKENS,
            system=system,
            tools=(),
            messages=messages,
            thinking="off",
        )
        if not self.proactive.heartbeat_asked(heartbeat_tokens(system, messages) + _REPLY_TOKENS):
            return ""
        size = around.sizes.of(request.model).tokens
        provide = metered(lambda: around.provider(used), lambda: around.is_local(used), around.usage, size, keep=True)
        provider = await provide()
        # Marked and watched to its end: nobody waits for the reply, and a pause drops it.
        async with sending(scope, lambda: around.in_flight.marked(f"heartbeat-{new_id()}")):
            async for event in strip_mood_tags(provider.stream(request), lambda _mood: None):
                scope.raise_if_cancelled()
                if isinstance(event, RoundDone):
                    self.proactive.heartbeat_spent(all_tokens(event.usage))
                    whole = event.stop is StopReason.END_TURN
                    return "".join(each.text for each in event.parts if isinstance(each, TextPart)) if whole else ""
        return ""

    def _checked(self, reply: str) -> str:
        """Return what may be said; "" for silence, for what the owner had forgotten, and for what it said before."""
        text = redact(spoken(reply)).text
        if len(text) > _MOST_SAID or self.around.is_forgotten(text) or self.proactive.heartbeat_was_said(text):
            return ""
        return text
