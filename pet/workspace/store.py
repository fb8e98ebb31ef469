"""Store for the files of one pet: reads the current state, writes under lock, keeps every version.

Used directly by the owner's acts and by maintenance; conversations go through ``gated_files``. Refuses names outside
the scope, files that are not text, and changes whose base version is no longer current.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from itertools import count
from pathlib import Path
from threading import RLock

from pet.clock import Clock
from pet.errors import (
    EditNoChange,
    FileBroken,
    FileConflict,
    FileFull,
    FileLost,
    FileMissing,
    NewerFormat,
    TextRefused,
    VersionUnknown,
    WorkspaceError,
    WriteFailed,
)
from pet.events import WorkspaceChanged
from pet.fs.directory import (
    Absent,
    Contents,
    Folder,
    FolderIsLink,
    MissingFolder,
    Raw,
    Unusable,
    open_folder,
    version_of,
)
from pet.fs.locks import LockBusy
from pet.model import MISSING, OPTIONAL_FILES, Author, Broken, FileState, Missing, Present, Receipt, Source, Version
from pet.untrusted.regular_files import FromFiles
from pet.workspace.edit_match import apply_edit
from pet.workspace.file_history import (
    FileHistory,
    HistoryEntry,
    KeptVersion,
    Seen,
    collect_garbage,
    known_names,
    list_versions,
    log_leaf,
    lost_file,
    named_versions,
    names_of_temps,
    versions_to_keep,
)
from pet.workspace.file_names import (
    ARCHIVE,
    ASIDE,
    CORE_NAMES,
    HISTORY_FOLDER,
    LOG_FOLDER,
    is_daily_log,
    is_name,
    parse_name,
    unflat_name,
)
from pet.workspace.line_diff import count_changes, merge3
from pet.workspace.locked_file import LockedFile, contents_of, file_state, open_locked, read_raw
from pet.workspace.note_files import is_spelled, note_names
from pet.workspace.purge import Cut, Erased, erase_file
from pet.workspace.safe_replace import Change, Committed, commit, revert_change
from pet.workspace.text_encoding import (
    EncodedText,
    NotText,
    decode_text,
    encode_text,
    normalize_newlines,
    with_text,
)
from pet.workspace.tombstones import TombstoneStore


class ChangeNotifier:
    """Announces each new version once, in order. Thread-safe."""

    def __init__(self, on_change: Callable[[WorkspaceChanged], object]) -> None:
        self._on_change = on_change
        self._announced: dict[str, Version] = {}
        self._sequence = count()
        self._last_number: dict[str, int] = {}
        self._lock = RLock()

    def mark_seen(self, name: str, version: Version) -> None:
        """Mark the version as already announced."""
        self._announced[name] = version

    def mark_recorded(self, name: str) -> None:
        """Mark the present version as announced, whichever it is, unless one was announced."""
        self._announced.setdefault(name, "")

    def next_sequence(self) -> int:
        """Return the change's sequence number; call under the file's lock."""
        return next(self._sequence)

    def notify(self, event: WorkspaceChanged, number: int) -> None:
        """Emit the change after the file's lock was released, unless a later one was announced already."""
        with self._lock:
            is_stale = number < self._last_number.get(event.file, 0)
            is_new = self._announced.get(event.file, MISSING) != event.version and not is_stale
            if not is_stale:
                self._last_number[event.file] = number
                self._announced[event.file] = event.version
            if is_new or event.lost is not None:
                self._on_change(event)


@dataclass(frozen=True, slots=True, kw_only=True)
class FileLimits:
    """Maximum file size and version retention."""

    max_bytes: int = 1 << 20
    history_days: int = 30
    history_daily_days: int = 365
    history_newest: int = 20


def _is_whole(state: FileState) -> bool:
    return not isinstance(state, Broken)


_TRIES = 100  # beside programs that take no lock


