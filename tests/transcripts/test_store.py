"""Transcripts on disk: which machine writes which file, crashes, refusals."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import threading
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest

from pet.errors import TranscriptBroken, UnknownConversation, WriteFailed
from pet.fs.directory import FolderIsLink
from pet.ids import new_id
from pet.transcripts.entries import Header, MemorySet, PartialReply, TitleSet, Unknown, UserMessage
from pet.transcripts.entry_codec import encode_entry
from pet.transcripts.fold import fold
from pet.transcripts.jsonl_file import JsonlFile
from pet.transcripts.store import Transcript, TranscriptStore
from tests.support.clocks import SteppingClock
from tests.transcripts.entry_builder import EntryBuilder


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "conversations"


def store(folder: Path, machine: str = "aaaa1111") -> TranscriptStore:
    return TranscriptStore(folder, machine, SteppingClock())


def say(transcript: Transcript, *texts: str, clock: SteppingClock | None = None) -> None:
    builder = EntryBuilder(clock=clock or SteppingClock())
    for text in texts:
        transcript.append(builder.user(new_id(), text), durable=True)


def told(transcript: Transcript) -> list[str]:
    return [turn.text for turn in fold(transcript.entries).turns]


def lines(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_an_empty_tab_leaves_no_file(folder: Path) -> None:
    transcript = store(folder).create(memory=True)
    assert not folder.exists()
    assert fold(transcript.entries).memory
    assert not transcript.stored
    assert store(folder).list() == []


def test_the_switch_of_an_empty_tab_is_kept_once_it_is_flipped(folder: Path) -> None:
    transcript = store(folder).create(memory=True)
    transcript.append(EntryBuilder().memory(False), durable=True)
    assert not fold(store(folder).open(transcript.id).entries).memory


def test_the_first_entry_brings_header_and_switch_with_it(folder: Path) -> None:
    transcript = store(folder).create(memory=False)
    say(transcript, "你好")
    path, second = sorted(folder.iterdir())
    assert (path.name, second.name) == (f"{transcript.id}.jsonl", f"{transcript.id}.jsonl.switch")
    header, switch, said = lines(path)
    assert lines(second) == [switch]
    assert (header["kind"], header["version"], header["conversation"]) == ("header", 1, transcript.id)
    assert (header["machine"], switch["memory"], said["text"]) == ("aaaa1111", False, "你好")
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_was_written_is_read_back(folder: Path) -> None:
    transcript = store(folder).create(memory=True)
    say(transcript, "one", "two\nlines", "半个\ud83d", "\u2028 and \x85")
    again = store(folder).open(transcript.id)
    assert again.entries == transcript.entries
    assert told(again) == ["one", "two\nlines", "半个\ud83d", "\u2028 and \x85"]


def test_a_temporary_conversation_leaves_nothing(folder: Path) -> None:
    transcript = store(folder).create(memory=False, temporary=True)
    say(transcript, "secret")
    assert told(transcript) == ["secret"]
    assert not folder.exists()
    with pytest.raises(UnknownConversation):
        store(folder).open(transcript.id)


@pytest.mark.parametrize(
    "hostile", ["", "..", "../SOUL", "a" * 25, "A" * 26, "a/b", "i" * 26, "é" * 26, "a" * 26 + "\n"]
)
def test_other_ids_than_ours_are_refused(folder: Path, hostile: str) -> None:
    folder.mkdir()
    (folder.parent / "SOUL.jsonl").write_text("soul")
    for act in (store(folder).open, store(folder).delete):
        with pytest.raises(UnknownConversation):
            act(hostile)
    assert (folder.parent / "SOUL.jsonl").exists()


def test_another_machine_writes_its_own_file_and_time_decides(folder: Path) -> None:
    mine = store(folder).create(memory=True)
    clock = SteppingClock()
    say(mine, "first", clock=clock)
    theirs = store(folder, "bbbb2222").open(mine.id)
    say(theirs, "second", clock=clock)
    say(mine, "third", clock=clock)
    assert {path.name for path in folder.iterdir()} == {f"{mine.id}.jsonl", f"{mine.id}~bbbb2222.jsonl"}
    assert told(mine) == told(theirs) == told(store(folder, "cccc3333").open(mine.id)) == ["first", "second", "third"]


def test_a_switch_flipped_after_reading_wins_over_a_clock_that_is_ahead(folder: Path) -> None:
    mine = store(folder).create(memory=True)
    say(mine, "hello")
    theirs = store(folder, "bbbb2222").open(mine.id)
    ahead = SteppingClock(at=datetime.fromisoformat("2031-01-01T00:00:00+00:00"))
    theirs.append(EntryBuilder(clock=ahead).memory(False))
    theirs.append(EntryBuilder(clock=ahead).memory(True))
    assert fold(mine.entries).memory
    mine.append(EntryBuilder().memory(False), durable=True)
    for machine in ("aaaa1111", "bbbb2222"):
        assert not fold(store(folder, machine).open(mine.id).entries).memory


def test_entry_after_a_clock_that_is_ahead_keeps_its_time_zone(folder: Path) -> None:
    """At two in the morning in Shanghai, UTC is on another day."""
    here = datetime.fromisoformat("2026-02-25T02:00:00+08:00")
    mine = store(folder).create(memory=True)
    say(mine, "from the fast clock", clock=SteppingClock(here + timedelta(minutes=5)))
    theirs = store(folder, "bbbb2222").open(mine.id)
    say(theirs, "from here", clock=SteppingClock(here))
    (_, turn) = fold(mine.entries).turns
    assert turn.text == "from here"
    assert turn.at.startswith("2026-02-25T02:05:01.000001") and turn.at.endswith("+08:00")


def test_a_clock_that_goes_back_does_not_reorder_one_machine(folder: Path) -> None:
    mine = store(folder).create(memory=True)
    clock = SteppingClock(step=timedelta(seconds=-60))
    say(mine, "one", "two", "three", clock=clock)
    say(store(folder, "bbbb2222").open(mine.id), "four")
    assert told(store(folder).open(mine.id)) == ["one", "two", "three", "four"]


def test_conflict_copies_and_strangers_are_passed_over(folder: Path) -> None:
    mine = store(folder).create(memory=True)
    say(mine, "hello")
    whole = (folder / f"{mine.id}.jsonl").read_bytes()
    for name in (f"{mine.id} (conflicted copy).jsonl", f"{mine.id}.sync-conflict-1.jsonl", "notes.jsonl"):
        (folder / name).write_bytes(whole)
    assert told(store(folder).open(mine.id)) == ["hello"]
    assert len(store(folder).list()) == 1


def test_two_processes_see_each_others_entries(folder: Path) -> None:
    window = store(folder).create(memory=True)
    say(window, "from the window")
    terminal = store(folder).open(window.id)
    say(terminal, "from the terminal")
    assert told(window) == ["from the window", "from the terminal"]
    say(window, "again")
    assert told(terminal) == ["from the window", "from the terminal", "again"]
    assert len(list(folder.iterdir())) == 1


def test_a_torn_end_is_set_aside_and_never_mixed(folder: Path) -> None:
    transcript = store(folder).create(memory=True)
    say(transcript, "one")
    path = folder / f"{transcript.id}.jsonl"
    with path.open("ab") as file:
        file.write(b'{"kind":"user_said","text":"half')
    again = store(folder).open(transcript.id)
    assert told(again) == ["one"]
    say(again, "two")
    assert told(store(folder).open(transcript.id)) == ["one", "two"]
    assert again.damaged_lines == 0
    torn = path.with_name(path.name + ".torn")
    assert torn.read_bytes() == b'{"kind":"user_said","text":"half\n'
    assert torn.stat().st_mode & 0o777 == 0o600


def test_an_end_torn_while_the_conversation_is_open_is_mended_by_the_next_append(folder: Path) -> None:
    transcript = store(folder).create(memory=True)
    say(transcript, "one")
    with (folder / f"{transcript.id}.jsonl").open("ab") as file:
        file.write(b'{"kind":"user_')
    say(transcript, "two")
    assert told(transcript) == ["one", "two"]
    assert transcript.damaged_lines == 0 and fold(transcript.entries).memory


def test_a_torn_end_that_may_have_been_a_switch_stays_and_counts_as_off(folder: Path) -> None:
    transcript = store(folder).create(memory=True)
    say(transcript, "one")
    with (folder / f"{transcript.id}.jsonl").open("ab") as file:
        file.write(b'{"kind":"memory_set","id":')
    say(transcript, "two")
    assert told(transcript) == ["one", "two"]
    assert transcript.damaged_lines == 1 and not fold(transcript.entries).memory
    transcript.append(EntryBuilder().memory(True), durable=True)
    assert fold(store(folder).open(transcript.id).entries).memory


def test_torn_at_every_byte_only_the_last_line_is_lost(folder: Path) -> None:
    transcript = store(folder).create(memory=True)
    say(transcript, "第一句 one", "第二句 two 🙂")
    path = folder / f"{transcript.id}.jsonl"
    whole = path.read_bytes()
    last = whole.rindex(b"\n", 0, -1) + 1
    for end in range(last, len(whole) + 1):
        path.write_bytes(whole[:end])
        again = store(folder).open(transcript.id)
        complete = end >= len(whole) - 1  # only the line end may be missing
        assert told(again) == ["第一句 one", "第二句 two 🙂"][: 2 if complete else 1]
        say(again, "after")
        assert told(store(folder).open(transcript.id))[-1] == "after"
        assert again.damaged_lines == (0 < end - last < len('{"kind":"u'))  # else it was surely no switch


def test_another_machines_torn_end_is_left_to_it(folder: Path) -> None:
    mine = store(folder).create(memory=True)
    say(mine, "one")
    path = folder / f"{mine.id}.jsonl"
    with path.open("ab") as file:
        file.write(b'{"kind":"user_said"')
    before = path.read_bytes()
    theirs = store(folder, "bbbb2222").open(mine.id)
    say(theirs, "two")
    assert told(theirs) == ["one", "two"]
    assert path.read_bytes() == before


def test_damaged_lines_are_counted_kept_and_skipped(folder: Path) -> None:
    transcript = store(folder).create(memory=True)
    say(transcript, "one")
    path = folder / f"{transcript.id}.jsonl"
    with path.open("ab") as file:
        file.write(b'\xff\xfe\n{"kind":"user_said"}\n[]\n\n' + b'{"a":' * 100_000 + b"\n")
    again = store(folder).open(transcript.id)
    say(again, "two")
    assert told(again) == ["one", "two"]
    assert again.damaged_lines == 5
    assert path.read_bytes().count(b"\xff\xfe") == 1


def test_unknown_kinds_and_fields_survive(folder: Path) -> None:
    transcript = store(folder).create(memory=True)
    say(transcript, "one")
    path = folder / f"{transcript.id}.jsonl"
    stranger = '{"kind":"summary","id":"s","at":"2026-02-24T14:31:00+00:00","text":"later"}'
    said = json.loads(encode_entry(EntryBuilder().user("t2", "two"))) | {"pictures": ["x"]}
    with path.open("a", encoding="utf-8", newline="\n") as file:
        file.write(f"{stranger}\n{json.dumps(said)}\n")
    again = store(folder).open(transcript.id)
    assert told(again) == ["one", "two"]
    unknown = [entry for entry in again.entries if isinstance(entry, Unknown)]
    assert [encode_entry(entry) for entry in unknown] == [stranger]
    say(again, "three")
    assert '"pictures": ["x"]' in path.read_text(encoding="utf-8")


def test_a_newer_version_is_left_alone(folder: Path) -> None:
    transcript = store(folder).create(memory=True)
    say(transcript, "one")
    path = folder / f"{transcript.id}.jsonl"
    header = transcript.entries[0]
    assert isinstance(header, Header)
    newer = replace(header, version=2)
    with path.open("a", encoding="utf-8") as file:
        file.write(encode_entry(newer) + "\n")
    before = path.read_bytes()
    with pytest.raises(TranscriptBroken):
        store(folder).open(transcript.id)
    for _ in range(2):
        with pytest.raises(TranscriptBroken):
            say(transcript, "two")
    assert path.read_bytes() == before


def test_a_link_in_place_of_a_transcript_is_not_followed(folder: Path, tmp_path: Path) -> None:
    transcript = store(folder).create(memory=True)
    say(transcript, "one")
    path = folder / f"{transcript.id}.jsonl"
    outside = tmp_path / "outside.jsonl"
    path.rename(outside)
    path.symlink_to(outside)
    before = outside.read_bytes()
    with pytest.raises(TranscriptBroken):
        store(folder).open(transcript.id)
    assert outside.read_bytes() == before


def test_a_deleted_conversation_is_gone_and_stays_gone(folder: Path) -> None:
    mine = store(folder).create(memory=True)
    say(mine, "one")
    theirs = store(folder, "bbbb2222").open(mine.id)
    say(theirs, "two")
    other = store(folder).create(memory=True)
    say(other, "other")
    (folder / f".{mine.id}.jsonl.0011aabb.tmp").write_text("one", encoding="utf-8")  # of a rewriting that was killed
    (folder / f".{mine.id}~bbbb2222.jsonl.0011aabb.tmp").write_text("two", encoding="utf-8")
    store(folder).delete(mine.id)
    assert [path.name for path in folder.iterdir()] == [f"{other.id}.jsonl"]
    for transcript in (mine, theirs):
        with pytest.raises(UnknownConversation):
            say(transcript, "three")
        with pytest.raises(UnknownConversation):
            _ = transcript.entries
    with pytest.raises(UnknownConversation):
        store(folder).delete(mine.id)
    assert len(list(folder.iterdir())) == 1


def test_only_the_last_partial_reply_stays_in_memory(folder: Path) -> None:
    """One is written per second with the whole text; one from before memory went OFF is kept with later ones."""
    transcript, builder = store(folder).create(memory=True), EntryBuilder()
    transcript.append(builder.user("t"))
    for text in ("so", "so far", "so far on"):
        transcript.append(builder.partial("t", 1, text))
    for text in ("so far on and", "so far on and off"):
        transcript.append(replace(builder.partial("t", 1, text), off=True))
    transcript.append(builder.partial("t", 2, "next"))
    for seen in (transcript, store(folder).open(transcript.id), store(folder, "bbbb2222").open(transcript.id)):
        kept = [(entry.round, entry.text) for entry in seen.entries if isinstance(entry, PartialReply)]
        assert kept == [(1, "so far on"), (1, "so far on and off"), (2, "next")]
    assert fold(transcript.entries) == fold([*transcript.entries[:2], *builder.entries[:4], *transcript.entries[-3:]])
    assert len(lines(folder / f"{transcript.id}.jsonl")) == 2 + 1 + 6


def test_the_list_is_newest_first_and_follows_changes(folder: Path) -> None:
    transcripts = store(folder)
    clock = SteppingClock()
    old, new = transcripts.create(memory=True), transcripts.create(memory=False)
    say(old, "the old one", clock=clock)
    say(new, "the new one", clock=clock)
    assert [(each.id, each.title, each.memory, each.turns) for each in transcripts.list()] == [
        (new.id, "New one", False, 1),
        (old.id, "Old one", True, 1),
    ]
    say(old, "once more", clock=clock)
    old.append(TitleSet(id=new_id(), at=clock.now().isoformat(), title="Tea"))
    old.append(MemorySet(id=new_id(), at=clock.now().isoformat(), memory=False))
    first = transcripts.list()[0]
    assert (first.id, first.title, first.memory, first.turns) == (old.id, "Tea", False, 2)
    transcripts.delete(old.id)
    assert [each.id for each in transcripts.list()] == [new.id]


def test_the_list_agrees_with_the_fold(folder: Path) -> None:
    builder = EntryBuilder()
    builder.said("a", "one", "reply")
    builder.said("b", "two", "reply")
    builder.said("a2", "one again", "reply", turn_kind="edit", supersedes="a")
    transcript = store(folder).create(memory=True)
    for entry in builder.entries:
        transcript.append(entry)
    (summary,) = store(folder).list()
    conversation = fold(transcript.entries)
    assert (summary.title, summary.turns, summary.updated_at) == ("One again", 1, conversation.updated_at)


def test_threads_write_whole_lines(folder: Path) -> None:
    first = store(folder).create(memory=True)
    say(first, "start")
    others = [store(folder).open(first.id) for _ in range(3)]

    def write(transcript: Transcript, name: int) -> None:
        say(transcript, *(f"{name}-{count} " + "字" * 3000 for count in range(25)))

    threads = [threading.Thread(target=write, args=(each, name)) for name, each in enumerate([first, *others])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    again = store(folder).open(first.id)
    assert len(told(again)) == 101
    assert again.damaged_lines == 0


WRITER = """
import sys
from pathlib import Path
from pet.clock import SystemClock
from pet.ids import new_id
from pet.transcripts.entries import UserMessage
from pet.transcripts.store import TranscriptStore
clock = SystemClock()
transcript = TranscriptStore(Path(sys.argv[1]), "aaaa1111", clock).open(sys.argv[2])
count = 0
while True:
    text = f"{sys.argv[3]}-{count} " + "字" * 2000
    said = UserMessage(id=new_id(), at=clock.now().isoformat(), turn=new_id(), text=text, memory=True)
    transcript.append(said, durable=True)
    print(count, flush=True)
    count += 1
