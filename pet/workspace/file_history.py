"""Version history: a file's log and objects, the versions that are kept, lost updates, and objects of no log.

``.history/objects/<sha256>`` holds bytes, ``.history/<name>.jsonl`` one line per version. A change is logged as
pending before the file is swapped and marked done afterwards, so the next process can resolve what a killed one left.
A torn log line is terminated, skipped and kept. Takes no lock, except to delete objects that no log names; changes no
file of the pet.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path
from typing import Literal

from pet.fs.directory import (
    Contents,
    Folder,
    Raw,
    Signature,
    Unusable,
    open_folder,
    temp_owner,
    version_of,
    write_atomically,
)
from pet.fs.locks import as_write_errors, lock_file, locked
from pet.ids import new_id
from pet.model import MISSING, Author, Missing, Source, Version
from pet.serde import FILE_SCALARS, Reader
from pet.untrusted.parsers import read_json
from pet.workspace.file_names import HISTORY_FOLDER, flat_name, is_name, read_copy_name, unflat_name
from pet.workspace.note_files import note_folders

Kind = Literal["write", "outside", "backup", "restore"]

LOG_END = ".jsonl"
OBJECTS = "objects"
ASIDE = "displaced"
"""Folder of the files that a swap displaced, until no editor can still be writing into them."""
NO_LIMIT = 1 << 31


def log_leaf(name: str) -> str:
    """Return the file of a file's log in the history's folder."""
    return f"{flat_name(name)}{LOG_END}"


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryEntry:
    """A change of the file from ``before`` to ``after``. ``done``: the swap is known to have happened."""

    id: str
    file: str
    at: str
    author: Author
    source: Source | None
    before: Version
    after: Version
    size: int
    kind: Kind
    done: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """A parsed log, valid while the file's signature is unchanged."""

    signature: Signature | None
    entries: dict[str, HistoryEntry]
    torn: bool


