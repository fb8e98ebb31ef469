"""The sources of the index: files and transcripts on disk, their lines, and the utterances in them; reads only.

Never followed or indexed: links, files that are not text, tool calls and results, thinking, summaries, and what
was said while memory was off.
"""

from __future__ import annotations

import codecs
import os
import stat
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from heapq import nlargest
from pathlib import Path
from typing import Literal

from pet.fs.directory import Contents
from pet.i18n import Texts
from pet.language.asking import statements_of
from pet.language.categories import QUESTION, REPLY
from pet.language.tokens import has_cjk
from pet.memory.store.split_entries import Entry, split_long
from pet.model import CoreFile, TextPart, TurnEnd
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
from pet.workspace.file_names import CONVERSATIONS, LOG_FOLDER, is_name, is_note, is_transcript
from pet.workspace.locked_file import read_raw
from pet.workspace.note_files import may_hold_notes
from pet.workspace.pet_registry import LIMIT

MAX_BYTES = 2 * 1024 * 1024
_SEARCHED_CORE = (CoreFile.MEMORY.value, CoreFile.USER.value)
_KIND, _REGULAR = 0o170000, stat.S_IFREG  # as stat.S_ISREG, without a call per file
_READ = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)


Signature = tuple[int, int, int, int]
"""Modification time, status change time (ns; programs can set only the first), size and inode."""


def list_files(
    workspace: Path, known: Mapping[str, Signature], names: dict[str, str | None], folders: list[str]
) -> tuple[dict[str, Signature], list[str]]:
    """Return the signatures of the files to search that differ from the ``known`` ones, and the names of all files,
    both by the name in the workspace.

    ``names`` caches, by the path below its folder, the name in the workspace, or None for other files. ``folders``
    grows by those that were listed.
    """
    changed: dict[str, Signature] = {}
    present: list[str] = []
    for name in _SEARCHED_CORE:
        with suppress(OSError):
            stat_ = (workspace / name).lstat()
            if stat.S_ISREG(stat_.st_mode):
                present.append(name)
                signature = (stat_.st_mtime_ns, stat_.st_ctime_ns, stat_.st_size, stat_.st_ino)
                if known.get(name) != signature:
                    changed[name] = signature
    waiting = [""]
    while waiting:
        below = waiting.pop()
        folders.append(f"{LOG_FOLDER}/{below}")
        inner: list[str] = []
        _list_folder(workspace / LOG_FOLDER / below, known, names, _log_name, changed, present, below, inner)
        waiting += (f"{below}{leaf}/" for leaf in inner if may_hold_notes(f"{LOG_FOLDER}/{below}{leaf}"))
    return changed, present


@dataclass(frozen=True, slots=True)
class Glance:
    """The folders of notes, the core files and the files that changed last, as they were when all files were listed.

    A file that is made, removed or saved by a swap shows in its folder; one of the others that is written in place
    does not, so that a glance is no proof by itself.
    """

    workspace: Path
    signatures: Mapping[str, Signature | None]

    @classmethod
    def take(
        cls, workspace: Path, folders: Iterable[str], known: Mapping[str, Signature], before: float
    ) -> Glance | None:
        """Return the present glance; None if a folder changed after ``before`` (seconds since the epoch), when two
        changes may have the same time stamp."""
        signatures: dict[str, Signature | None] = {name: known.get(name) for name in _SEARCHED_CORE}
        for name in nlargest(_GLANCED, known, key=lambda name: known[name][0]):
            signatures[name] = known[name]
        for name in folders:
            signatures[name] = signature = _signature(workspace / name)
            if signature is not None and max(signature[:2]) > before * 1e9:
                return None
        return cls(workspace, signatures)

    def holds(self) -> bool:
        """Return whether all of it is as it was."""
        return all(_signature(self.workspace / name) == each for name, each in self.signatures.items())


_GLANCED = 64  # files


def _signature(path: Path) -> Signature | None:
    try:
        stat_ = path.lstat()
    except OSError:
        return None
    return stat_.st_mtime_ns, stat_.st_ctime_ns, stat_.st_size, stat_.st_ino


