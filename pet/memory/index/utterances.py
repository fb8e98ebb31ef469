"""Conversations as something to search: what was said aloud in them while the brain was ON.

Owns which words of a transcript may be found again. Refuses everything else of it: tool calls and results, thinking,
context, summaries, what was replaced or taken out, and whatever was said while the brain was OFF, also in mid-turn.
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
    """One thing said aloud, and where in its transcript it stands."""

    path: str
    line: int
    turn: str
    day: date | None
    who: Literal["owner", "pet"]
    text: str


@dataclass(slots=True)
class _Turn:
    said: UserMessage
    path: str
    line: int
    rounds: dict[int, Utterance] = field(default_factory=dict)
    partial: dict[int, Utterance] = field(default_factory=dict)
    over: bool = False


def read_lines(lines: Iterable[bytes], first_line: int) -> list[Numbered]:
    """The entries among these lines that tell what was said; lines that can't be read are passed over.

    Raises ValueError for a transcript that a later version of the program wrote.
    """
    found: list[Numbered] = []
    for number, line in enumerate(lines, first_line):
        if line.startswith(_WANTED):
            with suppress(ValueError):
                found.append((number, _only_words(decode_entry(line.decode()))))
    if any(isinstance(entry, Header) and entry.version > VERSION for _, entry in found):
        raise ValueError("newer")
    return found


def extract_utterances(files: Mapping[str, Sequence[Numbered]]) -> dict[str, list[Utterance]]:
    """What a conversation's files hold that may be found again, by file and in the order of its lines."""
    places = {id(entry): (path, line) for path, numbered in files.items() for line, entry in numbered}
    reading = _Reading()
    for entry in merge({path: [entry for _, entry in numbered] for path, numbered in files.items()}):
        reading.take(entry, *places[id(entry)])
    found: dict[str, list[Utterance]] = {path: [] for path in files}
    for said in reading.result():
        found[said.path].append(said)
    return {path: sorted(each, key=lambda said: said.line) for path, each in found.items()}


def utterance_entries(said: Utterance) -> Iterator[Entry]:
    """What was said as the index holds it: who said it stands before it, in the language it was said in."""
    worded = Texts("zh" if has_cjk(said.text) else "en")
    for piece in split_long(_entry(said, said.text.strip())):
        yield _entry(said, worded(f"memory.said_{said.who}", text=piece.text))


def _entry(said: Utterance, text: str) -> Entry:
    return Entry(
        path=said.path,
        start_line=said.line,
        end_line=said.line,
        day=said.day,
        due=None,
        heading="",
        text=text,
        turn=said.turn,
    )


class _Reading:
    """The state while a conversation's entries are gone through."""

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
                told, was_on = self._turns.get(entry.turn), not self._said_off.is_off(entry.turn)
                at_its_end = isinstance(entry, TurnFinished) and entry.end is TurnEnd.MEMORY_OFF
                if (not self._said_off.take(entry) or at_its_end) and told is not None and was_on and not told.over:
                    _tell(told, entry, path, line)
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
            if turn.said.memory and name not in self._chain.removed:
                over = turn.over or self._said_off.is_off(name)
                yield from _said(turn, open_=not over and place == len(standing))


def _tell(told: _Turn, entry: PartialReply | RoundCompleted | TurnFinished, path: str, line: int) -> None:
    match entry:
        case PartialReply():
            told.partial[entry.round] = _of(told, path, line, entry.text)
        case RoundCompleted():
            text = "".join(part.text for part in entry.parts if isinstance(part, TextPart))
            told.rounds[entry.round] = _of(told, path, line, text)
        case TurnFinished(end=TurnEnd.MEMORY_OFF):
            # Nobody wrote down when it went OFF: the last round may have been told after that.
            told.over = True
            told.rounds.pop(max(told.rounds, default=0), None)
            told.partial.clear()
        case TurnFinished():
            told.over = True
            if entry.cut_text:
                told.partial[entry.round] = _of(told, path, line, entry.cut_text)


def _said(turn: _Turn, *, open_: bool) -> Iterator[Utterance]:
    if turn.said.turn_kind != "continue" and turn.said.text.strip():  # "go on" is our text, not the owner's
        yield replace(_of(turn, turn.path, turn.line, turn.said.text), who="owner")
    partial = {} if open_ else turn.partial  # what is being said just now is found once it is said
    for number in sorted(turn.rounds.keys() | partial.keys()):
        said = turn.rounds.get(number) or partial[number]
        if said.text.strip():
            yield said


def _of(turn: _Turn, path: str, line: int, text: str) -> Utterance:
    return Utterance(path=path, line=line, turn=turn.said.turn, day=_day(turn.said.at), who="pet", text=text)


def _day(at: str) -> date | None:
    """The day where it was said, as the clock there showed it."""
    try:
        return datetime.fromisoformat(at).date()
    except ValueError:
        return None


def _only_words(entry: TranscriptEntry) -> TranscriptEntry:
    """Without what is never searched, which may be long: it would be kept in memory for nothing."""
    if isinstance(entry, UserMessage):
        return replace(entry, context=())
    if isinstance(entry, RoundCompleted):
        return replace(entry, parts=tuple(part for part in entry.parts if isinstance(part, TextPart)))
    return entry
