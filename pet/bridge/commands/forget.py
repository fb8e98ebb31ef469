"""Forget: list first, then erase. The actor is always the owner."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from threading import Lock
from typing import Literal

from pet.bridge.command import Client, command
from pet.errors import BadArguments
from pet.memory.daily_log import parse_log
from pet.memory.forget_plan import EntryAt, ForgetPlan, LearnedIn, Occurrence, Wish
from pet.memory.forgetting import ForgetService
from pet.model import Receipt


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

    def __init__(self, forgetting: ForgetService) -> None:
        self._forgetting = forgetting
        self._lock = Lock()
        self._listed: tuple[ForgetArgs, ForgetPlan] | None = None

    @command(Client.CHAT)
    def list_forget(self, args: ForgetArgs) -> ForgetList:
        """Return everything that would be erased, and what would stay."""
        plan = self._forgetting.find(_wish(args))
        with self._lock:
            self._listed = (args, plan)
        return ForgetList(text="\n".join(plan.texts), goes=_pieces(plan.goes), stays=_pieces(plan.stays))

    @command(Client.CHAT)
    def forget(self, args: ForgetArgs) -> ForgetReport:
        """Erase it everywhere. There is no undo."""
        with self._lock:
            shown, self._listed = self._listed, None
        plan = shown[1] if shown is not None and shown[0] == args else self._forgetting.find(_wish(args))
        if not plan.texts:  # nothing was learned there
            return ForgetReport(entries=0, versions=0, messages=0, left=[])
        report = self._forgetting.forget(plan)
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
