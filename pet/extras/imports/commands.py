"""Import of another program's memories or of a whole pet: preview, run, stop, undo; character cards.

Pages never send a path: it comes from the system's file dialog.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from secrets import randbelow
from typing import TYPE_CHECKING, Literal

from pet.bridge.command import Client, command
from pet.errors import BadArguments, FileConflict, ImportRefused, PathRefused
from pet.events import ErrorInfo, Event, PetsChanged, SettingsChanged
from pet.extras.imports.character_cards import (
    CardPreview,
    card_preview,
    export_card,
    greeting_of,
    import_card,
    pet_name_of,
    portrait_of,
    skin_of_card,
)
from pet.extras.imports.events import ImportPhase
from pet.extras.imports.importer import Importer, ImportPreview, PastImport, is_day
from pet.extras.imports.job import ImportJob
from pet.extras.imports.source import MAX_TEXT, Pasted
from pet.i18n import Language, Texts
from pet.ids import check_pet_name
from pet.model import CoreFile, Version
from pet.services.core_files import Diff, WriteReply, diff_of, soul_now, write_reply
from pet.services.file_transfer import GivenFile, SavedFile, decode_chunks, save_to_downloads
from pet.settings.schema import Settings
from pet.skins.selection import SkinSelector
from pet.workspace.pet_toml import display_name
from pet.workspace.store import WorkspaceStore

_SOUL = CoreFile.SOUL.value

if TYPE_CHECKING:
    from pet.app.pet import Pet


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
    app: Pet
    job: ImportJob
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
            chosen = self.app.windows.choose_path(kind)
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
            self.app.conversations.on_deleted_elsewhere(conversation)
        return ImportUndone(imports=self.list_imports().imports, left=undone.left)

    def _view(self, past: PastImport) -> ImportDone:
        record = past.record
        names = {receipt.file for receipt in record.receipts}
        mine = past.pet == self.app.pet_id
        return ImportDone(
            id=record.id,
            at=record.at,
            kind=record.kind,
            pet=past.pet,
            name=display_name(self.app.home.workspace(past.pet), past.pet, self.app.texts()),
            files=sum(not is_day(name) for name in names),
            days=sum(map(is_day, names)),
            conversations=len(record.talks),
            new_pet=record.new_pet,
            mine=mine,
            undoable=not (mine and record.new_pet),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Greeting:
    """First message of the pet's character card in a new tab; "" without a card."""

    text: str


@dataclass(frozen=True, slots=True)
class CardCommands:
    store: WorkspaceStore
    settings: Callable[[], Settings]
    language: Callable[[], Language]
    pet_name: Callable[[], str]
    downloads: Callable[[], Path]
    importer: Importer
    wardrobe: SkinSelector | None = None
    emit: Callable[[Event], object] = lambda _event: None
    pick: Callable[[int], int] = randbelow

    @command(Client.CHAT)
    def preview_card(self, file: GivenFile, instructions: bool = False) -> CardPreview:
        """Preview the import of a character card; changes nothing. Raises CardRefused, FileBroken.

        ``instructions``: with the card's system prompt and closing instructions.
        """
        content = decode_chunks(file.data, "file.data")
        now = soul_now(self.store)
        shelf = self.wardrobe.shelf if self.wardrobe is not None else None
        return card_preview(now, file.name, content, self.language(), instructions=instructions, shelf=shelf)

    @command(Client.CHAT)
    def import_card(
        self,
        file: GivenFile,
        base: Version,
        instructions: bool = False,
        pictures: bool = False,
        each_greeting: bool = False,
    ) -> WriteReply:
        """Replace SOUL.md by a character card.

        ``base``: the preview's version; a soul that changed since is not overwritten. ``pictures``: the pet also
        wears the card's pictures. ``each_greeting``: a new conversation begins with any of the card's greetings.
        """
        content = decode_chunks(file.data, "file.data")
        # Built before the soul is written, so that unusable images abort the whole import.
        taken = (
            skin_of_card(self.wardrobe.shelf, content, file.name) if pictures and self.wardrobe is not None else None
        )
        try:
            receipt = import_card(
                self.store,
                content,
                self.language(),
                instructions=instructions,
                base=base,
                file=file.name,
                each_greeting=each_greeting,
            )
        except FileConflict:
            return write_reply(self.store.read(_SOUL), self._limit, outcome="conflict")
        if taken is not None and self.wardrobe is not None:
            self.wardrobe.choose(self.wardrobe.shelf.take_in(taken).id)
            self.emit(SettingsChanged())  # the pet's page reloads its appearance
        return write_reply(self.store.read(_SOUL), self._limit, receipt)

    @command(Client.CHAT)
    def create_pet_from_card(self, file: GivenFile, pictures: bool = False) -> None:
        """Create a pet of a character card, without the card's instructions; the open pet stays as it is.

        ``pictures``: the new pet wears the card's pictures. Raises CardRefused, SkinRefused, PetNameRefused.
        """
        content, wardrobe = decode_chunks(file.data, "file.data"), self.wardrobe
        name, skin = check_pet_name(pet_name_of(content, file.name)), None
        if pictures and wardrobe is not None:
            skin = wardrobe.shelf.take_in(skin_of_card(wardrobe.shelf, content, file.name)).id

        def write(store: WorkspaceStore) -> None:
            base = soul_now(store).version
            import_card(store, content, self.language(), instructions=False, base=base, file=file.name)

        self.importer.create_pet(name, write, skin=skin)
        self.emit(PetsChanged())

    @command(Client.CHAT)
    def get_greeting(self) -> Greeting:
        """Return the card's greeting for an empty conversation; "" once the soul was edited."""
        you = Texts(self.language())("card.you")
        return Greeting(text=greeting_of(self.store, you, self.pick))

    @command(Client.CHAT)
    def export_card(self) -> SavedFile:
        """Save the pet as a character card in the downloads folder. Raises WriteFailed."""
        name, data = export_card(self.store, self.pet_name(), self._portrait)
        return SavedFile(path=str(save_to_downloads(self.downloads(), name, data)))

    def _portrait(self) -> bytes | None:
        return portrait_of(self.wardrobe) if self.wardrobe is not None else None

    @property
    def _limit(self) -> int:
        return self.settings().prompt_file_characters