class FileHistory:
    """History of one file. Writing requires the file's lock; reading does not.

    Each method raises OSError for a log that can't be read now: as an empty one, its objects would be unreferenced.
    """

    def __init__(self, folder: Folder, name: str, seen: dict[str, Seen] | None = None, *, log: str = "") -> None:
        """``seen``: a cache kept by the caller, so that a log isn't parsed for every change. ``log``: the log's file,
        for a copy of it by a sync program."""
        self._folder = folder
        self._name = name
        self._log = log or log_leaf(name)
        self._seen = {} if seen is None else seen

    # --- bytes

    def put_object(self, data: bytes) -> Version:
        """Store bytes under their hash and return it; synced to disk on return."""
        version = version_of(data)
        with self._folder.sub(OBJECTS, create=True) as objects:
            kept = objects.read(version, NO_LIMIT)
            if isinstance(kept, Contents) and kept.data == data:
                objects.touch(version)  # otherwise pruning could delete it before the log names it again
            else:
                write_atomically(objects, version, data)
        return version

    def get_object(self, version: Version) -> bytes | None:
        """Return the stored bytes; b"" for MISSING, None if they are gone, damaged or unreadable."""
        if version == MISSING:
            return b""
        with suppress(OSError):
            data = self.raw_bytes(version)
            return data if version_of(data) == version else None
        return None

    def raw_bytes(self, version: Version) -> bytes | None:
        """Return what ``get_object`` does, and damaged bytes too. Raises OSError if they can't be read now."""
        with suppress(FileNotFoundError), self._folder.sub(OBJECTS, create=False) as objects:
            return _data(objects.read(version, NO_LIMIT))
        return None

    def drop_objects(self, versions: Iterable[Version]) -> None:
        """Delete objects that no log names any more."""
        with suppress(FileNotFoundError), self._folder.sub(OBJECTS, create=False) as objects:
            for version in versions:
                if _OBJECT.fullmatch(version):  # a log written by another machine could contain any name
                    with suppress(FileNotFoundError):
                        objects.remove(version)
            objects.sync()

    # --- log

    def entries(self) -> list[HistoryEntry]:
        """Return the entries oldest first, without those whose swap never happened."""
        return list(self._read().entries.values())

    def last(self) -> HistoryEntry | None:
        """Return the newest entry, or None for a file without history."""
        entries = self.entries()
        return entries[-1] if entries else None

    def newest_version(self) -> Version | None:
        """Return ``last().after``, faster: reads the log from its end."""
        void: set[str] = set()
        for raw in reversed(self._lines_of(self._log)):
            entries: dict[str, HistoryEntry] = {}
            void |= _apply(raw, entries, self._name)
            for entry in entries.values():
                if entry.id not in void:
                    return entry.after
        return None

    def find(self, id_or_version: str) -> HistoryEntry | None:
        """Return the entry with this id, else the newest with that content version."""
        return next((e for e in reversed(self.entries()) if id_or_version in (e.id, e.after)), None)

    def add(self, entry: HistoryEntry) -> HistoryEntry:
        """Append a line, synced to disk on return. Follow a pending one by ``done`` or ``void``."""
        seen = self._read()
        self._append(seen, _line(entry), {**seen.entries, entry.id: entry}, durable=True)
        return entry

    def done(self, id_: str) -> None:
        """Record that a pending entry's swap happened."""
        seen = self._read()
        done = {id_: replace(seen.entries[id_], done=True)} if id_ in seen.entries else {}
        self._append(seen, {"done": id_}, seen.entries | done, durable=False)

    def void(self, id_: str) -> None:
        """Record that the swap did not happen, so the entry is not a version."""
        seen = self._read()
        others = {each: entry for each, entry in seen.entries.items() if each != id_}
        self._append(seen, {"void": id_}, others, durable=False)

    def rewrite(self, entries: Iterable[HistoryEntry]) -> None:
        """Replace the log with these lines atomically."""
        write_atomically(self._folder, self._log, b"".join(_encode(_line(entry)) for entry in entries))

    def merge_remote_logs(self) -> None:
        """Merge the versions from other machines' logs, which a sync program left as conflict copies.

        They are inserted by time; the newest version here stays the newest.
        """
        copies = [leaf for leaf in self._folder.names() if read_copy_name(leaf, self._log.__eq__)]
        known = {entry.id: entry for entry in self.entries()}
        remote: dict[str, HistoryEntry] = {}
        for copy in copies:
            for line in self._lines_of(copy):
                _apply(line, remote, self._name)
        missing = [entry for entry in remote.values() if entry.id not in known and entry.done]
        if missing:
            last = self.last()
            merged = sorted([*known.values(), *missing], key=lambda entry: datetime.fromisoformat(entry.at))
            if last is not None and merged[-1].after != last.after:
                merged.append(rebased_entry(last, before=merged[-1].after))
            self.rewrite(merged)
        for copy in copies:
            self._folder.remove(copy)

    def _read(self) -> Seen:
        signature = self._folder.signature(self._log)
        seen = self._seen.get(self._name)
        if seen is None or seen.signature != signature:
            lines = self._lines_of(self._log)
            entries: dict[str, HistoryEntry] = {}
            for line in lines:
                _apply(line, entries, self._name)
            seen = Seen(signature=signature, entries=entries, torn=bool(lines[-1]))
            self._seen[self._name] = seen
        return seen

    def _lines_of(self, log: str) -> list[bytes]:
        return (_data(self._folder.read(log, NO_LIMIT)) or b"").split(b"\n")

    def _append(
        self, seen: Seen, line: dict[str, object], entries: dict[str, HistoryEntry], *, durable: bool
    ) -> None:
        """Append a line to the log as it was ``seen``; ``entries``: what it says then."""
        # A last line without a line end was torn by a crash: terminate it, or our line would be lost with it.
        self._folder.append(self._log, (b"\n" if seen.torn else b"") + _encode(line), durable=durable)
        if seen.signature is None and durable:
            self._folder.sync()
        self._seen[self._name] = Seen(signature=self._folder.signature(self._log), entries=entries, torn=False)


def lost_file(log: FileHistory, name: str) -> Missing:
    """Return the state of a file that isn't there. One that the owner removed here, by an undo, is not lost. Raises
    OSError."""
    entries = [entry for entry in log.entries() if entry.done]
    last = entries[-1] if entries else None
    if last is None or (last.after == MISSING and last.author is not Author.OUTSIDE):
        return Missing(name=name)
    versions = (entry for entry in reversed(entries) if entry.after != MISSING)
    kept = next((entry.id for entry in versions if log.get_object(entry.after) is not None), "")
    return Missing(name=name, lost_at=last.at, kept=kept)


def rebased_entry(entry: HistoryEntry, *, before: Version) -> HistoryEntry:
    """Return the same change with another base."""
    return replace(entry, id=new_id(), before=before, done=True)


def _data(raw: Raw) -> bytes | None:
    if isinstance(raw, Unusable) and raw.problem == "unreadable":
        raise OSError(raw.problem)
    return raw.data if isinstance(raw, Contents) else None


