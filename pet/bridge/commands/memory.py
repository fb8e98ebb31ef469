"""The owner's memory view: search, index state, days, entries, reminders, and forgetting.

The actor is the owner: results enter no request, and searches are not recorded. Forgetting lists first, then erases.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Literal

from pet.access import FileKind
from pet.bridge.command import Client, command
from pet.bridge.commands.files import FileCommands
from pet.bridge.commands.terminal import SearchReply, search_view
from pet.errors import BadArguments
from pet.events import RemindersChanged
from pet.language.categories import TASK
from pet.memory.store.daily_log import LogEntry, parse_log
from pet.memory.store.forget_plan import EntryAt, ForgetPlan, LearnedIn, Occurrence, Wish
from pet.memory.store.split_entries import is_unfilled, whole_entries
from pet.model import Present, Receipt
from pet.services.core_files import FileView
from pet.services.reminders import FinishedReminder, ReminderView, reminder_view
from pet.untrusted.regular_files import FromFiles
from pet.workspace.file_names import kind_of, parse_name
from pet.workspace.text_encoding import normalize_newlines

if TYPE_CHECKING:
    from pet.app.pet import Pet
    from pet.services.pet_files import PetFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexState:
    """``done`` of ``total`` entries can be found by meaning; by words, all of them."""

    embedder: str | None
    done: int
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LogDay:
    file: str  # memory/YYYY-MM-DD.md
    day: str
    entries: int


@dataclass(frozen=True, slots=True, kw_only=True)
class LogDays:
    days: list[LogDay]  # newest first


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryView:
    """One entry of a core file or a daily log. ``time`` and ``due`` are "" without one."""

    start_line: int
    end_line: int
    heading: str  # of a log: the category
    time: str = ""
    due: str = ""
    state: Literal["", "open", "done"] = ""  # of a todo
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EntriesView:
    file: FileView
    entries: list[EntryView]


@dataclass(frozen=True, slots=True)
class MemoryCommands:
    app: Pet
    _counts: dict[str, FromFiles[int]] = field(init=False, default_factory=dict)

    @command(Client.CHAT, Client.TERMINAL)
    def search_memory(self, query: str, count: int | None = None) -> SearchReply:
        """Search memory for the owner; nothing of the search is recorded.

        ``count``: the maximum of hits; None: ``DEFAULT_RESULTS``.
        """
        return search_view(self.app.index.get(), query, count, self.app.clock.now().date())

    @command(Client.CHAT)
    def get_index_state(self) -> IndexState:
        """Return how much of the memory can be found by meaning."""
        index = self.app.index.get()
        pending, total = index.pending()
        return IndexState(embedder=index.embedder, done=total - pending, total=total)

    @command(Client.CHAT)
    def rebuild_index(self) -> None:
        """Delete the search index and build it again."""
        self.app.index.get().rebuild()
        self.app.index.notice()

    @command(Client.CHAT)
    def list_logs(self) -> LogDays:
        """Return the days that have a log, newest first."""
        return LogDays(days=[self._day(name) for name in reversed(self.app.store.log_names())])

    @command(Client.CHAT)
    def read_entries(self, file: str) -> EntriesView:
        """Return the entries of a core file or a daily log."""
        name = parse_name(file)
        view = FileCommands(self.app).read_file(file)
        if view.state != "present":
            return EntriesView(file=view, entries=[])
        cut = _log_entries if kind_of(name) is FileKind.LOG else _prose_entries
        return EntriesView(file=view, entries=list(cut(name, view.text.split("\n"))))

    def _day(self, name: str) -> LogDay:
        entries = self._counts.setdefault(name, FromFiles((self.app.store.root / name,), partial(self._count, name)))
        return LogDay(file=name, day=name.rpartition("/")[2].removesuffix(".md"), entries=entries.get())

    def _count(self, name: str) -> int:
        """Return the number of entries in the log; 0 if it can't be read."""
        state = self.app.store.read(name)
        lines = normalize_newlines(state.text).split("\n") if isinstance(state, Present) else []
        return sum(1 for _ in parse_log(lines))


def _log_entries(_name: str, lines: list[str]) -> Iterator[EntryView]:
    for entry in parse_log(lines):
        yield EntryView(
            start_line=entry.start_line,
            end_line=entry.end_line,
            heading=entry.category,
            time=entry.at.isoformat() if entry.at else "",
            due=entry.due.isoformat() if entry.due else "",
            state=_state(entry),
            text=entry.text,
        )


def _prose_entries(name: str, lines: list[str]) -> Iterator[EntryView]:
    for entry in whole_entries(name, lines):
        if is_unfilled(entry.text):
            continue
        yield EntryView(
            start_line=entry.start_line,
            end_line=entry.end_line,
            heading=entry.heading,
            text=entry.text,
        )


