"""A sync program that sets a conversation's file back takes nothing away that this program has read or written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pet.model import ContextPart
from pet.transcripts.entries import Compacted, MemorySet, TitleSet, UserMessage
from pet.transcripts.entry_codec import encode_entry
from pet.transcripts.jsonl_file import JsonlFile
from pet.transcripts.redact import RedactionRule, redact_line
from pet.transcripts.store import Transcript, TranscriptStore
from pet.workspace.tombstones import TombstoneStore
from tests.memory.talks import Talk
from tests.support.clocks import DayClock

AT = "2026-03-01T10:00:00+00:00"


def opened(workspace: Path, conversation: str, machine: str = "here") -> Transcript:
    return TranscriptStore(workspace / "conversations", machine, DayClock()).open(conversation)


def set_back(file: Path, data: bytes) -> None:
    """As sync programs do: a temporary file in place of the other one."""
    temporary = file.with_name(".sync.tmp")
    temporary.write_bytes(data)
    os.replace(temporary, file)


def grown(workspace: Path) -> tuple[Talk, Transcript, bytes]:
    """A conversation of one turn with its bytes, then another turn and memory off."""
    talk = Talk(workspace)
    talk.turn("First.", "One.")
    earlier = talk.file.read_bytes()
    talk.turn("Second.", "Two.")
    talk.switch(False)
    transcript = opened(workspace, talk.id)
    assert transcript.entries
    return talk, transcript, earlier


@pytest.mark.parametrize("in_place", [True, False])
def test_lost_entries_are_appended_again(tmp_path: Path, in_place: bool) -> None:
    talk, transcript, earlier = grown(tmp_path)
    before, whole = transcript.entries, talk.file.read_bytes()
    if in_place:
        talk.file.write_bytes(earlier)
    else:
        set_back(talk.file, earlier)
    assert transcript.entries == before
    assert talk.file.read_bytes() == whole
    assert opened(tmp_path, talk.id).entries == before


def test_entries_that_came_after_it_was_set_back_stay(tmp_path: Path) -> None:
    talk, transcript, earlier = grown(tmp_path)
    before = transcript.entries
    set_back(talk.file, earlier)
    title = TitleSet(id="title", at=AT, title="New")
    JsonlFile(talk.file).append(encode_entry(title).encode() + b"\n", first=b"", create=False, durable=False)
    entries = transcript.entries
    assert {entry.id for entry in entries} == {*(entry.id for entry in before), "title"}
    assert [entry.memory for entry in entries if isinstance(entry, MemorySet)] == [True, False]


def test_two_programs_append_what_was_lost_once(tmp_path: Path) -> None:
    talk, transcript, earlier = grown(tmp_path)
    other = opened(tmp_path, talk.id)
    before = transcript.entries
    assert other.entries == before
    set_back(talk.file, earlier)
    assert transcript.entries == before
    assert other.entries == before
    assert talk.file.read_bytes().count(b'"text":"Second."') == 1


def test_what_forgetting_takes_out_is_not_appended(tmp_path: Path) -> None:
    talk = Talk(tmp_path)
    turn = talk.turn("First.", "One.")
    talk.tool(turn, "the ibex Wolfgang")
    talk.look_up(turn, "Wolfgang")
    talk.summarise(turn, "Wolfgang is an ibex.")
    transcript = opened(tmp_path, talk.id)
    transcript.append(TitleSet(id="title", at=AT, title="Wolfgang"))
    assert len(transcript.entries) > 5
    rule = RedactionRule(holds=lambda text: "Wolfgang" in text, marker="[forgotten]")

    def forget(data: bytes) -> bytes:
        kept = (redact_line(line, rule, set()) for line in data.splitlines())
        return b"".join(line + b"\n" for line in kept if line is not None)

    assert JsonlFile(talk.file).rewrite(forget)
    scrubbed = talk.file.read_bytes()
    assert not any(isinstance(entry, TitleSet | Compacted) for entry in transcript.entries)
    assert talk.file.read_bytes() == scrubbed and b"Wolfgang" not in scrubbed


def test_what_was_forgotten_meanwhile_is_not_appended(tmp_path: Path) -> None:
    talk, transcript, earlier = grown(tmp_path)
    part = ContextPart(kind="recall", text="Wolfgang the ibex", gated=True)
    transcript.append(UserMessage(id="said", at=AT, turn="turn", text="Third.", context=(part,), memory=True))
    TombstoneStore(tmp_path).remember("wolfgang", locks=tmp_path / "locks")
    set_back(talk.file, earlier)
    assert transcript.entries
    assert b"Second." in talk.file.read_bytes()
    assert b"Wolfgang" not in talk.file.read_bytes()


def test_a_file_of_another_machine_is_left_to_it(tmp_path: Path) -> None:
    talk, _, earlier = grown(tmp_path)
    there = opened(tmp_path, talk.id, "there")
    assert there.entries
    set_back(talk.file, earlier)
    assert len(there.entries) < 8
    assert talk.file.read_bytes() == earlier


def test_a_file_replaced_by_another_conversation_gets_nothing(tmp_path: Path) -> None:
    talk, transcript, _ = grown(tmp_path)
    other = Talk(tmp_path)
    other.turn("Quite different.", "Yes.")
    set_back(talk.file, other.file.read_bytes())
    assert [entry.text for entry in transcript.entries if isinstance(entry, UserMessage)] == ["Quite different."]