def list_transcripts(
    workspace: Path, known: Mapping[str, Signature], names: dict[str, str | None]
) -> tuple[dict[str, Signature], list[str]]:
    """Return the changed signatures and the names of all transcripts, as ``list_files``."""
    changed: dict[str, Signature] = {}
    present: list[str] = []
    _list_folder(workspace / CONVERSATIONS, known, names, _transcript_name, changed, present)
    return changed, present


def read_bytes(workspace: Path, name: str) -> bytes | None:
    """Return the content of a file; None if it cannot be read. No folder on the way to a note may be a link."""
    if is_note(name):
        raw = read_raw(workspace.resolve(), name, LIMIT)
        return raw.data if isinstance(raw, Contents) else None
    try:
        handle = os.open(workspace / name, _READ)
    except OSError:
        return None
    with os.fdopen(handle, "rb") as file:
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                return None
            return file.read()
        except OSError:
            return None


def searched_parts(content: bytes) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines to search with the number of the first: one part, or two if the middle is left out."""
    if len(content) <= MAX_BYTES:
        yield from _lines(content, 1)
        return
    half = MAX_BYTES // 2
    head_end = content.rfind(b"\n", 0, half) + 1 or half
    tail_start = content.find(b"\n", len(content) - half) + 1 or len(content) - half
    yield from _lines(content[:head_end], 1)
    yield from _lines(content[tail_start:], content.count(b"\n", 0, tail_start) + 1)


def _lines(content: bytes, first: int) -> Iterator[tuple[int, list[str]]]:
    if b"\0" in content:
        return
    try:  # a file being written may end inside a character
        text = codecs.getincrementaldecoder("utf-8")().decode(content)
    except UnicodeDecodeError:
        return
    yield first, [line.removesuffix("\r") for line in text.removeprefix("\ufeff").split("\n")]


def _list_folder(
    folder: Path,
    known: Mapping[str, Signature],
    names: dict[str, str | None],
    name_of: Callable[[str], str | None],
    changed: dict[str, Signature],
    present: list[str],
    below: str = "",
    inner: list[str] | None = None,
) -> None:
    """Add a folder's files to ``changed`` and ``present``, and its folders to ``inner``. ``below``: its path in that
    of which ``names`` are, with a slash. The loop is plain and keeps nothing of unchanged files, since it runs over
    ten years of logs in every search."""
    with suppress(OSError), _opened(folder) as place, os.scandir(place) as items:
        for item in items:
            path = f"{below}{item.name}" if below else item.name
            try:
                name = names[path]
            except KeyError:
                name = names[path] = name_of(path)
            if name is None:
                if inner is not None and item.is_dir(follow_symlinks=False):
                    inner.append(item.name)
                continue
            try:
                stat_ = item.stat(follow_symlinks=False)
            except OSError:  # gone since it was listed
                continue
            signature = (stat_.st_mtime_ns, stat_.st_ctime_ns, stat_.st_size, stat_.st_ino)
            if known.get(name) != signature:
                if stat_.st_mode & _KIND != _REGULAR or (stat_.st_size > LIMIT and is_note(name)):
                    if inner is not None and stat.S_ISDIR(stat_.st_mode):
                        inner.append(item.name)
                    continue
                changed[name] = signature
            present.append(name)


@contextmanager
def _opened(folder: Path) -> Iterator[int | Path]:
    """Yield the folder as ``os.scandir`` takes it: opened where it can be, as each file is then found without the
    folder's path. Raises OSError for a link."""
    if os.scandir not in os.supports_fd:
        if folder.is_symlink():
            raise NotADirectoryError(folder)
        yield folder
        return
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        yield handle
    finally:
        os.close(handle)


def _log_name(path: str) -> str | None:
    name = f"{LOG_FOLDER}/{path}"
    return name if is_name(name) else None


def _transcript_name(leaf: str) -> str | None:
    path = f"{CONVERSATIONS}/{leaf}"
    return path if is_transcript(path) else None


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
