"""Access-controlled view of a workspace: the only path from a conversation to the files.

The gate decides, the store reads and writes. The owner's own panes and maintenance use the store directly and never
enter a request.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from pet.access import Access, FileKind, TurnGate, VisibleFiles
from pet.errors import FileBroken, FileLost, FileMissing, ForgottenText, PathRefused, PetError
from pet.model import (
    INSTRUCTION_FILES,
    OPTIONAL_FILES,
    Author,
    Broken,
    CoreFile,
    FileState,
    Missing,
    Present,
    Receipt,
    Source,
    Version,
)
from pet.workspace.edit_match import apply_edit
from pet.workspace.file_names import ARCHIVE, LOG_FOLDER, kind_of, log_name, parse_name
from pet.workspace.pet_toml import instructions_answer
from pet.workspace.store import WorkspaceStore
from pet.workspace.text_encoding import normalize_newlines

_PROMPT_FILES = (*OPTIONAL_FILES, *CoreFile)


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """The files one turn read; fixed for the turn. A request carries them only as ``visible`` to its access."""

    files: Mapping[str, FileState]

    def text(self, name: str) -> str:
        """Return the file's text at the start of the turn; "" without a readable one."""
        state = self.files.get(name)
        return state.text if isinstance(state, Present) else ""

    def visible(self, access: Access) -> VisibleFiles:
        """Return the files that this access allows in a prompt."""
        return VisibleFiles(access, tuple(self.files.values()))


