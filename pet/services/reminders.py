"""Reminders in a pet's daily logs, for its owner: listed, done, put off. Not part of any request.

Reads a log again only if its size or time of change did: each reminder of ten years of logs is found, and a look at
them costs a stat per log.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, time
from threading import Lock

from pet.access.policy import FileKind
from pet.clock import Clock
from pet.errors import BadArguments, FileBroken, FileConflict, FileMissing
from pet.i18n import Texts
from pet.memory.reminders import Reminder, Reminders, find_reminders, settled, split_reminders
from pet.memory.schedule.due_words import DueUnclear, parse_due
from pet.memory.schedule.wording import repeat_words, time_words
from pet.model import Author, Broken, Missing, Present
from pet.workspace.file_names import kind_of, log_name, parse_name
from pet.workspace.text.encoded_text import normalize_newlines
from pet.workspace.versioned.rewrite import rewrite_text
from pet.workspace.versioned.store import WorkspaceStore

Signature = tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class PromiseView:
    """A todo with a date, not done yet. ``line`` is its heading's."""

    file: str
    line: int
    due: str  # YYYY-MM-DD
    text: str
    overdue: bool  # since a day before today
    at: str  # HH:MM, "" for the whole day
    repeats: str  # "every Monday", in the owner's language, or ""


class ReminderBook:
    """Thread-safe. Writes as the owner, through the store."""

    def __init__(self, store: WorkspaceStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._lock = Lock()
        self._read: dict[str, tuple[Signature | None, tuple[Reminder, ...]]] = {}

    def look(self) -> Reminders:
        """Return the reminders that are due now, and those to come."""
        return split_reminders(self._open(), self._clock.now())

    def done(self, promise: Reminder) -> None:
        """Raises FileConflict if it isn't there as shown, FileMissing, FileBroken, BadArguments."""
        self._settle(promise, done=self._clock.now())

    def put_off(self, promise: Reminder, until: str) -> None:
        """``until``: a moment to come, in words. Raises as ``done``, and BadArguments for any other words."""
        self._settle(promise, until=put_off_until(until, promise, self._clock.now()))

    def find(self, file: str, line: int, text: str, shown: str = "") -> Reminder:
        """Return the reminder that stands there. ``shown``: its day, and its hour after a T, where they were shown.
        Raises BadArguments for what is no log, FileMissing, FileBroken, FileConflict."""
        name = parse_name(file)
        if kind_of(name) is not FileKind.LOG:
            raise BadArguments(where="file", why="value")
        for each in find_reminders(name, self._text(name)):
            if (each.line, each.text) == (line, text) and shown in ("", shown_moment(each)):
                return each
        raise FileConflict(file=name)

    def _settle(
        self, promise: Reminder, *, done: datetime | None = None, until: tuple[date, time | None] | None = None
    ) -> None:
        def changed(log: str | None) -> str:
            if log is None:
                raise FileMissing(file=promise.file)
            return settled(log, promise, done=done, until=until)  # checks that it is the reminder that was shown

        rewrite_text(self._store, promise.file, changed, author=Author.OWNER)

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
        found: list[Reminder] = []
        with self._lock:
            names = self._store.log_names()
            self._read = {name: kept for name in names if (kept := self._read.get(name))}
            for name in names:
                signature = self._signature(name)
                kept = self._read.get(name)
                if kept is None or signature is None or kept[0] != signature:
                    state = self._store.read(name)
                    text = state.text if isinstance(state, Present) else ""
                    kept = self._read[name] = signature, tuple(find_reminders(name, text))
                found.extend(kept[1])
        return found

    def _signature(self, name: str) -> Signature | None:
        with suppress(OSError):
            at = (self._store.root / name).stat(follow_symlinks=False)
            return at.st_mtime_ns, at.st_size, at.st_ino
        return None


def read_logs(store: WorkspaceStore, since: date) -> Iterator[tuple[str, str]]:
    """Yield the readable daily logs since a day, by name and text."""
    oldest = log_name(since)
    for name in store.log_names():
        if name >= oldest:
            state = store.read(name)
            if isinstance(state, Present):
                yield name, state.text


def shown_moment(promise: Reminder) -> str:
    """Return ``2026-03-01``, or ``2026-03-01T15:00``."""
    return f"{promise.due.isoformat()}T{promise.at:%H:%M}" if promise.at else promise.due.isoformat()


def put_off_until(text: str, promise: Reminder, now: datetime) -> tuple[date, time | None]:
    """Return the day and hour that the words name; a day alone keeps the reminder's own hour.

    Raises BadArguments unless they name one moment to come.
    """
    try:
        due = parse_due(text, now)
    except DueUnclear:
        raise BadArguments(where="until", why="value") from None
    at = due.at or (promise.repeat.at if promise.repeat and promise.repeat.at else promise.at)
    moment = datetime.combine(due.day, at or time())
    if due.repeat is not None or moment <= now.replace(tzinfo=None):
        raise BadArguments(where="until", why="value")
    return due.day, at


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