def _state(entry: LogEntry) -> Literal["", "open", "done"]:
    if entry.done:
        return "done"
    return "open" if entry.category == TASK or entry.due else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReminderList:
    due: list[ReminderView]  # now or before, oldest first
    coming: list[ReminderView]


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedReminders:
    finished: list[FinishedReminder]


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

    app: PetFiles

    @command(Client.CHAT, Client.TERMINAL)
    def list_reminders(self) -> ReminderList:
        """Return the reminders that are not done."""
        app = self.app
        today, texts, reminders = app.clock.now().date(), app.texts(), app.reminders.snapshot()
        return ReminderList(
            due=[reminder_view(reminder, today, texts) for reminder in reminders.due],
            coming=[reminder_view(reminder, today, texts) for reminder in reminders.coming],
        )

    @command(Client.CHAT)
    def list_finished_reminders(self) -> FinishedReminders:
        """Return what was marked as done within the last 60 days, newest first."""
        return FinishedReminders(finished=self.app.reminders.finished())

    @command(Client.CHAT)
    def add_reminder(self, text: str, when: str) -> ReminderList:
        """Note a reminder. ``when``: a future moment in words, such as "on Friday at three"."""
        self.app.reminders.add(text, when)
        self.app.emit(RemindersChanged())
        return self.list_reminders()

    @command(Client.CHAT)
    def answer_reminder(self, args: ReminderArgs) -> ReminderList:
        """Mark a reminder as done, or put it off."""
        reminder = self.app.reminders.find(args.file, args.line, args.text, args.shown)
        if args.answer == "done":
            self.app.reminders.done(reminder)
        else:
            self.app.reminders.put_off(reminder, args.until or "")
        self.app.emit(RemindersChanged())
        return self.list_reminders()


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetPiece:
    """An occurrence of the text that would be erased or that stays. Lines are 0 without line numbers.

    The heading of a daily log's entry is in ``time`` ("09:12:30") and ``category``; both are "" elsewhere.
    """

    where: Literal["file", "log", "tool_result", "recall", "summary", "history", "said"]
    path: str
    start_line: int
    end_line: int
    text: str
    time: str
    category: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetList:
    """``goes``: what would be erased. ``stays``: spoken text, which only deleting its conversation erases."""

    text: str
    goes: list[ForgetPiece]
    stays: list[ForgetPiece]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetReport:
    entries: int
    versions: int  # earlier versions of files, rewritten or removed
    messages: int  # tool results, recall and summaries in transcripts
    left: list[ForgetPiece]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetArgs:
    """Exactly one of: a text, an entry by its lines, the text a receipt wrote, or what was learned in a
    conversation."""

    text: str | None = None
    file: str | None = None
    start_line: int = 0
    end_line: int = 0
    receipt: Receipt | None = None
    conversation: str | None = None


class ForgetCommands:
    """``forget`` erases exactly what was listed, since lines and receipts may refer to something else by then."""

    def __init__(self, app: Pet) -> None:
        self._app = app
        self._lock = Lock()
        self._listed: tuple[ForgetArgs, ForgetPlan] | None = None

    @command(Client.CHAT)
    def list_forget(self, args: ForgetArgs) -> ForgetList:
        """Return everything that would be erased, and what would stay."""
        plan = self._app.forgetting.find(_wish(args))
        with self._lock:
            self._listed = (args, plan)
        return ForgetList(text="\n".join(plan.texts), goes=_pieces(plan.goes), stays=_pieces(plan.stays))

    @command(Client.CHAT)
    def forget(self, args: ForgetArgs) -> ForgetReport:
        """Erase it everywhere. There is no undo."""
        with self._lock:
            shown, self._listed = self._listed, None
        plan = shown[1] if shown is not None and shown[0] == args else self._app.forgetting.find(_wish(args))
        if not plan.texts:  # nothing was learned there
            return ForgetReport(entries=0, versions=0, messages=0, left=[])
        report = self._app.forgetting.forget(plan)
        return ForgetReport(
            entries=report.entries,
            versions=report.versions,
            messages=report.messages,
            left=_pieces(report.left),
        )


def _wish(args: ForgetArgs) -> Wish:
    """Return the one thing to forget. Raises BadArguments unless exactly one is given."""
    named = [each is not None for each in (args.text, args.file, args.receipt, args.conversation)]
    if sum(named) != 1:
        raise BadArguments(where="forget", why="choice")
    if args.text is not None:
        return args.text
    if args.receipt is not None:
        return args.receipt
    if args.conversation is not None:
        return LearnedIn(conversation=args.conversation)
    return EntryAt(file=args.file or "", start_line=args.start_line, end_line=args.end_line)


def _pieces(pieces: Iterable[Occurrence]) -> list[ForgetPiece]:
    return [_piece(each) for each in pieces]


def _piece(occurrence: Occurrence) -> ForgetPiece:
    entries = [*parse_log(occurrence.text.split("\n"))]
    noted = entries[0] if len(entries) == 1 and entries[0].at else None
    return ForgetPiece(
        where=occurrence.where,
        path=occurrence.path,
        start_line=occurrence.start_line,
        end_line=occurrence.end_line,
        text=noted.text if noted else occurrence.text,
        time=noted.at.isoformat() if noted and noted.at else "",
        category=noted.category if noted else "",
    )
