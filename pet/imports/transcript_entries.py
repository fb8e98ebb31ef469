"""Convert an imported conversation to transcript entries, one message at a time. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from pet.ids import new_id
from pet.imports.contents import Kind, Talk
from pet.model import StopReason, TextPart, TurnEnd, Usage
from pet.transcripts.records.entries import (
    MemorySet,
    OpenerAsked,
    RoundCompleted,
    TitleSet,
    TranscriptEntry,
    TurnFinished,
    UserMessage,
)

_LONGEST_TITLE = 120


@dataclass(slots=True)
class _Turn:
    """An incomplete turn: the owner's messages until the pet answers."""

    at: str
    texts: list[str] = field(default_factory=list)
    id: str = field(default_factory=new_id)
    rounds: int = 0


def talk_entries(talk: Talk, kind: Kind, *, memory: bool, at: str) -> Iterator[TranscriptEntry]:
    """Yield the entries. ``memory``: it counts as held with memory on; ``at``: for messages without a time."""
    last = talk.at or at
    yield MemorySet(id=new_id(), at=last, memory=memory)
    title = " ".join(talk.title.split())[:_LONGEST_TITLE]
    if title:
        yield TitleSet(id=new_id(), at=last, title=title)
    turn: _Turn | None = None
    opening: list[str] = []
    for message in talk.messages:
        last = max(last, message.at) if message.at else last
        if message.who == "owner":
            if turn is not None and turn.rounds:
                yield _finished(turn, last)
                turn = None
            turn = turn or _Turn(last)
            turn.texts.append(message.text)
        elif turn is None:
            opening.append(message.text)
        else:
            if not turn.rounds:
                yield from _begun(turn, opening, memory=memory)
                opening = []
            turn.rounds += 1
            yield _round(turn, message.text, kind, last)
    if turn is not None:
        if not turn.rounds:
            yield from _begun(turn, opening, memory=memory)
        yield _finished(turn, last)
    elif opening:  # no answer followed
        turn = _Turn(last)
        yield from _begun(turn, opening, memory=memory)
        yield _finished(turn, last)


def _begun(turn: _Turn, opening: list[str], *, memory: bool) -> Iterator[TranscriptEntry]:
    if opening:
        yield OpenerAsked(id=new_id(), at=turn.at, text="\n\n".join(opening))
    yield UserMessage(id=new_id(), at=turn.at, turn=turn.id, text="\n\n".join(turn.texts), memory=memory)


def _round(turn: _Turn, text: str, kind: Kind, at: str) -> RoundCompleted:
    return RoundCompleted(
        id=new_id(),
        at=at,
        turn=turn.id,
        round=turn.rounds,
        parts=(TextPart(text=text),),
        stop=StopReason.END_TURN,
        usage=Usage(),
        model=kind,
    )


def _finished(turn: _Turn, at: str) -> TurnFinished:
    return TurnFinished(id=new_id(), at=at, turn=turn.id, end=TurnEnd.DONE, error=None, round=0, cut_text="")
