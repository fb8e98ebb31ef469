"""Conversation metadata for the history list, read incrementally.

Parses only the few kinds of lines that matter for the list, recognised by their prefix.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pet.transcripts.conversation.fold import fold
from pet.transcripts.files.jsonl_file import JsonlFile
from pet.transcripts.records.codec import decode_entry, prefix
from pet.transcripts.records.entries import (
    Header,
    MemorySet,
    TitleSet,
    TranscriptEntry,
    TurnFinished,
    TurnsRemovedSet,
    UserMessage,
    VariantSet,
)
from pet.transcripts.records.merge_order import merge

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
                for line, entry in _wanted(batch.lines):
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
        conversation = fold(merge({path.name: entries for path, entries in self._entries.items()}))
        return ConversationSummary(
            id=self._id,
            title=conversation.title,
            memory=conversation.memory,
            read_only=conversation.read_only,
            updated_at=conversation.updated_at,
            turns=len(conversation.turns),
            removed=len(conversation.removed),
        )


def _wanted(lines: list[bytes]) -> Iterator[tuple[bytes, TranscriptEntry]]:
    for line in lines:
        if line.startswith(_WANTED):
            with suppress(ValueError):
                yield line, decode_entry(line.decode())