class WorkspaceStore:
    """The files of one pet. Thread-safe, and safe for any number of processes on the same folder."""

    def __init__(
        self,
        root: Path,
        *,
        locks: Path,
        clock: Clock,
        limits: FileLimits = FileLimits(),
        on_change: Callable[[WorkspaceChanged], object] = lambda _event: None,
    ) -> None:
        self.root = root.resolve()
        self.locks = locks
        self._clock = clock
        self._limits = limits
        self.forgotten = TombstoneStore(self.root)
        self._seen: dict[str, Seen] = {}
        history = self.root / HISTORY_FOLDER
        self._prompt_files = {
            name: FromFiles((self.root / name, history / log_leaf(name)), partial(self.read, name), _is_whole)
            for name in map(str, (*OPTIONAL_FILES, *CORE_NAMES))
        }
        self._notifier = ChangeNotifier(on_change)
        self._drop_leftovers()
        self._remember_versions()

    # --- reading

    def read(self, name: str) -> FileState:
        """Return the file's current state. Raises PathRefused; never for the file's content."""
        state = file_state(parse_name(name), read_raw(self.root, name, self._limits.max_bytes))
        return self._missing(name) if isinstance(state, Missing) and name in CORE_NAMES else state

    def read_for_prompt(self, name: str) -> FileState:
        """Return the state of a file of the prompt, as last read if its times, size and inode are the same since."""
        return self._prompt_files[name].get()

    def lost_files(self) -> list[Missing]:
        """Return the core files that are gone although they have earlier versions."""
        states = map(self.read, CORE_NAMES)
        return [state for state in states if isinstance(state, Missing) and state.lost_at]

    def log_names(self) -> list[str]:
        """Return the existing daily logs, oldest first."""
        return sorted(filter(is_daily_log, (f"{LOG_FOLDER}/{leaf}" for leaf in self._list(LOG_FOLDER))))

    def logs_until(self, last: str) -> Iterator[FileState]:
        """Yield the states of the daily logs up to ``last``, newest first, out of one open folder."""
        with suppress(OSError), open_folder(self.root, LOG_FOLDER) as folder:
            for leaf in sorted(folder.names(), reverse=True):
                name = f"{LOG_FOLDER}/{leaf}"
                if is_daily_log(name) and name <= last:
                    yield file_state(name, folder.read(leaf, self._limits.max_bytes))

    def note_names(self) -> list[str]:
        """Return the existing notes, sorted: texts below the logs' folder that are neither logs nor the archive."""
        return note_names(self.root)

    def unrecorded_notes(self) -> list[str]:
        """Return the notes that were changed since their history was; a cheap check of thousands of them."""
        with suppress(OSError), open_folder(self.root, HISTORY_FOLDER) as kept:
            names = self.note_names()
            newer = [name for name in names if self._is_newer(name, kept)]
            for name in set(names).difference(newer):
                self._notifier.mark_recorded(name)
            return newer
        return self.note_names()

    def _is_newer(self, name: str, kept: Folder) -> bool:
        try:
            status, log = (self.root / name).lstat(), kept.about(log_leaf(name))
        except OSError:
            return True
        return max(status.st_mtime_ns, status.st_ctime_ns) >= log.st_mtime_ns

    def is_spelled(self, name: str) -> bool:
        """Whether an existing file's name is spelled as on the disk, which may open it by others too."""
        return is_spelled(self.root, parse_name(name))

    # --- changing

    def write(
        self,
        name: str,
        text: str,
        *,
        base: Version,
        author: Author,
        source: Source | None = None,
        check: Callable[[], None] | None = None,
        restart: bool = False,
    ) -> Receipt | None:
        """Replace the whole text if the file is still at ``base``; None if it already is ``text``. ``restart``:
        the owner chose the text, which may replace a lost file.

        Raises FileConflict, FileBroken, FileLost, FileFull, TextRefused, WriteFailed, and what ``check`` raises.

            state = store.read("MEMORY.md")
            store.write("MEMORY.md", state.text + "- likes tea\\n", base=state.version, author=Author.PET)
        """
        with self._open(name, writes=True) as (place, raw):
            now, document = self._text_base(place, raw, restart=restart)
            data = self._encoded(name, lambda: with_text(document, text))
            if now is not None and now.data == data:
                return None
            if version_of(now.data if now else None) != base:
                raise FileConflict(file=name)
            committed = commit(place, Change(base=now, data=data, author=author, source=source, check=check))
        return _receipt(committed)

    def edit(
        self,
        name: str,
        old: str,
        new: str,
        *,
        author: Author,
        source: Source | None = None,
        base: Version | None = None,
        check: Callable[[], None] | None = None,
    ) -> Receipt:
        """Replace one passage; no byte outside it changes. Raises FileMissing, as ``write``, as ``apply_edit``."""
        with self._open(name, writes=True) as (place, raw):
            now, document = self._text_base(place, raw)
            if now is None or document is None:
                raise FileMissing(file=name)
            if base is not None and version_of(now.data) != base:
                raise FileConflict(file=name)
            text = apply_edit(document.text, old, new)
            data = self._encoded(name, lambda: encode_text(text, bom=document.bom))
            committed = commit(place, Change(base=now, data=data, author=author, source=source, check=check))
        receipt = _receipt(committed)
        if receipt is None:
            raise EditNoChange
        return receipt

    def rewrite(
        self,
        name: str,
        change: Callable[[str | None], str],
        *,
        author: Author,
        source: Source | None = None,
        check: Callable[[], None] | None = None,
    ) -> Receipt | None:
        """Replace the file's text by ``change`` of it; None if that left it unchanged.

        ``change`` gets the current text with ``\\n`` line ends, None without a file. It is called under the file's
        lock, and again if a program without one was faster. Raises FileBroken, what it raises, and as ``write``.
        """
        makes_folder = False
        for _ in range(_TRIES):
            with self._open(name, writes=makes_folder) as (place, raw):
                now, document = self._text_base(place, raw, restart=True)
                current = normalize_newlines(document.text) if document else None
                text = change(current)
                if text == (current or ""):
                    return None
                if now is None:
                    _check_not_lost(place)
                if isinstance(place.folder, MissingFolder):
                    makes_folder = True  # only for a text
                    continue
                data = self._encoded(name, partial(with_text, document, text))
                try:
                    committed = commit(place, Change(base=now, data=data, author=author, source=source, check=check))
                except FileConflict:
                    continue
            return _receipt(committed)
        raise FileConflict(file=name)

    def observe(self, name: str) -> None:
        """Record and announce a change another program made to the file, if any."""
        with self._open(name):
            pass

    # --- versions

    def history(self, name: str) -> list[KeptVersion]:
        """Return the versions newest first, including the current one."""
        with self._open(name) as (place, raw):
            current = version_of(raw.data) if isinstance(raw, Contents) else MISSING
            return list_versions(place.log.entries(), current)

    def changes(self, name: str) -> Iterator[tuple[HistoryEntry, bytes | None]]:
        """Yield the file's changes newest first, each with the bytes after it; None if they are gone."""
        with self._open(name) as (place, _):
            entries = place.log.entries()
        with suppress(OSError), open_folder(self.root, HISTORY_FOLDER) as kept:
            log = FileHistory(kept, name, self._seen)
            for entry in reversed(entries):
                yield entry, log.get_object(entry.after)

    def version_bytes(self, name: str, version_id: str) -> bytes:
        """Return a version's bytes, by id or content version; b"" for MISSING. Raises VersionUnknown."""
        parse_name(name)
        if version_id == MISSING:
            return b""
        with suppress(OSError), open_folder(self.root, HISTORY_FOLDER) as kept:
            log = FileHistory(kept, name, self._seen)
            entry = log.find(version_id)
            data = log.get_object(entry.after) if entry and entry.after != MISSING else None
            if data is not None:
                return data
        raise VersionUnknown(file=name)

    def restore(self, name: str, version_id: str, *, author: Author) -> Receipt | None:
        """Make a stored version current, byte for byte. None if it already is."""
        if version_id == MISSING:
            raise VersionUnknown(file=name)
        data = self.version_bytes(name, version_id)
        with self._open(name, writes=True) as (place, raw):
            now = contents_of(name, raw)
            committed = commit(place, Change(base=now, data=data, author=author, kind="restore"))
        return _receipt(committed)

    def undo(self, receipt: Receipt, *, author: Author) -> Receipt | None:
        """Revert one change: byte for byte, or merged with later changes. Raises FileConflict if they overlap."""
        name = parse_name(receipt.file)
        with self._open(name, writes=True) as (place, raw):
            now = contents_of(name, raw)
            current = version_of(now.data if now else None)
            if current == receipt.before:
                return None
            if now is None:
                _check_not_lost(place)
            before = self.version_bytes(name, receipt.before)
            if current == receipt.after:
                data = None if receipt.before == MISSING else before
            else:
                after = self.version_bytes(name, receipt.after)
                data = revert_change(after, before, now.data if now else b"")
                if not data and (now is None or data is None):
                    raise FileConflict(file=name)
            committed = commit(place, Change(base=now, data=data, author=author, kind="restore"))
        return _receipt(committed)

    def merged_text(self, name: str, text: str, *, base: Version) -> str | None:
        """Merge ``text``, based on ``base``, with the file's current text; None if they overlap."""
        state = self.read(name)
        try:
            before = decode_text(self.version_bytes(name, base))
        except (VersionUnknown, NotText):
            return None
        return (
            merge3(normalize_newlines(before.text), normalize_newlines(text), normalize_newlines(state.text))
            if isinstance(state, Present)
            else None
        )

    def backup(self) -> None:
        """Mark today's version of each core file as its backup, unless it equals the last backup."""
        for name in CORE_NAMES:
            with self._open(name) as (place, raw):
                last = next((e for e in reversed(place.log.entries()) if e.kind == "backup"), None)
                if not isinstance(raw, Contents) or (last and last.after == version_of(raw.data)):
                    continue
                version = version_of(raw.data)
                place.log.add(place.entry(before=version, after=raw.data, author=Author.SYSTEM, kind="backup"))

    def prune(self) -> None:
        """Delete versions beyond the retention limits. Raises the last file's WorkspaceError after the others are
        done.
        """
        failed: WorkspaceError | None = None
        for name in self._names_with_history():
            try:
                self._prune(name)
            except NewerFormat:
                raise
            except WorkspaceError as problem:
                failed = problem
        with suppress(FileNotFoundError), open_folder(self.root, HISTORY_FOLDER) as kept_in:
            collect_garbage(kept_in)
        if failed is not None:
            raise failed

    def _prune(self, name: str) -> None:
        with self._open(name) as (place, _):
            place.log.merge_remote_logs()
            entries = place.log.entries()
            kept = versions_to_keep(
                entries,
                now=self._clock.now(),
                days=self._limits.history_days,
                daily_days=self._limits.history_daily_days,
                newest=self._limits.history_newest,
            )
            if len(kept) < len(entries):
                place.log.rewrite(kept)

    # --- forgetting

    def erase(self, name: str, cut: Cut) -> Erased:
        """Erase text from the file and all its versions; irreversible. Running it again completes a partial erase.

        Raises FileConflict, FileBroken, WriteFailed.
        """
        with self._open(name) as (place, _):
            erased = erase_file(place, cut, lambda: named_versions(self.root, but=name))
            place.log.last()  # raises while the history can't be read: some of it may be left
            return erased

    def names(self) -> list[str]:
        """Return every name that has, had or may have a file."""
        existing = (*self.log_names(), *self.note_names(), *known_names(self.root))
        return sorted({*CORE_NAMES, *OPTIONAL_FILES, ASIDE, ARCHIVE, *existing})

    def give_up(self, name: str) -> None:
        """Record that the owner wants a lost file new: it may be written again, and its versions stay. Raises
        WriteFailed."""
        with self._open(name) as (place, raw):
            if isinstance(raw, Absent) and lost_file(place.log, name).lost_at:
                place.log.add(place.entry(before=MISSING, after=None, author=Author.OWNER, kind="write"))

    # --- inside

    def _missing(self, name: str) -> FileState:
        """Return the state of a core file that isn't there; broken while nothing can say whether it ever was."""
        try:
            with open_folder(self.root, HISTORY_FOLDER) as kept:
                return lost_file(FileHistory(kept, name, self._seen), name)
        except FileNotFoundError:
            return Missing(name=name)
        except OSError:
            return Broken(name=name, problem="unreadable", version="")

    @contextmanager
    def _open(self, name: str, *, writes: bool = False) -> Iterator[tuple[LockedFile, Raw]]:
        """Yield the file under its lock, reconciled; announces every new version afterwards. ``writes``: its folder
        is made if it is missing."""
        parse_name(name)
        event: WorkspaceChanged | None = None
        number, limit, seen = 0, self._limits.max_bytes, self._seen
        try:
            with open_locked(
                self.root, name, locks=self.locks, clock=self._clock, limit=limit, seen=seen, create=writes
            ) as (place, raw, lost):
                try:
                    yield place, raw
                finally:
                    number = self._notifier.next_sequence()
                    # The change is made: one that can't be announced now is announced by the watcher.
                    with suppress(OSError):
                        event = _changed(name, place.log.last(), lost, is_broken=isinstance(raw, Unusable))
        except LockBusy:
            raise WriteFailed(name) from None
        except FolderIsLink:
            raise FileBroken(file=name, problem="link") from None
        except OSError as error:
            raise WriteFailed.from_os_error(name, error) from error
        finally:
            if event is not None:
                self._notifier.notify(event, number)

    def _text_base(
        self, place: LockedFile, raw: Raw, *, restart: bool = False
    ) -> tuple[Contents | None, EncodedText | None]:
        name, now = place.name, contents_of(place.name, raw)
        if now is None and not restart:
            _check_not_lost(place)
        try:
            return now, decode_text(now.data) if now else None
        except NotText:
            raise FileBroken(file=name, problem="not_utf8") from None

    def _encoded(self, name: str, encoding: Callable[[], bytes]) -> bytes:
        try:
            data = encoding()
        except NotText:
            raise TextRefused(file=name) from None
        if len(data) > self._limits.max_bytes:
            raise FileFull(file=name, limit=self._limits.max_bytes)
        return data

    def _list(self, *folders: str) -> list[str]:
        """List a folder of the workspace; empty if it is missing or not a plain folder."""
        with suppress(OSError), open_folder(self.root, *folders) as folder:
            return folder.names()
        return []

    def _names_with_history(self) -> list[str]:
        """Return the managed files with a history; not pet.toml and skills, whose versions are all kept."""
        logs = (leaf for leaf in self._list(HISTORY_FOLDER) if leaf.endswith(".jsonl"))
        return sorted(filter(is_name, (unflat_name(leaf.removesuffix(".jsonl")) for leaf in logs)))

    def _drop_leftovers(self) -> None:
        """Remove temporary files of killed writers, each under its file's lock, so that no writer is active."""
        for name in names_of_temps(self.root):
            with suppress(WorkspaceError), self._open(name) as (place, _):
                place.drop_leftovers()

    def _remember_versions(self) -> None:
        """Mark the versions at program start as seen; only later differences are announced."""
        for name in (*CORE_NAMES, *OPTIONAL_FILES):
            known: Version | None = None
            with suppress(OSError), open_folder(self.root, HISTORY_FOLDER) as kept:
                known = FileHistory(kept, name).newest_version()
            if known is None:
                raw = read_raw(self.root, name, self._limits.max_bytes)
                known = version_of(raw.data) if isinstance(raw, Contents) else MISSING
            self._notifier.mark_seen(name, known)


def _changed(name: str, last: HistoryEntry | None, lost: str | None, *, is_broken: bool) -> WorkspaceChanged:
    return WorkspaceChanged(
        file=name,
        version="" if is_broken else last.after if last else MISSING,
        author=last.author if last and not is_broken else Author.OUTSIDE,
        lost=lost,
    )


def _receipt(committed: Committed | None) -> Receipt | None:
    """Return the receipt. Called without the file's lock: other writers need not wait for the line count."""
    if committed is None:
        return None
    entry, change = committed.entry, committed.change
    old, new = (data or b"" for data in (change.base.data if change.base else None, change.data))
    added, removed = count_changes(old.decode(errors="replace"), new.decode(errors="replace"))
    return Receipt(
        file=entry.file,
        history_id=committed.replaced,
        before=entry.before,
        after=entry.after,
        added=added,
        removed=removed,
        author=entry.author,
        merged=change.merged,
    )


def _check_not_lost(place: LockedFile) -> None:
    if place.name in CORE_NAMES and lost_file(place.log, place.name).lost_at:
        raise FileLost(file=place.name)
