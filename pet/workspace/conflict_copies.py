"""Find and resolve conflict copies that sync programs leave when two machines changed one file.

On resolution the copy's bytes are added to the file's history first, then the owner's text is written on top of its
base version, then the copy is removed. Copies never reach a prompt or the index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from pet.clock import Clock
from pet.errors import FileBroken, FileConflict, FileFull, FileMissing, TextRefused
from pet.fs.directory import Contents, Folder, open_folder, version_of
from pet.fs.locks import as_write_errors
from pet.model import MISSING, OPTIONAL_FILES, Author, FileState, Present, Receipt, Version
from pet.text.markup import holds_two_versions, split_versions
from pet.workspace.file_history import FileHistory
from pet.workspace.file_names import ASIDE, CORE_NAMES, LOG_FOLDER, CopyName, is_name, read_copy_name, read_note_copy
from pet.workspace.line_diff import count_changes, merge3
from pet.workspace.locked_file import OwnerFiles, contents_of, file_state
from pet.workspace.note_files import note_folders
from pet.workspace.pet_registry import LIMIT, PET_FILE
from pet.workspace.safe_replace import Change, commit
from pet.workspace.store import WorkspaceStore
from pet.workspace.text_encoding import NotText, decode_text, normalize_newlines, with_text

_SKILLS = "skills"
_SKILL = "SKILL.md"
_TOP = frozenset({*CORE_NAMES, *OPTIONAL_FILES, ASIDE, PET_FILE})
_TRIED_BASES = 40  # candidate base versions for the merge

Marked = dict[str, tuple[object, bool]]
"""Per examined file: its stat signature and whether it contains git conflict markers."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConflictCopy:
    """A conflict copy of ``file``. ``copy``: its name in the workspace, the same as ``file`` if git left both sides
    inside; ``at``: ISO time; ``program``: the sync program.
    """

    copy: str
    file: str
    at: str
    program: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyTexts:
    """Texts for resolving a copy. ``text``: the copy's; ``merged``: both changes, None if they overlap."""

    copy: ConflictCopy
    file: FileState
    text: str
    merged: str | None


def find_copies(root: Path, marked: Marked | None = None) -> tuple[ConflictCopy, ...]:
    """Return the existing conflict copies. ``marked``: a cache kept by the caller, so that no file is read twice.

    Follows no link; unreadable files are skipped.
    """
    marked = {} if marked is None else marked
    copies: list[ConflictCopy] = []
    for prefix, known, folder in _folders(root.resolve()):
        with suppress(OSError):
            copies += _in_folder(prefix, known, folder, marked)
    return tuple(sorted(copies, key=lambda each: (each.file, each.copy)))


def _in_folder(prefix: str, known: Callable[[str], bool], folder: Folder, marked: Marked) -> Iterator[ConflictCopy]:
    for leaf in folder.names():
        copy = _copy_of(prefix, leaf, known)
        if copy is not None and (at := _time_of(folder, leaf)):
            yield ConflictCopy(copy=prefix + leaf, file=copy.of, at=at, program=copy.program)
        elif known(leaf) and _is_marked(folder, leaf, prefix + leaf, marked):
            at = _time_of(folder, leaf)
            yield ConflictCopy(copy=prefix + leaf, file=prefix + leaf, at=at, program="git")


def _copy_of(prefix: str, leaf: str, known: Callable[[str], bool]) -> CopyName | None:
    if prefix.startswith(f"{LOG_FOLDER}/"):
        return read_note_copy(prefix + leaf)
    copy = read_copy_name(leaf, known)
    return copy and CopyName(of=prefix + copy.of, program=copy.program)


