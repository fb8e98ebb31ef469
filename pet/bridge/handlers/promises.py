"""Handlers for reminders: due, done, snoozed. Not part of any request."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, timedelta

from pet.access.policy import FileKind
from pet.bridge.api import Nothing, PromiseArgs, PromiseList, PromiseView
from pet.clock import Clock
from pet.errors import BadArguments, FileBroken, FileConflict, FileMissing
from pet.events import Event, PromisesChanged
from pet.memory.reminders import Reminder, Reminders, open_reminders, settled
from pet.model import Author, Broken, Missing, Present
from pet.workspace.file_names import kind_of, log_name, parse_name
from pet.workspace.text.encoded_text import normalize_newlines
from pet.workspace.versioned.store import WorkspaceStore

_DAYS_BACK = 400  # older reminders are only in the logs
_TRIES = 8  # attempts while other programs write the log


class PromiseCommands:
    """Handlers on the store itself: the actor is the owner."""

    def __init__(self, store: WorkspaceStore, clock: Clock, emit: Callable[[Event], None]) -> None:
        self._store = store
        self._clock = clock
        self._emit = emit

    def list_promises(self, _args: Nothing) -> PromiseList:
        return self._list()

    def answer_promise(self, args: PromiseArgs) -> PromiseList:
        name = parse_name(args.file)
        if kind_of(name) is not FileKind.LOG:
            raise BadArguments(where="file", why="value")
        today = self._clock.now().date()
        promise = Reminder(file=name, line=args.line, due=today, text=args.text)
        self._settle(promise, args, today)
        self._emit(PromisesChanged())
        return self._list()

    def _settle(self, promise: Reminder, args: PromiseArgs, today: date) -> None:
        until = _later(args.until, today) if args.answer == "snooze" else None
        done = today if args.answer == "done" else None
        for _ in range(_TRIES):
            state = self._store.read(promise.file)
            match state:
                case Missing():
                    raise FileMissing(file=promise.file)
                case Broken():
                    raise FileBroken(file=promise.file, problem=state.problem)
                case Present():
                    text = settled(normalize_newlines(state.text), promise, done=done, until=until)
            try:
                self._store.write(promise.file, text, base=state.version, author=Author.OWNER)
            except FileConflict:
                continue  # a concurrent write: check again that it is the reminder that was shown
            return
        raise FileConflict(file=promise.file)

    def _list(self) -> PromiseList:
        today = self._clock.now().date()
        found = read_promises(self._store, today)
        return PromiseList(
            due=[promise_view(promise, today) for promise in found.due],
            coming=[promise_view(promise, today) for promise in found.coming],
        )


def read_promises(store: WorkspaceStore, today: date) -> Reminders:
    """Return the reminders in the logs of the last 400 days."""
    return open_reminders(read_logs(store, today - timedelta(_DAYS_BACK)), today)


def read_logs(store: WorkspaceStore, since: date) -> Iterator[tuple[str, str]]:
    """Yield the readable daily logs since a day, by name and text."""
    oldest = log_name(since)
    for name in store.log_names():
        if name >= oldest:
            state = store.read(name)
            if isinstance(state, Present):
                yield name, state.text


def promise_view(promise: Reminder, today: date) -> PromiseView:
    return PromiseView(
        file=promise.file,
        line=promise.line,
        due=promise.due.isoformat(),
        text=promise.text,
        overdue=promise.due < today,
    )


def _later(text: str | None, today: date) -> date:
    """Return the day a reminder is snoozed to. Raises BadArguments unless it is a date in the future."""
    try:
        day = date.fromisoformat(text or "")
    except ValueError:
        raise BadArguments(where="until", why="value") from None
    if day <= today:
        raise BadArguments(where="until", why="value")
    return day
