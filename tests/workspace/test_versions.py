"""What stays of the history, what goes, and what a damaged log still gives."""

from __future__ import annotations

import errno
import json
import os
from datetime import UTC, datetime
from typing import Any

import pytest

from pet.app.background import DailyMaintenance
from pet.errors import VersionUnknown, WriteFailed
from pet.fs.directory import open_folder
from pet.model import MISSING, Author, Missing, Present
from pet.workspace import file_history
from pet.workspace.store import FileLimits
from tests.support.files import unreadable
from tests.workspace.conftest import Desk


def write(desk: Desk, text: str, name: str = "USER.md") -> None:
    state = desk.store.read(name)
    base = state.version if isinstance(state, Present) else MISSING
    desk.store.write(name, text, base=base, author=Author.PET)


def texts(desk: Desk, name: str = "USER.md") -> list[str]:
    return [desk.store.version_bytes(name, kept.id).decode() for kept in desk.store.history(name)]


@pytest.fixture
def old_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    """Kept bytes younger than a day (by the file system's clock) are never pruned: here all of them are older."""
    monkeypatch.setattr(file_history, "_DAY_NS", -file_history._DAY_NS)


def test_every_version_of_the_last_days_then_one_a_day(desk: Desk) -> None:
    desk.store = desk.open(FileLimits(history_days=2, history_daily_days=4, history_newest=1))
    for day in range(7):
        for hour in range(3):
            write(desk, f"{day}.{hour}\n")
            desk.clock.later(hours=1)
        desk.clock.later(hours=20)
    desk.store.prune()
    assert texts(desk) == ["6.2\n", "6.1\n", "6.0\n", "5.2\n", "5.1\n", "5.0\n", "4.2\n", "3.2\n"]
    assert desk.bytes("USER.md") == b"6.2\n"


def test_the_newest_versions_stay_whatever_their_age(desk: Desk) -> None:
    desk.store = desk.open(FileLimits(history_days=1, history_daily_days=1))
    for n in range(25):
        write(desk, f"{n}\n")
        desk.clock.later(days=400)
    desk.store.prune()
    assert texts(desk) == [f"{n}\n" for n in range(24, 4, -1)]


@pytest.mark.parametrize("written_meanwhile", [0, 25])
def test_a_clock_that_jumps_ahead_drops_no_version(desk: Desk, written_meanwhile: int) -> None:
    for n in range(60):
        write(desk, f"{n}\n")
        desk.clock.later(minutes=10)
    desk.clock.later(days=3_000)
    for n in range(written_meanwhile):
        write(desk, f"ahead {n}\n")
    desk.store.backup()
    desk.store.prune()
    desk.clock.later(days=-3_000)
    write(desk, "right again\n")
    desk.store.prune()
    desk.clock.later(days=3_000)
    desk.store.prune()
    assert {f"{n}\n" for n in range(60)} < set(texts(desk))


@pytest.mark.usefixtures("old_objects")
def test_bytes_that_no_version_names_are_deleted(desk: Desk) -> None:
    desk.store = desk.open(FileLimits(history_days=1, history_daily_days=1, history_newest=1))
    write(desk, "old\n")
    [old] = desk.store.history("USER.md")
    desk.clock.later(days=500)
    write(desk, "new\n")
    write(desk, "newer\n", name="memory/2026-02-24.md")
    desk.store.prune()
    assert len(list((desk.root / ".history" / "objects").iterdir())) == 3, "undo of the last write still works"
    desk.clock.later(days=500)
    write(desk, "newest\n")
    desk.clock.later(days=500)
    desk.store.prune()
    with pytest.raises(VersionUnknown):
        desk.store.version_bytes("USER.md", old.id)
    assert texts(desk) == ["newest\n"]
    assert texts(desk, "memory/2026-02-24.md") == ["newer\n"]


def test_bytes_that_a_writer_has_just_stored_stay_whatever_the_clock_of_the_program_says(desk: Desk) -> None:
    write(desk, "one\n")
    stored = desk.root / ".history" / "objects" / ("0" * 64)
    stored.write_bytes(b"its log entry comes next")
    desk.clock.later(days=500)
    desk.store.prune()
    assert stored.exists()


