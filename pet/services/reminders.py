"""Reminders of a pet's daily logs: list, done, put off. Part of no request.

A log is parsed again only after it changed, so a snapshot costs one stat per log.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import partial
from threading import Lock

from pet.access import FileKind
from pet.clock import Clock
from pet.errors import BadArguments, FileBroken, FileConflict, FileMissing
from pet.i18n import Texts, day_comes_first
from pet.language.categories import TASK
from pet.language.moment import Due, MomentUnclear, is_past, parse_moment
from pet.language.repetition import repeat_words, time_words
from pet.memory.reminders.reminder import Reminder, Reminders, find_reminders, settle_reminder, split_reminders
from pet.memory.store.daily_log import append_entry, read_log, render_entry
from pet.model import Author, Broken, Missing, Present, Receipt
from pet.untrusted.regular_files import FromFiles
from pet.workspace.file_names import kind_of, log_name, parse_name
from pet.workspace.store import WorkspaceStore
from pet.workspace.text_encoding import normalize_newlines


@dataclass(frozen=True, slots=True, kw_only=True)
class ReminderView:
    """A reminder that is not done. ``line``: of its heading, 1-based."""

    file: str
    line: int
    due: str  # YYYY-MM-DD
    text: str
    overdue: bool  # due before today
    at: str  # HH:MM, "" for the whole day
    repeats: str  # "every Monday", in the owner's language, or ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedReminder:
    """A reminder that was marked as done. ``day``: YYYY-MM-DD on which it was."""

    file: str
    line: int
    text: str
    day: str


_FINISHED_DAYS = 60
_MOST_FINISHED = 100
LONGEST = 500  # characters of a reminder written by hand


class ReminderBook:
    """The reminders of one pet. Thread-safe. Writes as the owner, through the store."""

    def __init__(self, store: WorkspaceStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._lock = Lock()
        self._read: dict[str, FromFiles[tuple[Reminder, ...]]] = {}

    def snapshot(self) -> Reminders:
        """Return the reminders that are due now, and the coming ones."""
        return split_reminders(self._open(), self._clock.now())

    def done(self, reminder: Reminder) -> Receipt:
        """Mark as done. Raises FileConflict if it changed, FileMissing, FileBroken, BadArguments."""
        return self._settle(reminder, done=self._clock.now())

    def put_off(self, reminder: Reminder, until: str) -> Receipt:
        """Put off to a future moment in words. Raises as ``done``, and BadArguments for any other words."""
        return self._settle(reminder, until=put_off_until(until, reminder, self._clock.now()))

    def add(self, text: str, when: str) -> Receipt:
        """Note a reminder in today's log. Raises BadArguments unless the words name a future moment."""
        now = self._clock.now()
        try:
            due = parse_moment(when, now, day_comes_first())
        except MomentUnclear:
            raise BadArguments(where="when", why="value") from None
        return self.add_due(text, due)

    def add_due(self, text: str, due: Due) -> Receipt:
        """Note a reminder in today's log. Raises BadArguments for a moment in the past, or no or too long a text."""
        now = self._clock.now()
        past = is_past(due, now)
        if past or not 0 < len(text.strip()) <= LONGEST:
            raise BadArguments(where="when" if past else "text", why="value")
        entry = render_entry(
            " ".join(text.split()), at=now.time(), category=TASK, due=due.day, due_at=due.at, repeat=due.repeat
        )

        def longer(log: str | None) -> str:
            return append_entry(normalize_newlines(log or ""), entry, now.date())

        receipt = self._store.rewrite(log_name(now.date()), longer, author=Author.OWNER)
        assert receipt is not None  # an added entry is always a change
        return receipt

    def finished(self) -> list[FinishedReminder]:
        """Return what was marked as done within the last weeks, newest first."""
        since = self._clock.now().date() - timedelta(days=_FINISHED_DAYS)
        finished = [
            FinishedReminder(file=name, line=entry.heading_line, text=entry.text, day=entry.done_on.isoformat())
            for name, log in read_logs(self._store, since)
            for entry in read_log(log)
            if entry.done_on is not None and entry.done_on >= since
        ]
        return sorted(finished, key=lambda each: (each.day, each.file, each.line), reverse=True)[:_MOST_FINISHED]

    def find(self, file: str, line: int, text: str, shown: str = "") -> Reminder:
        """Return the reminder at this line, as ``shown_moment`` gave it; ``shown`` "": at any moment.

        Raises BadArguments unless the file is a log, FileMissing, FileBroken, FileConflict.
        """
        name = parse_name(file)
        if kind_of(name) is not FileKind.LOG:
            raise BadArguments(where="file", why="value")
        for each in find_reminders(name, self._text(name)):
            if (each.line, each.text) == (line, text) and shown in ("", shown_moment(each)):
                return each
        raise FileConflict(file=name)

    def _settle(
        self, reminder: Reminder, *, done: datetime | None = None, until: tuple[date, time | None] | None = None
    ) -> Receipt:
        def changed(log: str | None) -> str:
            if log is None:
                raise FileMissing(file=reminder.file)
            return settle_reminder(log, reminder, done=done, until=until)  # raises if it is another reminder

        receipt = self._store.rewrite(reminder.file, changed, author=Author.OWNER)
        assert receipt is not None  # a heading that is marked is always a change
        return receipt

    def _text(self, name: str) -> str:
        state = self._store.read(name)
        match state:
            case Missing():
                raise FileMissing(file=name)
            case Broken():
                raise FileBroken(file=name, problem=state.problem)
            case Present():
                return normalize_newlines(state.text)

    def _open(self) -> list[Reminder]:
        with self._lock:
            self._read = {
                name: self._read.get(name) or FromFiles((self._store.root / name,), partial(self._in_log, name))
                for name in self._store.log_names()
            }
            return [each for log in self._read.values() for each in log.get()]

    def _in_log(self, name: str) -> tuple[Reminder, ...]:
        state = self._store.read(name)
        return tuple(find_reminders(name, state.text)) if isinstance(state, Present) else ()


def read_logs(store: WorkspaceStore, since: date) -> Iterator[tuple[str, str]]:
    """Yield the readable daily logs since a day, by name and text."""
    oldest = log_name(since)
    for name in store.log_names():
        if name >= oldest:
            state = store.read(name)
            if isinstance(state, Present):
                yield name, state.text


def shown_moment(reminder: Reminder) -> str:
    """Return the day ``2026-03-01``, or the moment ``2026-03-01T15:00``."""
    return f"{reminder.due.isoformat()}T{reminder.at:%H:%M}" if reminder.at else reminder.due.isoformat()


def put_off_until(text: str, reminder: Reminder, now: datetime) -> tuple[date, time | None]:
    """Return the day and hour that the words name; a day alone keeps the reminder's own hour.

    Raises BadArguments unless they name one future moment.
    """
    try:
        due = parse_moment(text, now, day_comes_first())
    except MomentUnclear:
        raise BadArguments(where="until", why="value") from None
    at = due.at or (reminder.repeat.at if reminder.repeat and reminder.repeat.at else reminder.at)
    moment = datetime.combine(due.day, at or time())
    if due.repeat is not None or moment <= now.replace(tzinfo=None):
        raise BadArguments(where="until", why="value")
    return due.day, at


def reminder_view(reminder: Reminder, today: date, texts: Texts) -> ReminderView:
    return ReminderView(
        file=reminder.file,
        line=reminder.line,
        due=reminder.due.isoformat(),
        text=reminder.text,
        overdue=reminder.due < today,
        at=time_words(reminder.at),
        repeats=repeat_words(reminder.repeat, texts),
    )
