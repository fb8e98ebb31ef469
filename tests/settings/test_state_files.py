"""Small state: whole or empty, never half."""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from pet.settings import program_state
from pet.settings.program_state import JsonState, PauseRecord, machine_id, note_used
from pet.untrusted import regular_files
from pet.untrusted.regular_files import read_regular


def test_state_comes_back(tmp_path: Path) -> None:
    state = JsonState(tmp_path / "deep" / "tabs.json")
    assert state.read() == {}
    state.write({"tabs": [{"conversation": "x", "draft": "你好 \ud800"}], "active": None})
    assert state.read()["active"] is None
    state.update({"active": "x"})
    assert set(JsonState(tmp_path / "deep" / "tabs.json").read()) == {"tabs", "active"}
    names = {entry.name for entry in (tmp_path / "deep").iterdir()}
    assert names - {"tabs.json.lock"} == {"tabs.json"}  # Windows removes a lock file with its lock


def test_programs_that_write_at_the_same_time_keep_each_others_entries(tmp_path: Path) -> None:
    """A pause that one program sets is not undone by what another one notes at that moment."""
    code = (
        "import sys; from pathlib import Path; from pet.settings.program_state import JsonState\n"
        "state = JsonState(Path(sys.argv[1]))\n"
        "for number in range(60): state.update({f'{sys.argv[2]}.{number}': True})"
    )
    file = tmp_path / "state.json"
    programs = [subprocess.Popen([sys.executable, "-c", code, str(file), name]) for name in "abc"]
    assert [program.wait(60) for program in programs] == [0, 0, 0]
    assert len(JsonState(file).read()) == 180