"""


def test_a_killed_writer_loses_nothing_it_had_confirmed(folder: Path) -> None:
    transcript = store(folder).create(memory=True)
    say(transcript, "start")
    confirmed: list[str] = []
    for run in range(6):
        writer = subprocess.Popen(
            [sys.executable, "-c", WRITER, str(folder), transcript.id, str(run)], stdout=subprocess.PIPE, text=True
        )
        assert writer.stdout is not None
        confirmed += [f"{run}-{writer.stdout.readline().strip()}" for _ in range(3 + run * 4)]
        writer.kill()
        confirmed += [f"{run}-{line.strip()}" for line in writer.stdout.read().split("\n")[:-1]]
        writer.wait()
    again = store(folder).open(transcript.id)
    found = {text.split(" ")[0] for text in told(again)}
    assert set(confirmed) <= found
    assert again.damaged_lines == 0


def test_a_full_disk_leaves_the_file_as_it_was(folder: Path, tmp_path: Path) -> None:
    pytest.importorskip("resource")
    script = """
import resource, signal, sys
from pathlib import Path
from pet.errors import WriteFailed
from pet.transcripts.entries import UserMessage
from pet.transcripts.store import TranscriptStore
from pet.clock import SystemClock
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
transcript = TranscriptStore(Path(sys.argv[1]), "aaaa1111", SystemClock()).open(sys.argv[2])
path = Path(sys.argv[1], sys.argv[2] + ".jsonl")
before = path.read_bytes()
resource.setrlimit(resource.RLIMIT_FSIZE, (len(before) + 100, len(before) + 100))
try:
    transcript.append(UserMessage(id="i", at="2026-02-24T15:00:00+00:00", turn="t", text="x" * 1000, memory=True))
