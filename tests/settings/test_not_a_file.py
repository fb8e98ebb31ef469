"""A pipe, a device or a folder where one of the program's own files should be."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from pet.app import Pet
from pet.errors import SettingsInvalid, TranscriptBroken
from pet.ids import new_id
from pet.paths import Home
from pet.settings.pet_settings import read_pet_settings
from pet.settings.program_state import JsonState, machine_id
from pet.settings.store import SettingsStore
from pet.transcripts.jsonl_file import JsonlFile
from pet.transcripts.store import TranscriptStore
from pet.untrusted.regular_files import NotRegular, read_regular
from tests.cli.conftest import PetCommand
from tests.support.clocks import DayClock

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no named pipes in folders there")


def pipe(file: Path) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(file)
    return file


def test_a_pipe_as_settings_file_is_a_problem_and_sends_nothing(home: Home) -> None:
    store = SettingsStore(pipe(home.settings_file), {}, lambda: None)
    assert [problem.error_code for problem in store.problems()] == ["settings_not_a_file"]
    assert store.address_problem() is not None
    with pytest.raises(SettingsInvalid):
        store.change({"model": "x"})
    assert not home.settings_file.is_file()


def test_a_pipe_as_pet_toml_is_a_problem(tmp_path: Path) -> None:
    pipe(tmp_path / "pet.toml")
    assert [problem.error_code for problem in read_pet_settings(tmp_path).problems] == ["settings_not_a_file"]


def test_a_pipe_as_state_file_is_read_as_empty_and_never_replaced(home: Home) -> None:
    state = JsonState(pipe(home.state_file))
    assert state.read() == {}
    with pytest.raises(NotRegular):
        state.update({"pet": "x"})
    with pytest.raises(NotRegular):
        Pet(home)
    assert home.state_file.is_fifo()


def test_a_link_to_a_device_is_refused_and_the_device_stays(home: Home) -> None:
    home.state.mkdir(parents=True)
    home.state_file.symlink_to("/dev/zero")
    with pytest.raises(NotRegular):
        read_regular(home.state_file)
    with pytest.raises(NotRegular):
        JsonState(home.state_file).write({})
    assert Path("/dev/zero").is_char_device()


def test_a_pipe_as_machine_id_is_refused(home: Home) -> None:
    with pytest.raises(NotRegular):
        machine_id(pipe(home.machine_file))


def test_a_pipe_as_transcript_is_refused(tmp_path: Path) -> None:
    file = pipe(tmp_path / f"{new_id()}.jsonl")
    lines = JsonlFile(file)
    for act in (lines.read_new, lines.repair, lambda: lines.append(b"x", first=b"", create=True, durable=False)):
        with pytest.raises(OSError, match="not a"):
            act()


def test_a_conversation_that_is_a_pipe_is_broken_and_not_waited_for(tmp_path: Path) -> None:
    conversation = new_id()
    pipe(tmp_path / f"{conversation}.jsonl")
    with pytest.raises(TranscriptBroken):
        TranscriptStore(tmp_path, "0" * 8, DayClock()).open(conversation)


def test_doctor_and_chat_say_in_words_what_is_no_file(tmp_path: Path) -> None:
    pet = PetCommand(tmp_path / "home")
    state, log = pipe(pet.home / "state" / "state.json"), pipe(pet.home / "log" / "soulpet.log")
    key = pipe(pet.home / "config" / "key")
    key.chmod(0o644)
    told = [each["text"] for each in pet("doctor", "--json").json["problems"] if each["code"] == "file_not_a_file"]
    assert len(told) == 3 and str(state) in told[0] and str(log) in told[1] and str(key) in told[2]
    assert stat.S_IMODE(key.stat().st_mode) == 0o644  # only the mode of a key file is restored
    ended = pet("prompt", LANG="zh_CN.UTF-8")
    assert (ended.code, ended.out) == (1, "") and str(state) in ended.err and "文件" in ended.err
