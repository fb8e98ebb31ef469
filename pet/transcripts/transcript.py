"""One conversation's transcript: append entries, and read those of every machine's file.

Thread-safe. Writes only to this machine's file; a temporary conversation stays in memory. Other processes and
machines may append at any time.
"""

from __future__ import annotations

import gc
import logging
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import chain
from pathlib import Path
from threading import RLock

from pet.errors import TranscriptBroken, UnknownConversation, WriteFailed
from pet.model import Packable, pack_texts, texts_of
from pet.paths import make_private
from pet.transcripts.closings import Closing, merge_files, record_closings
from pet.transcripts.entries import (
    LONG_AGO,
    VERSION,
    Compacted,
    Header,
    MemorySet,
    OpenerAsked,
    PartialReply,
    TitleSet,
    TranscriptEntry,
    Unknown,
    instant,
    unreadable_switch,
)
from pet.transcripts.entry_codec import decode_entry, encode_entry, may_be_switch
from pet.transcripts.jsonl_file import JsonlFile
from pet.untrusted.regular_files import Stamp, open_regular, settled_stamp
from pet.workspace.file_names import conversation_of, read_copy_name
from pet.workspace.tombstones import TombstoneStore

_log = logging.getLogger(__name__)
_STEP = timedelta(microseconds=1)
_PLAIN = 600  # last entries whose texts are not compressed: most requests send no more
_PACKED_AT_ONCE = 48


@dataclass(slots=True)
class _Part:
    """One machine's file of a conversation, with its read position."""

    lines: JsonlFile
    entries: list[TranscriptEntry] = field(default_factory=list)
    damaged: int = 0
    newer: bool = False  # written by a later version of the program
    _packed: int = 0  # leading entries whose texts are compressed
    _dated: int = 0  # number of entries whose times are in ``_latest``
    _latest: datetime = LONG_AGO

    @property
    def latest(self) -> datetime:
        """Latest time in it, computed on demand: needed only with several machines' files."""
        for entry in self.entries[self._dated :]:
            self._latest = max(self._latest, instant(entry.at))
        self._dated = len(self.entries)
        return self._latest

    def add(self, entry: TranscriptEntry) -> None:
        """Add an entry: of a reply's partial records, one per second, only the last stays in memory."""
        if isinstance(entry, PartialReply) and self.entries and entry.replaces(self.entries[-1]):
            self.entries.pop()
            self._dated = min(self._dated, len(self.entries))
        self.entries.append(entry)

    def pack_some(self) -> None:
        """Compress some of the entries before the last ones: in a long conversation few are read again, and a file
        that is opened need not wait for thousands.
        """
        end = self._packed + _PACKED_AT_ONCE
        if end <= len(self.entries) - _PLAIN:
            pack_texts(chain.from_iterable(map(_with_parts, self.entries[self._packed : end])))
            self._packed = end

    def restart(self) -> None:
        self.entries, self.damaged, self.newer = [], 0, False
        self._packed = 0
        self._dated, self._latest = 0, LONG_AGO


def _with_parts(entry: TranscriptEntry) -> Iterator[Packable]:
    """Yield what of the entry can be packed."""
    yield entry
    for field_name in ("parts", "context", "used"):
        yield from (part for part in getattr(entry, field_name, ()) if isinstance(part, Packable))