except WriteFailed as problem:
    print(problem.error_code, path.read_bytes() == before)
"""
    transcript = store(folder).create(memory=True)
    say(transcript, "one")
    done = subprocess.run(
        [sys.executable, "-c", script, str(folder), transcript.id], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "disk_full True"


def test_a_machine_id_that_could_leave_the_folder_is_refused(folder: Path) -> None:
    for machine in ("", "../x", "A", "a" * 41, "a~b"):
        with pytest.raises(ValueError, match="machine"):
            store(folder, machine)


def test_a_header_names_the_machine_that_writes(folder: Path) -> None:
    mine = store(folder).create(memory=True)
    say(mine, "one")
    theirs = store(folder, "bbbb2222").open(mine.id)
    say(theirs, "two")
    headers = [entry for entry in theirs.entries if isinstance(entry, Header)]
    assert [header.machine for header in headers] == ["aaaa1111", "bbbb2222"]
    assert sum(isinstance(entry, UserMessage) for entry in theirs.entries) == 2


@pytest.mark.parametrize("swapped", ["conversations", "pet"])
def test_nothing_is_written_or_deleted_through_a_link_in_place_of_a_folder(tmp_path: Path, swapped: str) -> None:
    """Also if the link replaces the folder while the conversation is open."""
    pet, elsewhere = tmp_path / "pet", tmp_path / "elsewhere"
    conversations = store(pet / "conversations")
    transcript = conversations.create(memory=True)
    say(transcript, "one")
    whole = pet if swapped == "pet" else pet / "conversations"
    shutil.copytree(whole, elsewhere)
    whole.rename(tmp_path / "aside")
    whole.symlink_to(elsewhere)
    before = {path: path.read_bytes() for path in elsewhere.rglob("*.jsonl")}
    assert before
    with pytest.raises((WriteFailed, TranscriptBroken)):
        say(transcript, "two")
    with pytest.raises((WriteFailed, TranscriptBroken)):
        say(conversations.create(memory=True), "three")
    with pytest.raises(TranscriptBroken):
        conversations.open(transcript.id)
    with pytest.raises(WriteFailed):
        conversations.add_whole(new_id(), "2026-01-01T00:00:00+00:00", [])
    with pytest.raises(WriteFailed):
        conversations.delete(transcript.id)
    with pytest.raises(FolderIsLink):
        JsonlFile(pet / "conversations" / f"{transcript.id}.jsonl").rewrite(lambda _data: b"")
    assert {path: path.read_bytes() for path in elsewhere.rglob("*") if path.is_file()} == before
    whole.unlink()
    (tmp_path / "aside").rename(whole)
    say(transcript, "four")
    assert told(transcript) == ["one", "four"]


def test_a_pet_whose_folder_is_a_link_from_the_start_keeps_its_conversations(tmp_path: Path) -> None:
    (tmp_path / "other disk").mkdir()
    (tmp_path / "pet").symlink_to(tmp_path / "other disk")
    transcript = store(tmp_path / "pet" / "conversations").create(memory=True)
    say(transcript, "one")
    again = store(tmp_path / "pet" / "conversations").open(transcript.id)
    say(again, "two")
    assert told(again) == told(transcript) == ["one", "two"]
    store(tmp_path / "pet" / "conversations").delete(transcript.id)
    assert list((tmp_path / "other disk" / "conversations").iterdir()) == []
