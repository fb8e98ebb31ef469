"""Files are read once and incrementally; numbers are searched in messages and not in ids."""

from __future__ import annotations

import gc
import json
import tracemalloc
from collections.abc import Callable
from copy import copy
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.parts.conversations import write
from pet.ids import new_id
from pet.model import TextPart, pack_texts, texts_of
from pet.transcripts import entry_codec, store, transcript
from pet.transcripts import search as find
from pet.transcripts.entries import RoundCompleted, TitleSet, TranscriptEntry, UserMessage
from pet.transcripts.entry_codec import decode_entry, encode_entry
from pet.transcripts.fold import GrowingFold, fold
from pet.transcripts.jsonl_file import JsonlFile
from pet.transcripts.store import TranscriptStore
from pet.untrusted.regular_files import settled_stamp
from tests.support.clocks import DayClock
from tests.support.waiting import wait_for
from tests.transcripts.entry_builder import EntryBuilder

TURNS = 12


def file_of(folder: Path) -> Path:
    (file,) = folder.glob("*.jsonl")
    return file


def noting(lines: list[str]) -> Callable[[str], TranscriptEntry]:
    """Return ``decode_entry`` that records its arguments."""

    def read(line: str) -> TranscriptEntry:
        lines.append(line)
        return decode_entry(line)

    return read


def test_opening_a_listed_conversation_parses_no_line_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "Long", TURNS)
    lines: list[str] = []
    transcripts = TranscriptStore(tmp_path, "m", DayClock())
    conversation = transcripts.list()[0].id
    monkeypatch.setattr(transcript, "decode_entry", noting(lines))
    entries = transcripts.open(conversation).entries
    said = [line for line in lines if line.startswith('{"kind":"user_said"')]
    assert said == []
    assert sum(line.startswith('{"kind":"round_said"') for line in lines) == TURNS
    assert entries == TranscriptStore(tmp_path, "m", DayClock()).open(conversation).entries


def test_a_folder_without_a_change_is_not_listed_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(tmp_path, "Long", TURNS)
    transcripts = TranscriptStore(tmp_path, "m", DayClock())
    conversation = transcripts.open(transcripts.list()[0].id)
    wait_for("the folder's stamp", lambda: settled_stamp(tmp_path))
    entries = conversation.entries
    with monkeypatch.context() as patched:
        patched.setattr(transcript, "files_of", None)
        assert conversation.entries is entries
    other = tmp_path / f"{conversation.id}~other.jsonl"
    said = UserMessage(id=new_id(), at="2100-01-01T10:00:00+00:00", turn="t", text="From elsewhere", memory=True)
    other.write_bytes(file_of(tmp_path).read_bytes().partition(b"\n")[0] + b"\n" + transcript.entry_line(said))
    assert conversation.entries[-1] == said


def test_list_keeps_no_messages_of_older_conversations(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store, "_CACHED_CONVERSATIONS", 1)
    for title in ("Old", "New"):
        write(tmp_path, title, TURNS)
    transcripts = TranscriptStore(tmp_path, "m", DayClock())
    new, old = transcripts.list()
    assert [bool(transcripts._scans[each.id].known) for each in (new, old)] == [True, False]
    lines: list[str] = []
    monkeypatch.setattr(entry_codec, "decode_entry", noting(lines))
    assert transcripts.list() == [new, old]
    assert lines == []
    live = transcripts.open(old.id)
    live.append(TitleSet(id="t", at="2026-11-21T10:00:00+00:00", title="Renamed"))
    again = TranscriptStore(tmp_path, "m", DayClock()).list()
    assert transcripts.list() == again and "Renamed" in [each.title for each in again]
    transcripts.delete(old.id)
    assert [each.id for each in transcripts.list()] == [new.id]


def test_a_line_that_was_taken_out_since_the_list_was_read_does_not_come_back(tmp_path: Path) -> None:
    write(tmp_path, "Long", TURNS)
    transcripts = TranscriptStore(tmp_path, "m", DayClock())
    conversation = transcripts.list()[0].id
    JsonlFile(file_of(tmp_path)).rewrite(lambda data: data.replace(b"message 3 ", b"[gone] "))
    texts = [entry.text for entry in transcripts.open(conversation).entries if isinstance(entry, UserMessage)]
    assert sum("[gone]" in text for text in texts) == 1
    assert not any("message 3 " in text for text in texts)


def test_a_line_with_white_space_around_is_read_and_nonsense_is_not() -> None:
    said = UserMessage(id="i", at="2026-11-21T10:00:00+00:00", turn="t", text="hello", memory=True)
    line = encode_entry(said)
    assert [
        decode_entry(each) for each in (line, f" {line}", f"{line} \t", json.dumps(json.loads(line), indent=1))
    ] == [said] * 4
    for broken in (f"{line}x", f"{line}{line}", line[:-1], "", "[" * 100_000, " " + "[" * 100_000, "[]", "7"):
        with pytest.raises(ValueError):
            decode_entry(broken)


