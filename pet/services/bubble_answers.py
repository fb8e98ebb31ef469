"""The owner's answer to what the bubble shows: one choice by its id, whatever kind of message it is."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass

from pet.errors import BadArguments, PetError
from pet.events import Event, RemindersChanged
from pet.services.ask_field import AskField
from pet.services.bubble_text import SAY, SNOOZE, reminder_key
from pet.services.reminders import ReminderBook
from pet.services.speech_bubble import SpeechBubble

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class BubbleAnswers:
    """Thread-safe. ``number``: of the message that the owner saw; a newer one is left alone."""

    bubble: SpeechBubble
    field: AskField
    book: ReminderBook
    emit: Callable[[Event], object]

    def answer(self, choice: str, number: int, key: str = "") -> None:
        """Do what a choice of ``bubble_content`` means; ``key``: of the reminder it belongs to.

        Raises BadArguments for any other id, and what the choice raises.
        """
        bubble = self.bubble
        match choice:
            case "close":
                bubble.dismiss(number)
            case "open":
                bubble.continue_in_chat(number)
            case "field":
                self.field.open()
            case "go_there":
                bubble.go_there(number)
            case "undo":
                bubble.undo_change(number)
            case "leave_alone":
                bubble.leave_alone(number)
            case "allow" | "deny":
                bubble.answer_permission(choice, number)
            case "ask_there":
                bubble.answer_permission("", number)
            case "agent_read":
                bubble.answer_agent("read", number)
            case "agent_later":
                bubble.answer_agent("later", number)
            case "agent_never":
                bubble.answer_agent("never", number)
            case "holds":
                bubble.answer_recheck("yes", number)
            case "ended":
                bubble.answer_recheck("no_longer", number)
            case "no_recheck":
                bubble.answer_recheck("never", number)
            case _ if choice.startswith(SAY):
                self.field.answer(choice.removeprefix(SAY), number)
            case _ if choice == "done" or choice.startswith(SNOOZE):
                self._settle(choice, number, key)
            case _:
                raise BadArguments(where="choice", why="value")

    def _settle(self, choice: str, number: int, key: str) -> None:
        """Mark a shown reminder as done or put it off; one that changed meanwhile is shown as it is now."""
        speech = self.bubble.shown(number)
        reminder = next((each for each in (speech.reminders if speech else ()) if reminder_key(each) == key), None)
        if reminder is None:
            return
        try:
            if choice == "done":
                self.book.done(reminder)
            else:
                self.book.put_off(reminder, choice.removeprefix(SNOOZE))
        except PetError as problem:
            _log.info("a reminder was not answered: %s", problem.error_code)
        self.emit(RemindersChanged())
