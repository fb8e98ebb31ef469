"""Index transcripts incrementally: of a recently used conversation only new lines are read.

A conversation is stored in parts, so that one that grew by a turn costs that turn. What was forgotten on the owner's
wish is left out.
"""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from pet.memory.database import read_note, write_note
from pet.memory.index.utterances import Numbered, Utterance, extract_utterances, read_lines, utterance_entries
from pet.memory.index.writes import remove_entries, take_over, without_secrets
from pet.memory.scan import Signature, conversation_of
from pet.transcripts.files.jsonl_file import JsonlFile
from pet.transcripts.records.entries import PartialReply
from pet.workspace.file_names import CONVERSATIONS
from pet.workspace.tombstones import TombstoneStore

_IN_USE = 8  # conversations whose lines are kept in mind
_PART = 40  # things said in one part; a new one changes the last part only
_NOTE = "forgotten"


@dataclass(slots=True)
class _Open:
    lines: JsonlFile
    entries: list[Numbered] = field(default_factory=list)
    count: int = 0


class TranscriptIndexer:
    """Those of one workspace; to be used by one thread at a time."""

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self._forgotten = TombstoneStore(workspace)
        self._open: OrderedDict[str, dict[str, _Open]] = OrderedDict()

    def index(self, connection: sqlite3.Connection, conversation: str, files: Mapping[str, Signature]) -> None:
        """Lay down what the conversation's files hold that may be found; ``files`` are all that it has."""
        said = self._said(conversation, files)
        for path, signature in files.items():
            told = said.get(path, [])
            parts = range(max(1, -(-len(told) // _PART)))
            for part in parts:
                self._lay_down(connection, path, part, signature, told[part * _PART : (part + 1) * _PART])
            remove_entries(connection, path, parts[-1] + 1)

    def newly_forgotten(self, connection: sqlite3.Connection) -> list[str]:
        """Paths of transcripts in the index that hold what is forgotten now. Where none does, that is noted in the
        index, and it is not looked through again until something more is forgotten."""
        mark = self._forgotten.mark()
        if mark == read_note(connection, _NOTE):
            return []
        rows = connection.execute(
            "SELECT f.path, group_concat(e.text, char(10)) FROM files f JOIN entries e ON e.file = f.id"
            " WHERE f.path >= ? AND f.path < ? GROUP BY f.id",
            (f"{CONVERSATIONS}/", f"{CONVERSATIONS}0"),
        )
        found = sorted({path for path, text in rows if self._forgotten.is_forgotten(text)})
        if not found:
            write_note(connection, _NOTE, mark)
        return found

    def let_go(self) -> None:
        """Keep no line of any conversation in mind."""
        self._open.clear()

    def _lay_down(
        self, connection: sqlite3.Connection, path: str, part: int, signature: Signature, told: list[Utterance]
    ) -> None:
        kept = list(self._not_forgotten(told))
        content = "\0".join(f"{said.line}\0{said.turn}\0{said.day}\0{said.who}\0{said.text}" for said in kept)
        masked = (replace(said, text=without_secrets(said.text)) for said in kept)
        entries = (entry for said in masked for entry in utterance_entries(said))
        take_over(connection, path, part, signature, content.encode(errors="replace"), entries, said=True)

    def _not_forgotten(self, told: list[Utterance]) -> Iterator[Utterance]:
        """Asked of many at once first: most of what was said was never forgotten."""
        if not told or not self._forgotten.is_forgotten("\n".join(said.text for said in told)):
            yield from told
            return
        yield from (said for said in told if not self._forgotten.is_forgotten(said.text))

    def _said(self, conversation: str, files: Iterable[str]) -> dict[str, list[Utterance]]:
        known = self._open.pop(conversation, {})
        known = {path: known.get(path) or _Open(JsonlFile(self._workspace / path)) for path in files}
        self._open[conversation] = known
        while len(self._open) > _IN_USE:
            self._open.popitem(last=False)
        try:
            for each in known.values():
                _read(each)
        except (OSError, ValueError):  # gone or locked away since it was listed, or of a later version
            self._open.pop(conversation, None)
            return {}
        return extract_utterances({path: each.entries for path, each in known.items()})


def group(paths: Iterable[str]) -> dict[str, list[str]]:
    """Transcripts by conversation, the newest first."""
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
