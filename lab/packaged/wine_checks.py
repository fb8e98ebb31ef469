"""What Windows does differently below the windows, with a Windows Python under Wine. Started by ``wine.py``."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from pet.bridge.single_instance import SingleInstance
from pet.desktop.autostart import RunKey
from pet.fs.directory import PathFolder, open_folder, write_atomically
from pet.fs.locks import locked, try_lock
from pet.paths import find_home
from pet.transcripts.jsonl_file import locked as whole_file
from tests.support.waiting import wait_for


def started(code: str, *given: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", f"import lab.packaged.wine_locking\n{code}", *given]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def told_by(process: subprocess.Popen[str]) -> str:
    return process.communicate(timeout=60)[0].strip()


def in_another_process(code: str, *given: str) -> str:
    return told_by(started(code, *given))


def test_the_folders_are_those_of_windows(tmp_path: Path) -> None:
    assert sys.platform == "win32"
    home = find_home(tmp_path / "home")
    assert home.state.is_relative_to(tmp_path)
    assert find_home(None).state.drive == Path(os.environ["LOCALAPPDATA"]).drive


def test_a_file_is_replaced_and_exchanged(tmp_path: Path) -> None:
    with open_folder(tmp_path) as folder:
        assert isinstance(folder, PathFolder)
        write_atomically(folder, "file", b"1")
        write_atomically(folder, "file", b"2")
        folder.create("new", b"3", 0o600)
        assert folder.exchange("new", "file")
        assert sorted(folder.names()) == ["file", "new"]
    assert (tmp_path / "file").read_bytes() == b"3"
    assert (tmp_path / "new").read_bytes() == b"2"


def test_a_lock_keeps_another_process_out(tmp_path: Path) -> None:
    asking = "import os, sys; from pet.fs.locks import try_lock\n"
    asking += "print(try_lock(os.open(sys.argv[1], os.O_RDWR)))"
    file = tmp_path / "lock"
    handle = os.open(file, os.O_RDWR | os.O_CREAT)
    assert try_lock(handle)
    assert in_another_process(asking, str(file)) == "False"
    os.close(handle)
    assert in_another_process(asking, str(file)) == "True"


def test_another_process_waits_for_a_file_s_lock(tmp_path: Path) -> None:
    asking = "import pathlib, sys; from pet.fs.locks import locked\n"
    asking += "folder = pathlib.Path(sys.argv[1])\n"
    asking += "(folder / 'asking').touch()\n"
    asking += "with locked(folder / 'lock'): print((folder / 'text').read_text())"
    with locked(tmp_path / "lock"):
        (tmp_path / "text").write_text("before")
        other = started(asking, str(tmp_path))
        wait_for("the other process", lambda: (tmp_path / "asking").exists())
        (tmp_path / "text").write_text("after")
    assert told_by(other) == "after"


def test_one_pet_per_home(tmp_path: Path) -> None:
    asking = "import pathlib, sys; from pet.paths import find_home\n"
    asking += "from pet.bridge.single_instance import SingleInstance\n"
    asking += "print(SingleInstance(find_home(pathlib.Path(sys.argv[1]))).acquire())"
    first = SingleInstance(find_home(tmp_path))
    assert first.acquire()
    assert in_another_process(asking, str(tmp_path)) == "False"
    first.release()
    assert in_another_process(asking, str(tmp_path)) == "True"


def test_a_locked_transcript_stays_readable(tmp_path: Path) -> None:
    file = tmp_path / "transcript"
    file.write_bytes(b"line\n")
    with file.open("ab") as writing, whole_file(writing.fileno()):
        assert file.read_bytes() == b"line\n"
        writing.write(b"more\n")
    assert file.read_bytes() == b"line\nmore\n"


def test_the_run_key_is_written_and_removed() -> None:
    entry = RunKey([sys.executable, "-m", "pet"])
    try:
        entry.set(True)
        assert entry.on and not entry.other
        assert RunKey(["elsewhere.exe"]).other
    finally:
        entry.set(False)
    entry.set(False)
    assert not entry.on
