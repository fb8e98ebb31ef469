"""Index what was said aloud: the utterances in a conversation's transcripts, a part of a transcript at a time.

Never indexed: tool calls and results, thinking, summaries, what was said while memory was off, and forgotten texts.
"""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from pathlib import Path
from typing import Literal

from pet.i18n import Texts
from pet.language.asking import statements_of
from pet.language.categories import QUESTION, REPLY
from pet.language.tokens import has_cjk
from pet.memory.search.database import read_note, write_note
from pet.memory.search.index_rows import Signature, remove_entries, replace_entries, sign_file, without_secrets
from pet.memory.store.split_entries import Entry, split_long
from pet.model import TextPart, TurnEnd
from pet.transcripts.closings import lost_closings
from pet.transcripts.entries import (
    VERSION,
    Header,
    MemorySet,
    PartialReply,
    RoundCompleted,
    TranscriptEntry,
    TurnFinished,
    TurnsRemovedSet,
    UserMessage,
    VariantSet,
    merge,
)
from pet.transcripts.entry_codec import decode_entry, prefix
from pet.transcripts.fold import SaidWhileOff, TurnOrder
from pet.transcripts.jsonl_file import JsonlFile
from pet.workspace.file_names import CONVERSATIONS
from pet.workspace.tombstones import TombstoneStore

_WANTED = tuple(
    prefix(kind)
    for kind in (
        Header,
        MemorySet,
        UserMessage,
        PartialReply,
        RoundCompleted,
        TurnFinished,
        TurnsRemovedSet,
        VariantSet,
    )
)

Numbered = tuple[int, TranscriptEntry]
"""An entry of a transcript and its line, 1-based."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Utterance:
    """One thing said aloud, with its place in the transcript."""

    path: str
    line: int
    turn: str
    day: date | None
    who: Literal["owner", "pet"]
    text: str


@dataclass(slots=True)
class _Turn:
    message: UserMessage
    path: str
    line: int
    rounds: dict[int, Utterance] = field(default_factory=dict)
    partial: dict[int, Utterance] = field(default_factory=dict)
    over: bool = False


def read_lines(lines: Iterable[bytes], first_line: int) -> list[Numbered]:
    """Return the entries among these lines that matter for utterances; unreadable lines are skipped.

    Raises ValueError for a transcript of a later version.
    """
    entries: list[Numbered] = []
    for number, line in enumerate(lines, first_line):
        if line.startswith(_WANTED):
            with suppress(ValueError):
                entries.append((number, _only_words(decode_entry(line.decode()))))
    if any(isinstance(entry, Header) and entry.version > VERSION for _, entry in entries):
        raise ValueError("newer")
    return entries


def refers_to(entry: TranscriptEntry) -> frozenset[str]:
    """Return the turns that an entry changes, besides one that it begins."""
    match entry:
        case UserMessage(supersedes=str() as turn):
            return frozenset((turn,))
        case PartialReply() | RoundCompleted() | TurnFinished() | VariantSet():
            return frozenset((entry.turn,))
        case TurnsRemovedSet():
            return frozenset(entry.turns)
        case _:
            return frozenset()


def extract_utterances(files: Mapping[str, Sequence[Numbered]]) -> dict[str, list[Utterance]]:
    """Return the searchable utterances of a conversation's files, by file in line order."""
    places = {id(entry): (path, line) for path, numbered in files.items() for line, entry in numbered}
    reading = _Reading()
    for entry in merge({path: [entry for _, entry in numbered] for path, numbered in files.items()}):
        reading.take(entry, *places[id(entry)])
    by_path: dict[str, list[Utterance]] = {path: [] for path in files}
    for utterance in reading.result():
        by_path[utterance.path].append(utterance)
    return {path: sorted(each, key=lambda utterance: utterance.line) for path, each in by_path.items()}


def utterance_entries(utterance: Utterance) -> Iterator[Entry]:
    """Yield index entries for an utterance, with the speaker in front, in the utterance's language."""
    worded = Texts("zh" if has_cjk(utterance.text) else "en")
    kind = REPLY if utterance.who == "pet" else "" if statements_of(utterance.text) else QUESTION
    for piece in split_long(_entry(utterance, utterance.text.strip(), kind)):
        yield _entry(utterance, worded(f"memory.said_{utterance.who}", text=piece.text), kind)


def _entry(utterance: Utterance, text: str, category: str) -> Entry:
    return Entry(
        path=utterance.path,
        start_line=utterance.line,
        end_line=utterance.line,
        day=utterance.day,
        due=None,
        heading="",
        text=text,
        turn=utterance.turn,
        category=category,
    )


