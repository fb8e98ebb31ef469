"""Heartbeat: a periodic small request, by HEARTBEAT.md, that decides whether the pet says something unasked.

Sends nothing unless the bubble might show it (no quiet hours, full screen, open chat, "do not disturb"), memory is
neither paused nor off by default, the interval has passed and the day's tokens suffice; HEARTBEAT.md can't change
these. Reads through the access policy and aborts once access shrinks. Never writes a file.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from threading import Event
from typing import TYPE_CHECKING

from pet.access import ConversationGate, TurnGate
from pet.engine.cancellation import CancelScope, TurnAborted, sending
from pet.engine.mood import strip_mood_tags
from pet.engine.usage import all_tokens
from pet.errors import PetError, places_of
from pet.extras.heartbeat import HeartbeatSettings
from pet.ids import new_id
from pet.language.redaction import redact
from pet.language.replies import means_silence
from pet.memory.store.digest import plain_words, recent_days
from pet.model import HEARTBEAT as FILE
from pet.model import CoreFile, Message, Request, Source, StopReason, SystemBlock, TextPart
from pet.prompt.budget import truncate
from pet.prompt.context import recent_days_context, time_context
from pet.prompt.fence import escape, one_line
from pet.providers.base import RoundDone
from pet.services.offers.offer import LAST, UNASKED, BubbleLine, Offer
from pet.services.offers.replies import long_line
from pet.services.proactive_limits import hash_of
from pet.text.markup import TALK, fenced, has_instructions, wrap
from pet.text.token_estimate import estimate_tokens
from pet.workspace.gated_files import GatedFiles

if TYPE_CHECKING:
    from pet.app.pet import Pet
    from pet.services.offers.bubble import SpeechBubble

_ROOM: Mapping[str, int] = {
    CoreFile.SOUL.value: 2_000,
    FILE: 2_000,
    CoreFile.USER.value: 1_500,
    CoreFile.MEMORY.value: 1_500,
}
"""Characters of each file, in the order of the prompt."""
_DAYS, _DAY_CHARACTERS, _MOST_DUE = 2, 400, 5


def spoken(reply: str) -> str:
    """Return the pet's message; "" for silence."""
    text = reply.strip()
    return "" if means_silence(text) else text


def _section(name: str, text: str, room: int) -> str:
    return fenced(name, truncate(text.strip(), room, lambda _gap: "\n…\n", escape).text)


_SECONDS = 60.0  # maximum for a request
_CHECK_SECONDS = 300.0
_REPLY_TOKENS = 200
_MOST_CHARACTERS = 400  # a longer reply is dropped
_log = logging.getLogger(__name__)


class Heartbeat:
    """Checks whether a request is due, and shows what the model says."""

    def __init__(self, pet: Pet) -> None:
        self._pet = pet
        self._stopped = Event()
        self.record = HeartbeatRecord(pet)

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
        prompt = self._prompt(gate)
        if prompt is None:
            return
        tokens = estimate_tokens("".join(prompt)) + _REPLY_TOKENS
        if tokens > record.tokens_left():
            return
        text = self._checked(self._reply(gate, *prompt, tokens))
        if text and not gate.was_revoked() and self._may_speak():
            record.message(text)
            pet.bubble.offer(heartbeat_line(pet.bubble, text))

    def _may_speak(self) -> bool:
        """Return whether the bubble could show a text now."""
        return self._pet.bubble.shown(None) is None and self._pet.bubble.may(HEARTBEAT)

    def _prompt(self, gate: TurnGate) -> tuple[str, str] | None:
        """Return system prompt and message; None if HEARTBEAT.md has no instructions or may not be read."""
        pet = self._pet
        files = GatedFiles(pet.store, gate, Source(conversation="", turn=""))
        try:
            visible = files.snapshot().visible(gate.access())
            if not has_instructions(visible.text(FILE)):
                return None
            now, texts = pet.clock.now(), pet.texts()
            days = recent_days(files.recent_logs(now.date(), _DAYS), days=_DAYS, characters=_DAY_CHARACTERS)
            gate.check_recall()
            due = [plain_words(each.text) for each in pet.reminders.snapshot().due[:_MOST_DUE]]
        except PetError as refused:
            _log.info("no heartbeat: %s", refused.error_code)
            return None
        system = [texts("heartbeat.rules", name=one_line(pet.name(), 100))]
        system += [_section(name, text, room) for name, room in _ROOM.items() if (text := visible.text(name))]
        pieces = [time_context(now, texts).text]
        if days:
            pieces.append(recent_days_context(days, texts).text)
        for key, lines in (("heartbeat.due", due), ("heartbeat.said", self.record.messages())):
            if lines:
                pieces += [texts(key), wrap(TALK, "\n".join(f"- {escape(line)}" for line in lines))]
        return "\n\n".join(system), "\n\n".join((*pieces, texts("heartbeat.now")))

    def _reply(self, gate: TurnGate, system: str, text: str, tokens: int) -> str:
        """Return the model's whole reply; "" for a failure, a cut reply, or if the gate lost its access meanwhile.

        ``tokens``: recorded before the request leaves, which it does not if that fails. Blocks; not for the engine's
        thread.
        """
        services, record, scope = self._pet.services, self.record, CancelScope(gate)

        async def stream() -> str:
            used = services.effective.in_use(None)
            if used.problem is not None:
                raise used.problem
            request = Request(
                model=services.models.limits(used).settings.model,
                max_tokens=_REPLY_TOKENS,
                system=(SystemBlock(text=system),),
                tools=(),
                messages=(Message(role="user", parts=(TextPart(text=text),)),),
                thinking="off",
            )
            if not record.request(tokens):
                return ""
            provider = await services.provider(used, services.sizes[request.model], keep=True)
            # Marked as in flight, so that a pause cancels it.
            async with sending(scope, lambda: services.in_flight.marked(f"heartbeat-{new_id()}")):
                async for event in strip_mood_tags(provider.stream(request), lambda _mood: None):
                    scope.raise_if_cancelled()
                    if isinstance(event, RoundDone):
                        record.spent(all_tokens(event.usage))
                        parts = (each.text for each in event.parts if isinstance(each, TextPart))
                        return "".join(parts) if event.stop is StopReason.END_TURN else ""
            return ""

        async def reply() -> str:
            try:
                return await asyncio.wait_for(scope.run(stream()), _SECONDS)
            except (PetError, TimeoutError) as failure:
                _log.info("no heartbeat: %s", failure.error_code if isinstance(failure, PetError) else "timeout")
                return ""

        with suppress(TurnAborted):
            replied = services.loop.submit(reply()).result(_SECONDS + 10)
            return replied if scope.reason() is None else ""
        return ""

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


