"""Reminders of a pet's logs: list, done, put off. Part of no request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pet.bridge.command import Client, command
from pet.clock import Clock
from pet.events import Event, PromisesChanged
from pet.i18n import Texts
from pet.services.reminders import PromiseView, ReminderBook, promise_view


@dataclass(frozen=True, slots=True, kw_only=True)
class PromiseList:
    due: list[PromiseView]  # now or before, oldest first
    coming: list[PromiseView]


@dataclass(frozen=True, slots=True, kw_only=True)
class PromiseArgs:
    """``text`` and ``shown`` (the day, and the hour after a T) as displayed: a different reminder at that line is
    refused. ``until``, with snooze: a future moment such as "in an hour", 2026-03-01 or 2026-03-01T15:00."""

    file: str
    line: int
    text: str
    answer: Literal["done", "snooze"]
    until: str | None = None
    shown: str = ""


@dataclass(frozen=True, slots=True)
class PromiseCommands:
    """The actor is the owner."""

    book: ReminderBook
    clock: Clock
    texts: Callable[[], Texts]
    emit: Callable[[Event], object]

    @command(Client.CHAT)
    def list_promises(self) -> PromiseList:
        """Return the reminders that are not done."""
        today, texts, found = self.clock.now().date(), self.texts(), self.book.look()
        return PromiseList(
            due=[promise_view(promise, today, texts) for promise in found.due],
            coming=[promise_view(promise, today, texts) for promise in found.coming],
        )

    @command(Client.CHAT, Client.BUBBLE)
    def answer_promise(self, args: PromiseArgs) -> PromiseList:
        """Mark a reminder as done, or put it off."""
        promise = self.book.find(args.file, args.line, args.text, args.shown)
        if args.answer == "done":
            self.book.done(promise)
        else:
            self.book.put_off(promise, args.until or "")
        self.emit(PromisesChanged())
        return self.list_promises()