class _Reading:
    """State while a conversation's entries are read in merged order."""

    def __init__(self) -> None:
        self._chain = TurnOrder()
        self._said_off = SaidWhileOff()
        self._turns: dict[str, _Turn] = {}

    def take(self, entry: TranscriptEntry, path: str, line: int) -> None:
        match entry:
            case MemorySet():
                self._said_off.take(entry)
            case UserMessage():
                self._said_off.take(entry)
                if entry.turn not in self._turns:
                    self._turns[entry.turn] = _Turn(entry, path, line)
                    self._chain.add(entry.turn, entry.supersedes)
            case PartialReply() | RoundCompleted() | TurnFinished():
                turn, was_on = self._turns.get(entry.turn), not self._said_off.is_off(entry.turn)
                at_its_end = isinstance(entry, TurnFinished) and entry.end is TurnEnd.MEMORY_OFF
                if (not self._said_off.take(entry) or at_its_end) and turn is not None and was_on and not turn.over:
                    _add_text(turn, entry, path, line)
            case TurnsRemovedSet():
                self._chain.take_out(entry)
            case VariantSet():
                self._chain.choose(entry)
            case _:
                pass

    def result(self) -> Iterator[Utterance]:
        standing = self._chain.turns
        for place, name in enumerate(standing, 1):
            turn = self._turns[name]
            if turn.message.memory and name not in self._chain.removed:
                over = turn.over or self._said_off.is_off(name)
                yield from _turn_utterances(turn, open_=not over and place == len(standing))


def _add_text(turn: _Turn, entry: PartialReply | RoundCompleted | TurnFinished, path: str, line: int) -> None:
    match entry:
        case PartialReply():
            turn.partial[entry.round] = _of(turn, path, line, entry.text)
        case RoundCompleted():
            text = "".join(part.text for part in entry.parts if isinstance(part, TextPart))
            turn.rounds[entry.round] = _of(turn, path, line, text)
        case TurnFinished(end=TurnEnd.MEMORY_OFF):
            # The moment it went off is not recorded: the last round may have come after it.
            turn.over = True
            turn.rounds.pop(max(turn.rounds, default=0), None)
            turn.partial.clear()
        case TurnFinished():
            turn.over = True
            if entry.cut_text:
                turn.partial[entry.round] = _of(turn, path, line, entry.cut_text)


def _turn_utterances(turn: _Turn, *, open_: bool) -> Iterator[Utterance]:
    if turn.message.turn_kind != "continue" and turn.message.text.strip():  # "go on" is a text of the program
        yield replace(_of(turn, turn.path, turn.line, turn.message.text), who="owner")
    partial = {} if open_ else turn.partial  # a reply in progress is indexed when it ends
    for number in sorted(turn.rounds.keys() | partial.keys()):
        utterance = turn.rounds.get(number) or partial[number]
        if utterance.text.strip():
            yield utterance


def _of(turn: _Turn, path: str, line: int, text: str) -> Utterance:
    return Utterance(path=path, line=line, turn=turn.message.turn, day=_day(turn.message.at), who="pet", text=text)


def _day(at: str) -> date | None:
    """Return the local day of a timestamp where it was written; None if unreadable."""
    try:
        return datetime.fromisoformat(at).date()
    except ValueError:
        return None


def _only_words(entry: TranscriptEntry) -> TranscriptEntry:
    """Return the entry without content that is never searched, to save memory."""
    if isinstance(entry, UserMessage):
        return replace(entry, context=())
    if isinstance(entry, RoundCompleted):
        return replace(entry, parts=tuple(part for part in entry.parts if isinstance(part, TextPart)))
    return entry


_IN_USE = 8  # conversations with cached lines
_PART = 40  # utterances in one part
_KEPT_PARTS = 2  # whole parts that are read again: their turns may still be answered again, or removed
_NOTE = "forgotten"


@dataclass(slots=True)
class _Open:
    """A transcript's lines from those on that are not settled.

    ``settled``: leading parts in the index that no later line can change; their lines are not kept. ``mark``: that of
    the forgotten texts then.
    """

    lines: JsonlFile
    entries: list[Numbered] = field(default_factory=list)
    count: int = 0
    settled: int = 0
    mark: str = ""

    def restart(self) -> None:
        """Read the transcript from its beginning at the next reading."""
        self.lines = JsonlFile(self.lines.path)
        self.entries, self.count, self.settled = [], 0, 0


