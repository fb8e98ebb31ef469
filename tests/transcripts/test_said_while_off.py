"""Text from after memory went OFF; whole conversations are tested with the fold and the index."""

from __future__ import annotations

from pet.access import MemoryMode
from pet.model import TurnEnd
from pet.transcripts.entries import MemorySet, PartialReply, TranscriptEntry, TurnFinished, UserMessage
from pet.transcripts.fold import SaidWhileOff

AT = "2026-03-01T12:00:00+00:00"


def message(turn: str) -> UserMessage:
    return UserMessage(id=f"m-{turn}", at=AT, turn=turn, text="hi", memory=True)


def partial(turn: str, *, off: bool = False) -> PartialReply:
    return PartialReply(id=f"p-{turn}", at=AT, turn=turn, round=1, text="Hel", off=off)


def finished(turn: str, cut_text: str, *, off: bool = False) -> TurnFinished:
    return TurnFinished(
        id=f"f-{turn}", at=AT, turn=turn, end=TurnEnd.STOPPED, error=None, round=1, cut_text=cut_text, off=off
    )


def told(*entries: TranscriptEntry) -> list[bool]:
    reading = SaidWhileOff()
    return [reading.take(entry) for entry in entries]


def test_a_switch_concerns_the_turns_before_it() -> None:
    off = MemorySet.of(MemoryMode.OFF, AT)
    assert told(message("a"), partial("a"), off, partial("a"), message("b"), partial("b")) == [
        *(False, False, False),
        *(True, False, False),
    ]


def test_an_entry_written_while_off_begins_it_for_the_rest_of_its_turn() -> None:
    assert told(message("a"), partial("a", off=True), partial("a")) == [False, True, True]


def test_an_end_without_text_says_nothing() -> None:
    assert told(message("a"), finished("a", "", off=True)) == [False, False]
    assert told(message("a"), finished("a", "Hel", off=True)) == [False, True]
