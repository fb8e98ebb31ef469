"""The memory, its search and its logs; forgetting and promises; what the owner has kept or summarised by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from pet.bridge.api.base import BUBBLE, CHAT, CallArgs, Command, ConversationArgs, Nothing
from pet.bridge.api.files import FileArgs, FileView
from pet.model import Receipt


@dataclass(frozen=True, slots=True, kw_only=True)
class ReceiptReply:
    """None: there was nothing to change."""

    receipt: Receipt | None


@dataclass(frozen=True, slots=True, kw_only=True)
class HitView:
    """Something found. Lines are 1-based and inclusive; ``turn``: of a conversation, where in it."""

    path: str
    start_line: int
    end_line: int
    score: float  # 0..1, calibrated
    snippet: str
    source: Literal["profile", "memory", "log", "conversation"]
    turn: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchReply:
    hits: list[HitView]
    embedder: str | None  # None: words and dates only


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexState:
    """``done`` of ``total`` entries can be found by meaning; by words, all."""

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
    """One entry of a core file or a daily log, with its lines. ``time`` and ``due`` are "" where there is none."""

    start_line: int
    end_line: int
    heading: str  # of a log: the category
    time: str
    due: str
    state: Literal["", "open", "done"]  # of a todo
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EntriesView:
    file: FileView
    entries: list[EntryView]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetPiece:
    """Something that would go, or that stays. ``text`` is whole; lines are 0 where it has none."""

    where: Literal["file", "log", "tool_result", "recall", "summary", "history", "said"]
    path: str
    start_line: int
    end_line: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetList:
    """``goes``: all that would be forgotten. ``stays``: what was said aloud, which only deleting its conversation
    removes."""

    text: str
    goes: list[ForgetPiece]
    stays: list[ForgetPiece]


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetReport:
    entries: int
    versions: int  # earlier versions of files that were rewritten or removed
    messages: int  # tool results, recall and summaries in transcripts
    left: list[ForgetPiece]


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


@dataclass(frozen=True, slots=True, kw_only=True)
class PromiseList:
    due: list[PromiseView]  # now or before, oldest first
    coming: list[PromiseView]


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberArgs:
    """Write the owner's message of this turn into today's log. ``switch_on``: turn the brain on first."""

    conversation: str
    turn: str
    switch_on: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchArgs:
    query: str
    count: int | None = None  # None: as in the settings


@dataclass(frozen=True, slots=True, kw_only=True)
class ForgetArgs:
    """What to forget: a text, or an entry by its lines, or what a receipt wrote, or what was learned in a
    conversation. Exactly one of them."""

    text: str | None = None
    file: str | None = None
    start_line: int = 0
    end_line: int = 0
    receipt: Receipt | None = None
    conversation: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class PromiseArgs:
    """``text`` as it was shown: another one at that place is not touched; ``shown`` too, its day and after a T its
    hour. ``until``, with snooze: a moment to come, such as "in an hour", 2026-03-01 or 2026-03-01T15:00."""

    file: str
    line: int
    text: str
    answer: Literal["done", "snooze"]
    until: str | None = None
    shown: str = ""


ROWS: tuple[Command, ...] = (
    Command("compact", ConversationArgs, Nothing, CHAT, "Summarise what was said earlier; returns at once."),
    Command("remember_turn", RememberArgs, ReceiptReply, CHAT, "Save it now: the owner's message to today's log."),
    Command("keep_secret", CallArgs, ReceiptReply, CHAT, "Put back what was masked in something the pet wrote."),
    Command("search_memory", SearchArgs, SearchReply, CHAT, "The owner's search over memory; leaves no trace."),
    Command("get_index_state", Nothing, IndexState, CHAT, "How much of the memory can be found by meaning."),
    Command("rebuild_index", Nothing, Nothing, CHAT, "Delete the search index and make it anew."),
    Command("list_logs", Nothing, LogDays, CHAT, "The days that have a log."),
    Command("read_entries", FileArgs, EntriesView, CHAT, "A core file or a daily log, cut into its entries."),
    Command("list_forget", ForgetArgs, ForgetList, CHAT, "What would be forgotten, whole, and what would stay."),
    Command("forget", ForgetArgs, ForgetReport, CHAT, "Forget it everywhere. There is no undo."),
    Command("list_promises", Nothing, PromiseList, CHAT, "Todos with a date that are not done."),
    Command("answer_promise", PromiseArgs, PromiseList, CHAT | BUBBLE, "Mark a todo done, or put it off."),
)
