"""``pet remind``: list reminders, mark one done, put one off; and show due ones in the terminal chat."""

from __future__ import annotations

from datetime import date

from pet.app import App
from pet.cli.arguments import BY_NAME, Given
from pet.cli.remote import tell_changed
from pet.cli.terminal import Terminal, print_json, revealed
from pet.engine.background.reminder_scheduler import ReminderScheduler
from pet.errors import BadArguments
from pet.events import Event, WorkspaceChanged
from pet.i18n import Texts
from pet.memory.noted import plain_words
from pet.memory.reminders import Reminder
from pet.memory.schedule.wording import repeat_words, time_words, when_words
from pet.serde import to_data
from pet.services.bubble.proactive_limits import is_quiet, may_remind
from pet.services.reminders import reminder_view

REMIND_ACTIONS = BY_NAME["remind"].actions


def remind(app: App, given: Given) -> int:
    """Return 1 for an unknown number or an invalid time."""
    terminal = Terminal.standard()
    changed = change_reminder(app, terminal, given.word(0) or "list", given.words[1:])
    if given.has("--json"):
        snapshot, today, texts = app.reminders.snapshot(), app.clock.now().date(), app.texts()
        views = {
            name: [to_data(reminder_view(each, today, texts)) for each in group]
            for name, group in (("due", snapshot.due), ("coming", snapshot.coming))
        }
        print_json(terminal, {"pet": app.pet_id, **views})
    elif changed:
        list_reminders(app, terminal)
    return 0 if changed else 1


def change_reminder(app: App, terminal: Terminal, act: str, words: tuple[str, ...]) -> bool:
    """Apply an action to one reminder. Return False for an unknown number or an invalid time."""
    if act == "list":
        return True
    snapshot = app.reminders.snapshot()
    number = int(words[0]) if words[0].isascii() and words[0].isdecimal() and len(words[0]) < 6 else 0
    every = (*snapshot.due, *snapshot.coming)
    if not 1 <= number <= len(every):
        terminal.complain(app.texts()("cli.remind.unknown", number=revealed(words[0])))
        return False
    chosen = every[number - 1]
    if act == "done":
        app.reminders.done(chosen)
    else:
        try:
            app.reminders.put_off(chosen, words[1])
        except BadArguments:
            terminal.complain(app.texts()("cli.remind.no_time", when=revealed(words[1])))
            return False
    tell_changed(app.home, app.pet_id, [chosen.file])
    return True


def list_reminders(app: App, terminal: Terminal) -> None:
    texts, snapshot, today = app.texts(), app.reminders.snapshot(), app.clock.now().date()
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

    def __init__(self, app: App, terminal: Terminal) -> None:
        self._app = app
        self._terminal = terminal
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
        app, now = self._app, self._app.clock.now()
        settings = app.effective.current()
        quiet = settings.do_not_disturb or is_quiet(now, settings.quiet_from, settings.quiet_until)
        if quiet or not may_remind(settings, paused=app.conversations.paused):
            return
        fresh = app.proactive.fresh_reminders(app.reminders.snapshot().due)
        if not fresh:
            return
        app.proactive.note_shown(fresh)
        texts = app.texts()
        rows = [reminder_row(each, now.date(), texts) for each in fresh]
        lines = [texts("bubble.reminders"), *(f"  {row}" for row in rows), texts("cli.remind.how")]
        self._terminal.say(begin + "\n".join(lines))
