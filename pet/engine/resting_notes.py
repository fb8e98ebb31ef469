"""Notes of conversations that were closed or have rested for an hour: what is worth keeping is written down once.

One model call for each state of a conversation, by ``LiveConversation.take_notes``, which holds the rules of memory.
The thread sleeps until the next conversation has rested, without one for as long as it takes.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from threading import Condition, Thread
from typing import TYPE_CHECKING, ClassVar

from pet.clock import Clock
from pet.engine.conversations import Conversations
from pet.errors import PetError, places_of
from pet.events import ConversationClosed, Event, TurnEnded
from pet.settings.schema import Settings

if TYPE_CHECKING:
    from pet.settings.program_state import JsonState

_REST = timedelta(hours=1)
_FRESH = timedelta(days=1)  # older turns are left alone
_AFTER_START = timedelta(minutes=5)
_MOST_AT_START = 5
_MOST_KEPT = 200  # conversations whose state is remembered

_log = logging.getLogger(__name__)


class RestingNotes:
    """``suits``: whether the model in use can judge what is worth keeping."""

    EVENTS: ClassVar[tuple[type[Event], ...]] = (TurnEnded, ConversationClosed)

    def __init__(
        self,
        conversations: Conversations,
        settings: Callable[[], Settings],
        suits: Callable[[], bool],
        state: JsonState,
        pet: str,
        clock: Clock,
    ) -> None:
        self._conversations = conversations
        self._settings = settings
        self._suits = suits
        self._state = state
        self._key = f"rested.{pet}"
        self._clock = clock
        self._changed = Condition()
        self._stopped = False
        self._due: dict[str, datetime] = {}

    def start(self) -> None:
        """Start the thread. What was said in the last day before this start comes due as well."""
        now = self._clock.now()
        fresh = [each for each in self._conversations.saved() if _time_of(each.updated_at, now) > now - _FRESH]
        for each in fresh[:_MOST_AT_START]:
            self._due[each.id] = max(_time_of(each.updated_at, now) + _REST, now + _AFTER_START)
        Thread(target=self._run, name="resting-notes", daemon=True).start()

    def stop(self) -> None:
        with self._changed:
            self._stopped = True
            self._changed.notify()

    def on_event(self, event: Event) -> None:
        """Set when the conversation will have rested: one whose tab was closed has. Returns at once."""
        match event:
            case TurnEnded(conversation=conversation):
                self._set_due(conversation, _REST)
            case ConversationClosed(conversation=conversation):
                self._set_due(conversation, timedelta())
            case _:
                pass

    def _set_due(self, conversation: str, rest: timedelta) -> None:
        with self._changed:
            self._due[conversation] = self._clock.now() + rest
            self._changed.notify()

    def check(self) -> None:
        """Start the notes of each conversation that is due."""
        now = self._clock.now()
        with self._changed:
            self._due = {each: min(at, now + _REST) for each, at in self._due.items()}  # the clock was set back
            due = [conversation for conversation, at in self._due.items() if at <= now]
            for conversation in due:
                del self._due[conversation]
        for conversation in due:
            try:
                self._begin(conversation, now)
            except PetError as refused:  # deleted, or unreadable
                _log.info("no notes at rest: %s", refused.error_code)

    def _wait(self) -> None:
        """Sleep until the next conversation is due, or one more is set."""
        with self._changed:  # from here on a notification is not missed
            following = min(self._due.values(), default=None)
            seconds = None if following is None else (following - self._clock.now()).total_seconds()
            if not self._stopped and (seconds is None or seconds > 0):
                self._changed.wait(None if seconds is None else min(seconds, _REST.total_seconds()))

    def _begin(self, conversation: str, now: datetime) -> None:
        if not self._settings().notes_at_rest or not self._suits():
            return
        live = self._conversations.open(conversation)
        turns = live.folded().turns
        if turns:
            last = turns[-1].at
            since = max(self._noted().get(conversation, ""), (now - _FRESH).isoformat())
            live.take_notes(since, lambda: self._record(conversation, last))

    def _noted(self) -> dict[str, str]:
        """Return the time of the last turn that was noted, by conversation."""
        kept = self._state.read().get(self._key)
        return {str(name): str(at) for name, at in kept.items()} if isinstance(kept, dict) else {}

    def _record(self, conversation: str, at: str) -> None:
        try:
            with self._state.held():
                kept = {**self._noted()}
                kept.pop(conversation, None)
                kept[conversation] = at
                self._state.update({self._key: dict(list(kept.items())[-_MOST_KEPT:])})
        except OSError as problem:  # in this program it counts as noted all the same
            _log.warning("the notes of a conversation were not recorded: %s", type(problem).__name__)

    def _run(self) -> None:
        while not self._stopped:
            try:
                self.check()
            except Exception as error:  # noqa: BLE001  thread boundary: the next conversation may succeed
                _log.warning("no notes at rest: %s", places_of(error))
            self._wait()


def _time_of(iso: str, now: datetime) -> datetime:
    """Return the moment; of an unreadable one, long ago."""
    try:
        at = datetime.fromisoformat(iso)
    except ValueError:
        return now - 2 * _FRESH
    return at if at.tzinfo is not None else at.astimezone()
