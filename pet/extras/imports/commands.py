"""Import of another program's memories or of a whole pet: preview, run, stop, undo; character cards.

Pages never send a path: it comes from the system's file dialog.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from secrets import randbelow
from typing import TYPE_CHECKING, Literal

from pet.bridge.command import Client, command
from pet.errors import BadArguments, FileConflict, ImportRefused, PathRefused, PetError
from pet.events import ErrorInfo, PetsChanged, SettingsChanged
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
from pet.extras.imports.events import ImportMoved, ImportPhase
from pet.extras.imports.importer import Importer, ImportPreview, PastImport, Survey, Target, preview_of
from pet.extras.imports.source import MAX_TEXT, Origin, Pasted
from pet.ids import check_pet_name
from pet.model import CoreFile, Version
from pet.services.core_files import Diff, WriteReply, diff_of, soul_now, write_reply
from pet.services.file_transfer import GivenFile, SavedFile, decode_chunks, save_to_downloads
from pet.workspace.file_names import is_daily_log
from pet.workspace.pet_toml import display_name
from pet.workspace.store import WorkspaceStore

if TYPE_CHECKING:
    from pet.app.pet import Pet

_EVERY = 0.1  # seconds between two events
_CLOSE_SECONDS = 10.0

_log = logging.getLogger(__name__)


_SOUL = CoreFile.SOUL.value


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

    revision: int = 0
    phase: ImportPhase = "none"
    source: str = ""
    preview: ImportPreview | None = None
    error: ErrorInfo | None = None
    done: ImportDone | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportList:
    """Imports into this pet, and pets made by an import; newest first."""

    imports: list[ImportDone]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportUndone:
    """``left``: files and conversations that were changed since and therefore kept."""

    imports: list[ImportDone]
    left: list[str]


class ImportCommands:
    """The import that is read, previewed, carried out on its own thread, or done. Thread-safe. ``target``: the open
    pet."""

    def __init__(self, app: Pet, importer: Importer, target: Target) -> None:
        self._app = app
        self._importer = importer
        self._target = target
        self._lock, self._choosing = threading.RLock(), threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._now = ImportState()
        self._origin: Origin | None = None
        self._survey: Survey | None = None
        self._bytes = self._total = 0
        self._reported = 0.0

    @command(Client.CHAT)
    def choose_import(self, kind: Literal["file", "folder", "dropped"]) -> ImportState:
        """Let the owner choose a file or a folder, or take the dropped one, and start to read it.

        Returns once the owner has chosen. Raises ImportRefused.
        """
        self._check_free()
        if not self._choosing.acquire(blocking=False):
            raise ImportRefused(problem="busy")
        try:
            chosen = self._app.windows.choose_path(kind)
        finally:
            self._choosing.release()
        if chosen is None and kind == "dropped":
            raise ImportRefused(problem="not_dropped")
        if chosen is not None:
            self._read(chosen)
        return self._now

    @command(Client.CHAT)
    def paste_import(self, text: str) -> ImportState:
        """Start to read a pasted list of memories. Raises ImportRefused."""
        data = text.encode("utf-8", "replace")
        if not data.strip():
            raise BadArguments(where="text", why="value")
        self._read(Pasted(data[: MAX_TEXT + 1]))
        return self._now

    @command(Client.CHAT)
    def get_import(self) -> ImportState:
        """Return the current import, its preview or its result."""
        return self._now

    @command(Client.CHAT)
    def change_import(self, instructions: bool, new_pet: bool, folders: list[str] | None = None) -> ImportState:
        """Read the same source again with other options. ``folders``: of a vault, None for all. Raises
        ImportRefused."""
        if self._origin is None:
            raise ImportRefused(problem="none")
        self._read(self._origin, instructions=instructions, new_pet=new_pet, folders=folders)
        return self._now

    @command(Client.CHAT)
    def get_import_diff(self, file: str) -> Diff:
        """Return the preview's changes of one file. Raises PathRefused."""
        survey = self._survey
        for each in survey.plan.files if survey and survey.plan else ():
            if each.file == file:
                return diff_of(each.before, each.after)
        raise PathRefused()

    @command(Client.CHAT)
    def run_import(self, memory: bool, name: str = "") -> ImportState:
        """Carry out the previewed import. Raises ImportRefused, PetNameRefused.

        ``memory``: the conversations count as held with memory on. ``name``: of the new pet.
        """
        survey = self._survey
        if survey is None or self._now.phase != "ready" or (survey.parts and not survey.several):
            raise ImportRefused(problem="none")
        if survey.new_pet and not survey.parts and (name or survey.packed is None):
            check_pet_name(name)
        target = None if survey.new_pet else self._target

        def write() -> None:
            if survey.parts:
                past = self._importer.carry_out_several(survey, self._step)[0]
            else:
                past = self._importer.carry_out(survey, target, memory=memory, name=name, step=self._step)
            self._set(done=self._view(past))
            self._app.emit(PetsChanged()) if past.record.new_pet else self._app.index.notice()

        self._begin("writing", "done", write, total=survey.work)
        return self._now

    @command(Client.CHAT)
    def stop_import(self) -> ImportState:
        """Stop the running import, undoing it, or discard a preview or a result."""
        with self._lock:
            if self._thread is not None:
                self._stop.set()
            else:
                self._clear()
        return self._now

    @command(Client.CHAT)
    def list_imports(self) -> ImportList:
        """Return the imports that can be undone."""
        past = (each for each in self._importer.past() if each.record.new_pet or each.pet == self._target.pet)
        return ImportList(imports=[self._view(each) for each in past])

    @command(Client.CHAT)
    def undo_import(self, id: str) -> ImportUndone:  # noqa: A002  as on the wire
        """Undo an import; a pet that it made is moved to the trash. Raises ImportRefused, PetBusy, OnlyPet."""
        self._check_free()
        past = self._importer.find_past(id)
        undone = self._importer.undo(past, self._target)
        if past.record.new_pet:
            self._app.emit(PetsChanged())
        with self._lock:
            if self._now.done is not None and self._now.done.id == id:
                self._clear()
        self._app.emit(ImportMoved(phase=self._now.phase))
        for conversation in undone.talks:
            self._app.conversations.on_deleted_elsewhere(conversation)
        return ImportUndone(imports=self.list_imports().imports, left=undone.left)

    def close(self) -> None:
        """Stop the running import, and wait until it is undone."""
        self._stop.set()
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join(_CLOSE_SECONDS)

    def _check_free(self) -> None:
        """Raise ImportRefused (busy) while an import runs."""
        with self._lock:
            if self._thread is not None:
                raise ImportRefused(problem="busy")

    def _view(self, past: PastImport) -> ImportDone:
        record = past.record
        names = {receipt.file for receipt in record.receipts}
        mine = past.pet == self._app.pet_id
        return ImportDone(
            id=record.id,
            at=record.at,
            kind=record.kind,
            pet=past.pet,
            name=display_name(self._app.home.workspace(past.pet), past.pet, self._app.texts()),
            files=sum(not is_daily_log(name) for name in names),
            days=sum(map(is_daily_log, names)),
            conversations=len(record.talks),
            new_pet=record.new_pet,
            mine=mine,
            undoable=not (mine and record.new_pet),
        )

    # --- the thread -----------------------------------------------------------------------------

    def _read(
        self, origin: Origin, *, instructions: bool = False, new_pet: bool = False, folders: list[str] | None = None
    ) -> None:
        """Start to read a source. Raises ImportRefused."""

        def read() -> None:
            target = None if new_pet else self._target
            survey = self._importer.survey(
                origin, target, instructions=instructions, folders=folders, step=self._step
            )
            self._survey = survey
            self._set(preview=preview_of(survey))

        with self._lock:
            self._check_free()
            same, source = origin is self._origin, "" if isinstance(origin, Pasted) else origin.name
            self._origin, self._survey = origin, None
            self._put(ImportState(source=source, preview=self._now.preview if same else None))
            self._begin("reading", "ready", read)

    def _clear(self) -> None:
        self._origin = self._survey = None
        self._put(ImportState())

    def _set(self, **values: object) -> None:
        with self._lock:
            self._put(replace(self._now, **values))  # type: ignore[arg-type]

    def _put(self, state: ImportState) -> None:
        self._now = replace(state, revision=self._now.revision + 1)

    def _begin(self, phase: ImportPhase, then: ImportPhase, work: Callable[[], None], total: int = 0) -> None:
        def run() -> None:
            error: ErrorInfo | None = None
            try:
                work()
            except PetError as refused:
                error = ErrorInfo.of(refused)
            except Exception as bug:  # noqa: BLE001  thread boundary: the page must not wait forever
                error = ErrorInfo.of_bug(bug, "import", _log)
            with self._lock:
                self._thread = None
                self._set(error=error, phase="failed" if error else then)
                if error and phase == "reading" and self._stop.is_set():
                    self._clear()
                ended = self._now.phase
            self._app.emit(ImportMoved(phase=ended))

        with self._lock:
            self._check_free()
            self._stop.clear()
            self._set(phase=phase, error=None)
            self._bytes, self._total, self._reported = 0, total, 0.0
            self._thread = threading.Thread(target=run, name="import", daemon=True)
            self._thread.start()

    def _step(self, count: int) -> None:
        if self._stop.is_set():
            raise ImportRefused(problem="stopped")
        self._bytes += count
        now = time.monotonic()
        if now - self._reported >= _EVERY:
            self._reported = now
            self._app.emit(ImportMoved(phase=self._now.phase, done=self._bytes, total=self._total))


