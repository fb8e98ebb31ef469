"""On-disk transcripts of a pet: one file per conversation and machine.

Finds a conversation's files, merges several machines' entries, and lists conversations. Refuses invalid ids, writes
only to this machine's files, and keeps temporary conversations in memory only.
"""

from __future__ import annotations

import errno
import gc
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path
from threading import RLock

from pet.access.policy import Brain
from pet.clock import Clock
from pet.errors import TranscriptBroken, UnknownConversation, WriteFailed
from pet.ids import is_id, new_id
from pet.transcripts.files.jsonl_file import JsonlFile, folder_of, torn_beside
from pet.transcripts.records.codec import decode_entry, encode_entry
from pet.transcripts.records.entries import VERSION, Header, MemorySet, PartialReply, TranscriptEntry
from pet.transcripts.records.merge_order import LONG_AGO, instant, merge
from pet.transcripts.summary import ConversationSummary, SummaryScan
from pet.untrusted.regular_files import open_regular
from pet.workspace.conflict_names import read_copy_name

__all__ = ["ConversationSummary", "Transcript", "TranscriptStore"]

_NAME = re.compile(r"([0-9a-z]{26})(?:~([a-z0-9-]{1,40}))?\.jsonl")
_MACHINE = re.compile(r"[a-z0-9-]{1,40}")
_STEP = timedelta(microseconds=1)
_IN_MIND = 50  # conversations whose messages stay in memory beside the list, the newest


class TranscriptStore:
    """All transcripts in one folder, which need not exist yet."""

    def __init__(self, folder: Path, machine: str, clock: Clock) -> None:
        if not _MACHINE.fullmatch(machine):
            raise ValueError("a machine's id becomes part of a file name")
        self._folder = folder.parent.resolve() / folder.name  # a pet's folder may be a link when it is opened
        self._machine = machine
        self._clock = clock
        self._lock = RLock()
        self._scans: dict[str, SummaryScan] = {}

    @property
    def folder(self) -> Path:
        return self._folder

    def create(self, memory: bool | Brain, temporary: bool = False) -> Transcript:
        """Create a conversation. Its file is created with the first entry; a temporary one gets none."""
        conversation, at = new_id(), self._clock.now().isoformat()
        header = Header(id=new_id(), at=at, conversation=conversation, machine=self._machine)
        start = MemorySet.of(Brain.of(memory), at)
        return Transcript(self._folder, header, fresh=start, temporary=temporary)

    def add_whole(self, conversation_id: str, at: str, entries: Iterable[TranscriptEntry]) -> int:
        """A conversation that was held elsewhere and began at ``at``: all of it in one rename, never over one that is
        there. The bytes of its file. Raises WriteFailed."""
        if not is_id(conversation_id):
            raise ValueError("a conversation's id becomes part of a file name")
        path = self._folder / f"{conversation_id}.jsonl"
        if self.exists(conversation_id):
            raise WriteFailed(_shown(path), errno.EEXIST)
        header = Header(id=new_id(), at=at, conversation=conversation_id, machine=self._machine)
        data = b"".join(map(_line, (header, *entries)))
        temp = f".{path.name}.{new_id()}.tmp"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with folder_of(path) as folder:
                try:
                    folder.create(temp, data, 0o600)
                    folder.add(temp, path.name)
                    folder.sync()
                finally:
                    with suppress(FileNotFoundError):
                        folder.remove(temp)
        except OSError as problem:
            raise WriteFailed.from_os_error(_shown(path), problem) from problem
        return len(data)

    def size(self, conversation_id: str) -> int:
        """The bytes of all files of a conversation; 0 where there is none."""
        return sum(path.stat().st_size for path in _files_of(self._folder, conversation_id))

    def open(self, conversation_id: str) -> Transcript:
        """Open a conversation. Raises UnknownConversation, or TranscriptBroken for a newer file format."""
        if not is_id(conversation_id) or not _files_of(self._folder, conversation_id):
            raise UnknownConversation()
        at = self._clock.now().isoformat()
        header = Header(id=new_id(), at=at, conversation=conversation_id, machine=self._machine)
        with self._lock:
            scan = self._scans.get(conversation_id)
        return Transcript(self._folder, header, known=scan.known if scan else {})

    def exists(self, conversation_id: str) -> bool:
        """Whether the conversation has a file; does not read it."""
        return is_id(conversation_id) and bool(_files_of(self._folder, conversation_id))

    def list(self) -> list[ConversationSummary]:
        """Return conversations with at least one message, newest first. Reads only what was added since the last
        call.
        """
        found: dict[str, list[Path]] = {}
        for path, conversation in _all_files(self._folder):
            found.setdefault(conversation, []).append(path)
        with self._lock, _uncollected():
            self._scans = {each: self._scans.get(each) or SummaryScan(each) for each in found}
            summaries = [self._scans[each].read(sorted(paths)) for each, paths in found.items()]
            summaries.sort(key=lambda summary: (instant(summary.updated_at), summary.id), reverse=True)
            for summary in summaries[_IN_MIND:]:  # thousands of them, after an import
                self._scans[summary.id].rest()
        return [summary for summary in summaries if summary.turns or summary.removed]

    def files(self) -> Sequence[tuple[str, Sequence[Path]]]:
        """Return each conversation's files, the most recently written first; for the owner's own search."""
        found: dict[str, list[Path]] = {}
        newest: dict[str, float] = {}
        for path, conversation in _all_files(self._folder):
            with suppress(OSError):
                newest[conversation] = max(newest.get(conversation, 0.0), path.stat().st_mtime)
                found.setdefault(conversation, []).append(path)
        return [(each, sorted(found[each])) for each in sorted(found, key=lambda id_: (-newest[id_], id_))]

    def delete(self, conversation_id: str) -> None:
        """Delete every machine's file of the conversation. Raises UnknownConversation, WriteFailed."""
        files = _files_of(self._folder, conversation_id) if is_id(conversation_id) else []
        if not files:
            raise UnknownConversation()
        try:
            with folder_of(files[0]) as folder:
                # What a killed forgetting or import left of it is hidden, and nobody would look for it again.
                left = [n for n in folder.names() if n.startswith(f".{conversation_id}") and n.endswith(".tmp")]
                for name in (*left, *(each for path in files for each in (torn_beside(path).name, path.name))):
                    with suppress(FileNotFoundError):
                        folder.remove(name)
                folder.sync()
        except OSError as problem:
            raise WriteFailed.from_os_error(_shown(files[0]), problem) from problem