class Transcript:
    """Entries of one conversation: append and read. Thread-safe."""

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
        self._fresh = fresh  # the initial switch state, while nothing is on disk
        self._lock = RLock()
        self._parts: dict[Path, _Part] = {}
        self._listed: Stamp | None = None  # of the folder, when all was read
        self._in_memory: list[TranscriptEntry] = [header] if fresh is None else [header, fresh]
        self._merged: tuple[TranscriptEntry, ...] | None = None
        self._own = _own_file(folder, header, began_here=fresh is not None)
        if fresh is None:
            self._repair()
            self._refresh(known)
            self._protect()

    @property
    def entries(self) -> tuple[TranscriptEntry, ...]:
        """All entries in order, including those added by other processes or machines."""
        with self._lock:
            if self._fresh is not None:
                return tuple(self._in_memory)
            self._refresh()
            if self._merged is None:
                self._merged = merge_files({path: part.entries for path, part in self._parts.items()})
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
        """Free the entries; the next access reads them again."""
        with self._lock:
            if self._fresh is None:
                self._parts, self._listed, self._merged = {}, None, None

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
        entry = self._after_all_others(entry)
        first: list[TranscriptEntry] = [self._header] if self._fresh is None else [self._header, self._fresh]
        line, part = entry_line(entry), self._parts.get(self._own)
        try:
            if self._fresh is not None:
                make_private(self._folder)
            elif isinstance(entry, Closing):
                record_closings(self._own, part.entries if part else (), entry)
            lines = part.lines if part else JsonlFile(self._own, may_be_switch)
            is_read = lines.append(
                line,
                first=b"".join(map(entry_line, first)),
                create=self._fresh is not None or part is None,
                durable=durable,
            )
        except FileNotFoundError:
            raise UnknownConversation() from None
        except OSError as problem:
            raise WriteFailed.from_os_error(shown_path(self._own), problem) from problem
        is_first, self._fresh = self._fresh is not None, None
        if part and is_read:
            merged, known = self._merged, len(part.entries)
            entry = decode_entry(line.rstrip(b"\n").decode())  # as every other reader of the file has it
            part.add(entry)
            part.pack_some()
            is_all = merged is not None and len(self._parts) == 1 and len(merged) == known < len(part.entries)
            self._merged = (*merged, entry) if merged and is_all and not isinstance(entry, Closing) else None
        else:
            self._refresh()
        if is_first:
            self._protect()

    def _protect(self) -> None:
        """Record a second time what closes in our own file, as earlier versions did not."""
        if part := self._parts.get(self._own):
            record_closings(self._own, part.entries)

    def _after_all_others(self, entry: TranscriptEntry) -> TranscriptEntry:
        """Return the entry with a time after those of all other machines, whatever the clocks say. Keeps its time
        zone, which decides its day.
        """
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
        """Move a torn last line of our own file aside unless it may be a switch; other machines repair theirs."""
        try:
            JsonlFile(self._own, may_be_switch).repair()
        except FileNotFoundError:
            return  # this machine has added nothing yet
        except OSError as problem:
            raise TranscriptBroken(problem="unreadable") from problem

    def _refresh(self, known: Mapping[int, TranscriptEntry] | None = None) -> None:
        """Read new lines. ``known``: parsed entries by line hash. Raises TranscriptBroken, UnknownConversation."""
        stamp, listed = settled_stamp(self._folder), self._listed
        if (
            stamp is not None
            and stamp == listed
            and not any(each.lines.has_changed() for each in self._parts.values())
        ):
            return
        self._listed = None
        files = files_of(self._folder, self.id)
        if not files:
            raise UnknownConversation()
        if files != list(self._parts):
            self._parts = {path: self._parts.get(path) or _Part(JsonlFile(path, may_be_switch)) for path in files}
            self._merged = None
        try:
            for path, part in self._parts.items():
                before = part.entries
                if _read(part, known or {}):
                    self._merged = None
                if part.entries is not before:
                    if path == self._own:
                        self._append_lost(part, before)
                    texts_of.cache_clear()  # a text may have been forgotten
        except FileNotFoundError:
            raise UnknownConversation() from None
        except OSError as problem:
            raise TranscriptBroken(problem="unreadable") from problem
        if any(part.newer for part in self._parts.values()):
            raise TranscriptBroken(problem="newer")
        self._listed = stamp

    def _append_lost(self, part: _Part, before: Sequence[TranscriptEntry]) -> None:
        """Append again what our own file lost to a sync program that set it back to an earlier state. Raises OSError.

        Only this machine writes the file, so nothing newer can be in its place. A forgotten text stays away.
        """
        lost = lost_entries(before, part.entries)
        forgotten = TombstoneStore(self._folder.parent).is_forgotten
        lines = {entry.id: line for entry in lost if not forgotten((line := entry_line(entry)).decode())}
        if lines:
            _log.warning("a conversation was set back: %d entries are appended again", len(lines))
            part.lines.append_missing(lines)
            _read(part, {})


