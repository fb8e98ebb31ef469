"""Conflict copies of sync programs; their content enters no request."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pet.bridge.command import Client, command
from pet.errors import FileConflict
from pet.events import CopiesFound, Event
from pet.model import Version
from pet.services.core_files import FileView, WriteReply, file_view, write_reply
from pet.settings.schema import Settings
from pet.workspace.sync.conflicts import ConflictCopy, ConflictResolver


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyList:
    copies: list[ConflictCopy]


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyView:
    """Both texts; ``merged``: both changes, if they don't overlap."""

    info: ConflictCopy
    file: FileView
    text: str
    merged: str | None


@dataclass(frozen=True, slots=True)
class CopyCommands:
    copies: ConflictResolver
    settings: Callable[[], Settings]
    emit: Callable[[Event], object]

    @command(Client.CHAT)
    def list_copies(self) -> CopyList:
        """Return the conflict copies that sync programs left."""
        return CopyList(copies=list(self.copies.list()))

    @command(Client.CHAT)
    def read_copy(self, copy: str) -> CopyView:
        """Return a conflict copy and its file."""
        texts = self.copies.read(copy)
        file = file_view(texts.file, self._limit)
        return CopyView(info=texts.copy, file=file, text=texts.text, merged=texts.merged)

    @command(Client.CHAT)
    def settle_copy(self, copy: str, base: Version, text: str | None = None) -> WriteReply:
        """Resolve a conflict copy; the copy is kept in the file's history.

        ``text``: the new text of the file, based on version ``base``; None keeps the file.
        """
        name = self.copies.read(copy).copy.file
        try:
            receipt = self.copies.settle(copy, text, base)
        except FileConflict as conflict:
            if conflict.args_.get("file") != name or text is None:  # the copy itself has changed
                raise
            merged = self.copies.merged_text(name, text, base)
            return write_reply(self.copies.state(name), self._limit, outcome="conflict", merged_text=merged)
        self.emit(CopiesFound(count=len(self.copies.list())))
        return write_reply(self.copies.state(name), self._limit, receipt)

    @property
    def _limit(self) -> int:
        return self.settings().prompt_file_characters