class TranscriptIndexer:
    """Indexer of one workspace's transcripts; for one thread at a time.

    Of a long conversation only the last lines are kept, and read again with each turn.
    """

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace
        self._forgotten = TombstoneStore(workspace)
        self._open: OrderedDict[str, dict[str, _Open]] = OrderedDict()

    def index(self, connection: sqlite3.Connection, conversation: str, files: Mapping[str, Signature]) -> None:
        """Write a conversation's utterances to the index; ``files`` are all its transcripts."""
        known = self._opened(connection, conversation, files)
        by_path = self._utterances(conversation, known)
        for path, signature in files.items():
            utterances, first = by_path.get(path, []), known[path].settled
            if first:
                sign_file(connection, path, signature)
            end = max(1, first - (-len(utterances) // _PART))
            for part in range(first, end):
                at = (part - first) * _PART
                self._write_part(connection, path, part, signature, utterances[at : at + _PART])
            remove_entries(connection, path, end)
        if len(known) == 1:  # another machine's lines could change any turn
            ((path, only),) = known.items()
            _settle(only, by_path.get(path, []), self._forgotten.mark())

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
        replace_entries(connection, path, part, signature, content.encode(errors="replace"), entries, utterances=True)

    def _not_forgotten(self, utterances: list[Utterance]) -> Iterator[Utterance]:
        """Yield the utterances that are not forgotten, with one check for all, as most never are."""
        if not utterances or not self._forgotten.is_forgotten("\n".join(each.text for each in utterances)):
            yield from utterances
            return
        yield from (each for each in utterances if not self._forgotten.is_forgotten(each.text))

    def _opened(self, connection: sqlite3.Connection, conversation: str, files: Collection[str]) -> dict[str, _Open]:
        """Return the conversation's transcripts, as far as they are read; the last used stay cached."""
        known = self._open.pop(conversation, {})
        known = {path: known.get(path) or _Open(JsonlFile(self._workspace / path)) for path in files}
        self._open[conversation] = known
        while len(self._open) > _IN_USE:
            self._open.popitem(last=False)
        for path, each in known.items():
            is_valid = len(known) == 1 and each.mark == self._forgotten.mark()
            if each.settled and not (is_valid and _count_parts(connection, path, each.settled) == each.settled):
                each.restart()
        return known

    def _utterances(self, conversation: str, known: Mapping[str, _Open]) -> dict[str, list[Utterance]]:
        """Return the utterances in the new and the kept lines of each transcript."""
        try:
            for each in known.values():
                _read(each)
                if each.settled and not _is_closed(each.entries):
                    each.restart()
                    _read(each)
        except (OSError, ValueError):  # removed since it was listed, or of a later version
            self._open.pop(conversation, None)
            for each in known.values():
                each.restart()
            return {}
        return extract_utterances({path: [*each.entries, *_lost(each)] for path, each in known.items()})


def _lost(each: _Open) -> list[Numbered]:
    """Return the removals of turns that the file lost."""
    lost = lost_closings(each.lines.path, [entry for _, entry in each.entries])
    return [(each.count, entry) for entry in lost if isinstance(entry, TurnsRemovedSet)]


def _settle(each: _Open, utterances: Sequence[Utterance], mark: str) -> None:
    """Drop the leading lines that fill whole parts, if no line after them refers to their turns."""
    lines = [utterance.line for utterance in utterances]
    last = len(lines) // _PART - _KEPT_PARTS
    if last <= 0:
        return
    at_part = {lines[part * _PART]: part for part in range(1, last + 1)}
    open_: set[str] = set()  # turns that lines from here on refer to and that began before
    for place in range(len(each.entries) - 1, 0, -1):
        line, entry = each.entries[place]
        open_ |= refers_to(entry)
        if isinstance(entry, UserMessage):
            open_.discard(entry.turn)
            part = at_part.get(line)
            if part is not None and not open_:
                del each.entries[:place]
                each.settled, each.mark = each.settled + part, mark
                return


def _is_closed(entries: Sequence[Numbered]) -> bool:
    """Whether the entries refer to no turn that began before them."""
    began = {entry.turn for _, entry in entries if isinstance(entry, UserMessage)}
    return all(refers_to(entry) <= began for _, entry in entries)


def _count_parts(connection: sqlite3.Connection, path: str, end: int) -> int:
    query = "SELECT count(*) FROM files WHERE path = ? AND part < ?"
    return int(connection.execute(query, (path, end)).fetchone()[0])


def _read(each: _Open) -> None:
    batch = each.lines.read_new()
    if batch.restarted:
        each.entries, each.count, each.settled = [], 0, 0
    for number, entry in read_lines(batch.lines, each.count + 1):
        if isinstance(entry, PartialReply) and each.entries and entry.replaces(each.entries[-1][1]):
            each.entries.pop()
        each.entries.append((number, entry))
    each.count += len(batch.lines)