def lost_entries(before: Sequence[TranscriptEntry], now: Sequence[TranscriptEntry]) -> Sequence[TranscriptEntry]:
    """Return the last entries of ``before`` if ``now`` is an earlier state of the same file, with anything added.

    Empty for a file that forgetting rewrote: it changes entries in place, and deletes only titles and summaries.
    """
    same = next((at for at, (old, new) in enumerate(zip(before, now, strict=False)) if old != new), None)
    same = min(len(before), len(now)) if same is None else same
    lost, added = [each for each in before[same:] if not _stands_in(each)], {entry.id for entry in now[same:]}
    if not same or any(entry.id in added for entry in lost):
        return ()
    return () if all(isinstance(entry, TitleSet | Compacted | OpenerAsked) for entry in lost) else lost


def _stands_in(entry: TranscriptEntry) -> bool:
    return isinstance(entry, MemorySet) and entry.unreadable


def _read(part: _Part, known: Mapping[int, TranscriptEntry]) -> bool:
    """Read a file's new lines. Return whether there were any."""
    batch = part.lines.read_new()
    if batch.restarted:
        part.restart()
    with without_collection():
        for line in batch.lines:
            try:
                entry = known.get(hash(line)) or decode_entry(line.decode())
            except ValueError:
                part.damaged += 1
                entry = unreadable_switch(line, part.entries)
            part.add(entry)
            if isinstance(entry, Unknown) and '"memory":' in entry.line:  # a switch whose kind was damaged
                part.entries.append(unreadable_switch(line, part.entries))
            part.newer = part.newer or (isinstance(entry, Header) and entry.version > VERSION)
    if batch.lines:
        part.pack_some()
    return batch.restarted or bool(batch.lines)


@contextmanager
def without_collection() -> Iterator[None]:
    """Disable the cyclic garbage collector meanwhile: none of ten thousand new entries is garbage, and parsing takes
    a tenth of the time.
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


def entry_line(entry: TranscriptEntry) -> bytes:
    return encode_entry(entry).encode() + b"\n"


def _own_file(folder: Path, header: Header, *, began_here: bool) -> Path:
    """Return this machine's file: the plain name if it created the conversation, else one with the machine's name."""
    plain = folder / f"{header.conversation}.jsonl"
    if began_here or _began_by(plain, header.machine):
        return plain
    return folder / f"{header.conversation}~{header.machine}.jsonl"


def files_of(folder: Path, conversation: str) -> list[Path]:
    return sorted(path for path, of in all_files(folder, conversation))


def all_files(folder: Path, start: str = "") -> list[tuple[Path, str]]:
    """Return the transcripts with their conversation ids. Conflict copies of sync programs count as parts."""
    try:
        names = os.listdir(folder)  # noqa: PTH208 -- called often: no Path object per name
    except OSError:  # no folder yet
        return []
    named = ((name, _conversation_of(name)) for name in names if name.startswith(start))
    return [(folder / name, conversation) for name, conversation in named if conversation]


def _conversation_of(name: str) -> str:
    if (conversation := conversation_of(name)) or not name.endswith(".jsonl"):
        return conversation
    copy = read_copy_name(name, lambda leaf: bool(conversation_of(leaf)))
    return conversation_of(copy.of) if copy else ""


def shown_path(path: Path) -> str:
    return f"conversations/{path.name}"