HEARTBEAT = Offer(
    kind="heartbeat",
    on=(),
    due=None,
    setting=lambda settings: settings.of(HeartbeatSettings).heartbeat_daily_tokens > 0,
    memory="settled",
    held="dropped",
    chat="shown",
    stays="time",
    rank=LAST,
    seconds=UNASKED,
    questions=0,  # it costs tokens, and waits for the owner after each (``Heartbeat.check``)
    pauses=True,
    voiced=True,
)


def heartbeat_line(bubble: SpeechBubble, text: str) -> BubbleLine:
    """Return what the heartbeat says; the chat goes on from it."""

    def begin_conversation() -> None:
        bubble.pet.proactive.owner_is_there()
        live = bubble.pet.conversations.create(memory=bubble.pet.effective.current().default_memory_mode)
        live.record.open_with(shown, "")
        bubble.open_chat(live.id)

    line = long_line(bubble, HEARTBEAT, text, opens=begin_conversation)
    shown = line.text
    return line


_EVERY = timedelta(hours=1)
_MAX_MESSAGES = 3


@dataclass(slots=True)
class HeartbeatRecord:
    """Record of heartbeats in the state: days, counts and hashes of what was said, never text."""

    pet: Pet
    _messages: list[tuple[date, str]] = field(init=False, default_factory=list)  # of this run

    @property
    def _daily_tokens(self) -> int:
        return self.pet.effective.current().of(HeartbeatSettings).heartbeat_daily_tokens

    def is_due(self) -> bool:
        """Return whether the interval has passed, and the owner was present since the last message."""
        now, last = self.pet.clock.now(), _moment_of(self.pet.proactive.kept("heartbeat"))
        if last is not None and timedelta() <= now - last < _EVERY:
            return False
        waits = self.pet.proactive.waits_for_owner or self.pet.proactive.is_too_soon(now)
        return self._daily_tokens > 0 and not waits

    def tokens_left(self) -> int:
        spent = self.pet.proactive.of_today("heartbeat_tokens")[1:]
        return self._daily_tokens - sum(int(each) for each in spent)

    def request(self, tokens: int) -> bool:
        """Record a request with its maximum tokens. False: it could not be recorded and must not be sent, since
        nothing would limit the next ones.
        """
        return self.pet.proactive.add_today("heartbeat_tokens", [str(tokens)]) and self.pet.proactive.keep(
            "heartbeat", [self.pet.clock.now().isoformat()]
        )

    def spent(self, tokens: int) -> None:
        """Replace the estimate of the last request by the reported tokens; 0: none were reported."""
        spent = self.pet.proactive.of_today("heartbeat_tokens")
        if tokens and spent[1:]:
            self.pet.proactive.keep("heartbeat_tokens", [*spent[:-1], str(tokens)])

    def message(self, text: str) -> None:
        """Record what is said."""
        self._messages = [*self._messages, (self.pet.clock.now().date(), text)][-_MAX_MESSAGES:]
        self.pet.proactive.add_today("heartbeat_said", [hash_of(text)])
        self.pet.proactive.wait_for_owner()

    def was_shown_today(self, text: str) -> bool:
        """Return whether the same text was shown today."""
        return hash_of(text) in self.pet.proactive.of_today("heartbeat_said")[1:]

    def messages(self) -> list[str]:
        """Return what was said today, without forgotten texts."""
        today = self.pet.clock.now().date()
        return [
            text for day, text in self._messages if day == today and not self.pet.store.forgotten.is_forgotten(text)
        ]


def _moment_of(kept: list[str]) -> datetime | None:
    try:
        at = datetime.fromisoformat(kept[0]) if kept else None
    except ValueError:
        return None
    return at if at is not None and at.tzinfo is not None else None