def _line(entry: HistoryEntry) -> dict[str, object]:
    source = entry.source
    named = (source.conversation, source.turn, *([source.agent] if source.agent else ())) if source else None
    line: dict[str, object] = {
        "id": entry.id,
        "file": entry.file,
        "at": entry.at,
        "author": entry.author.value,
        "kind": entry.kind,
        "before": entry.before,
        "after": entry.after,
        "bytes": entry.size,
        "source": named,
    }
    return line | ({} if entry.done else {"pending": True})


_SOURCE = ("conversation", "turn", "agent")


def _encode(line: dict[str, object]) -> bytes:
    return json.dumps(line, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _apply(raw: bytes, entries: dict[str, HistoryEntry], name: str) -> set[str]:
    """Apply one line and return the ids it voided.

    Unparseable lines (torn by a crash, or from a later version of the program) are skipped.
    """
    try:
        line = read_json(raw)
    except ValueError:
        return set()
    if not isinstance(line, dict):
        return set()
    if "done" in line:
        if entry := entries.get(str(line["done"])):
            entries[entry.id] = replace(entry, done=True)
    elif "void" in line:
        entries.pop(str(line["void"]), None)
        return {str(line["void"])}
    elif entry := _parse(line, name):
        entries[entry.id] = entry
    return set()


def _parse(line: dict[str, object], name: str) -> HistoryEntry | None:
    source = line.get("source")
    fields = {
        **line,
        "file": name,
        "size": line.get("bytes"),
        "source": dict(zip(_SOURCE, source, strict=False)) if isinstance(source, list) else None,
        "done": "pending" not in line,
    }
    try:
        entry: HistoryEntry = _READ_ENTRY(fields)
        return entry if datetime.fromisoformat(entry.at).tzinfo else None  # naive times can't be compared
    except ValueError:
        return None


_OBJECT = re.compile(r"[0-9a-f]{64}")
_READ_ENTRY = Reader(scalars=FILE_SCALARS, lenient=True).decoder(HistoryEntry)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptVersion:
    """One version of a file. ``replaced_by``: author of the next one; None for the current one."""

    id: str
    file: str
    version: Version
    at: str
    author: Author
    replaced_by: Author | None
    source: Source | None
    bytes: int
    current: bool
    backup: bool


def list_versions(entries: Sequence[HistoryEntry], current: Version) -> list[KeptVersion]:
    """List versions newest first. A deletion is not a version, but counts as the replacement of the one before."""
    versions: list[KeptVersion] = []
    replaced_by: Author | None = None
    for at, entry in reversed(list(enumerate(entries))):
        following = entries[at + 1] if at + 1 < len(entries) else None
        if following is not None and following.after != entry.after:
            replaced_by = following.author
        is_current = following is None and entry.after == current
        if entry.after == MISSING:
            continue
        versions.append(
            KeptVersion(
                id=entry.id,
                file=entry.file,
                version=entry.after,
                at=entry.at,
                author=entry.author,
                replaced_by=replaced_by,
                source=entry.source,
                bytes=entry.size,
                current=is_current,
                backup=entry.kind == "backup",
            )
        )
    return versions


def versions_to_keep(
    entries: Sequence[HistoryEntry], *, now: datetime, days: int, daily_days: int, newest: int
) -> list[HistoryEntry]:
    """Return all versions of the last ``days``, the last of each day up to ``daily_days``, and the ``newest`` ones.

    Only days on which the file changed count: see ``_ages``.
    """
    last_of_day = {_day(entry): entry.id for entry in entries}
    always = {entry.id for entry in entries[-max(1, newest) :]}
    kept: list[HistoryEntry] = []
    for entry, age in zip(entries, _ages(entries, now), strict=True):
        daily = age <= daily_days and last_of_day[_day(entry)] == entry.id
        if age <= days or daily or entry.id in always or not entry.done:
            kept.append(entry)
    return kept


def _ages(entries: Sequence[HistoryEntry], now: datetime) -> list[float]:
    """Return the versions' ages in days. Between neighbours at most a day counts, so that a clock that jumps ahead
    makes everything one day older at most.
    """
    ages: list[float] = []
    age, later = 0.0, now
    for entry in reversed(entries):
        at = datetime.fromisoformat(entry.at)
        age += min(1.0, max(0.0, (later - at).total_seconds() / 86400))
        ages.append(age)
        later = at
    return ages[::-1]


def _day(entry: HistoryEntry) -> str:
    return entry.at[:10]


_LOOK_BACK = 12


def detect_lost_update(
    data: bytes | None, entries: Sequence[HistoryEntry], bytes_of: Callable[[Version], bytes | None]
) -> str | None:
    """Return the id of our newest version that ``data`` overwrote unknowingly, or None.

    ``data`` is nearer to a version before it than to the newest.
    """
    if data is None or not entries:
        return None
    here = _lines(data)
    recent = entries[-_LOOK_BACK:]
    nearest = _distance(here, bytes_of(recent[-1].after))
    if nearest is None:
        return None
    base = None
    for at in range(len(recent) - 1, -1, -1):
        older = bytes_of(recent[at].before)
        to_older = _distance(here, older)
        # Without this, a rewritten text would be near to any short version.
        if to_older is not None and to_older < nearest and _kept_half(here, older):
            nearest, base = to_older, at
    if base is None or recent[base].before == MISSING:
        return None
    ours = [entry for entry in recent[base:] if entry.author is not Author.OUTSIDE and entry.after != entry.before]
    return ours[-1].id if ours else None


def _distance(here: Counter[bytes], other: bytes | None) -> int | None:
    if other is None:
        return None
    there = _lines(other)
    return (here - there).total() + (there - here).total()


def _kept_half(here: Counter[bytes], other: bytes | None) -> bool:
    there = _lines(other or b"")
    return 2 * (here & there).total() >= there.total()


def _lines(data: bytes) -> Counter[bytes]:
    return Counter(line.strip() for line in data.splitlines() if line.strip())


# --- all files' histories

_LIMIT = 1 << 26
_DAY_NS = 86_400 * 1_000_000_000


def named_versions(root: Path, *, but: str = "") -> set[Version]:
    """Return every version named by any history except that of the file ``but``. Raises OSError if one can't be read
    now: its versions would seem unreferenced.
    """
    with open_folder(root, HISTORY_FOLDER) as kept:
        return _named_in(kept, (log for name, logs in _logs_in(kept).items() if name != but for log in logs))


def history_logs(root: Path) -> dict[str, tuple[str, ...]]:
    """Return the leaves of each file's history logs: its own, and conflict copies from other machines."""
    with suppress(OSError), open_folder(root, HISTORY_FOLDER) as kept:
        return _logs_in(kept)
    return {}


def _logs_in(kept: Folder) -> dict[str, tuple[str, ...]]:
    leaves = {leaf for leaf in kept.names() if leaf.endswith(LOG_END)}
    logs: dict[str, tuple[str, ...]] = {}
    for leaf in sorted(leaves):
        copy = read_copy_name(leaf, lambda of: of in leaves or is_name(unflat_name(of.removesuffix(LOG_END))))
        of = unflat_name((copy.of if copy else leaf).removesuffix(LOG_END))
        logs[of] = (*logs.get(of, ()), leaf)
    return logs


def _named_in(kept: Folder, logs: Iterable[str]) -> set[Version]:
    entries = (entry for log in logs for entry in FileHistory(kept, log, log=log).entries())
    return set(versions_in(entries))


def versions_in(entries: Iterable[HistoryEntry]) -> dict[Version, None]:
    """Return every version that the entries name, once and in order, MISSING included."""
    return dict.fromkeys(version for entry in entries for version in (entry.before, entry.after))


def known_names(root: Path) -> set[str]:
    """Return the files that have a history, or that a killed writer was about to create."""
    return {name for name in history_logs(root) if is_name(name)} | names_of_temps(root)


def names_of_temps(root: Path) -> set[str]:
    """Return the files that a killed writer left a temporary file of."""
    owners: set[str] = set()
    for folders in _written_in(root):
        with suppress(OSError), open_folder(root, *folders) as folder:
            owners |= {owner for file in folder.names() if (owner := _owner_of(folders, file))}
    return {name for name in owners if is_name(name)}


def _written_in(root: Path) -> list[tuple[str, ...]]:
    """Return the folders of the files that are written."""
    return [(), *(tuple(prefix.split("/")) for prefix in note_folders(root))]


def iter_versions(root: Path, logs: Iterable[str]) -> Iterator[bytes]:
    """Yield the bytes of each version of these logs once, including damaged ones. Raises OSError if one can't be read
    now.
    """
    with suppress(FileNotFoundError), open_folder(root, HISTORY_FOLDER) as kept:
        histories = [FileHistory(kept, log, log=log) for log in logs]
        entries = (entry for history in histories for entry in history.entries())
        for version in versions_in(entries):
            data = histories[0].raw_bytes(version)
            if data is not None:
                yield data


def log_entries(root: Path, name: str) -> list[HistoryEntry]:
    """Return a file's log entries, oldest first; none if they can't be read."""
    with suppress(OSError), open_folder(root, HISTORY_FOLDER) as kept:
        return FileHistory(kept, name).entries()
    return []


def files_containing(root: Path, holds: Callable[[bytes], bool]) -> set[str]:
    """Return the files with matching stored, displaced or temporary bytes, or with unreadable versions."""
    names = {name for name, logs in history_logs(root).items() if _may_hold(root, logs, holds)}
    for folders in (*_written_in(root), (HISTORY_FOLDER, ASIDE)):
        with suppress(OSError), open_folder(root, *folders) as folder:
            for file in folder.names():
                owner = _owner_of(folders, file)
                raw = folder.read(file, _LIMIT) if owner else None
                if owner and isinstance(raw, Contents) and holds(raw.data):
                    names.add(owner)
    return names


def _may_hold(root: Path, logs: Iterable[str], holds: Callable[[bytes], bool]) -> bool:
    try:
        return any(map(holds, iter_versions(root, logs)))
    except OSError:
        return True


def _owner_of(folders: tuple[str, ...], file: str) -> str | None:
    """Return the file that a temporary or displaced file belongs to, or None."""
    if folders == (HISTORY_FOLDER, ASIDE):
        return unflat_name(file.partition("~")[0])
    owner = temp_owner(file)
    return "/".join((*folders, owner)) if owner else None


def find_orphans(root: Path, holds: Callable[[bytes], bool]) -> tuple[str, ...]:
    """Return matching objects that no log names, as after a crash or a lost log; none if a log is unreadable."""
    orphans: list[str] = []
    with suppress(OSError), open_folder(root, HISTORY_FOLDER, OBJECTS) as objects:
        named = named_versions(root)
        for leaf in objects.names():
            raw = objects.read(leaf, NO_LIMIT) if leaf not in named else None
            if isinstance(raw, Contents) and holds(raw.data):
                orphans.append(leaf)
    return tuple(orphans)


def delete_orphans(root: Path, locks: Path, names: Iterable[str], holds: Callable[[bytes], bool]) -> int:
    """Delete matching orphans and return how many. Raises WriteFailed.

    ``names``: all writable files.
    """
    if not find_orphans(root, holds):
        return 0
    deleted = 0
    with as_write_errors(HISTORY_FOLDER):
        for name in names:  # a writer stores an object before its log names it: running ones are waited for
            with locked(lock_file(locks, root, name)):
                pass
        orphans = find_orphans(root, holds)
        with open_folder(root, HISTORY_FOLDER) as kept, kept.sub(OBJECTS, create=False) as objects:
            for leaf in orphans:
                raw = objects.read(leaf, NO_LIMIT)
                objects.remove(leaf)
                if isinstance(raw, Contents) and leaf in named_versions(root):  # written again at this moment
                    write_atomically(objects, leaf, raw.data)
                else:
                    deleted += 1
            objects.sync()
    return deleted


def collect_garbage(history: Folder) -> None:
    """Delete unreferenced objects older than a day: a writer stores an object before its log entry names it.

    Age is by the file system's clock and counts from when a file came to this disk: a sync program brings objects
    with another machine's dates, maybe before the log that names them. Raises OSError if a log can't be read now;
    nothing is deleted then.
    """
    leaves = history.names()
    named = _named_in(history, (log for logs in _logs_in(history).values() for log in logs))
    before = _file_system_now(history) - _DAY_NS
    _drop_old(history, (leaf for leaf in leaves if leaf.startswith(".") and leaf.endswith(".tmp")), before)
    with history.sub(OBJECTS, create=False) as objects:
        _drop_old(objects, (version for version in objects.names() if version not in named), before)


def _file_system_now(folder: Folder) -> int:
    """Return the file system's time in nanoseconds, from a new file."""
    probe = f".{new_id()}.tmp"
    folder.create(probe, b"", 0o600)
    made = folder.came(probe)
    folder.remove(probe)
    return made or 0


def _drop_old(folder: Folder, files: Iterable[str], before: int) -> None:
    for file in files:
        came = folder.came(file)
        if came is not None and came < before:
            folder.remove(file)
