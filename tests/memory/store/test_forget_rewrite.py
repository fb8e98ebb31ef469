"""A transcript is rewritten while others write and read it: no line is lost, none is seen half."""

from __future__ import annotations

import threading
from functools import partial
from pathlib import Path

import pytest

from pet.errors import UnknownConversation
from pet.transcripts.entries import UserMessage
from pet.transcripts.jsonl_file import JsonlFile
from pet.transcripts.store import TranscriptStore
from tests.memory.forget_desk import Pet


def _without(word: bytes, data: bytes) -> bytes:
    return b"".join(line for line in data.splitlines(keepends=True) if word not in line)


def test_lines_added_while_it_is_rewritten_are_all_there(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    JsonlFile(file).append(b"{}\n", first=b"", create=True, durable=False)
    writers = 3
    begin = threading.Barrier(writers + 1)

    def write(number: int) -> None:
        begin.wait()
        for each in range(150):
            JsonlFile(file).append(b'{"n":"%d-%d"}\n' % (number, each), first=b"", create=False, durable=False)

    threads = [threading.Thread(target=write, args=(number,)) for number in range(writers)]
    for thread in threads:
        thread.start()
    begin.wait()

    def number(each: int, data: bytes) -> bytes:
        return data.replace(b"{}", b'{"r":"%d"}' % each) + b"{}\n"

    for each in range(60):
        JsonlFile(file).rewrite(partial(number, each))
    for thread in threads:
        thread.join()
    lines = file.read_bytes().splitlines()
    written = {b'{"n":"%d-%d"}' % (number, each) for number in range(writers) for each in range(150)}
    assert written <= set(lines)
    assert len([line for line in lines if line.startswith(b'{"r"')]) == 60
    assert list(tmp_path.iterdir()) == [file]


def test_an_append_that_waited_goes_to_the_new_file_and_never_to_a_deleted_one(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b'{"a":1}\n')
    waiting = threading.Thread(
        target=lambda: JsonlFile(file).append(b'{"b":2}\n', first=b"", create=True, durable=True)
    )

    def change(data: bytes) -> bytes:
        waiting.start()
        return data.replace(b"1", b"9")

    JsonlFile(file).rewrite(change)
    waiting.join()
    assert file.read_bytes() == b'{"a":9}\n{"b":2}\n'


def test_a_reader_begins_again_also_when_an_inode_was_used_again(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b'{"a":1}\n{"b":2}\n')
    reader = JsonlFile(file)
    assert len(reader.read_new().lines) == 2
    inode = file.stat().st_ino
    file.write_bytes(b'{"c":3333}\n{"d":4}\n{"e":5}\n')  # the same file, longer, other lines
    assert file.stat().st_ino == inode
    batch = reader.read_new()
    assert batch.restarted
    assert batch.lines == [b'{"c":3333}', b'{"d":4}', b'{"e":5}']
    JsonlFile(file).append(b'{"f":6}\n', first=b"", create=False, durable=False)
    batch = reader.read_new()
    assert (batch.restarted, batch.lines) == (False, [b'{"f":6}'])


def test_a_rewriting_that_changes_nothing_leaves_the_file_alone(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b"{}\n")
    before = file.stat()
    assert not JsonlFile(file).rewrite(lambda data: data)
    assert (file.stat().st_ino, file.stat().st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_a_failed_rewriting_leaves_everything_as_it_was(tmp_path: Path) -> None:
    file = tmp_path / "a.jsonl"
    file.write_bytes(b"{}\n")

    def fail(_data: bytes) -> bytes:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        JsonlFile(file).rewrite(fail)
    assert file.read_bytes() == b"{}\n"
    JsonlFile(file).append(b"{}\n", first=b"", create=False, durable=True)
    assert list(tmp_path.iterdir()) == [file]


def test_what_a_killed_rewriting_left_goes_with_the_next(tmp_path: Path) -> None:
    file, leftover = tmp_path / "a.jsonl", tmp_path / ".a.jsonl.0011.tmp"
    file.write_bytes(b"{}\n")
    leftover.write_bytes(b"half")
    JsonlFile(file).rewrite(lambda data: data)
    assert list(tmp_path.iterdir()) == [file]


def test_an_open_conversation_sees_itself_without_it_and_goes_on(pet: Pet) -> None:
    talk = pet.talk()
    turn = talk.said("one")
    talk.found(turn, "Zanzibar")
    assert len(talk.transcript.entries) == 4
    pet.forgetting.forget(pet.forgetting.find("Zanzibar"))
    assert "Zanzibar" not in str(talk.transcript.entries)
    talk.said("two")
    said = [entry.text for entry in talk.transcript.entries if isinstance(entry, UserMessage)]
    assert said == ["one", "two"]
    (summary,) = pet.transcripts.list()
    assert summary.turns == 2


def test_other_machines_files_and_copies_of_sync_programs_lose_it_too(pet: Pet) -> None:
    talk = pet.talk()
    talk.found(talk.said("one"), "Zanzibar")
    folder = pet.root / "conversations"
    TranscriptStore(folder, "there", pet.clock).open(talk.id).append(talk.transcript.entries[-1])
    own = folder / f"{talk.id}.jsonl"
    copy = folder / f"{talk.id}.sync-conflict-20260224-143000-ABCDEFG.jsonl"
    copy.write_bytes(own.read_bytes())
    assert len(pet.where("Zanzibar")) == 3
    report = pet.forgetting.forget(pet.forgetting.find("Zanzibar"))
    assert pet.where("Zanzibar") == []
    assert report.left == ()
    assert copy.read_bytes() == own.read_bytes()


def test_torn_ends_lose_it_and_the_line_before_them_stays_whole(pet: Pet) -> None:
    talk = pet.talk()
    talk.said("one")
    file = pet.root / "conversations" / f"{talk.id}.jsonl"
    whole = file.read_bytes()
    file.with_name(f"{file.name}.torn").write_bytes(b'{"kind":"tool_done","text":"Zanz\\u0069bar\n')
    file.write_bytes(whole + b'{"kind":"compacted","text":"about Zanzibar and')
    pet.forgetting.forget(pet.forgetting.find("Zanzibar"))
    assert file.read_bytes() == whole
    assert sorted(path.name for path in file.parent.iterdir()) == [file.name]


def test_a_message_of_the_owners_that_was_torn_is_still_theirs(pet: Pet) -> None:
    talk = pet.talk()
    talk.said("one")
    file = pet.root / "conversations" / f"{talk.id}.jsonl"
    torn = file.with_name(f"{file.name}.torn")
    torn.write_bytes(b'{"kind":"user_said","text":"about Zanzibar\n')
    report = pet.forgetting.forget(pet.forgetting.find("Zanzibar"))
    assert torn.read_bytes() == b'{"kind":"user_said","text":"about Zanzibar\n'
    assert [piece.where for piece in report.left] == ["said"]


def test_a_conversation_deleted_meanwhile_is_not_made_again(pet: Pet) -> None:
    talk = pet.talk()
    talk.found(talk.said("one"), "Zanzibar")
    plan = pet.forgetting.find("Zanzibar")
    pet.transcripts.delete(talk.id)
    assert pet.forgetting.forget(plan).messages == 0
    with pytest.raises(UnknownConversation):
        pet.transcripts.open(talk.id)
