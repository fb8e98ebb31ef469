"""What the owner asked for lies in the downloads folder whole, or not at all."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest

from pet.errors import WriteFailed
from pet.services.file_transfer import save_to_downloads


def test_a_taken_name_gets_a_number(tmp_path: Path) -> None:
    names = [save_to_downloads(tmp_path / "new", name, b"x").name for name in ("a.md", "a.md", "b", "b")]
    assert names == ["a.md", "a (2).md", "b", "b (2)"]


def test_a_disk_that_is_full_leaves_no_half_file(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            # To the program a limit on file size is a disk without space.
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
            try:
                save_to_downloads(tmp_path, "talk.md", b"x" * 100_000)
            except WriteFailed:
                code = 0
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert list(tmp_path.iterdir()) == []
