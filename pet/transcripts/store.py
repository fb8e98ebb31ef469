"""On-disk transcripts of a pet: one file per conversation and machine; creates, opens, lists and deletes them.

Writes only to this machine's files.
"""

from __future__ import annotations

import errno
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import RLock

from pet.access import MemoryMode
from pet.clock import Clock
from pet.errors import UnknownConversation, WriteFailed
from pet.fs.directory import temp_beside, write_atomically
from pet.ids import is_id, new_id
from pet.paths import make_private
from pet.transcripts.closings import merge_files
from pet.transcripts.entries import (
    Header,
    MemorySet,
    TitleSet,
    TranscriptEntry,
    TurnFinished,
    TurnsRemovedSet,
    UserMessage,
    VariantSet,
    instant,
)
from pet.transcripts.entry_codec import decode_lines, prefix
from pet.transcripts.fold import fold
from pet.transcripts.jsonl_file import JsonlFile, folder_of, switch_beside, torn_beside
from pet.transcripts.transcript import Transcript, all_files, entry_line, files_of, shown_path, without_collection

__all__ = ["ConversationSummary", "SummaryScan", "Transcript", "TranscriptStore"]

_WANTED = tuple(
    prefix(kind) for kind in (Header, MemorySet, TitleSet, UserMessage, TurnFinished, TurnsRemovedSet, VariantSet)
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationSummary:
    id: str
    title: str
    memory: bool
    updated_at: str
    turns: int
    temporary: bool = False  # always False for those on disk
    removed: int = 0
    read_only: bool = False


class SummaryScan:
    """Cached metadata of one conversation's files."""

    def __init__(self, conversation: str) -> None:
        self._id = conversation
        self._files: dict[Path, JsonlFile] = {}
        self._entries: dict[Path, list[TranscriptEntry]] = {}
        self._known: dict[int, TranscriptEntry] = {}
        self._summary: ConversationSummary | None = None
        self._rests = False

    @property
    def known(self) -> Mapping[int, TranscriptEntry]:
        """Parsed entries by line hash, so that opening the conversation need not parse them again."""
        return self._known

    def read(self, paths: list[Path]) -> ConversationSummary:
        """Return the summary of these files. Reads only new lines; skips files that can't be read."""
        if self._rests and self._summary is not None:
            if paths == list(self._files) and not any(file.has_changed() for file in self._files.values()):
                return self._summary
            self._files, self._rests = {}, False
        changed = paths != list(self._files)
        self._files = {path: self._files.get(path) or JsonlFile(path) for path in paths}
        self._entries = {path: self._entries.get(path, []) for path in paths}
        for path, file in self._files.items():
            with suppress(OSError):  # deleted or locked since: the list shows the rest
                batch = file.read_new()
                if batch.restarted:
                    self._entries[path], self._known = [], {}
                for line, entry in decode_lines(batch.lines, _WANTED):
                    self._entries[path].append(entry)
                    self._known[hash(line)] = entry
                changed = changed or batch.restarted or bool(batch.lines)
        if changed or self._summary is None:
            self._summary = self._fold()
        return self._summary

    def rest(self) -> None:
        """Free the entries and keep the summary; a changed file is then read from its start."""
        self._entries, self._known, self._rests = {}, {}, True

    def _fold(self) -> ConversationSummary:
        conversation = fold(merge_files(self._entries))
        return ConversationSummary(
            id=self._id,
            title=conversation.title,
            memory=conversation.memory,
            read_only=conversation.read_only,
            updated_at=conversation.updated_at,
            turns=len(conversation.turns),
            removed=len(conversation.removed),
        )


_MACHINE = re.compile(r"[a-z0-9-]{1,40}")
_CACHED_CONVERSATIONS = 50  # newest conversations whose messages stay in memory with the list


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

    def create(self, memory: bool | MemoryMode, temporary: bool = False) -> Transcript:
        """Create a conversation. Its file is created with the first entry; a temporary one gets none."""
        conversation, at = new_id(), self._clock.now().isoformat()
        header = Header(id=new_id(), at=at, conversation=conversation, machine=self._machine)
        start = MemorySet.of(MemoryMode.of(memory), at)
        return Transcript(self._folder, header, fresh=start, temporary=temporary)

    def add_whole(self, conversation_id: str, at: str, entries: Iterable[TranscriptEntry]) -> int:
        """Write an imported conversation that began at ``at``, in one rename, never over an existing one.

        Returns the bytes of its file. Raises WriteFailed.
        """
        if not is_id(conversation_id):
            raise ValueError("a conversation's id becomes part of a file name")
        path = self._folder / f"{conversation_id}.jsonl"
        if self.exists(conversation_id):
            raise WriteFailed(shown_path(path), errno.EEXIST)
        header = Header(id=new_id(), at=at, conversation=conversation_id, machine=self._machine)
        data = b"".join(map(entry_line, (header, *entries)))
        try:
            make_private(self._folder)
            with folder_of(path) as folder:
                write_atomically(folder, path.name, data, temp=temp_beside(path.name), overwrite=False)
        except OSError as problem:
            raise WriteFailed.from_os_error(shown_path(path), problem) from problem
        return len(data)

    def size(self, conversation_id: str) -> int:
        """Return the bytes of all files of a conversation; 0 if it has none."""
        return sum(path.stat().st_size for path in files_of(self._folder, conversation_id))

    def open(self, conversation_id: str) -> Transcript:
        """Open a conversation. Raises UnknownConversation, or TranscriptBroken for a newer file format."""
        if not is_id(conversation_id) or not files_of(self._folder, conversation_id):
            raise UnknownConversation()
        at = self._clock.now().isoformat()
        header = Header(id=new_id(), at=at, conversation=conversation_id, machine=self._machine)
        with self._lock:
            scan = self._scans.get(conversation_id)
        return Transcript(self._folder, header, known=scan.known if scan else {})

    def exists(self, conversation_id: str) -> bool:
        """Whether the conversation has a file; does not read it."""
        return is_id(conversation_id) and bool(files_of(self._folder, conversation_id))

    def list(self) -> list[ConversationSummary]:
        """Return conversations with at least one message, newest first. Reads only what was added since the last
        call.
        """
        by_id: dict[str, list[Path]] = {}
        for path, conversation in all_files(self._folder):
            by_id.setdefault(conversation, []).append(path)
        with self._lock, without_collection():
            self._scans = {each: self._scans.get(each) or SummaryScan(each) for each in by_id}
            summaries = [self._scans[each].read(sorted(paths)) for each, paths in by_id.items()]
            summaries.sort(key=lambda summary: (instant(summary.updated_at), summary.id), reverse=True)
            for summary in summaries[_CACHED_CONVERSATIONS:]:  # thousands of them, after an import
                self._scans[summary.id].rest()
        return [summary for summary in summaries if summary.turns or summary.removed]

    def files(self) -> Sequence[tuple[str, Sequence[Path]]]:
        """Return each conversation's files, the most recently written first."""
        by_id: dict[str, list[Path]] = {}
        newest: dict[str, float] = {}
        for path, conversation in all_files(self._folder):
            with suppress(OSError):
                newest[conversation] = max(newest.get(conversation, 0.0), path.stat().st_mtime)
                by_id.setdefault(conversation, []).append(path)
        return [(each, sorted(by_id[each])) for each in sorted(by_id, key=lambda id_: (-newest[id_], id_))]

    def delete(self, conversation_id: str) -> None:
        """Delete every machine's file of the conversation. Raises UnknownConversation, WriteFailed."""
        files = files_of(self._folder, conversation_id) if is_id(conversation_id) else []
        if not files:
            raise UnknownConversation()
        try:
            with folder_of(files[0]) as folder:
                # Hidden temporary files of a killed process would never be removed otherwise.
                left = [n for n in folder.names() if n.startswith(f".{conversation_id}") and n.endswith(".tmp")]
                for name in (
                    *left,
                    *(
                        each
                        for path in files
                        for each in (torn_beside(path).name, switch_beside(path).name, path.name)
                    ),
                ):
                    with suppress(FileNotFoundError):
                        folder.remove(name)
                folder.sync()
        except OSError as problem:
            raise WriteFailed.from_os_error(shown_path(files[0]), problem) from problem
