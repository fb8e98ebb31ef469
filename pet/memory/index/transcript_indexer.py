"""Index transcripts incrementally: of a recently used conversation only new lines are read.

A conversation is stored in parts, so that a new turn rewrites the last part only. Forgotten utterances are left out.
"""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pet.memory.database import read_note, write_note
from pet.memory.index.utterances import Numbered, Utterance, extract_utterances, read_lines, utterance_entries
from pet.memory.index.writes import remove_entries, replace_entries, without_secrets
from pet.memory.scan import Signature, conversation_of
from pet.transcripts.files.jsonl_file import JsonlFile
from pet.transcripts.records.entries import PartialReply
from pet.workspace.file_names import CONVERSATIONS
from pet.workspace.tombstones import TombstoneStore

_IN_USE = 8  # conversations with cached lines
_PART = 40  # utterances in one part
_NOTE = "forgotten"


@dataclass(slots=True)
class _Open:
    lines: JsonlFile
    entries: list[Numbered] = field(default_factory=list)
    count: int = 0


class TranscriptIndexer:
    """Indexer of one workspace's transcripts; for one thread at a time."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self._forgotten = TombstoneStore(workspace)
        self._open: OrderedDict[str, dict[str, _Open]] = OrderedDict()

    def index(self, connection: sqlite3.Connection, conversation: str, files: Mapping[str, Signature]) -> None:
        """Write a conversation's utterances to the index; ``files`` are all its transcripts."""
        by_path = self._utterances(conversation, files)
        for path, signature in files.items():
            utterances = by_path.get(path, [])
            parts = range(max(1, -(-len(utterances) // _PART)))
            for part in parts:
                self._write_part(connection, path, part, signature, utterances[part * _PART : (part + 1) * _PART])
            remove_entries(connection, path, parts[-1] + 1)

    def find_forgotten(self, connection: sqlite3.Connection) -> list[str]:
        """Return the indexed transcripts that contain forgotten texts.

        An empty result is noted in the index and not checked again until something more is forgotten.
        """
        mark = self._forgotten.mark()
        if mark == read_note(connection, _NOTE):
            return []
        rows = connection.execute(
            "SELECT f.path, group_concat(e.text, char(10)) FROM files f JOIN entries e ON e.file = f.id"
            " WHERE f.path >= ? AND f.path < ? GROUP BY f.id",
            (f"{CONVERSATIONS}/", f"{CONVERSATIONS}0"),
        )
        paths = sorted({path for path, text in rows if self._forgotten.is_forgotten(text)})
        if not paths:
            write_note(connection, _NOTE, mark)
        return paths

    def clear_cache(self) -> None:
        """Drop all cached lines."""
        self._open.clear()

    def _write_part(
        self, connection: sqlite3.Connection, path: str, part: int, signature: Signature, utterances: list[Utterance]
    ) -> None:
        kept = list(self._not_forgotten(utterances))
        content = "\0".join(f"{each.line}\0{each.turn}\0{each.day}\0{each.who}\0{each.text}" for each in kept)
        masked = (replace(each, text=without_secrets(each.text)) for each in kept)
        entries = (entry for each in masked for entry in utterance_entries(each))
        replace_entries(connection, path, part, signature, content.encode(errors="replace"), entries, said=True)

    def _not_forgotten(self, utterances: list[Utterance]) -> Iterator[Utterance]:
        """Yield the utterances that are not forgotten, with one check for all, as most never are."""
        if not utterances or not self._forgotten.is_forgotten("\n".join(each.text for each in utterances)):
            yield from utterances
            return
        yield from (each for each in utterances if not self._forgotten.is_forgotten(each.text))

    def _utterances(self, conversation: str, files: Iterable[str]) -> dict[str, list[Utterance]]:
        known = self._open.pop(conversation, {})
        known = {path: known.get(path) or _Open(JsonlFile(self._workspace / path)) for path in files}
        self._open[conversation] = known
        while len(self._open) > _IN_USE:
            self._open.popitem(last=False)
        try:
            for each in known.values():
                _read(each)
        except (OSError, ValueError):  # removed since it was listed, or of a later version
            self._open.pop(conversation, None)
            return {}
        return extract_utterances({path: each.entries for path, each in known.items()})


def group(paths: Iterable[str]) -> dict[str, list[str]]:
    """Return the transcripts by conversation, newest first."""
    groups: dict[str, list[str]] = {}
    for path in sorted(paths, reverse=True):
        groups.setdefault(conversation_of(path), []).append(path)
    return groups


def _read(each: _Open) -> None:
    batch = each.lines.read_new()
    if batch.restarted:
        each.entries, each.count = [], 0
    for number, entry in read_lines(batch.lines, each.count + 1):
        if isinstance(entry, PartialReply) and each.entries and entry.replaces(each.entries[-1][1]):
            each.entries.pop()
        each.entries.append((number, entry))
    each.count += len(batch.lines)
