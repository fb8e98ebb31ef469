"""A transcript that grows is folded entry by entry, into what its entries say as a whole."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.ids import new_id
from pet.model import StopReason, TextPart, TurnEnd, Usage, UsedMemory
from pet.transcripts import fold as folding
from pet.transcripts.conversation import Round
from pet.transcripts.entries import (
    Compacted,
    ContextFound,
    MemorySet,
    PartialReply,
    ReceiptChanged,
    RoundCompleted,
    ToolCompleted,
    TranscriptEntry,
    TurnFinished,
    TurnsRemovedSet,
    UserMessage,
    VariantSet,
)
from pet.transcripts.fold import GrowingFold, fold
from tests.transcripts.entry_builder import EntryBuilder, call

TURNS = st.sampled_from(["a", "b", "c", "d"])
AT = "2026-11-23T12:00:00+00:00"
USED = UsedMemory(path="USER.md", start_line=1, end_line=1, source="profile", snippet="tea")


def made(kind: type[TranscriptEntry]) -> Callable[..., TranscriptEntry]:
    return lambda **fields: kind(id=new_id(), at=AT, **fields)


ENTRIES = st.one_of(
    st.builds(made(UserMessage), turn=TURNS, text=st.sampled_from(["hello", "tea"]), memory=st.booleans()),
    st.builds(
        made(UserMessage),
        turn=TURNS,
        text=st.just("again"),
        supersedes=TURNS,
        turn_kind=st.just("edit"),
        memory=st.just(True),
    ),
    st.builds(made(PartialReply), turn=TURNS, round=st.just(1), text=st.text(max_size=3), off=st.booleans()),
    st.builds(
        made(RoundCompleted),
        turn=TURNS,
        round=st.integers(1, 2),
        parts=st.just((TextPart(text="yes"),)),
        stop=st.just(StopReason.END_TURN),
        usage=st.just(Usage()),
        model=st.just("test-model"),
    ),
    st.builds(
        made(ToolCompleted),
        turn=TURNS,
        round=st.integers(0, 1),
        call_id=st.just("c"),
        tool=st.just("read"),
        file=st.just("USER.md"),
        text=st.just("line"),
        is_error=st.just(False),
        error=st.none(),
        receipt=st.none(),
    ),
    st.builds(
        made(TurnFinished),
        turn=TURNS,
        round=st.integers(1, 2),
        end=st.just(TurnEnd.DONE),
        error=st.none(),
        cut_text=st.just(""),
        off=st.booleans(),
    ),
    st.builds(made(ContextFound), turn=TURNS, context=st.just(()), used=st.just((USED,))),
    st.builds(made(ReceiptChanged), turn=TURNS, done=st.just("x"), state=st.just("undone")),
    st.builds(made(TurnsRemovedSet), turns=st.tuples(TURNS), removed=st.booleans()),
    st.builds(made(VariantSet), turn=TURNS),
    st.builds(made(MemorySet), memory=st.booleans()),
    st.builds(made(Compacted), upto=TURNS, memory=st.booleans(), text=st.just("before"), usage=st.just(Usage())),
)


def next_state(
    before: tuple[TranscriptEntry, ...], entry: TranscriptEntry, place: int
) -> tuple[TranscriptEntry, ...]:
    """As a transcript: a newer partial text replaces the one at the end, another machine's entry may come first."""
    if before and isinstance(entry, PartialReply) and entry.replaces(before[-1]):
        return (*before[:-1], entry)
    at = len(before) if place else 0
    return (*before[:at], entry, *before[at:])


@given(st.lists(st.tuples(ENTRIES, st.integers(0, 5)), max_size=40), st.one_of(st.none(), TURNS))
def test_it_is_at_each_moment_what_a_fold_of_all_entries_is(
    added: list[tuple[TranscriptEntry, int]], running: str | None
) -> None:
    growing = GrowingFold()
    entries: tuple[TranscriptEntry, ...] = ()
    for entry, place in added:
        entries = next_state(entries, entry, place)
        assert growing.conversation(entries, running) == fold(entries, running)
        assert growing.conversation(entries) == fold(entries)


def test_a_forgotten_text_is_gone_from_it() -> None:
    builder = EntryBuilder()
    builder.said("a", "the locker is 418", "noted")
    builder.said("b", "hello", "hi")
    growing = GrowingFold()
    before = tuple(builder.entries)
    growing.conversation(before)
    after = tuple(fresh(entry) if isinstance(entry, UserMessage) else entry for entry in before)
    assert growing.conversation(after) == fold(after)
    assert "418" not in str(growing.conversation(after))


def fresh(message: UserMessage) -> UserMessage:
    return UserMessage(id=message.id, at=message.at, turn=message.turn, text="[forgotten]", memory=message.memory)


def test_with_a_new_message_no_ended_turn_is_made_again(monkeypatch: pytest.MonkeyPatch) -> None:
    builder = EntryBuilder()
    for turn in map(str, range(50)):
        builder.user(turn)
        builder.round(turn, 1, "let me look", call("c1"))
        builder.tool(turn, 1, "c1")
        builder.round(turn, 2, "done")
        builder.closed(turn)
    growing = GrowingFold()
    first = growing.conversation(tuple(builder.entries))
    rounds: list[object] = []
    counted = folding._rounds

    def rounds_of(state: folding._TurnState) -> Iterable[Round]:
        rounds.append(state)
        return counted(state)

    monkeypatch.setattr(folding, "_rounds", rounds_of)
    builder.user("new")
    second = growing.conversation(tuple(builder.entries), "new")
    assert len(rounds) == 1
    assert all(old is new for old, new in zip(first.turns, second.turns, strict=False))