def test_a_number_is_searched_in_messages_and_not_in_ids_and_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "Long", TURNS)
    transcripts = TranscriptStore(tmp_path, "m", DayClock())
    lines: list[str] = []
    monkeypatch.setattr(entry_codec, "decode_entry", noting(lines))
    year = json.loads(file_of(tmp_path).read_text().splitlines()[0])["at"][:7]
    assert year in file_of(tmp_path).read_text()
    assert find.search_transcripts(transcripts.files(), f"{year}-01T", 5) == []
    assert lines == [], "no line was read for it"
    assert [hit.snippet for hit in find.search_transcripts(transcripts.files(), "message 11", 5)] != []


def test_a_long_conversation_is_packed_and_read_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript, "_PLAIN", 30)
    write(tmp_path, "Long", 100)
    opened = TranscriptStore(tmp_path, "m", DayClock()).list()[0].id
    growing = TranscriptStore(tmp_path, "m", DayClock()).open(opened)
    for number in range(60):
        fold(growing.entries)
        growing.append(TitleSet(id=f"title{number}", at="2026-03-01T10:00:00+00:00", title=f"Title {number}"))
    rounds = [entry for entry in growing.entries if isinstance(entry, RoundCompleted)]
    packed = [each for entry in rounds for each in (entry, *entry.parts) if hasattr(each, "_block")]
    assert len(packed) > 2 * (len(rounds) - 30 - transcript._PACKED_AT_ONCE)
    fresh = TranscriptStore(tmp_path, "m", DayClock()).open(opened)
    assert growing.entries == fresh.entries
    assert fold(growing.entries) == fold(fresh.entries)
    assert list(map(encode_entry, growing.entries)) == list(map(encode_entry, fresh.entries))


def test_a_turn_of_a_long_conversation_keeps_little_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transcript, "_PLAIN", 60)
    write(tmp_path, "Long", 1)
    growing = TranscriptStore(tmp_path, "m", DayClock()).open(file_of(tmp_path).stem)
    growing_fold, builder = GrowingFold(), EntryBuilder()

    def grow(turns: int) -> int:
        for _ in range(turns):
            turn = new_id()
            builder.said(turn, f"a message {turn} of some length " * 3, f"a reply {turn} as long as most are " * 12)
            for entry in builder.entries:
                growing.append(entry)
            builder.entries.clear()
            growing_fold.conversation(growing.entries)
        gc.collect()
        return tracemalloc.get_traced_memory()[0]

    tracemalloc.start()
    try:
        before, after = grow(60), grow(200)
    finally:
        tracemalloc.stop()
    assert after - before < 200 * 1_600  # some 2,400 with the replies alone packed


def test_a_packed_conversation_is_read_block_by_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript, "_PLAIN", 0)
    write(tmp_path, "Long", 100)
    opened = TranscriptStore(tmp_path, "m", DayClock()).open(file_of(tmp_path).stem)
    for number in range(20):
        opened.append(TitleSet(id=f"title{number}", at="2026-03-01T10:00:00+00:00", title=f"Title {number}"))
    conversation = fold(opened.entries)
    texts_of.cache_clear()
    assert "message 3 " in "".join(turn.at + turn.text + turn.reply for turn in conversation.turns)
    assert 1 < texts_of.cache_info().misses <= len(opened.entries) / transcript._PACKED_AT_ONCE


@pytest.mark.parametrize("text", ["", "Grüße, 世界 🌍", "\ud83d alone", "\ud83d\ude00 apart", "x" * 10_000])
def test_packed_text_is_the_text(text: str) -> None:
    part = TextPart(text=text)
    for _ in range(2):
        pack_texts([TextPart(text="another"), part])
        assert part == TextPart(text=text) and hash(part) == hash(TextPart(text=text)) and part.text == text
        assert repr(part) == repr(TextPart(text=text)) and replace(part).text == text and copy(part) == part
    for missing in ("words", "id"):
        with pytest.raises(AttributeError):
            getattr(part, missing)


def test_entries_of_a_turn_share_its_id(tmp_path: Path) -> None:
    write(tmp_path, "Long", TURNS)
    entries = TranscriptStore(tmp_path, "m", DayClock()).open(file_of(tmp_path).stem).entries
    turns = [entry.turn for entry in entries if isinstance(entry, UserMessage | RoundCompleted)]
    assert len({id(turn) for turn in turns}) == len(set(turns)) == TURNS
