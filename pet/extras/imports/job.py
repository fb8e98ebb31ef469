"""The running import of a program, on a separate thread; ``ImportMoved`` reports its progress."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from pet.errors import ImportRefused, PetError
from pet.events import ErrorInfo, Event, PetsChanged
from pet.extras.imports.apply import Undone
from pet.extras.imports.events import ImportMoved, ImportPhase
from pet.extras.imports.importer import Importer, ImportPreview, PastImport, Survey, Target, preview_of
from pet.extras.imports.source import Origin
from pet.ids import check_pet_name

_EVERY = 0.1  # seconds between two events
_CLOSE_SECONDS = 10.0

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ImportStatus:
    """``preview``: from ``ready`` on, and the last one while the same source is read again. ``revision`` increases
    with every change."""

    revision: int = 0
    phase: ImportPhase = "none"
    origin: Origin | None = None
    survey: Survey | None = None
    preview: ImportPreview | None = None
    error: ErrorInfo | None = None
    done: PastImport | None = None


class ImportJob:
    """Thread-safe. ``target``: the open pet. ``notice``: called when there is something to index."""

    def __init__(
        self, importer: Importer, target: Target, *, notice: Callable[[], object], emit: Callable[[Event], object]
    ) -> None:
        self._importer = importer
        self._target = target
        self._notice = notice
        self._emit = emit
        self._lock = threading.RLock()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._now = ImportStatus()
        self._bytes = self._total = 0
        self._reported = 0.0

    @property
    def now(self) -> ImportStatus:
        return self._now

    def check_free(self) -> None:
        """Raise ImportRefused (busy) while an import runs."""
        with self._lock:
            if self._thread is not None:
                raise ImportRefused(problem="busy")

    def survey(
        self,
        origin: Origin,
        *,
        instructions: bool = False,
        new_pet: bool = False,
        folders: list[str] | None = None,
    ) -> None:
        """Start to read a source. Raises ImportRefused."""

        def read() -> None:
            target = None if new_pet else self._target
            survey = self._importer.survey(
                origin, target, instructions=instructions, folders=folders, step=self._step
            )
            self._set(survey=survey, preview=preview_of(survey))

        with self._lock:
            self.check_free()
            same = origin is self._now.origin
            self._put(ImportStatus(origin=origin, preview=self._now.preview if same else None))
            self._begin("reading", "ready", read)

    def survey_again(self, *, instructions: bool, new_pet: bool, folders: list[str] | None) -> None:
        """Read the same source again with other options. Raises ImportRefused."""
        if self._now.origin is None:
            raise ImportRefused(problem="none")
        self.survey(self._now.origin, instructions=instructions, new_pet=new_pet, folders=folders)

    def run(self, *, memory: bool, name: str) -> None:
        """Start to carry out the previewed import. Raises ImportRefused, PetNameRefused."""
        survey = self._now.survey
        if survey is None or self._now.phase != "ready":
            raise ImportRefused(problem="none")
        if survey.parts and not survey.several:
            raise ImportRefused(problem="none")
        if survey.new_pet and not survey.parts and (name or survey.packed is None):
            check_pet_name(name)
        target = None if survey.new_pet else self._target

        def write() -> None:
            if survey.parts:
                past = self._importer.carry_out_several(survey, self._step)[0]
            else:
                past = self._importer.carry_out(survey, target, memory=memory, name=name, step=self._step)
            self._set(done=past)
            self._emit(PetsChanged()) if past.record.new_pet else self._notice()

        self._begin("writing", "done", write, total=survey.work)

    def stop(self) -> None:
        """Stop the running import, undoing it, or discard a preview or a result."""
        with self._lock:
            if self._thread is not None:
                self._stop.set()
            else:
                self._put(ImportStatus())

    def past(self) -> list[PastImport]:
        """Return imports into this pet, and pets made by an import."""
        return [each for each in self._importer.past() if each.record.new_pet or each.pet == self._target.pet]

    def undo(self, import_id: str) -> Undone:
        """Undo an import. Raises ImportRefused, PetBusy, OnlyPet."""
        self.check_free()
        past = self._importer.find_past(import_id)
        undone = self._importer.undo(past, self._target)
        if past.record.new_pet:
            self._emit(PetsChanged())
        with self._lock:
            if self._now.done is not None and self._now.done.record.id == import_id:
                self._put(ImportStatus())
        self._emit(ImportMoved(phase=self._now.phase))
        return undone

    def close(self) -> None:
        """Stop the running import, and wait until it is undone."""
        self._stop.set()
        with self._lock:
            thread = self._thread
        if thread is not None:
            thread.join(_CLOSE_SECONDS)

    # --- the thread -----------------------------------------------------------------------------

    def _set(self, **values: object) -> None:
        with self._lock:
            self._put(replace(self._now, **values))  # type: ignore[arg-type]

    def _put(self, status: ImportStatus) -> None:
        self._now = replace(status, revision=self._now.revision + 1)

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
                    self._put(ImportStatus())
                ended = self._now.phase
            self._emit(ImportMoved(phase=ended))

        with self._lock:
            self.check_free()
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
            self._emit(ImportMoved(phase=self._now.phase, done=self._bytes, total=self._total))