@dataclass(slots=True)
class _Part:
    """One machine's file of a conversation, with its read position."""

    lines: JsonlFile
    entries: list[TranscriptEntry] = field(default_factory=list)
    damaged: int = 0
    newer: bool = False  # written by a later version of the program
    _dated: int = 0  # number of entries whose times are in ``_latest``
    _latest: datetime = LONG_AGO

    @property
    def latest(self) -> datetime:
        """Return the latest time in it, computed on demand: needed only with several machines' files."""
        for entry in self.entries[self._dated :]:
            self._latest = max(self._latest, instant(entry.at))
        self._dated = len(self.entries)
        return self._latest

    def drop_last(self) -> None:
        """Of the records of a reply that is being said, one each second, only the last is kept in memory."""
        self.entries.pop()
        self._dated = min(self._dated, len(self.entries))

    def restart(self) -> None:
        self.entries, self.damaged, self.newer = [], 0, False
        self._dated, self._latest = 0, LONG_AGO


class Transcript:
    """Entries of one conversation, append and read. Thread-safe."""

    def __init__(
        self,
        folder: Path,
        header: Header,
        *,
        fresh: MemorySet | None = None,
        temporary: bool = False,
        known: Mapping[int, TranscriptEntry] | None = None,
    ) -> None:
        self.id = header.conversation
        self.temporary = temporary
        self._folder = folder
        self._header = header
        self._fresh = fresh  # where the switch began, while nothing is on disk
        self._lock = RLock()
        self._parts: dict[Path, _Part] = {}
        self._in_memory: list[TranscriptEntry] = [header] if fresh is None else [header, fresh]
        self._merged: tuple[TranscriptEntry, ...] | None = None
        self._own = _own_file(folder, header, began_here=fresh is not None)
        if fresh is None:
            self._repair()
            self._refresh(known)

    @property
    def entries(self) -> tuple[TranscriptEntry, ...]:
        """Return all entries in order, including those added by other processes or machines."""
        with self._lock:
            if self._fresh is not None:
                return tuple(self._in_memory)
            self._refresh()
            if self._merged is None:
                self._merged = merge({path.name: part.entries for path, part in self._parts.items()})
            return self._merged

    @property
    def stored(self) -> bool:
        """Whether it has a file: an empty tab and a temporary conversation have none."""
        return self._fresh is None

    @property
    def damaged_lines(self) -> int:
        """Number of lines that could not be read. They are kept in their files."""
        with self._lock:
            if self._fresh is None:
                self._refresh()
            return sum(part.damaged for part in self._parts.values())

    def rest(self) -> None:
        """Let go of the entries in memory; they are read again when they are asked for."""
        with self._lock:
            if self._fresh is None:
                self._parts, self._merged = {}, None

    def append(self, entry: TranscriptEntry, durable: bool = False) -> None:
        """Append an entry; ``durable``: synced to disk on return.

        Raises UnknownConversation if the conversation was deleted meanwhile, and WriteFailed.
        """
        with self._lock:
            if self.temporary:
                self._in_memory.append(entry)
            else:
                self._write(entry, durable)

    def _write(self, entry: TranscriptEntry, durable: bool) -> None:
        if self._fresh is None:
            self._refresh()
        first: list[TranscriptEntry] = [self._header] if self._fresh is None else [self._header, self._fresh]
        try:
            if self._fresh is not None:
                self._folder.mkdir(parents=True, exist_ok=True)
            JsonlFile(self._own).append(
                _line(self._after_all_others(entry)),
                first=b"".join(map(_line, first)),
                create=self._fresh is not None or self._own not in self._parts,
                durable=durable,
            )
        except FileNotFoundError:
            raise UnknownConversation() from None
        except OSError as problem:
            raise WriteFailed.from_os_error(_shown(self._own), problem) from problem
        self._fresh = None
        self._refresh()

    def _after_all_others(self, entry: TranscriptEntry) -> TranscriptEntry:
        """Ensure the entry sorts after everything read from other machines, whatever the clocks say. Its time zone
        stays: the day of what is said is the day here."""
        if len(self._parts.keys() | {self._own}) == 1:
            return entry
        last = max((part.latest for part in self._parts.values()), default=LONG_AGO)
        if instant(entry.at) > last:
            return entry
        after = last + _STEP
        with suppress(ValueError, OverflowError):
            after = after.astimezone(datetime.fromisoformat(entry.at).tzinfo)
        return replace(entry, at=after.isoformat())

    def _repair(self) -> None:
        """Move a torn last line of our own file aside; other machines repair their own files."""
        try:
            JsonlFile(self._own).repair()
        except FileNotFoundError:
            return  # this machine has added nothing yet
        except OSError as problem:
            raise TranscriptBroken(problem="unreadable") from problem

    def _refresh(self, known: Mapping[int, TranscriptEntry] | None = None) -> None:
        """Read new lines; ``known`` maps line hashes to parsed entries. Raises TranscriptBroken,
        UnknownConversation.
        """
        files = _files_of(self._folder, self.id)
        if not files:
            raise UnknownConversation()
        if files != list(self._parts):
            self._parts = {path: self._parts.get(path) or _Part(JsonlFile(path)) for path in files}
            self._merged = None
        try:
            for part in self._parts.values():
                if _read(part, known or {}):
                    self._merged = None
        except FileNotFoundError:
            raise UnknownConversation() from None
        except OSError as problem:
            raise TranscriptBroken(problem="unreadable") from problem
        if any(part.newer for part in self._parts.values()):
            raise TranscriptBroken(problem="newer")


