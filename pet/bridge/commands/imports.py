"""Import of another program's memories or of a whole pet: preview, run, stop, undo.

Pages never send a path: it comes from the system's file dialog.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from pet.bridge.command import Client, command
from pet.errors import BadArguments, ImportRefused, PathRefused
from pet.events import ErrorInfo, ImportPhase
from pet.imports.source import MAX_TEXT, Pasted
from pet.services.core_files import Diff, diff_of
from pet.services.import_job import ImportJob
from pet.services.importer import ImportPreview, PastImport, is_day

if TYPE_CHECKING:
    from pet.services.desktop_port import DesktopPort


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportDone:
    """An import that was carried out. ``mine``: into the open pet. ``undoable``: false if it made the open pet."""

    id: str
    at: str
    kind: str
    pet: str
    name: str
    files: int
    days: int
    conversations: int
    new_pet: bool
    mine: bool
    undoable: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportState:
    """``source``: the name of the file or folder, "" for a pasted text. ``preview``: from ``ready`` on, and the last
    one while the same source is read again; ``error`` while ``failed``, ``done`` while ``done``. ``revision``:
    replies may arrive in any order; the highest is the current one."""

    revision: int
    phase: ImportPhase
    source: str
    preview: ImportPreview | None
    error: ErrorInfo | None
    done: ImportDone | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportList:
    """Imports into this pet, and pets made by an import; newest first."""

    imports: list[ImportDone]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportUndone:
    """``left``: files and conversations that were changed since and therefore kept."""

    imports: list[ImportDone]
    left: list[str]


@dataclass(frozen=True, slots=True)
class ImportCommands:
    """``current``: the open pet. ``name_of``: returns a pet's name by its id. ``gone``: called with each conversation
    that an undo deleted."""

    job: ImportJob
    current: str
    windows: DesktopPort
    name_of: Callable[[str], str]
    gone: Callable[[str], object]
    _choosing: threading.Lock = field(init=False, default_factory=threading.Lock)

    @command(Client.CHAT)
    def choose_import(self, kind: Literal["file", "folder", "dropped"]) -> ImportState:
        """Let the owner choose a file or a folder, or take the dropped one, and start to read it.

        Returns once the owner has chosen. Raises ImportRefused.
        """
        self.job.check_free()
        if not self._choosing.acquire(blocking=False):
            raise ImportRefused(problem="busy")
        try:
            chosen = self.windows.choose_path(kind)
        finally:
            self._choosing.release()
        if chosen is None and kind == "dropped":
            raise ImportRefused(problem="not_dropped")
        if chosen is not None:
            self.job.survey(chosen)
        return self.get_import()

    @command(Client.CHAT)
    def paste_import(self, text: str) -> ImportState:
        """Start to read a pasted list of memories. Raises ImportRefused."""
        data = text.encode("utf-8", "replace")
        if not data.strip():
            raise BadArguments(where="text", why="value")
        self.job.survey(Pasted(data[: MAX_TEXT + 1]))
        return self.get_import()

    @command(Client.CHAT)
    def get_import(self) -> ImportState:
        """Return the current import, its preview or its result."""
        now = self.job.now
        named = now.origin is not None and not isinstance(now.origin, Pasted)
        return ImportState(
            revision=now.revision,
            phase=now.phase,
            source=now.origin.name if now.origin is not None and named else "",
            preview=now.preview,
            error=now.error,
            done=self._view(now.done) if now.done else None,
        )

    @command(Client.CHAT)
    def change_import(self, instructions: bool, new_pet: bool, folders: list[str] | None = None) -> ImportState:
        """Read the same source again with other options. ``folders``: of a vault, None for all. Raises
        ImportRefused."""
        self.job.survey_again(instructions=instructions, new_pet=new_pet, folders=folders)
        return self.get_import()

    @command(Client.CHAT)
    def get_import_diff(self, file: str) -> Diff:
        """Return the preview's changes of one file. Raises PathRefused."""
        survey = self.job.now.survey
        for each in survey.plan.files if survey and survey.plan else ():
            if each.file == file:
                return diff_of(each.before, each.after)
        raise PathRefused()

    @command(Client.CHAT)
    def run_import(self, memory: bool, name: str = "") -> ImportState:
        """Carry out the previewed import. Raises ImportRefused, PetNameRefused.

        ``memory``: the conversations count as held with memory on. ``name``: of the new pet.
        """
        self.job.run(memory=memory, name=name)
        return self.get_import()

    @command(Client.CHAT)
    def stop_import(self) -> ImportState:
        """Stop the running import, undoing it, or discard a preview or a result."""
        self.job.stop()
        return self.get_import()

    @command(Client.CHAT)
    def list_imports(self) -> ImportList:
        """Return the imports that can be undone."""
        return ImportList(imports=[self._view(each) for each in self.job.past()])

    @command(Client.CHAT)
    def undo_import(self, id: str) -> ImportUndone:  # noqa: A002  as on the wire
        """Undo an import; a pet that it made is moved to the trash. Raises ImportRefused, PetBusy, OnlyPet."""
        undone = self.job.undo(id)
        for conversation in undone.talks:
            self.gone(conversation)
        return ImportUndone(imports=self.list_imports().imports, left=undone.left)

    def _view(self, past: PastImport) -> ImportDone:
        record = past.record
        names = {receipt.file for receipt in record.receipts}
        mine = past.pet == self.current
        return ImportDone(
            id=record.id,
            at=record.at,
            kind=record.kind,
            pet=past.pet,
            name=self.name_of(past.pet),
            files=sum(not is_day(name) for name in names),
            days=sum(map(is_day, names)),
            conversations=len(record.talks),
            new_pet=record.new_pet,
            mine=mine,
            undoable=not (mine and record.new_pet),
        )
