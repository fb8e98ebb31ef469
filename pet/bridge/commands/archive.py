"""The offer to move notes that were of no use for a year to the archive, its receipt, and Undo.

The actor is the owner. Nothing moves by itself, and only what was shown.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from pet.bridge.command import Client, command
from pet.bridge.commands.about_owner import AboutOwnerCommands, StatementView
from pet.clock import Clock
from pet.errors import BadArguments, FileConflict
from pet.memory.about_owner import Statement
from pet.memory.archive import MOST, by_file, offered, split_off, with_parts
from pet.model import Author, Receipt
from pet.workspace.file_names import ARCHIVE, LOG_FOLDER
from pet.workspace.store import rewrite_text

if TYPE_CHECKING:
    from pet.memory.use_log import UseLog


@dataclass(frozen=True, slots=True, kw_only=True)
class UnusedNotes:
    """The notes that are offered: ``total``, of which ``statements`` are the first; ``key`` names exactly these.
    ``moved``: notes that the last move took, which can be undone."""

    total: int
    statements: list[StatementView]
    key: str
    moved: int


@dataclass(frozen=True, slots=True)
class ArchiveCommands:
    about: AboutOwnerCommands
    uses: Callable[[], UseLog]
    clock: Clock
    _moves: list[tuple[int, list[Receipt]]] = field(init=False, default_factory=list)

    @command(Client.CHAT)
    def list_unused(self, count: int = 6) -> UnusedNotes:
        """Return the notes of the logs that were of no use for a year, at most ``MOST``, of them the first
        ``count``."""
        if not 1 <= count <= MOST:
            raise BadArguments(where="count", why="value")
        those = self._offered()
        return UnusedNotes(
            total=len(those),
            statements=[self.about.view(each) for each in those[:count]],
            key=_key(those),
            moved=self._moves[-1][0] if self._moves else 0,
        )

    @command(Client.CHAT)
    def archive_unused(self, key: str) -> UnusedNotes:
        """Move the notes that were shown to the archive. Raises FileConflict if they are others by now."""
        those = self._offered()
        if not those or _key(those) != key:
            raise FileConflict(file=ARCHIVE)
        receipts: list[Receipt] = []
        self._moves.append((len(those), receipts))
        store, files = self.about.store, by_file(those)
        parts = {name: split_off(self.about.text(name), entries)[1] for name, entries in files.items()}
        # First added, so that an interruption leaves a note twice.
        added = rewrite_text(store, ARCHIVE, lambda now: with_parts(now or "", parts), author=Author.OWNER)
        receipts += [added] if added else []
        for name, entries in files.items():
            left = rewrite_text(store, name, partial(_left, entries), author=Author.OWNER)
            receipts += [left] if left else []
        return self.list_unused()

    @command(Client.CHAT)
    def undo_archive(self) -> UnusedNotes:
        """Undo the last move. Raises FileConflict if later changes overlap; what was undone by then stays undone."""
        if self._moves:
            receipts = self._moves[-1][1]
            while receipts:
                self.about.store.undo(receipts[-1], author=Author.OWNER)  # the archive last
                receipts.pop()
            self._moves.pop()
        return self.list_unused()

    def _offered(self) -> list[Statement]:
        all_statements = self.about.statements()
        logged = [each for each in all_statements if each.file.startswith(LOG_FOLDER)]
        core = [each for each in all_statements if not each.file.startswith(LOG_FOLDER)]
        today = self.clock.now().date()
        return offered(logged, lambda texts: self.uses().unused(texts, today), core, today)[:MOST]


def _left(entries: list[Statement], now: str | None) -> str:
    return split_off(now or "", entries)[0]


def _key(those: list[Statement]) -> str:
    named = "\0".join(f"{each.file}:{each.start_line}:{each.text}" for each in those)
    return hashlib.sha256(named.encode("utf-8", "surrogatepass")).hexdigest()[:16]
