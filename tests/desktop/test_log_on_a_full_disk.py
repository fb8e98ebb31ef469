"""A log that can't be written says nothing in the owner's terminal."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from pet.desktop import process
from pet.desktop.process import start_log
from pet.paths import find_home


@pytest.fixture(autouse=True)
def _root_as_it_was() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    for handler in root.handlers:
        if handler not in handlers:
            handler.close()
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a device that is always full")
def test_full_disk_prints_no_traceback(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    home = find_home(tmp_path)
    home.log.mkdir(parents=True)
    home.log_file.symlink_to("/dev/full")
    monkeypatch.setattr(process, "require_regular", lambda file: None)
    start_log(home)
    for number in range(3):
        logging.getLogger("pet.test").warning("nothing fits %s", number)
    try:
        raise ValueError("x")
    except ValueError:
        logging.getLogger("pet.test").exception("not even this")
    logging.shutdown()
    assert capfd.readouterr().err == ""