@dataclass(frozen=True, slots=True, kw_only=True)
class Greeting:
    """First message of the pet's character card in a new tab; "" without a card."""

    text: str


@dataclass(frozen=True, slots=True)
class CardCommands:
    app: Pet
    importer: Importer
    pick: Callable[[int], int] = randbelow

    @command(Client.CHAT)
    def preview_card(self, file: GivenFile, instructions: bool = False) -> CardPreview:
        """Preview the import of a character card; changes nothing. Raises CardRefused, FileBroken.

        ``instructions``: with the card's system prompt and closing instructions.
        """
        content = decode_chunks(file.data, "file.data")
        app, now = self.app, soul_now(self.app.store)
        shelf = app.wardrobe.shelf
        return card_preview(now, file.name, content, app.language(), instructions=instructions, shelf=shelf)

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
        content, store, wardrobe = decode_chunks(file.data, "file.data"), self.app.store, self.app.wardrobe
        # Built before the soul is written, so that unusable images abort the whole import.
        taken = skin_of_card(wardrobe.shelf, content, file.name) if pictures else None
        try:
            receipt = import_card(
                store,
                content,
                self.app.language(),
                instructions=instructions,
                base=base,
                file=file.name,
                each_greeting=each_greeting,
            )
        except FileConflict:
            return write_reply(store.read(_SOUL), self._limit, outcome="conflict")
        if taken is not None:
            wardrobe.choose(wardrobe.shelf.take_in(taken).id)
            self.app.emit(SettingsChanged())  # the pet's page reloads its appearance
        return write_reply(store.read(_SOUL), self._limit, receipt)

    @command(Client.CHAT)
    def create_pet_from_card(self, file: GivenFile, pictures: bool = False) -> None:
        """Create a pet of a character card, without the card's instructions; the open pet stays as it is.

        ``pictures``: the new pet wears the card's pictures. Raises CardRefused, SkinRefused, PetNameRefused.
        """
        content, shelf = decode_chunks(file.data, "file.data"), self.app.wardrobe.shelf
        name = check_pet_name(pet_name_of(content, file.name))
        skin = shelf.take_in(skin_of_card(shelf, content, file.name)).id if pictures else None

        def write(store: WorkspaceStore) -> None:
            base = soul_now(store).version
            import_card(store, content, self.app.language(), instructions=False, base=base, file=file.name)

        self.importer.create_pet(name, write, skin=skin)
        self.app.emit(PetsChanged())

    @command(Client.CHAT)
    def get_greeting(self) -> Greeting:
        """Return the card's greeting for an empty conversation; "" once the soul was edited."""
        you = self.app.texts()("card.you")
        return Greeting(text=greeting_of(self.app.store, you, self.pick))

    @command(Client.CHAT)
    def export_card(self) -> SavedFile:
        """Save the pet as a character card in the downloads folder. Raises WriteFailed."""
        app = self.app
        name, data = export_card(app.store, app.name(), lambda: portrait_of(app.wardrobe))
        return SavedFile(path=str(save_to_downloads(app.downloads(), name, data)))

    @property
    def _limit(self) -> int:
        return self.app.effective.current().prompt_file_characters