@pytest.mark.skipif(sys.platform == "win32", reason="folders are not synced there")
def test_state_is_written_where_folders_can_not_be_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On some network drives."""
    sync = os.fsync

    def of_files_only(handle: int) -> None:
        if stat.S_ISDIR(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "invalid argument")
        sync(handle)

    monkeypatch.setattr(os, "fsync", of_files_only)
    JsonState(tmp_path / "state.json").update({"a": 1})
    assert JsonState(tmp_path / "state.json").read() == {"a": 1}


def test_state_lock_is_reentrant(tmp_path: Path) -> None:
    state = JsonState(tmp_path / "state.json")
    with state.held():
        state.update({"a": 1})
        state.drop(lambda name: name == "b")
    assert state.read() == {"a": 1}


@pytest.mark.parametrize("content", [b"", b"{", b"[1]", b"\xff", b"[" * 100_000])
def test_a_broken_file_counts_as_empty(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "windows.json"
    file.write_bytes(content)
    assert JsonState(file).read() == {}
    JsonState(file).write({"x": 1})
    assert JsonState(file).read() == {"x": 1}


def test_the_machines_id_stays(tmp_path: Path) -> None:
    file = tmp_path / "state" / "machine-id"
    first = machine_id(file)
    assert len(first) == 8
    assert machine_id(file) == first
    file.write_text("../../etc", encoding="utf-8")
    assert machine_id(file) != "../../etc"


def test_a_state_is_opened_again_only_after_a_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file, opened = tmp_path / "state.json", 0

    def counted(file: Path, most: int = -1) -> bytes:
        nonlocal opened
        opened += 1
        return read_regular(file, most)

    monkeypatch.setattr(program_state, "read_regular", counted)
    monkeypatch.setattr(regular_files, "_FINE_NS", 0)
    monkeypatch.setattr(regular_files, "_COARSE_NS", 0)
    state, other = JsonState(file), JsonState(file)
    state.update({"pet": "momo"})
    opened = 0
    assert [state.read() for _ in range(3)] == [{"pet": "momo"}] * 3
    assert opened == 1
    other.update({"pet": "kuro"})
    assert state.read() == {"pet": "kuro"}


def test_a_file_that_was_changed_just_now_has_no_stamp(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regular_files, "_FINE_NS", 10**18)  # whatever date libfaketime gives the tests
    file, link = tmp_path / "state.json", tmp_path / "link"
    file.write_text("{}", encoding="utf-8")
    link.symlink_to(file)
    assert regular_files.settled_stamp(file) is None
    assert regular_files.settled_stamp(tmp_path / "missing") is not None
    monkeypatch.setattr(regular_files, "_FINE_NS", 0)
    assert regular_files.settled_stamp(file) is not None
    assert regular_files.settled_stamp(link) is None


def test_whole_seconds_may_be_those_of_a_coarse_clock(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regular_files, "_FINE_NS", 0)
    monkeypatch.setattr(regular_files, "_COARSE_NS", 10**18)
    file = tmp_path / "state.json"
    file.write_text("{}", encoding="utf-8")
    os.utime(file, (1_000_000_000, 1_000_000_000))
    assert regular_files.settled_stamp(file) is None


def test_a_value_of_files_follows_each_of_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(regular_files, "_FINE_NS", 0)
    monkeypatch.setattr(regular_files, "_COARSE_NS", 0)
    one, other, made = tmp_path / "one", tmp_path / "other", 0

    def names() -> list[str]:
        nonlocal made
        made += 1
        return [file.name for file in (one, other) if file.exists()]

    value = regular_files.FromFiles((one, other), names)
    assert [value.get(), value.get()] == [[], []]
    assert made == 1
    other.write_text("", encoding="utf-8")
    assert [value.get(), value.get(), made] == [["other"], ["other"], 2]
    one.write_text("", encoding="utf-8")
    assert value.get() == ["one", "other"]
    other.unlink()
    assert value.get() == ["one"]


def test_a_machines_id_that_can_not_be_read_for_a_moment_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "machine-id"
    first = machine_id(file)

    def held_by_another_program(file: Path, _most: int = -1) -> bytes:
        raise PermissionError(13, "held by another program", str(file))

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(program_state, "read_regular", held_by_another_program)
        with pytest.raises(PermissionError):
            machine_id(file)
    assert machine_id(file) == first


def test_programs_that_start_together_agree_on_it(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from pet.settings.program_state import machine_id\n"
        "print(machine_id(Path(sys.argv[1])))"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "machine-id")]
    programs = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
    assert len({program.communicate(timeout=60)[0] for program in programs}) == 1


def test_what_can_not_be_read_for_a_moment_is_not_written_anew_and_counts_as_paused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = JsonState(tmp_path / "state.json")
    pause = PauseRecord(state, tmp_path / "paused" / "momo", "momo")
    state.update({"pet": "momo", "foreign_connection.momo": "work"})
    pause.start()
    before = (tmp_path / "state.json").read_bytes()

    def held_by_another_program(file: Path, _most: int = -1) -> bytes:
        raise PermissionError(13, "held by another program", str(file))

    with monkeypatch.context() as meanwhile:
        meanwhile.setattr(program_state, "read_regular", held_by_another_program)
        assert state.read() == {}
        assert pause.read()[0] and PauseRecord(state, tmp_path / "paused" / "other", "other").read()[0]
        changes: tuple[Callable[[], object], ...] = (
            lambda: state.update({"other": 1}),
            lambda: state.drop(lambda name: name == "pet"),
            pause.start,
            lambda: note_used(state, "other"),
        )
        for change in changes:
            with pytest.raises(OSError, match="held"):
                change()
    assert (tmp_path / "state.json").read_bytes() == before
    assert pause.read() == (True, 1)


def test_what_could_not_be_read_is_read_again_although_no_file_changed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(regular_files, "_FINE_NS", 0)  # as if the file were older
    monkeypatch.setattr(regular_files, "_COARSE_NS", 0)
    file = tmp_path / "settings.toml"
    file.write_text("a", encoding="utf-8")
    reads = iter(("unreadable", "a", "b"))
    value = regular_files.FromFiles((file,), lambda: next(reads), lambda read: read != "unreadable")
    assert [value.get(), value.get(), value.get()] == ["unreadable", "a", "a"]
    file.write_text("bb", encoding="utf-8")
    assert value.get() == "b"