def test_bytes_that_a_sync_program_has_just_brought_stay_until_their_log_comes(desk: Desk) -> None:
    write(desk, "one\n")
    brought = desk.root / ".history" / "objects" / ("0" * 64)
    brought.write_bytes(b"its log is still on its way")
    long_ago = datetime(2020, 2, 24, tzinfo=UTC).timestamp()
    os.utime(brought, (long_ago, long_ago))
    desk.store.prune()
    assert brought.exists()


@pytest.mark.usefixtures("old_objects")
def test_a_file_that_can_not_be_thinned_out_keeps_no_other_from_it(desk: Desk) -> None:
    write(desk, "log\n", name="memory/2026-02-24.md")
    (desk.root / "memory").rename(desk.folder / "elsewhere")
    (desk.root / "memory").symlink_to(desk.folder / "elsewhere")
    left = desk.root / ".history" / "objects" / ("0" * 64)
    left.write_bytes(b"of no version")
    done: list[str] = []
    DailyMaintenance(desk.store, lambda: done.append("besides")).run()
    assert not left.exists()
    assert done == ["besides"]
    left.write_bytes(b"of a newer program")
    desk.put("pet.toml", b"format = 2\n")
    DailyMaintenance(desk.store, lambda: done.append("besides")).run()
    assert left.exists()
    assert done == ["besides"]


@pytest.mark.usefixtures("old_objects")
def test_versions_whose_log_can_not_be_read_for_a_moment_stay(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    for text in ("one\n", "two\n"):
        write(desk, text)
    log = desk.root / ".history" / "USER.md.jsonl"
    copy = log.with_name("USER.md.sync-conflict-20260224-143000-ABCDEFG.jsonl")
    copy.write_bytes(log.read_bytes().splitlines(keepends=True)[0])
    for leaf in (copy.name, log.name):
        with unreadable(monkeypatch, leaf), pytest.raises((WriteFailed, OSError)):
            desk.open().prune()
    assert copy.exists()
    desk.store.prune()
    assert (texts(desk), copy.exists()) == (["two\n", "one\n"], False)


@pytest.mark.usefixtures("old_objects")
def test_nothing_is_deleted_where_the_logs_can_not_be_listed(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    write(desk, "one\n")
    kind = type(open_folder(desk.root))
    names, failures = kind.names, [OSError("input/output error")] * 2

    def failing(folder: Any) -> list[str]:
        if failures:
            raise failures.pop()
        return names(folder)

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(kind, "names", failing)
        with pytest.raises(OSError, match="input/output"):
            desk.store.prune()
    assert texts(desk) == ["one\n"]


def test_limits_come_from_the_settings(desk: Desk) -> None:
    for n in range(4):
        write(desk, f"{n}\n")
        desk.clock.later(days=1)
    desk.store = desk.open(FileLimits(history_days=2, history_daily_days=2, history_newest=1))
    desk.store.prune()
    assert texts(desk) == ["3\n", "2\n"]


def test_a_backup_marks_core_files_and_repeats_only_for_news(desk: Desk) -> None:
    write(desk, "one\n")
    desk.put("SOUL.md", b"me\n")
    write(desk, "log\n", name="memory/2026-02-24.md")
    desk.store.backup()
    desk.store.backup()
    newest = desk.store.history("USER.md")[0]
    assert (newest.backup, newest.current, newest.author) == (True, True, Author.SYSTEM)
    assert [kept.backup for kept in desk.store.history("USER.md")] == [True, False]
    assert [kept.author for kept in desk.store.history("SOUL.md")] == [Author.SYSTEM, Author.OUTSIDE]
    assert not any(kept.backup for kept in desk.store.history("memory/2026-02-24.md"))
    assert desk.store.read("MEMORY.md") == Missing(name="MEMORY.md")
    write(desk, "two\n")
    desk.store.backup()
    assert [kept.backup for kept in desk.store.history("USER.md")] == [True, False, True, False]
    assert [kept.replaced_by for kept in desk.store.history("USER.md")] == [None, None, Author.PET, Author.PET]


def test_a_torn_last_line_is_passed_over_and_closed_off(desk: Desk) -> None:
    write(desk, "one\n")
    log = desk.root / ".history" / "USER.md.jsonl"
    with log.open("ab") as file:
        file.write(b'{"id":"01m7y77cwg","file":"USER')
    assert texts(desk) == ["one\n"]
    write(desk, "two\n")
    assert texts(desk) == ["two\n", "one\n"]
    with log.open("ab") as file:
        file.write(b'[1]\n{"id":1}\n\xff\n{"done":[]}\n{"note":"of a later program"}\n')
    write(desk, "three\n")
    assert texts(desk) == ["three\n", "two\n", "one\n"]


@pytest.mark.parametrize("at", ["yesterday", "", "2026-11-21", "2026-02-30T10:00:00+00:00"])
def test_lines_with_a_time_that_none_of_ours_has_are_passed_over(desk: Desk, at: str) -> None:
    write(desk, "one\n")
    log = desk.root / ".history" / "USER.md.jsonl"
    line = json.loads(log.read_text(encoding="utf-8").splitlines()[0])
    with log.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line | {"id": "foreign", "at": at}) + "\n" + "[" * 100_000 + "\n")
    copy = log.with_name("USER.sync-conflict-20261121-101010-ABCDEFG.md.jsonl")
    copy.write_text(json.dumps(line | {"id": "other", "at": at}) + "\n", encoding="utf-8")
    write(desk, "two\n")
    desk.store.prune()
    assert texts(desk) == ["two\n", "one\n"]


