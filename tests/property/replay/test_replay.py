"""The replay over random histories: while memory is off no gated byte leaves, and every request is well-formed."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from pet.access import OFF, ON
from pet.events import ErrorInfo
from pet.model import (
    Author,
    ContextPart,
    Message,
    OpaquePart,
    Receipt,
    ReplyPart,
    StopReason,
    TextPart,
    ToolCallPart,
    ToolResultPart,
    TurnEnd,
    Usage,
)
from pet.providers.quirks import goes_back
from pet.transcripts.conversation import Conversation
from pet.transcripts.entries import (
    ContextCleared,
    MemorySet,
    PartialReply,
    RoundCompleted,
    TitleSet,
    ToolCompleted,
    TranscriptEntry,
    TurnFinished,
    UserMessage,
    merge,
)
from pet.transcripts.entry_codec import decode_entry, encode_entry
from pet.transcripts.fold import fold
from pet.transcripts.request_messages import to_messages
from pet.transcripts.store import TranscriptStore
from tests.support.clocks import SteppingClock
from tests.support.examples import examples

CANARY = '金丝雀-canary"7f3a\\'
MARKER = "[a memory step]"
OWN = ("own.example", "m")
"""Server and model of the requests."""
words = st.text(st.sampled_from("ab 好\n\t<>🙂"), max_size=12)


@st.composite
def gated_texts(draw: st.DrawFn) -> str:
    return f"{draw(words)}{CANARY}{draw(words)}"


@st.composite
def histories(draw: st.DrawFn) -> list[TranscriptEntry]:
    """Entries as an engine could have written them, killed or stopped anywhere; canaries where gated text may be."""
    clock, count = SteppingClock(), 0
    entries: list[TranscriptEntry] = []
    turns: list[str] = []

    def new() -> dict[str, Any]:
        nonlocal count
        count += 1
        return {"id": f"e{count}", "at": clock.now().isoformat()}

    memory = draw(st.booleans())
    entries.append(MemorySet(**new(), memory=memory))
    for number in range(draw(st.integers(1, 6))):
        turn = f"t{number}"
        supersedes = draw(st.sampled_from(turns)) if turns and draw(st.integers(0, 4)) == 0 else None
        turns.append(turn)
        secret = gated_texts() if memory else words
        context = [ContextPart(kind="time", text="[Tuesday]", gated=False)]
        if memory:
            context.append(
                ContextPart(
                    kind=draw(st.sampled_from(["recall", "recent_days"])),
                    text=draw(secret),
                    gated=draw(st.booleans()),
                )
            )
            context.append(ContextPart(kind="time", text=draw(secret), gated=True))
        entries.append(
            UserMessage(
                **new(),
                turn=turn,
                text="hi " + draw(words),
                context=tuple(context),
                memory=memory,
                supersedes=supersedes,
                turn_kind=draw(st.sampled_from(["message", "regenerate", "edit", "continue"])),
            )
        )
        for round_ in range(1, draw(st.integers(1, 4))):
            entries += draw(rounds(turn, round_, secret, new))
        if draw(st.booleans()):
            end = draw(st.sampled_from(list(TurnEnd)))
            error = ErrorInfo(code="x", args={"near": draw(secret)}) if draw(st.booleans()) else None
            entries.append(TurnFinished(**new(), turn=turn, end=end, error=error, round=9, cut_text=draw(words)))
        for flip in draw(st.lists(st.booleans(), max_size=2)):
            memory = flip
            entries.append(MemorySet(**new(), memory=memory))
        if draw(st.integers(0, 7)) == 0:
            entries.append(ContextCleared(**new()))
        if draw(st.integers(0, 7)) == 0:
            entries.append(TitleSet(**new(), title=draw(words)))
    return entries


@st.composite
def rounds(
    draw: st.DrawFn, turn: str, number: int, secret: st.SearchStrategy[str], new: Any
) -> list[TranscriptEntry]:
    entries: list[TranscriptEntry] = []
    if draw(st.booleans()):
        entries.append(PartialReply(**new(), turn=turn, round=number, text=draw(words)))
    if draw(st.integers(0, 5)) == 0:
        return entries
    parts: list[ReplyPart] = []
    for at in range(draw(st.integers(0, 4))):
        kind = draw(st.sampled_from(["text", "thinking", "call"]))
        if kind == "text":
            parts.append(TextPart(text=draw(words)))
        elif kind == "thinking":
            raw = {"type": "thinking", "thinking": draw(secret), "signature": "s"}
            origin = draw(st.sampled_from([OWN, (OWN[0], "other"), ("other.example", OWN[1]), ("", "")]))
            parts.append(OpaquePart(raw=raw, server=origin[0], model=origin[1]))
        else:
            name = draw(st.sampled_from(["c", f"c{at}"]))  # some servers give the same id twice
            parts.append(ToolCallPart(id=name, name="edit", arguments=json.dumps({"old_text": draw(secret)})))
    stop = draw(st.sampled_from(list(StopReason)))
    entries.append(
        RoundCompleted(**new(), turn=turn, round=number, parts=tuple(parts), stop=stop, usage=Usage(), model="m")
    )
    for part in parts:
        if isinstance(part, ToolCallPart) and draw(st.integers(0, 3)):
            receipt = Receipt(
                file="USER.md", history_id="h", before="b", after="a", added=1, removed=0, author=Author.PET
            )
            entries.append(
                ToolCompleted(
                    **new(),
                    turn=turn,
                    round=number,
                    call_id=part.id,
                    tool="edit",
                    file="USER.md",
                    text=draw(secret),
                    is_error=draw(st.booleans()),
                    error=ErrorInfo(code="x", args={"near": draw(secret)}),
                    receipt=receipt if draw(st.booleans()) else None,
                )
            )
    return entries


def spelled(messages: tuple[Message, ...]) -> str:
    """The messages in every spelling in which a byte of a file could hide."""
    plain = repr(messages)
    return "\n".join([plain, json.dumps(plain), json.dumps(plain, ensure_ascii=False), ascii(messages)])


def spellings(text: str) -> set[str]:
    return {
        text,
        repr(text)[1:-1],
        json.dumps(text)[1:-1],
        json.dumps(json.dumps(text)[1:-1])[1:-1],
        ascii(text)[1:-1],
    }


def check_well_formed(messages: tuple[Message, ...]) -> None:
    assert all(message.parts for message in messages)
    for before, after in pairwise(messages):
        assert before.role != after.role
    if messages:
        assert messages[0].role == "user"
    for place, message in enumerate(messages):
        calls = [part.id for part in message.parts if isinstance(part, ToolCallPart)]
        results = [part.call_id for part in message.parts if isinstance(part, ToolResultPart)]
        assert not (calls and results)
        if calls:
            answered = [
                part.call_id for part in messages[place + 1].parts[: len(calls)] if isinstance(part, ToolResultPart)
            ]
            assert answered == calls
            assert len(set(calls)) == len(calls)
        if results:
            asked = [part.id for part in messages[place - 1].parts if isinstance(part, ToolCallPart)]
            assert results == asked
        for part in message.parts:
            if isinstance(part, OpaquePart):
                assert goes_back(part, *OWN)
                assert not all(isinstance(each, OpaquePart) for each in message.parts)
            if isinstance(part, TextPart | ContextPart):
                assert part.text.strip()


def replays(conversation: Conversation, access: Any) -> list[tuple[Message, ...]]:
    upto = [None, *(turn.id for turn in conversation.turns)]
    own = partial(goes_back, server=OWN[0], model=OWN[1])
    return [to_messages(conversation, access, MARKER, each, goes_back=own) for each in upto]


@settings(max_examples=examples(80))
@given(histories())
def test_off_no_gated_byte_is_replayed(entries: list[TranscriptEntry]) -> None:
    for messages in replays(fold(entries), OFF):
        shown = spelled(messages)
        for form in spellings(CANARY) | {"canary", "金丝雀", "7f3a"}:
            assert form not in shown


@settings(max_examples=examples(80))
@given(histories())
def test_requests_are_well_formed_on_and_off(entries: list[TranscriptEntry]) -> None:
    conversation = fold(entries)
    for access in (ON, OFF):
        for messages in replays(conversation, access):
            check_well_formed(messages)


@given(histories())
def test_entries_survive_the_file(entries: list[TranscriptEntry]) -> None:
    assert [decode_entry(encode_entry(entry)) for entry in entries] == [
        entry if not isinstance(entry, UserMessage) else gated_by_kind(entry) for entry in entries
    ]


def gated_by_kind(entry: UserMessage) -> UserMessage:
    context = tuple(
        ContextPart(kind=part.kind, text=part.text, gated=part.gated or part.kind != "time") for part in entry.context
    )
    return replace(entry, context=context)


@given(histories(), st.data())
def test_the_fold_of_what_was_read_is_the_fold_of_what_was_written(
    entries: list[TranscriptEntry], data: st.DataObject
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        store = TranscriptStore(Path(folder), "aaaa1111", SteppingClock())
        first = entries[0]
        assert isinstance(first, MemorySet)
        transcript = store.create(memory=first.memory)
        for entry in entries[1:]:
            transcript.append(entry)
        # Compared from the codec on: it marks recall as gated, whatever the writer said.
        expected = fold([*transcript.entries[:1], *(decode_entry(encode_entry(entry)) for entry in entries)])
        assert fold(transcript.entries) == expected
        path = Path(folder, f"{transcript.id}.jsonl")
        whole = path.read_bytes()
        end = data.draw(st.integers(0, len(whole)))
        path.write_bytes(whole[:end])
        kept = whole[: whole[:end].rfind(b"\n") + 1].count(b"\n")
        if len(whole) > end > 0 and whole[end : end + 1] == b"\n":
            kept += 1  # only the line end was lost
        reopened = TranscriptStore(Path(folder), "aaaa1111", SteppingClock()).open(transcript.id)
        lines = transcript_lines(whole)
        assert tuple(each for each in reopened.entries if not stands_in(each)) == lines[:kept]
        if any(isinstance(each, MemorySet) and not each.memory for each in lines[kept:]):
            assert not fold(reopened.entries).memory


def stands_in(entry: TranscriptEntry) -> bool:
    return isinstance(entry, MemorySet) and entry.unreadable


def transcript_lines(data: bytes) -> tuple[TranscriptEntry, ...]:
    return tuple(decode_entry(line.decode()) for line in data.split(b"\n")[:-1])


@given(histories(), st.randoms(use_true_random=False))
def test_files_of_several_machines_fold_alike_in_any_order(entries: list[TranscriptEntry], random: Any) -> None:
    files: dict[str, list[TranscriptEntry]] = {"a": [], "b": [], "c": []}
    for entry in entries:
        files[random.choice("abc")].append(entry)
    names = list(files)
    random.shuffle(names)
    assert fold(merge({name: files[name] for name in names})) == fold(merge(files)) == fold(entries)
