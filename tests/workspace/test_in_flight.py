"""Marks of requests in flight, between handles as between processes: each handle of a file locks for itself."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from pet.errors import MemoryInFlight
from pet.fs.locks import try_lock
from pet.workspace import in_flight
from pet.workspace.in_flight import RequestsInFlight

CONVERSATION, OTHER = "0" * 26, "1" * 26


@pytest.fixture
def marks(tmp_path: Path) -> RequestsInFlight:
    return RequestsInFlight(tmp_path / "locks", "pet")


def test_waiting_without_marks_returns(marks: RequestsInFlight) -> None:
    marks.wait(seconds=0)
    marks.wait(CONVERSATION, seconds=0)


def test_a_mark_holds_its_conversation_and_the_pause_until_it_is_removed(
    marks: RequestsInFlight, tmp_path: Path
) -> None:
    with marks.marked(CONVERSATION):
        for waiting in (CONVERSATION, None):
            with pytest.raises(MemoryInFlight):
                RequestsInFlight(tmp_path / "locks", "pet").wait(waiting, seconds=0)
        marks.wait(OTHER, seconds=0)
        RequestsInFlight(tmp_path / "locks", "other-pet").wait(seconds=0)
    marks.wait(seconds=0)
    assert list((tmp_path / "locks").iterdir()) == []


def test_waiting_ends_with_the_last_of_several_requests(marks: RequestsInFlight) -> None:
    ended = threading.Event()

    def wait() -> None:
        marks.wait(CONVERSATION, seconds=60)
        ended.set()

    with marks.marked(CONVERSATION):
        with marks.marked(CONVERSATION):
            waiting = threading.Thread(target=wait)
            waiting.start()
        assert not ended.is_set()
    waiting.join(60)
    assert ended.is_set()


def test_a_killed_sender_holds_nobody_up(marks: RequestsInFlight, tmp_path: Path) -> None:
    code = (
        "import sys, pathlib; from pet.workspace.in_flight import RequestsInFlight as R\n"
        f"with R(pathlib.Path(sys.argv[1]), 'pet').marked('{CONVERSATION}'): print('.', flush=True); sys.stdin.read()"
    )
    line = [sys.executable, "-c", code, str(tmp_path / "locks")]
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as sender:
        assert sender.stdout is not None
        assert sender.stdout.readline() == b".\n"
        with pytest.raises(MemoryInFlight):
            marks.wait(seconds=0)
        sender.kill()
    marks.wait(seconds=0)
    assert list((tmp_path / "locks").iterdir()) == []


def test_a_mark_that_was_removed_before_it_was_locked_is_set_again(
    marks: RequestsInFlight, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def remove_first(handle: int) -> bool:
        monkeypatch.setattr(in_flight, "try_lock", try_lock)
        marks.wait(seconds=0)  # another process comes between the creation of the file and its lock
        return try_lock(handle)

    monkeypatch.setattr(in_flight, "try_lock", remove_first)
    with marks.marked(CONVERSATION), pytest.raises(MemoryInFlight):
        marks.wait(seconds=0)


@pytest.mark.skipif(
    sys.platform == "win32" or os.geteuid() == 0, reason="root may read every folder, and Windows has no such modes"
)
def test_a_folder_that_can_t_be_read_is_not_off(marks: RequestsInFlight, tmp_path: Path) -> None:
    (tmp_path / "locks").mkdir(mode=0)
    with pytest.raises(MemoryInFlight):
        marks.wait(seconds=0)
