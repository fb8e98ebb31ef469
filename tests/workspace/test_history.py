"""The history of one file by itself: its log line by line, its stored bytes, and what is synced to the disk when."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self, cast

import pytest

from pet.fs.directory import Folder, open_folder, version_of
from pet.model import MISSING, Author, Source
from pet.workspace import file_history as module
from pet.workspace.file_history import FileHistory, HistoryEntry
from tests.support.files import has_mode


class Watched:
    """A real folder that notes what is synced, touched and appended in it and in those within."""

    def __init__(self, real: Folder, notes: list[str], name: str = "") -> None:
        self._real, self.notes, self._name = real, notes, name

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def __enter__(self) -> Self:
        self._real.__enter__()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._real.__exit__(kind, error, trace)

    def sub(self, name: str, *, create: bool) -> Watched:
        return Watched(self._real.sub(name, create=create), self.notes, name)

    def append(self, name: str, data: bytes, *, durable: bool) -> None:
        self.notes.append(f"append {name} {'durable' if durable else 'at leisure'}")
        self._real.append(name, data, durable=durable)

    def touch(self, name: str) -> None:
        self.notes.append(f"touch {name}")
        self._real.touch(name)

    def sync(self) -> None:
        self.notes.append(f"sync {self._name}".rstrip())
        self._real.sync()


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Watched]:
    with Watched(open_folder(tmp_path), []) as watched:
        yield watched


@pytest.fixture
def history(folder: Watched) -> FileHistory:
    return opened(folder)


def opened(folder: Watched) -> FileHistory:
    """Without what another one has read."""
    return FileHistory(cast(Folder, folder), "USER.md")


def entry(
    text: str, *, before: str = MISSING, at: str = "2026-02-24T14:30:00+00:00", done: bool = True
) -> HistoryEntry:
    return HistoryEntry(
        id=f"id-{text}",
        file="USER.md",
        at=at,
        author=Author.PET,
        source=None,
        before=before,
        after=version_of(text.encode()),
        size=len(text),
        kind="write",
        done=done,
    )


def ids(history: FileHistory) -> list[str]:
    return [each.id for each in history.entries()]


def line_of(told: HistoryEntry) -> str:
    return json.dumps(module._line(told))


def test_stored_bytes_are_private_synced_and_kept_young(
    history: FileHistory, folder: Watched, tmp_path: Path
) -> None:
    version = history.put_object(b"one")
    kept = tmp_path / "objects" / version
    assert has_mode(kept, 0o600)
    assert folder.notes == ["sync objects"]
    assert history.put_object(b"one") == version
    assert folder.notes == ["sync objects", f"touch {version}"]


def test_damaged_bytes_are_given_only_to_who_asks_for_them_raw(history: FileHistory, tmp_path: Path) -> None:
    assert (history.get_object(MISSING), history.get_object("0" * 64), history.raw_bytes("0" * 64)) == (
        b"",
        None,
        None,
    )
    assert not (tmp_path / "objects").exists()  # looking makes no folder
    history.drop_objects(["0" * 64])
    assert not (tmp_path / "objects").exists()
    version = history.put_object(b"one")
    (tmp_path / "objects" / version).write_bytes(b"other")
    assert history.get_object(version) is None
    assert history.raw_bytes(version) == b"other"


def test_a_drop_takes_objects_alone_and_is_synced(history: FileHistory, folder: Watched, tmp_path: Path) -> None:
    version = history.put_object(b"one")
    (tmp_path / "objects" / "other.txt").write_bytes(b"not ours")
    folder.notes.clear()
    history.drop_objects([version, "other.txt", "1" * 64])
    assert [path.name for path in (tmp_path / "objects").iterdir()] == ["other.txt"]
    assert folder.notes == ["sync objects"]


def test_a_new_log_is_synced_with_its_folder_and_only_reminders_are_waited_for(
    history: FileHistory, folder: Watched
) -> None:
    history.add(entry("a", done=False))
    assert folder.notes == ["append USER.md.jsonl durable", "sync"]
    history.done("id-a")
    history.add(entry("b"))
    history.void("id-b")
    assert folder.notes[2:] == [
        "append USER.md.jsonl at leisure",
        "append USER.md.jsonl durable",
        "append USER.md.jsonl at leisure",
    ]


def test_a_first_line_that_is_no_reminder_syncs_no_folder(history: FileHistory, folder: Watched) -> None:
    history.done("nobody")
    assert folder.notes == ["append USER.md.jsonl at leisure"]


def test_the_newest_version_is_read_from_the_end_past_what_never_happened(history: FileHistory) -> None:
    assert history.newest_version() is None
    history.add(entry("a"))
    assert history.newest_version() == entry("a").after
    history.add(entry("b", done=False))
    assert history.newest_version() == entry("b").after
    history.void("id-b")
    assert history.newest_version() == entry("a").after == history.entries()[-1].after
    history.done("id-a")
    assert history.newest_version() == entry("a").after


def test_a_pending_line_is_done_when_it_says_so(history: FileHistory, folder: Watched) -> None:
    history.add(entry("a", done=False))
    assert [each.done for each in history.entries()] == [False]
    assert [each.done for each in opened(folder).entries()] == [False]
    history.done("id-a")
    assert [each.done for each in history.entries()] == [True]
    assert [each.done for each in opened(folder).entries()] == [True]


def test_a_line_without_a_word_about_it_is_done(folder: Watched, tmp_path: Path) -> None:
    told = {name: value for name, value in json.loads(line_of(entry("a"))).items() if name != "pending"}
    (tmp_path / "USER.md.jsonl").write_text(json.dumps(told) + "\n")
    assert [each.done for each in opened(folder).entries()] == [True]
    kept = {name: getattr(entry("a"), name) for name in HistoryEntry.__slots__ if name != "done"}
    assert module.HistoryEntry(**kept).done is True


def test_a_line_with_what_a_newer_version_adds_is_read(folder: Watched, tmp_path: Path) -> None:
    told = json.loads(line_of(entry("a"))) | {"source": ["talk", "turn", "Codex", "more"], "newer": 1}
    (tmp_path / "USER.md.jsonl").write_text(json.dumps(told) + "\n")
    source = Source(conversation="talk", turn="turn", agent="Codex")
    assert list(opened(folder).entries()) == [replace(entry("a"), source=source)]


def test_a_torn_line_ends_before_ours_and_a_whole_one_stays_as_it_is(folder: Watched, tmp_path: Path) -> None:
    log = tmp_path / "USER.md.jsonl"
    opened(folder).add(entry("a"))
    whole = log.read_bytes()
    opened(folder).add(entry("b"))
    assert log.read_bytes().count(b"\n") == 2  # nothing was torn: no empty line
    log.write_bytes(whole + b'{"id": "to')
    history = opened(folder)
    history.add(entry("c"))
    history.add(entry("d"))  # once is enough
    assert log.read_bytes().splitlines()[1] == b'{"id": "to'
    assert log.read_bytes().count(b"\n") == 4
    assert ids(history) == ids(opened(folder)) == ["id-a", "id-c", "id-d"]


def test_a_rewritten_log_is_private_and_synced(history: FileHistory, folder: Watched, tmp_path: Path) -> None:
    history.rewrite([entry("a"), entry("b", done=False)])
    assert folder.notes == ["sync"]
    assert has_mode(tmp_path / "USER.md.jsonl", 0o600)
    assert [(each.id, each.done) for each in history.entries()] == [("id-a", True), ("id-b", False)]


COPY = "USER.md.sync-conflict-20260224-143000-ABCDEFG.jsonl"


def test_another_machines_log_is_merged_without_its_pending_lines(history: FileHistory, tmp_path: Path) -> None:
    history.add(entry("a", at="2026-02-24T14:00:00+00:00"))
    history.add(entry("c", at="2026-02-24T16:00:00+00:00"))
    theirs = [
        entry("a", at="2026-02-24T14:00:00+00:00"),
        entry("b", at="2026-02-24T15:00:00+00:00"),
        entry("p", at="2026-02-24T15:30:00+00:00", done=False),
    ]
    (tmp_path / COPY).write_text("".join(line_of(each) + "\n" for each in theirs))
    history.merge_remote_logs()
    assert ids(history) == ["id-a", "id-b", "id-c"]
    assert not (tmp_path / COPY).exists()


def test_another_machines_newer_line_leaves_ours_the_newest(history: FileHistory, tmp_path: Path) -> None:
    history.add(entry("a", at="2026-02-24T14:00:00+00:00"))
    (tmp_path / COPY).write_text(line_of(entry("z", at="2026-02-24T18:00:00+00:00")) + "\n")
    history.merge_remote_logs()
    *older, last = history.entries()
    assert [each.id for each in older] == ["id-a", "id-z"]
    assert (last.after, last.before, last.done) == (entry("a").after, entry("z").after, True)


def test_our_newest_line_is_done_once_it_is_moved_behind_theirs(history: FileHistory, tmp_path: Path) -> None:
    history.add(entry("a", at="2026-02-24T14:00:00+00:00", done=False))
    (tmp_path / COPY).write_text(line_of(entry("z", at="2026-02-24T18:00:00+00:00")) + "\n")
    history.merge_remote_logs()
    assert [each.done for each in history.entries()] == [False, True, True]


def test_another_machines_log_without_news_rewrites_nothing(
    history: FileHistory, folder: Watched, tmp_path: Path
) -> None:
    history.add(entry("a"))
    before = (tmp_path / "USER.md.jsonl").stat().st_ino
    for text in (line_of(entry("a")) + "\n", line_of(replace(entry("q"), done=False)) + "\n"):
        (tmp_path / COPY).write_text(text)
        history.merge_remote_logs()
        assert not (tmp_path / COPY).exists()
    assert (tmp_path / "USER.md.jsonl").stat().st_ino == before
    assert ids(history) == ["id-a"]