class ConflictResolver:
    """Read and resolve the conflict copies of one pet, on the owner's behalf."""

    def __init__(self, store: WorkspaceStore, locks: Path, clock: Clock) -> None:
        self._store = store
        self._owned = OwnerFiles(root=store.root, locks=locks, clock=clock)

    def list(self) -> tuple[ConflictCopy, ...]:
        """Return the existing conflict copies."""
        return find_copies(self._store.root)

    def read(self, copy: str) -> CopyTexts:
        """Return the texts for resolving a copy. Raises FileMissing if it is no conflict copy (any more), FileBroken
        if it is not text.
        """
        conflict = self._find(copy)
        with as_write_errors(conflict.file), self._owned.open(conflict.file) as (place, raw):
            state = file_state(conflict.file, raw)
            now = normalize_newlines(state.text) if isinstance(state, Present) else ""
            if conflict.copy == conflict.file:
                ours, theirs, base = split_versions(now)
                merged = None if base is None else _merge(base, ours, theirs)
                return CopyTexts(copy=conflict, file=state, text=theirs, merged=merged)
            text = _text(conflict.copy, self._bytes(conflict))
            merged = _merge_with_history(place.log, now, text) if isinstance(state, Present) else None
        return CopyTexts(copy=conflict, file=state, text=text, merged=merged)

    def settle(self, copy: str, text: str | None, base: Version) -> Receipt | None:
        """Write ``text`` if the file is still at ``base``, and remove the copy; None leaves the file unchanged.

        The copy's bytes become a version of the file first. Raises FileMissing, FileBroken, FileConflict (also if the
        copy itself changed meanwhile), and as the store's ``write``.
        """
        conflict = self._find(copy)
        data = None if conflict.copy == conflict.file else self._bytes(conflict)
        if data is not None:
            with as_write_errors(conflict.file), self._owned.open(conflict.file) as (place, _):
                place.record_late_write(data, MISSING)
        receipt = None if text is None else self._write(conflict.file, text, base)
        if data is not None:
            self._remove(conflict, data)
        return receipt

    def state(self, file: str) -> FileState:
        """Return the current state of the copy's original file."""
        with as_write_errors(file), self._owned.open(file) as (_, raw):
            return file_state(file, raw)

    def merged_text(self, file: str, text: str, base: Version) -> str | None:
        """Merge ``text``, based on ``base``, with the file's current text."""
        return self._store.merged_text(file, text, base=base) if is_name(file) else None

    def _find(self, copy: str) -> ConflictCopy:
        conflict = next((each for each in self.list() if each.copy == copy), None)
        if conflict is None:
            raise FileMissing(file=copy[:200])
        return conflict

    def _write(self, name: str, text: str, base: Version) -> Receipt | None:
        if is_name(name):
            return self._store.write(name, text, base=base, author=Author.OWNER, restart=True)
        self._write_owned(name, text, base)
        return None

    def _write_owned(self, name: str, text: str, base: Version) -> None:
        """Write a skill or pet.toml, which are outside the store's scope."""
        with as_write_errors(name), self._owned.open(name) as (place, raw):
            now = contents_of(name, raw)
            if version_of(now.data if now else None) != base:
                raise FileConflict(file=name)
            try:
                data = with_text(decode_text(now.data) if now else None, text)
            except NotText:
                raise TextRefused(file=name) from None
            if len(data) > LIMIT:
                raise FileFull(file=name, limit=LIMIT)
            if now is None or now.data != data:
                commit(place, Change(base=now, data=data, author=Author.OWNER))

    def _bytes(self, conflict: ConflictCopy) -> bytes:
        with as_write_errors(conflict.copy), _folder_of(self._store.root, conflict.copy) as (folder, leaf):
            contents = contents_of(conflict.copy, folder.read(leaf, LIMIT))
        if contents is None:
            raise FileMissing(file=conflict.copy)
        return contents.data

    def _remove(self, conflict: ConflictCopy, kept: bytes) -> None:
        with as_write_errors(conflict.copy), _folder_of(self._store.root, conflict.copy) as (folder, leaf):
            now = folder.read(leaf, LIMIT)
            if isinstance(now, Contents):
                if now.data != kept:
                    raise FileConflict(file=conflict.copy)
                folder.remove(leaf)
                folder.sync()


def _folders(root: Path) -> Iterator[tuple[str, Callable[[str], bool], Folder]]:
    """Yield each folder that may hold copies, with its prefix and a test for names that may have copies there."""
    with suppress(OSError), open_folder(root) as top:
        yield "", _TOP.__contains__, top
        for prefix in note_folders(root):
            with suppress(OSError), open_folder(root, *prefix.split("/")) as notes:
                yield f"{prefix}/", partial(_is_below, prefix), notes
        with suppress(OSError), top.sub(_SKILLS, create=False) as skills:
            for each in skills.names():
                with suppress(OSError), skills.sub(each, create=False) as skill:
                    yield f"{_SKILLS}/{each}/", _SKILL.__eq__, skill


@contextmanager
def _folder_of(root: Path, name: str) -> Iterator[tuple[Folder, str]]:
    """Open the folder of a name returned by ``find_copies``."""
    *folders, leaf = name.split("/")
    with open_folder(root, *folders) as folder:
        yield folder, leaf


def _is_below(folder: str, leaf: str) -> bool:
    return is_name(f"{folder}/{leaf}")


def _time_of(folder: Folder, leaf: str) -> str:
    signature = folder.signature(leaf)
    if signature is None:
        return ""
    return datetime.fromtimestamp(signature[2] / 1e9, UTC).astimezone().isoformat(timespec="seconds")


def _is_marked(folder: Folder, leaf: str, name: str, marked: Marked) -> bool:
    signature = folder.signature(leaf)
    seen = marked.get(name)
    if seen is None or seen[0] != signature:
        raw = folder.read(leaf, LIMIT)
        is_marked = False
        with suppress(NotText):
            is_marked = (
                isinstance(raw, Contents)
                and b"<<<<<<<" in raw.data
                and holds_two_versions(decode_text(raw.data).text)
            )
        seen = marked[name] = (signature, is_marked)
    return seen[1]


def _text(name: str, data: bytes) -> str:
    try:
        return normalize_newlines(decode_text(data).text)
    except NotText:
        raise FileBroken(file=name, problem="not_utf8") from None


def _merge_with_history(log: FileHistory, now: str, copy: str) -> str | None:
    """Merge both texts on their most likely common base, the version nearest to both; None if they overlap."""
    if now == copy:
        return now
    bases: dict[str, int] = {}
    for entry in reversed(log.entries()):
        data = log.get_object(entry.after)
        with suppress(NotText):
            text = normalize_newlines(decode_text(data).text) if data else ""
            if text and text not in (now, copy) and text not in bases:
                bases[text] = sum(count_changes(text, now)) + sum(count_changes(text, copy))
        if len(bases) == _TRIED_BASES:
            break
    nearest = min(bases, key=lambda text: bases[text], default=None)
    return None if nearest is None else _merge(nearest, now, copy)


def _merge(base: str, ours: str, theirs: str) -> str | None:
    """Merge as ``merge3``; if both only appended at the end, concatenate the additions."""
    merged = merge3(base, ours, theirs)
    if merged is None and ours.startswith(base) and theirs.startswith(base):
        ours, added = _with_newline(ours), theirs[len(base) :]
        return ours + added.removeprefix("\n") if base and not base.endswith("\n") else ours + added
    return merged


def _with_newline(text: str) -> str:
    return text if text.endswith("\n") else f"{text}\n"
