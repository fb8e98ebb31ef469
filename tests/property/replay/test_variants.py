"""Earlier variants chosen again anywhere in random histories, and branches of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from pet.access import OFF, ON, MemoryMode
from pet.transcripts.conversation import Turn
from pet.transcripts.entries import ToolCompleted, TranscriptEntry, TurnsRemovedSet, UserMessage, VariantSet
from pet.transcripts.entry_codec import decode_entry, encode_entry
from pet.transcripts.fold import branch_entries, fold
from pet.transcripts.request_messages import to_messages
from tests.property.replay.test_replay import CANARY, MARKER, check_well_formed, replays
from tests.property.replay.test_taken_out import edited


@st.composite
def chosen(draw: st.DrawFn) -> list[TranscriptEntry]:
    """A history in which each message has a word of its own, with variants chosen in between."""
    entries: list[TranscriptEntry] = []
    turns: list[str] = []
    for entry in draw(edited()):
        entries.append(entry)
        if isinstance(entry, UserMessage):
            turns.append(entry.turn)
        if turns and draw(st.integers(0, 2)) == 0:
            entries.append(VariantSet(id=f"v{len(entries)}", at=entry.at, turn=draw(st.sampled_from(turns))))
    return [decode_entry(encode_entry(entry)) for entry in entries]  # a transcript says for itself what is gated


@given(chosen())
def test_only_the_chosen_variants_are_sent_well_formed_and_masked_while_off(entries: list[TranscriptEntry]) -> None:
    conversation = fold(entries)
    active = {turn.id for turn in conversation.turns}
    every = {entry.turn for entry in entries if isinstance(entry, UserMessage)}
    for access in (ON, OFF):
        for messages in replays(conversation, access):
            check_well_formed(messages)
            for turn in every - active:
                assert f"word-{turn}-end" not in repr(messages)
    assert CANARY not in repr(list(replays(conversation, OFF)))


@given(chosen(), st.data())
def test_a_choice_taken_back_shows_what_was_shown_before(entries: list[TranscriptEntry], data: st.DataObject) -> None:
    before = fold(entries)
    offered = [(turn.id, other) for turn in before.turns for other in turn.variants if other != turn.id]
    if not offered:
        return
    turn, other = data.draw(st.sampled_from(offered))
    at = entries[-1].at
    there = [*entries, VariantSet(id="there", at=at, turn=other)]
    assert other in {each.id for each in fold(there).turns}
    back = fold([*there, VariantSet(id="back", at=at, turn=turn)])
    assert replace(back, updated_at="") == replace(before, updated_at="")


@given(chosen())
def test_no_receipt_gets_out_of_sight_unless_its_turn_was_removed(entries: list[TranscriptEntry]) -> None:
    kept = [entry for entry in entries if not isinstance(entry, TurnsRemovedSet)]
    told: dict[str, bool] = {entry.turn: False for entry in kept if isinstance(entry, UserMessage)}
    for turn in fold(kept).with_receipts():
        told[turn.id] = True
    for entry in kept:
        if isinstance(entry, ToolCompleted) and entry.receipt:
            alone = next(turn for turn in _each(kept) if turn.id == entry.turn)
            assert told[entry.turn] or all(done.receipt is None for done in alone.tools)


def _each(entries: Sequence[TranscriptEntry]) -> list[Turn]:
    """Every turn by itself, whatever became of it."""
    names = [entry.turn for entry in entries if isinstance(entry, UserMessage)]
    return [
        fold(
            [
                replace(each, supersedes=None) if isinstance(each, UserMessage) else each
                for each in entries
                if getattr(each, "turn", name) == name
            ]
        ).turns[0]
        for name in dict.fromkeys(names)
    ]


@given(chosen())
def test_what_is_shown_is_shown_once(entries: list[TranscriptEntry]) -> None:
    conversation = fold(entries)
    shown = list(conversation.with_receipts())
    assert len({turn.id for turn in shown}) == len(shown)
    for turn in conversation.turns:
        assert turn.variants == () or (turn.id in turn.variants and len(turn.variants) > 1)


@given(chosen(), st.data())
def test_a_branch_sends_what_its_conversation_would_have(entries: list[TranscriptEntry], data: st.DataObject) -> None:
    conversation = fold(entries)
    if not conversation.turns:
        return
    upto = data.draw(st.integers(1, len(conversation.turns)))
    last = conversation.turns[upto - 1].id
    made = branch_entries(entries, conversation, last, memory_mode=MemoryMode.OFF, title="b (2)", at=entries[-1].at)
    branch = fold(made)
    assert [turn.id for turn in branch.turns] == [turn.id for turn in conversation.turns[:upto]]
    assert (branch.memory_mode, branch.title) == (MemoryMode.OFF, "b (2)")
    assert not any(done.receipt for turn in branch.turns for done in turn.tools)
    for mine, theirs in zip(branch.turns, conversation.turns[:upto], strict=True):
        assert (mine.text, mine.memory, mine.context, mine.end) == (
            theirs.text,
            theirs.memory,
            theirs.context,
            theirs.end,
        )
        assert [(each.parts, each.off) for each in mine.rounds] == [(each.parts, each.off) for each in theirs.rounds]
    source = replace(
        conversation,
        turns=conversation.turns[:upto],
        dropped=min(upto, conversation.dropped),
        summaries=tuple(made for made in conversation.summaries if made.turns <= upto),
    )
    for access in (ON, OFF):
        assert to_messages(branch, access, MARKER) == to_messages(source, access, MARKER)
