"""Reminders that are due, each with Done and Later; and the one that the pet holds until the owner takes it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pet.errors import PetError
from pet.events import Event, RemindersChanged
from pet.i18n import Texts
from pet.language.repetition import short_day
from pet.memory.reminders.reminder import Reminder
from pet.memory.store.digest import plain_note
from pet.services.offers.bubble_content import BubbleContent, Choice, ReminderRow, Style
from pet.services.offers.offer import Answer, BubbleLine, Cue, Offer, OwnerCame, Shape
from pet.services.proactive_limits import MOST_REMINDERS
from pet.services.reminders import reminder_view, shown_moment

if TYPE_CHECKING:
    from pet.services.offers.bubble import SpeechBubble

SNOOZE = "until:"
"""Begins the id of a choice that puts a reminder off, before the moment in words."""
_EVENING = 18  # the hour from which "this evening" is not offered
_log = logging.getLogger(__name__)


def _due(bubble: SpeechBubble, _cue: Cue) -> BubbleLine | None:
    fresh = bubble.pet.proactive.fresh_reminders(bubble.pet.reminders.snapshot().due)
    return _line(bubble, DUE, fresh) if fresh else None


DUE = Offer(
    kind="reminders",
    on=(OwnerCame,),
    due=_due,
    setting=lambda settings: settings.reminder_bubbles,
    memory="on",
    held="kept",
    chat="in_front",
    stays="answered",
    rank=3,
    seconds=0.0,
    questions=0,
    pauses=True,
    voiced=True,
)
HELD = replace(DUE, on=(), due=None, held="never", pauses=False)


def held_line(bubble: SpeechBubble) -> BubbleLine | None:
    """Return the reminders that the pet holds; None without one."""
    held = bubble.life.held()[:MOST_REMINDERS]
    return _line(bubble, HELD, held) if held else None


@dataclass(frozen=True, slots=True, kw_only=True)
class RemindersLine(BubbleLine):
    reminders: tuple[Reminder, ...]
    settle: Callable[[Reminder, str], object]

    def content(self, shape: Shape) -> BubbleContent:
        rows = tuple(_row(reminder, shape) for reminder in self.reminders)
        lead = shape.texts("bubble.reminders")
        return replace(BubbleLine.content(self, shape), lead=lead, reminders=rows)

    def find_answer(self, choice: str, key: str) -> Answer:
        if choice != "done" and not choice.startswith(SNOOZE):
            return BubbleLine.find_answer(self, choice, key)
        reminder = next((each for each in self.reminders if _key(each) == key), None)
        return Answer(id=choice, text="", keeps=True, act=lambda: reminder and self.settle(reminder, choice))


def _line(bubble: SpeechBubble, offer: Offer, reminders: tuple[Reminder, ...]) -> BubbleLine:
    proactive = bubble.pet.proactive

    def begin() -> bool:
        proactive.note_shown(reminders)
        return True

    def closed() -> None:
        proactive.mark_taken(reminders)
        bubble.life.changed()

    def settle(reminder: Reminder, choice: str) -> None:
        """Mark as done or put off; one that changed meanwhile is shown as it is now."""
        try:
            if choice == "done":
                bubble.pet.reminders.done(reminder)
            else:
                bubble.pet.reminders.put_off(reminder, choice.removeprefix(SNOOZE))
        except PetError as problem:
            _log.info("a reminder was not answered: %s", problem.error_code)
        bubble.pet.emitter.emit(RemindersChanged())

    def renewed(line: BubbleLine, event: Event) -> BubbleLine | None:
        if not isinstance(event, RemindersChanged):
            return line
        due = bubble.pet.reminders.snapshot().due
        left = tuple(each for each in reminders if each in due)
        return replace(_line(bubble, offer, left), number=line.number) if left else None

    return RemindersLine(
        offer=offer,
        words=lambda _texts: "",
        begin=begin,
        closed=closed,
        replaced=lambda: proactive.cut_short(reminders),
        renewed=renewed,
        reminders=reminders,
        settle=settle,
    )


def _key(reminder: Reminder) -> str:
    """Return what names this reminder, and this one of a series, in an answer."""
    return f"{reminder.file}:{reminder.line}:{shown_moment(reminder)}"


def _row(reminder: Reminder, shape: Shape) -> ReminderRow:
    texts: Texts = shape.texts

    def choice(name: str, word: str, style: Style = "plain") -> Choice:
        return Choice(id=name, text=texts(f"bubble.{word}"), style=style)

    today = shape.now.date()
    view = reminder_view(reminder, today, texts)
    when = texts("bubble.overdue", due=short_day(reminder.due, today, texts)) if view.overdue else view.at
    evening = (choice(f"{SNOOZE}this evening", "this_evening"),) if shape.now.hour < _EVENING else ()
    return ReminderRow(
        key=_key(reminder),
        text=plain_note(view.text),
        when=" · ".join(filter(None, (when, view.repeats))),
        choices=(choice("done", "done", "main"), choice("later", "later")),
        later=(
            choice(f"{SNOOZE}in 10 minutes", "in_ten_minutes"),
            choice(f"{SNOOZE}in an hour", "in_an_hour"),
            *evening,
            choice(f"{SNOOZE}tomorrow", "tomorrow"),
            choice("back", "back", "quiet"),
        ),
    )
