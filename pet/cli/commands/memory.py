"""``pet search``, ``pet forget`` and ``pet remind``, and what the chat shares of them.

Search is local. Forgetting lists every match first; Enter, end of input and a missing terminal are no consent.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from datetime import date
from typing import TYPE_CHECKING

from pet.app import App
from pet.cli.arguments import Given
from pet.cli.remote import notify_changed, notify_deleted
from pet.cli.terminal import Terminal, print_json, revealed, safe
from pet.engine.reminder_scheduler import ReminderScheduler
from pet.errors import BadArguments, EmptySearch, UnknownConversation
from pet.events import Event, WorkspaceChanged
from pet.i18n import Texts
from pet.memory.digest import plain_words
from pet.memory.forget_plan import ForgetOutcome, ForgetPlan, format_plan
from pet.memory.memory_index import Hit, MemoryIndex, open_index
from pet.memory.recall_selection import is_sure
from pet.memory.reminders import Reminder
from pet.memory.repetition import repeat_words, time_words, when_words
from pet.serde import to_data
from pet.services.proactive_limits import is_quiet, may_remind
from pet.services.reminders import reminder_view

if TYPE_CHECKING:
    from pet.transcripts.conversation import Conversation

_EMBED_SECONDS = 20.0
"""Time limit for embedding new entries before the search; others are found by their words."""
_MOST_UNSURE = 3


def search(app: App, given: Given) -> int:
    """Print the best matches. Return 1 without any."""
    if not given.query.strip():
        raise EmptySearch
    terminal, texts = Terminal.standard(), app.texts()
    with closing(open_index(app.store.root, app.home.cache)) as index:
        index.refresh_words()
        waiting = _embed(index)
        hits = index.search(given.query, given.count, conversations=True)
        embedder = index.embedder
    if waiting:
        terminal.complain(texts("cli.search.waiting", count=waiting))
    if given.json:
        print_json(terminal, {"pet": app.pet_id, "results": [to_data(hit) for hit in hits], "provider": embedder})
    if hits and not given.json:
        show_hits(terminal, texts, hits, given.query)
    if not hits and not given.json:
        terminal.complain(texts("cli.search.nothing"))
    return 0 if hits else 1


def show_hits(terminal: Terminal, texts: Texts, hits: Sequence[Hit], query: str) -> None:
    """Print likely matches, then the best few others."""
    sure = [hit for hit in hits if is_sure(hit, query)]
    unsure = [hit for hit in hits if hit not in sure][:_MOST_UNSURE]
    for hit in sure:
        _show_hit(terminal, hit)
    if unsure:
        terminal.say(texts("cli.search.perhaps"))
    for hit in unsure:
        _show_hit(terminal, hit)


def _embed(index: MemoryIndex) -> int:
    """Embed new entries within the time limit. Return how many are pending."""
    until = time.monotonic() + _EMBED_SECONDS
    while index.pending()[0] and time.monotonic() < until:
        if not index.embed_some():
            break
    return index.pending()[0]


def _show_hit(terminal: Terminal, hit: Hit) -> None:
    place = terminal.painted(f"{hit.path}:{hit.start_line}-{hit.end_line}", "dim")
    terminal.say(f"{place}  {hit.score:.2f}")
    for line in hit.snippet.splitlines():
        terminal.say(f"    {safe(line)}")


def forget(app: App, given: Given) -> int:
    """Return 0 if forgotten, 1 if not found, not confirmed or not fully erased."""
    if given.conversation is not None:
        return _forget_conversation(app, given, given.conversation)
    as_json = given.json
    terminal = Terminal.standard(answer_only=as_json)
    plan, report = forget_text(app, terminal, given.text or "", ask=not given.yes)
    if as_json:
        data = {
            "pet": app.pet_id,
            "forgotten": report is not None,
            "goes": to_data(plan.goes),
            "stays": to_data(plan.stays),
        }
        print_json(Terminal.standard(), data | {"report": to_data(report)})
    elif report is not None:
        show_outcome(app, terminal, report)
    return 0 if report is not None and not report.unreached else 1


def _forget_conversation(app: App, given: Given, conversation: str) -> int:
    """Delete a conversation, and on request what was learned in it. Return 1 if not confirmed or incomplete.

    If killed in between, a second run completes it. Raises UnknownConversation.
    """
    texts, as_json, sure = app.texts(), given.json, given.yes
    terminal = Terminal.standard(answer_only=as_json)
    plan = app.forgetting.find_learned(conversation)
    may_learn = bool(plan.texts) and (given.learned or not sure)
    folded = _open_or_none(app, conversation, or_none=may_learn)
    title = (safe(folded.title) if folded else "") or texts("export.untitled")
    if folded is None:
        terminal.say(texts("cli.forget.deleted_before"))
    elif not sure:
        terminal.say(texts("cli.forget.conversation", title=title, turns=len(folded.turns), count=_entries(plan)))
    deleted = folded is None or sure or _says_yes(terminal, texts("cli.forget.delete_question"), texts)
    learned = deleted and may_learn and (sure or _confirmed(app, terminal, plan))
    if deleted:
        if folded is not None:
            app.conversations.delete(conversation)
        notify_deleted(app.home, app.pet_id, conversation)
    report = app.forgetting.forget(plan) if learned else None
    if as_json:
        data = {"pet": app.pet_id, "deleted": deleted, "goes": to_data(plan.goes), "stays": to_data(plan.stays)}
        print_json(Terminal.standard(), data | {"report": to_data(report)})
    elif deleted:
        if folded is not None:
            terminal.say(texts("cli.forget.deleted", title=title))
        if report is not None:
            show_outcome(app, terminal, report)
    done = learned if folded is None else deleted
    return 0 if done and not (report and report.unreached) else 1


def _open_or_none(app: App, conversation: str, *, or_none: bool) -> Conversation | None:
    """Return the conversation; None if it is gone and ``or_none``. Raises UnknownConversation."""
    try:
        return app.conversations.open(conversation).folded()
    except UnknownConversation:
        if or_none:
            return None
        raise


def _entries(plan: ForgetPlan) -> int:
    return sum(piece.where in ("file", "log") for piece in plan.goes)


def forget_text(app: App, terminal: Terminal, text: str, *, ask: bool) -> tuple[ForgetPlan, ForgetOutcome | None]:
    """Return the plan and the report; the report is None without matches or consent."""
    plan = app.forgetting.find(text)
    if not (plan.goes or plan.stays or plan.begun):
        terminal.complain(app.texts()("cli.forget.nothing", text=safe(text)))
        return plan, None
    if ask and not _confirmed(app, terminal, plan):
        return plan, None
    return plan, app.forgetting.forget(plan)


def _confirmed(app: App, terminal: Terminal, plan: ForgetPlan) -> bool:
    texts = app.texts()
    for line in format_plan(plan, texts).splitlines():
        terminal.say(revealed(line))
    if plan.stays:
        terminal.say()
        terminal.say(texts("forget.stays_why"))
    if not terminal.can_ask:
        terminal.complain(texts("cli.forget.nobody"))
        return False
    terminal.say()
    if _says_yes(terminal, texts("cli.forget.question"), texts):
        return True
    terminal.complain(texts("cli.forget.refused"))
    return False


def _says_yes(terminal: Terminal, question: str, texts: Texts) -> bool:
    """Prompt for consent; False without a terminal."""
    if not terminal.can_ask:
        terminal.complain(texts("cli.forget.nobody"))
        return False
    return terminal.agrees(question, texts("cli.forget.words.yes"))


def show_outcome(app: App, terminal: Terminal, report: ForgetOutcome) -> None:
    texts = app.texts()
    terminal.say(texts("forget.done", entries=report.entries, versions=report.versions, messages=report.messages))
    if len(report.left) > report.unreached:
        terminal.say(texts("forget.left", count=len(report.left) - report.unreached))
        terminal.say(texts("forget.stays_why"))
    if report.unreached:
        terminal.complain(texts("forget.unreached", count=report.unreached))


def remind(app: App, given: Given) -> int:
    """Return 1 for an unknown number or an invalid time."""
    terminal = Terminal.standard()
    changed = change_reminder(app, terminal, given.action, given.number, given.when)
    if given.json:
        snapshot, today, texts = app.reminders.snapshot(), app.clock.now().date(), app.texts()
        views = {
            name: [to_data(reminder_view(each, today, texts)) for each in group]
            for name, group in (("due", snapshot.due), ("coming", snapshot.coming))
        }
        print_json(terminal, {"pet": app.pet_id, **views})
    elif changed:
        list_reminders(app, terminal)
    return 0 if changed else 1


def change_reminder(app: App, terminal: Terminal, action: str, place: str, when: str) -> bool:
    """Apply an action to one reminder. Return False for an unknown number or an invalid time."""
    if action not in ("done", "later"):
        return True
    snapshot = app.reminders.snapshot()
    number = int(place) if place.isascii() and place.isdecimal() and len(place) < 6 else 0
    every = (*snapshot.due, *snapshot.coming)
    if not 1 <= number <= len(every):
        terminal.complain(app.texts()("cli.remind.unknown", number=revealed(place)))
        return False
    chosen = every[number - 1]
    if action == "done":
        app.reminders.done(chosen)
    else:
        try:
            app.reminders.put_off(chosen, when)
        except BadArguments:
            terminal.complain(app.texts()("cli.remind.no_time", when=revealed(when)))
            return False
    notify_changed(app.home, app.pet_id, [chosen.file])
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