def _read(part: _Part, known: Mapping[int, TranscriptEntry]) -> bool:
    """Read a file's new lines. Return whether there were any."""
    batch = part.lines.read_new()
    if batch.restarted:
        part.restart()
    with _uncollected():
        for line in batch.lines:
            try:
                entry = known.get(hash(line)) or decode_entry(line.decode())
            except ValueError:
                part.damaged += 1
                continue
            if isinstance(entry, PartialReply) and part.entries and entry.replaces(part.entries[-1]):
                part.drop_last()
            part.entries.append(entry)
            part.newer = part.newer or (isinstance(entry, Header) and entry.version > VERSION)
    return batch.restarted or bool(batch.lines)


@contextmanager
def _uncollected() -> Iterator[None]:
    """The cyclic garbage collector is disabled here: none of ten thousand new entries is garbage, and parsing takes a
    tenth of the time.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _began_by(path: Path, machine: str) -> bool:
    try:
        with open_regular(path) as file:
            first = decode_entry(file.readline().decode())
    except (OSError, ValueError):
        return False
    return isinstance(first, Header) and first.machine == machine


def _line(entry: TranscriptEntry) -> bytes:
    return encode_entry(entry).encode() + b"\n"


def _own_file(folder: Path, header: Header, *, began_here: bool) -> Path:
    """Return this machine's file: the plain name if it created the conversation, else one with the machine's name."""
    plain = folder / f"{header.conversation}.jsonl"
    if began_here or _began_by(plain, header.machine):
        return plain
    return folder / f"{header.conversation}~{header.machine}.jsonl"


def _files_of(folder: Path, conversation: str) -> list[Path]:
    return sorted(path for path, of in _all_files(folder, conversation))


def _all_files(folder: Path, start: str = "") -> list[tuple[Path, str]]:
    """Return the transcripts with their conversation ids. Conflict copies of sync programs count as parts."""
    try:
        names = os.listdir(folder)  # noqa: PTH208 -- asked often, and pathlib would make an object of each name
    except OSError:  # no folder yet
        return []
    found = ((name, _conversation_of(name)) for name in names if name.startswith(start))
    return [(folder / name, conversation) for name, conversation in found if conversation]


def _conversation_of(name: str) -> str | None:
    match = _NAME.fullmatch(name)
    if match is None and name.endswith(".jsonl"):
        copy = read_copy_name(name, lambda leaf: _NAME.fullmatch(leaf) is not None)
        match = _NAME.fullmatch(copy.of) if copy else None
    return match[1] if match and is_id(match[1]) else None


def _shown(path: Path) -> str:
    return f"conversations/{path.name}"
