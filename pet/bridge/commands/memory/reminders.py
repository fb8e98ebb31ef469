"""Reminders of a pet's logs: list, done, put off. Part of no request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pet.bridge.command import Client, command
from pet.clock import Clock
from pet.events import Event, RemindersChanged
from pet.i18n import Texts
from pet.services.reminders import ReminderBook, ReminderView, reminder_view


@dataclass(frozen=True, slots=True, kw_only=True)
class ReminderList:
    due: list[ReminderView]  # now or before, oldest first
    coming: list[ReminderView]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReminderArgs:
    """``text`` and ``shown`` (the day, and the hour after a T) as displayed: a different reminder at that line is
    refused. ``until``, with snooze: a future moment such as "in an hour", 2026-03-01 or 2026-03-01T15:00."""

    file: str
    line: int
    text: str
    answer: Literal["done", "snooze"]
    until: str | None = None
    shown: str = ""


@dataclass(frozen=True, slots=True)
class ReminderCommands:
    """The actor is the owner."""

    book: ReminderBook
    clock: Clock
    texts: Callable[[], Texts]
    emit: Callable[[Event], object]

    @command(Client.CHAT)
    def list_reminders(self) -> ReminderList:
        """Return the reminders that are not done."""
        today, texts, reminders = self.clock.now().date(), self.texts(), self.book.snapshot()
        return ReminderList(
            due=[reminder_view(reminder, today, texts) for reminder in reminders.due],
            coming=[reminder_view(reminder, today, texts) for reminder in reminders.coming],
        )

    @command(Client.CHAT, Client.BUBBLE)
    def answer_reminder(self, args: ReminderArgs) -> ReminderList:
        """Mark a reminder as done, or put it off."""
        reminder = self.book.find(args.file, args.line, args.text, args.shown)
        if args.answer == "done":
            self.book.done(reminder)
        else:
            self.book.put_off(reminder, args.until or "")
        self.emit(RemindersChanged())
        return self.list_reminders()