def test_a_damaged_object_is_not_served_and_is_kept_anew(desk: Desk) -> None:
    write(desk, "one\n")
    write(desk, "two\n")
    newest, oldest = desk.store.history("USER.md")
    objects = desk.root / ".history" / "objects"
    (objects / oldest.version).write_bytes(b"rotten")
    with pytest.raises(VersionUnknown):
        desk.store.version_bytes("USER.md", oldest.id)
    write(desk, "one\n")
    assert desk.store.version_bytes("USER.md", oldest.id) == b"one\n"
    assert newest.replaced_by is None


def test_a_history_deleted_by_hand_starts_again(desk: Desk) -> None:
    write(desk, "one\n")
    for path in sorted((desk.root / ".history").rglob("*"), reverse=True):
        path.rmdir() if path.is_dir() else path.unlink()
    write(desk, "two\n")
    assert texts(desk) == ["two\n", "one\n"]
    assert [kept.author for kept in desk.store.history("USER.md")] == [Author.PET, Author.OUTSIDE]


def test_a_stray_temporary_file_is_kept_then_removed(desk: Desk) -> None:
    write(desk, "one\n")
    (desk.root / ".soulpet~USER.md~x.tmp").write_bytes(b"somebody's text\n")
    (desk.root / ".soulpet~notes.txt~x.tmp").write_bytes(b"not ours\n")
    desk.store = desk.open()
    assert desk.strays() == [".soulpet~notes.txt~x.tmp"]
    assert texts(desk) == ["one\n", "somebody's text\n", "one\n"]
    assert desk.bytes("USER.md") == b"one\n"


def test_a_stray_temporary_file_that_can_not_be_read_for_a_moment_is_kept_later(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(desk, "one\n")
    stray = ".soulpet~USER.md~01m7yhgwv4j6k8brgmp8vyhz3b.tmp"
    desk.put(stray, b"of an editor\n")
    with unreadable(monkeypatch, stray):
        desk.open()
    desk.open()
    assert (texts(desk), desk.strays()) == (["one\n", "of an editor\n", "one\n"], [])


def test_two_pets_share_nothing(tmp_path: object, desk: Desk) -> None:
    (desk.folder / "other").mkdir()
    other = Desk(desk.folder / "other")
    write(desk, "mine\n")
    write(other, "theirs\n")
    assert (texts(desk), texts(other)) == (["mine\n"], ["theirs\n"])


def test_a_full_disk_does_not_end_the_days_that_follow(desk: Desk) -> None:
    asked: list[str] = []

    def full() -> None:
        asked.append("collect")
        raise OSError(errno.ENOSPC, "No space left on device")

    DailyMaintenance(desk.store, full).run()
    assert asked == ["collect"]
