"""``pet remind``, and due reminders in a terminal chat."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from datetime import date, datetime
from typing import TYPE_CHECKING

from pet.cli.arguments import Given
from pet.cli.format import noted_lines
from pet.cli.terminal import Terminal, print_json, revealed
from pet.errors import BadArguments
from pet.events import Event, WorkspaceChanged
from pet.i18n import Texts, day_comes_first
from pet.language.moment import Due, MomentUnclear, is_past, parse_moment, split_moment
from pet.language.repetition import repeat_words, time_words, when_words
from pet.memory.reminders.reminder import Reminder
from pet.memory.store.digest import noted_text, plain_words
from pet.model import Receipt
from pet.serde import to_data, vars_of
from pet.services.pet_files import PetFiles
from pet.services.reminders import LONGEST

if TYPE_CHECKING:
    from pet.app import Pet


def remind(files: PetFiles, given: Given) -> int:
    """Return 1 for an unknown number, an invalid time, or words that are no reminder."""
    terminal = Terminal.standard(answer_only=given.json)
    if given.action == "add":
        changed = add_reminder(files, terminal, given.text or "", given.when) is not None
    else:
        changed = change_reminder(files, terminal, given.action, given.number, given.when)
    if given.json:
        from pet.bridge.commands.memory import ReminderCommands  # late: it imports what forgets

        listed = ReminderCommands(files).list_reminders()
        views = {name: to_data(each) for name, each in vars_of(listed).items()}
        print_json(Terminal.standard(), {"pet": files.pet_id, **views})
    elif changed and given.action != "add":
        list_reminders(files, terminal)
    return 0 if changed else 1


def add_reminder(files: PetFiles, terminal: Terminal, text: str, when: str = "") -> Receipt | None:
    """Note a reminder and say when it comes. ``when`` "": the text names its moment. None: refused."""
    texts, now = files.texts(), files.clock.now()
    try:
        plan = _plan(text, when, now)
    except MomentUnclear:
        terminal.complain(texts("cli.remind.half_clear", text=revealed(text)))
        return None
    if plan is None:
        key = "cli.remind.no_time" if when else "cli.remind.no_plan"
        terminal.complain(texts(key, when=revealed(when), text=revealed(text)))
        return None
    due, words = plan
    if len(words) > LONGEST:
        terminal.complain(texts("cli.remind.too_long", most=LONGEST))
        return None
    receipt = files.reminders.add_due(words, due)
    note = noted_text(words, due.day, at=time_words(due.at), repeats=repeat_words(due.repeat, texts))
    receipt = replace(receipt, noted=(note,))
    terminal.note(noted_lines(receipt, texts, now.date()))
    return receipt


def _plan(text: str, when: str, now: datetime) -> tuple[Due, str] | None:
    """Return the moment and the words, of two texts in either order. Raises MomentUnclear if one text names more than
    the moment that is understood."""
    if not when:
        return split_moment(text, now, day_comes_first())
    for moment, words in ((when, text), (text, when)):
        with suppress(MomentUnclear):
            due = parse_moment(moment, now, day_comes_first())
            if words.strip() and not is_past(due, now):
                return due, words
    return None


def change_reminder(
    files: PetFiles,
    terminal: Terminal,
    action: str,
    place: str,
    when: str,
    *,
    keep: Callable[[Receipt], object] = lambda _receipt: None,
) -> bool:
    """Apply an action to one reminder and say so. ``keep``: gets the change, to be undone.

    Return False for an unknown number or an invalid time.
    """
    if action not in ("done", "later"):
        return True
    book = files.reminders
    snapshot = book.snapshot()
    number = int(place) if place.isascii() and place.isdecimal() and len(place) < 6 else 0
    every = (*snapshot.due, *snapshot.coming)
    if not 1 <= number <= len(every):
        terminal.complain(files.texts()("cli.remind.unknown", number=revealed(place)))
        return False
    chosen, texts = every[number - 1], files.texts()
    try:
        receipt = book.done(chosen) if action == "done" else book.put_off(chosen, when)
    except BadArguments:
        terminal.complain(texts("cli.remind.no_time", when=revealed(when)))
        return False
    keep(replace(receipt, noted=(noted_text(chosen.text),)))
    terminal.say(texts(f"cli.remind.{action}", text=revealed(plain_words(chosen.text))))
    return True


def list_reminders(files: PetFiles, terminal: Terminal) -> None:
    texts, snapshot, today = files.texts(), files.reminders.snapshot(), files.clock.now().date()
    if not (snapshot.due or snapshot.coming):
        terminal.say(texts("cli.remind.none"))
    for number, each in enumerate((*snapshot.due, *snapshot.coming), 1):
        mark = "!" if number <= len(snapshot.due) else " "
        terminal.say(f"{mark}{number:>3}  {reminder_row(each, today, texts)}")


def reminder_row(reminder: Reminder, today: date, texts: Texts) -> str:
    """Return ``on Friday at 15:00 (every Friday): phone the bank``."""
    when = when_words(reminder.due, time_words(reminder.at), "", today, texts)
    series = repeat_words(reminder.repeat, texts)
    key = "cli.remind.row_series" if series else "cli.remind.row"
    return texts(key, when=when, series=series, text=revealed(plain_words(reminder.text)))


class ChatReminders:
    """Prints due reminders in a terminal chat, even while it waits for input; each once a day, here or in the bubble,
    under the bubble's rules."""

    def __init__(self, app: Pet, terminal: Terminal) -> None:
        self._app = app
        self._terminal = terminal
        from pet.memory.reminders.scheduler import ReminderScheduler

        self._scheduler = ReminderScheduler(app.reminders.snapshot, app.clock, lambda _event: self.say(begin="\n"))

    def start(self) -> None:
        self.say()
        self._changes = self._app.emitter.subscribe(self._changed, WorkspaceChanged, name="reminders")
        self._scheduler.start()

    def stop(self) -> None:
        self._changes.close()
        self._scheduler.stop()

    def _changed(self, event: Event) -> None:
        if isinstance(event, WorkspaceChanged):
            self._scheduler.file_changed(event.file)

    def say(self, *, begin: str = "") -> None:
        from pet.services.proactive_limits import may_remind, wants_quiet

        app, now = self._app, self._app.clock.now()
        settings = app.effective.current()
        if wants_quiet(settings, now) or not may_remind(settings, paused=app.conversations.paused):
            return
        fresh = app.proactive.fresh_reminders(app.reminders.snapshot().due)
        if not fresh:
            return
        app.proactive.note_shown(fresh)
        texts = app.texts()
        rows = [reminder_row(each, now.date(), texts) for each in fresh]
        lines = [texts("bubble.reminders"), *(f"  {row}" for row in rows), texts("cli.remind.how")]
        self._terminal.say(begin + "\n".join(lines))
