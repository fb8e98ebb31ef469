"""Handlers for conflict copies of sync programs. Their content never enters a request."""

from __future__ import annotations

from collections.abc import Callable

from pet.bridge.api import CopyArgs, CopyInfo, CopyList, CopyView, FileView, Nothing, SettleArgs, WriteReply
from pet.bridge.handlers.files import file_view
from pet.errors import FileConflict
from pet.events import CopiesFound, Event
from pet.model import FileState
from pet.settings.schema import Settings
from pet.workspace.sync.conflicts import ConflictCopy, ConflictResolver


class CopyCommands:
    def __init__(
        self, copies: ConflictResolver, settings: Callable[[], Settings], emit: Callable[[Event], None]
    ) -> None:
        self._copies = copies
        self._settings = settings
        self._emit = emit

    def list_copies(self, _args: Nothing) -> CopyList:
        return CopyList(copies=[_info(each) for each in self._copies.list()])

    def read_copy(self, args: CopyArgs) -> CopyView:
        found = self._copies.read(args.copy)
        return CopyView(info=_info(found.copy), file=self._view(found.file), text=found.text, merged=found.merged)

    def settle_copy(self, args: SettleArgs) -> WriteReply:
        name = self._copies.read(args.copy).copy.file
        try:
            receipt = self._copies.settle(args.copy, args.text, args.base)
        except FileConflict as conflict:
            if conflict.args_.get("file") != name or args.text is None:  # the copy itself has changed
                raise
            merged = self._copies.merged_text(name, args.text, args.base)
            return WriteReply(
                outcome="conflict", file=self._view(self._copies.state(name)), receipt=None, merged_text=merged
            )
        self._emit(CopiesFound(count=len(self._copies.list())))
        return WriteReply(
            outcome="saved" if receipt else "unchanged",
            file=self._view(self._copies.state(name)),
            receipt=receipt,
            merged_text=None,
        )

    def _view(self, state: FileState) -> FileView:
        return file_view(state, self._settings().prompt_file_characters)


def _info(copy: ConflictCopy) -> CopyInfo:
    return CopyInfo(copy=copy.copy, file=copy.file, at=copy.at, program=copy.program)
