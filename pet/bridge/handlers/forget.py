"""Handlers for forgetting: list first, then erase. An owner's act, never a model's."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock

from pet.bridge.api import ForgetArgs, ForgetList, ForgetPiece, ForgetReport
from pet.errors import BadArguments
from pet.memory.forget.service import EntryAt, ForgetPlan, ForgetService, LearnedIn, Occurrence, Wish


class ForgetCommands:
    """``forget`` erases exactly what was listed: lines and receipts may refer to something else by then."""

    def __init__(self, forgetting: ForgetService) -> None:
        self._forgetting = forgetting
        self._lock = Lock()
        self._listed: tuple[ForgetArgs, ForgetPlan] | None = None

    def list_forget(self, args: ForgetArgs) -> ForgetList:
        plan = self._forgetting.find(_wish(args))
        with self._lock:
            self._listed = (args, plan)
        return ForgetList(text="\n".join(plan.texts), goes=_pieces(plan.goes), stays=_pieces(plan.stays))

    def forget(self, args: ForgetArgs) -> ForgetReport:
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
    """Require exactly one of the four. Raises BadArguments."""
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
    return [
        ForgetPiece(
            where=piece.where,
            path=piece.path,
            start_line=piece.start_line,
            end_line=piece.end_line,
            text=piece.text,
        )
        for piece in pieces
    ]