class GatedFiles:
    """The files one turn may access."""

    def __init__(self, store: WorkspaceStore, gate: TurnGate, source: Source) -> None:
        self._store = store
        self._gate = gate
        self._source = source
        self._forgotten = store.forgotten

    def snapshot(self) -> Snapshot:
        """Read the files the gate allows in the prompt now; the others are not opened. Instructions that the owner
        did not agree to count as missing."""
        allowed = self._gate.access().in_prompt
        names = (str(name) for name in _PROMPT_FILES if kind_of(name) in allowed)
        files = {name: self._store.read_for_prompt(name) for name in names}
        brought = [name for name in INSTRUCTION_FILES if isinstance(files.get(name), Present)]
        if brought and instructions_answer(self._store.root) != "use":
            files |= {name: Missing(name=name) for name in brought}
        return Snapshot(files=files)

    def read(self, path: str) -> Present:
        """Return the file's text. Raises PathRefused, AccessDenied, FileMissing, FileLost or FileBroken."""
        name = parse_name(path)
        kind = kind_of(name)
        self._gate.check_read(kind, name)
        if kind is FileKind.NOTE and not self._store.is_spelled(name):
            raise PathRefused
        state = self._store.read(name)
        self._gate.check_read(kind, name)
        match state:
            case Present():
                return state
            case Missing():
                raise FileLost(file=name) if state.lost_at else FileMissing(file=name)
            case Broken():
                raise FileBroken(file=name, problem=state.problem)

    def current(self, path: str) -> Present | Missing:
        """Read a file, but return Missing instead of raising, for callers that may create the file."""
        try:
            return self.read(path)
        except FileMissing:
            return Missing(name=parse_name(path))

    def about_owner(self) -> dict[str, str]:
        """Return the readable texts of USER.md and MEMORY.md by name, as last read if they did not change since.
        Raises as ``recent_logs``."""
        self._gate.check_read(FileKind.USER, CoreFile.USER)
        states = [self._store.read_for_prompt(name) for name in (CoreFile.USER, CoreFile.MEMORY)]
        self._gate.check_read(FileKind.MEMORY, CoreFile.MEMORY)
        return {state.name: state.text for state in states if isinstance(state, Present)}

    def recent_logs(self, today: date, count: int) -> dict[str, str]:
        """Return the readable texts of the last ``count`` daily logs up to today, by name; also tomorrow's, which has
        today's notes after a clock or zone went back.

        Raises AccessDenied or ToolRefused if the gate denies them; discards what was read if access shrank meanwhile.
        """
        self._gate.check_read(FileKind.LOG, LOG_FOLDER)
        logs: dict[str, str] = {}
        last = log_name(today + timedelta(days=1))
        for state in self._store.logs_until(last):
            if isinstance(state, Present) and state.text.strip():
                logs[state.name] = state.text
            if len(logs) == count:
                break
        self._gate.check_read(FileKind.LOG, LOG_FOLDER)
        return logs

    def notes(self) -> dict[str, str]:
        """Return the readable texts of all daily logs, the archive and all notes, by name. Raises as
        ``recent_logs``."""
        self._gate.check_read(FileKind.NOTE, LOG_FOLDER)
        names = (ARCHIVE, *self._store.log_names(), *self._store.note_names())
        states = [self._store.read(name) for name in names]
        self._gate.check_read(FileKind.NOTE, LOG_FOLDER)
        return {state.name: normalize_newlines(state.text) for state in states if isinstance(state, Present)}

    def check_write(self, path: str) -> tuple[str, FileKind]:
        """Return the file's name and kind. Raises PathRefused or AccessDenied."""
        name = parse_name(path)
        kind = kind_of(name)
        self._gate.check_write(kind, name)
        return name, kind

    def check_learned(self, path: str, text: str, *, owner_text: str = "") -> None:
        """Raises ForgottenText if ``text`` would restore a forgotten text, unless the owner wrote it again, in
        ``owner_text`` or into the file.
        """
        if not self._forgotten.is_forgotten(text):
            return
        state = self._store.read(parse_name(path))
        current = state.text if isinstance(state, Present) else ""
        if self._forgotten.is_forgotten(text, owner_text=f"{owner_text}\n{current}"):
            raise ForgottenText

    def write(self, path: str, text: str, *, base: Version, owner_text: str = "") -> Receipt | None:
        """Replace the file's text; access is checked again inside the lock, right before the swap."""
        name, kind = self.check_write(path)
        self.check_learned(name, text, owner_text=owner_text)
        return self._store.write(
            name, text, base=base, author=Author.PET, source=self._source, check=self._checker(name, kind)
        )

    def edit(self, path: str, old: str, new: str, *, base: Version, owner_text: str = "") -> Receipt:
        """Replace one passage; no byte outside it changes. Access is checked again inside the lock."""
        name, kind = self.check_write(path)
        self.check_learned(name, self._edited(name, old, new), owner_text=owner_text)
        return self._store.edit(
            name, old, new, author=Author.PET, source=self._source, base=base, check=self._checker(name, kind)
        )

    def append_log(
        self,
        entry_of: Callable[[str], str],
        name: str,
        *,
        owner_text: str = "",
        check: Callable[[], None] | None = None,
    ) -> Receipt | None:
        """Append to a daily log; ``entry_of`` maps its current text ("" for none) to the new one.

        ``entry_of`` is called again after a concurrent write, so that no entry is lost and the order stays
        chronological. Access and ``check`` are checked inside the lock. None if the text stayed unchanged.
        """
        kind = kind_of(parse_name(name))
        self._gate.check_append(kind, name)

        def check_access() -> None:
            if check is not None:
                check()
            self._gate.check_append(kind, name)  # last check before the swap

        def with_entry(log: str | None) -> str:
            text = entry_of(log or "")
            if text != (log or ""):
                self.check_learned(name, text, owner_text=owner_text)
            return text

        return self._store.rewrite(name, with_entry, author=Author.PET, source=self._source, check=check_access)

    def _edited(self, name: str, old: str, new: str) -> str:
        """Return the text after the edit, or ``new`` alone if the store will refuse the edit anyway."""
        state = self._store.read(name)
        try:
            return apply_edit(state.text, old, new) if isinstance(state, Present) else new
        except PetError:
            return new

    def _checker(self, name: str, kind: FileKind) -> Callable[[], None]:
        return lambda: self._gate.check_write(kind, name)
