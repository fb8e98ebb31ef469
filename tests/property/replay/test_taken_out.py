"""Turns taken out and put back anywhere in random histories: requests stay sound, and tell nothing of what is out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pet.access import OFF, ON
from pet.model import Usage
from pet.transcripts.entries import Compacted, TranscriptEntry, TurnsRemovedSet, UserMessage
from pet.transcripts.entry_codec import decode_entry, encode_entry
from pet.transcripts.fold import fold
from pet.transcripts.request_messages import to_messages
from tests.property.replay.test_replay import MARKER, check_well_formed, histories, replays
from tests.support.examples import examples


@st.composite
def edited(draw: st.DrawFn) -> list[TranscriptEntry]:
    """A history in which each message has a word of its own, with removals, undone ones and summaries between."""
    entries: list[TranscriptEntry] = []
    turns: list[str] = []
    count = 0

    def new(at: str) -> dict[str, Any]:
        nonlocal count
        count += 1
        return {"id": f"r{count}", "at": at}

    for entry in draw(histories()):
        if isinstance(entry, UserMessage):
            entry = replace(entry, text=f"word-{entry.turn}-end")
            turns.append(entry.turn)
        entries.append(entry)
        at = entry.at
        if turns and draw(st.integers(0, 3)) == 0:
            some = draw(st.lists(st.sampled_from(turns), min_size=1, max_size=3, unique=True))
            entries.append(TurnsRemovedSet(**new(at), turns=tuple(some), removed=draw(st.integers(0, 2)) > 0))
        now = fold(entries)
        if len(now.removed) > 0 and draw(
            st.booleans()
        ):  # another program's, which did not know of the last removal yet
            back = TurnsRemovedSet(**new(at), turns=now.removed[-1:], removed=False)
            now = fold([*entries, back])
        if now.turns and draw(st.integers(0, 4)) == 0:
            told = now.turns[: draw(st.integers(1, len(now.turns)))]
            text = " ".join(turn.text for turn in told)
            made = Compacted(**new(at), upto=told[-1].id, memory=False, text=text, usage=Usage(), without=now.removed)
            entries.append(made)
    return entries


@given(edited())
def test_requests_are_well_formed_with_turns_taken_out(entries: list[TranscriptEntry]) -> None:
    conversation = fold(entries)
    for access in (ON, OFF):
        for messages in replays(conversation, access):
            check_well_formed(messages)


@settings(max_examples=examples(80))
@given(edited())
def test_nothing_of_a_removed_turn_is_sent_and_nothing_of_a_standing_one_is_lost(
    entries: list[TranscriptEntry],
) -> None:
    at = entries[-1].at
    conversation = fold([*entries, UserMessage(id="last", at=at, turn="last", text="word-last-end", memory=False)])
    shown = repr(to_messages(conversation, OFF, MARKER))
    for removed in conversation.removed:
        assert f"word-{removed}-end" not in shown
    for turn in conversation.turns[conversation.dropped :]:
        assert f"word-{turn.id}-end" in shown


@given(edited())
def test_putting_everything_back_is_as_if_nothing_had_been_removed(entries: list[TranscriptEntry]) -> None:
    every = tuple(dict.fromkeys(entry.turn for entry in entries if isinstance(entry, UserMessage)))
    back = TurnsRemovedSet(id="back", at=entries[-1].at, turns=every, removed=False)
    told = [each for each in entries if not isinstance(each, Compacted)]
    restored = fold([*told, back])
    assert restored.turns == fold([each for each in told if not isinstance(each, TurnsRemovedSet)]).turns
    assert restored.removed == ()
    assert [
        decode_entry(encode_entry(each)) for each in entries if isinstance(each, TurnsRemovedSet | Compacted)
    ] == [each for each in entries if isinstance(each, TurnsRemovedSet | Compacted)]
