"""Commands that bring in what another program knows of the owner, or a whole pet: preview, run, stop, undo.

One import at a time, on a thread of its own; ``ImportMoved`` tells how far it is. A path is never said by a page: it
comes from the system's own dialog.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pet.bridge.command import Client, command
from pet.errors import BadArguments, ImportRefused, PathRefused, PetError
from pet.events import ErrorInfo, Event, ImportMoved, ImportPhase, PetsChanged
from pet.ids import check_pet_name, new_id
from pet.imports.contents import SkipReason
from pet.imports.plan import Action, ImportPlan
from pet.imports.source import MAX_TEXT, Origin, Pasted
from pet.services.core_files import Diff
from pet.services.importing import Importer, PastImport, Survey, Target
from pet.workspace.file_names import LOG_FOLDER
from pet.workspace.text.merge import count_changes

if TYPE_CHECKING:
    from pet.services.desktop_port import DesktopPort

_MOST_SHOWN = 300
"""Conversations and left-out files in a preview; the others are counted."""
_EVERY = 0.1  # seconds between two events
_CLOSE_SECONDS = 10.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportFile:
    """A file of the pet. ``day``: it is a daily log."""

    file: str
    action: Action
    day: bool
    added: int
    removed: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportTalk:
    """``there``: it was imported before, and is left as it is. ``at`` "" where the source does not say."""

    title: str
    at: str
    messages: int
    there: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportSkip:
    name: str
    reason: SkipReason


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedPet:
    """A whole pet. ``name`` "" where the owner gave it none."""

    name: str
    files: int
    bytes: int
    conversations: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportPreview:
    """What an import would change. ``pet``: a whole one, and nothing else then. ``talks`` and ``skipped`` hold the
    first of them. ``orders``: there are files with orders for an agent, taken in only with ``instructions``.
    ``new_pet``: for a pet that is yet to be made. ``empty``: there is nothing new in it."""

    kind: str
    pet: ImportedPet | None
    files: list[ImportFile]
    talks: list[ImportTalk]
    talks_new: int
    talks_there: int
    messages: int
    skipped: list[ImportSkip]
    skipped_total: int
    orders: bool
    instructions: bool
    new_pet: bool
    empty: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportDone:
    """An import that was carried out. ``mine``: into the pet that is open. ``undoable``: not where the import made
    the pet that is open."""

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
    """``source``: the name of the file or folder, "" for a pasted text. ``preview`` from ``ready`` on, and the one
    before while the same source is looked through again; ``error`` while ``failed``, ``done`` while ``done``."""

    phase: ImportPhase
    source: str
    preview: ImportPreview | None
    error: ErrorInfo | None
    done: ImportDone | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportList:
    """Newest first: those into this pet, and pets that came by an import."""

    imports: list[ImportDone]


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportUndone:
    """``left``: files and conversations that were changed since, and stay."""

    imports: list[ImportDone]
    left: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChooseImportArgs:
    kind: Literal["file", "folder"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PasteImportArgs:
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptionArgs:
    instructions: bool
    new_pet: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportFileArgs:
    file: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RunImportArgs:
    """``memory``: the conversations count as said with memory on. ``name``: of the new pet."""

    memory: bool
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoImportArgs:
    id: str


@dataclass(slots=True)
class _Job:
    """The one import that is under way, previewed or done."""

    phase: ImportPhase = "none"
    origin: Origin | None = None
    survey: Survey | None = None
    preview: ImportPreview | None = None
    error: ErrorInfo | None = None
    done: PastImport | None = None


class ImportCommands:
    def __init__(
        self,
        importer: Importer,
        target: Target,
        *,
        windows: DesktopPort,
        diff: Callable[[str, str], Diff],
        name_of: Callable[[str], str],
        gone: Callable[[str], object],
        notice: Callable[[], object],
        emit: Callable[[Event], object],
    ) -> None:
        """``target``: the pet that is open. ``name_of``: a pet's name by its id. ``gone`` hears the conversations
        that an undo deleted, ``notice`` that there is something to index."""
        self._importer = importer
        self._target = target
        self._windows = windows
        self._diff = diff
        self._name_of = name_of
        self._gone = gone
        self._notice = notice
        self._emit = emit
        self._lock = threading.RLock()
        self._choosing = threading.Lock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._job = _Job()
        self._bytes = self._total = 0
        self._told = 0.0

    @command(Client.CHAT)
    def choose_import(self, args: ChooseImportArgs) -> ImportState:
        """Ask for a file or a folder and begin to look through it; answers when the owner has chosen. Raises
        ImportRefused."""
        self._check_free()
        if not self._choosing.acquire(blocking=False):
            raise ImportRefused(problem="busy")
        try:
            chosen = self._windows.choose_path(args.kind)
        finally:
            self._choosing.release()
        return self._state() if chosen is None else self._look(chosen)

    @command(Client.CHAT)
    def paste_import(self, args: PasteImportArgs) -> ImportState:
        """Begin to look through a pasted list of memories. Raises ImportRefused."""
        data = args.text.encode("utf-8", "replace")
        if not data.strip():
            raise BadArguments(where="text", why="value")
        return self._look(Pasted(data[: MAX_TEXT + 1]))

    @command(Client.CHAT)
    def get_import(self) -> ImportState:
        """The import that is on its way, its preview or its result."""
        return self._state()

    @command(Client.CHAT)
    def change_import(self, args: ImportOptionArgs) -> ImportState:
        """Look through the same source again, with other options. Raises ImportRefused."""
        if self._job.origin is None:
            raise ImportRefused(problem="none")
        return self._look(self._job.origin, instructions=args.instructions, new_pet=args.new_pet)

    @command(Client.CHAT)
    def get_import_diff(self, args: ImportFileArgs) -> Diff:
        """What the preview would change in one file. Raises PathRefused."""
        plan = self._job.survey.plan if self._job.survey else None
        for each in plan.files if plan else ():
            if each.file == args.file:
                return self._diff(each.before, each.after)
        raise PathRefused()

    @command(Client.CHAT)
    def run_import(self, args: RunImportArgs) -> ImportState:
        """Carry out what the preview showed. Raises ImportRefused, PetNameRefused."""
        survey = self._job.survey
        if survey is None or self._job.phase != "ready":
            raise ImportRefused(problem="none")
        if survey.new_pet and (args.name or survey.packed is None):
            check_pet_name(args.name)
        target = None if survey.new_pet else self._target

        def write() -> None:
            past = self._importer.carry_out(survey, target, memory=args.memory, name=args.name, step=self._step)
            self._job.done = past
            self._emit(PetsChanged()) if past.record.new_pet else self._notice()

        return self._begin("writing", "done", write, total=survey.work)

    @command(Client.CHAT)
    def stop_import(self) -> ImportState:
        """Stop what is on its way, with nothing changed, or put a preview or a result away."""
        with self._lock:
            if self._thread is not None:
                self._stop.set()
            else:
                self._job = _Job()
        return self._state()

    @command(Client.CHAT)
    def list_imports(self) -> ImportList:
        """Imports that can be taken back."""
        past = self._importer.past()
        return ImportList(
            imports=[self._view(each) for each in past if each.record.new_pet or each.pet == self._target.pet]
        )

    @command(Client.CHAT)
    def undo_import(self, args: UndoImportArgs) -> ImportUndone:
        """Take an import back; a pet that it made goes to the bin. Raises ImportRefused, PetBusy, OnlyPet."""
        self._check_free()
        past = self._importer.find_past(args.id)
        undone = self._importer.undo(past, self._target)
        for conversation in undone.talks:
            self._gone(conversation)
        if past.record.new_pet:
            self._emit(PetsChanged())
        with self._lock:
            if self._job.done is not None and self._job.done.record.id == args.id:
                self._job = _Job()
        self._emit(ImportMoved(phase=self._job.phase))
        return ImportUndone(imports=self.list_imports().imports, left=undone.left)

    def close(self) -> None:
        """Stop what is on its way, and wait until it is taken back."""
        self._stop.set()
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join(_CLOSE_SECONDS)

    # --- the thread -----------------------------------------------------------------------------

    def _look(self, origin: Origin, *, instructions: bool = False, new_pet: bool = False) -> ImportState:
        def read() -> None:
            target = None if new_pet else self._target
            self._job.survey = self._importer.look(origin, target, instructions=instructions, step=self._step)
            self._job.preview = _preview(self._job.survey)

        with self._lock:
            self._check_free()
            same = origin is self._job.origin
            self._job = _Job(origin=origin, preview=self._job.preview if same else None)
        return self._begin("reading", "ready", read)

    def _begin(self, phase: ImportPhase, then: ImportPhase, work: Callable[[], None], total: int = 0) -> ImportState:
        def run() -> None:
            error: ErrorInfo | None = None
            try:
                work()
            except PetError as refused:
                error = ErrorInfo.of(refused)
            except Exception as problem:  # noqa: BLE001  the thread boundary
                incident = new_id()
                _log.error("import failed [%s]", incident, exc_info=problem)
                error = ErrorInfo(code="internal", args={"id": incident})
            with self._lock:
                self._thread, self._job.error = None, error
                self._job.phase = "failed" if error else then
                if error and phase == "reading" and self._stop.is_set():
                    self._job = _Job()
                ended = self._job.phase
            self._emit(ImportMoved(phase=ended))

        with self._lock:
            self._check_free()
            self._stop.clear()
            self._job.phase, self._job.error, self._bytes, self._total, self._told = phase, None, 0, total, 0.0
            self._thread = threading.Thread(target=run, name="import", daemon=True)
            self._thread.start()
        return self._state()

    def _step(self, count: int) -> None:
        if self._stop.is_set():
            raise ImportRefused(problem="stopped")
        self._bytes += count
        now = time.monotonic()
        if now - self._told >= _EVERY:
            self._told = now
            self._emit(ImportMoved(phase=self._job.phase, done=self._bytes, total=self._total))

    def _check_free(self) -> None:
        with self._lock:
            if self._thread is not None:
                raise ImportRefused(problem="busy")

    # --- views ----------------------------------------------------------------------------------

    def _state(self) -> ImportState:
        with self._lock:
            pasted = isinstance(self._job.origin, Pasted)
            return ImportState(
                phase=self._job.phase,
                source=self._job.origin.name if self._job.origin and not pasted else "",
                preview=self._job.preview,
                error=self._job.error,
                done=self._view(self._job.done) if self._job.done else None,
            )

    def _view(self, past: PastImport) -> ImportDone:
        record = past.record
        names = {receipt.file for receipt in record.receipts}
        mine = past.pet == self._target.pet
        return ImportDone(
            id=record.id,
            at=record.at,
            kind=record.kind,
            pet=past.pet,
            name=self._name_of(past.pet),
            files=sum(not _is_day(name) for name in names),
            days=sum(map(_is_day, names)),
            conversations=len(record.talks),
            new_pet=record.new_pet,
            mine=mine,
            undoable=not (mine and record.new_pet),
        )


def _preview(survey: Survey) -> ImportPreview:
    plan, packed = survey.plan, survey.packed
    skipped = plan.skipped if plan else ()
    talks = plan.talks if plan else ()
    new = plan.new_talks if plan else ()
    pet = None
    if packed is not None:
        pet = ImportedPet(
            name=packed.name or "", files=packed.files, bytes=packed.bytes, conversations=packed.conversations
        )
    return ImportPreview(
        kind=survey.kind,
        pet=pet,
        files=_files(plan) if plan else [],
        talks=[
            ImportTalk(title=talk.title, at=talk.at, messages=talk.messages, there=talk.there)
            for talk in sorted(talks, key=lambda talk: talk.at, reverse=True)[:_MOST_SHOWN]
        ],
        talks_new=len(new),
        talks_there=len(talks) - len(new),
        messages=sum(talk.messages for talk in new),
        skipped=[ImportSkip(name=each.name, reason=each.reason) for each in skipped[:_MOST_SHOWN]],
        skipped_total=len(skipped),
        orders=survey.instructions or any(each.reason == "instructions" for each in skipped),
        instructions=survey.instructions,
        new_pet=survey.new_pet,
        empty=plan is not None and plan.is_empty,
    )


def _files(plan: ImportPlan) -> list[ImportFile]:
    files = []
    for each in plan.files:
        added, removed = count_changes(each.before, each.after)
        files.append(
            ImportFile(file=each.file, action=each.action, day=_is_day(each.file), added=added, removed=removed)
        )
    return files


def _is_day(file: str) -> bool:
    return file.startswith(f"{LOG_FOLDER}/")
