"""Extract utterances from conversations: what was said aloud while memory was on; pure.

Nothing else of a transcript is returned: no tool calls and results, thinking, context, summaries, replaced or removed
turns, and nothing said while memory was off, even mid-turn.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from typing import Literal

from pet.i18n import Texts
from pet.memory.entries import Entry, split_long
from pet.memory.text.tokenize import has_cjk
from pet.model import TextPart, TurnEnd
from pet.transcripts.conversation.said_while_off import SaidWhileOff
from pet.transcripts.conversation.turn_order import TurnOrder
from pet.transcripts.records.codec import decode_entry, prefix
from pet.transcripts.records.entries import (
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
)
from pet.transcripts.records.merge_order import merge

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
    for piece in split_long(_entry(utterance, utterance.text.strip())):
        yield _entry(utterance, worded(f"memory.said_{utterance.who}", text=piece.text))


def _entry(utterance: Utterance, text: str) -> Entry:
    return Entry(
        path=utterance.path,
        start_line=utterance.line,
        end_line=utterance.line,
        day=utterance.day,
        due=None,
        heading="",
        text=text,
        turn=utterance.turn,
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
