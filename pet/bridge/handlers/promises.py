"""Handlers for reminders: due, done, snoozed. Not part of any request."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from pet.bridge.api import Nothing, PromiseArgs, PromiseList, PromiseView
from pet.clock import Clock
from pet.events import Event, PromisesChanged
from pet.i18n import Texts
from pet.memory.reminders import Reminder
from pet.memory.schedule_text import repeat_words, time_words
from pet.services.reminders import ReminderBook


class PromiseCommands:
    """Handlers on the pet's logs: the actor is the owner."""

    def __init__(
        self, book: ReminderBook, clock: Clock, texts: Callable[[], Texts], emit: Callable[[Event], None]
    ) -> None:
        self._book = book
        self._clock = clock
        self._texts = texts
        self._emit = emit

    def list_promises(self, _args: Nothing) -> PromiseList:
        today, texts, found = self._clock.now().date(), self._texts(), self._book.look()
        return PromiseList(
            due=[promise_view(promise, today, texts) for promise in found.due],
            coming=[promise_view(promise, today, texts) for promise in found.coming],
        )

    def answer_promise(self, args: PromiseArgs) -> PromiseList:
        promise = self._book.find(args.file, args.line, args.text, args.shown)
        if args.answer == "done":
            self._book.done(promise)
        else:
            self._book.put_off(promise, args.until or "")
        self._emit(PromisesChanged())
        return self.list_promises(Nothing())


def promise_view(promise: Reminder, today: date, texts: Texts) -> PromiseView:
    return PromiseView(
        file=promise.file,
        line=promise.line,
        due=promise.due.isoformat(),
        text=promise.text,
        overdue=promise.due < today,
        at=time_words(promise.at),
        repeats=repeat_words(promise.repeat, texts),
    )
