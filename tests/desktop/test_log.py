"""The log holds what is ours, and no words of the owner."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from pet.desktop.process import start_log
from pet.paths import Home, find_home


@pytest.fixture
def own_logging() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = list(root.handlers), root.level
    yield
    for handler in root.handlers:
        if handler not in handlers:
            handler.close()
    root.handlers[:] = handlers
    root.setLevel(level)


@pytest.mark.usefixtures("own_logging")
def test_the_log_is_a_file_of_ours_and_talkative_libraries_are_hushed(home: Home) -> None:
    start_log(home)
    logging.getLogger("pet.engine").info("ours")
    logging.getLogger("anthropic._base_client").info("request with a secret")
    logging.getLogger("httpx2").info("an address")
    logging.getLogger("somebody").warning("theirs")
    text = home.log_file.read_text()
    assert "ours" in text
    assert "theirs" in text
    assert "secret" not in text
    assert "address" not in text


@pytest.mark.usefixtures("own_logging")
def test_an_exception_is_logged_without_its_words(home: Home) -> None:
    """A failed look-up of a word of the diary would say that word."""
    start_log(home)
    words: dict[str, int] = {}
    try:
        try:
            words["quenelle"]
        except KeyError as error:
            raise ValueError("canary of a file") from error
    except ValueError:
        logging.getLogger("pet.memory").exception("keeping the index failed")
    try:
        Path(home.data, "missing.sqlite").read_bytes()
    except OSError as error:
        logging.getLogger("pet.memory").warning("no index", exc_info=error)
    text = home.log_file.read_text()
    assert "ValueError" in text and "KeyError" in text and "test_log" in text
    assert "canary of" not in text.replace('raise ValueError("canary of a file")', "")
    assert "'quenelle'" not in text
    assert "missing.sqlite" in text


@pytest.mark.usefixtures("own_logging")
def test_a_disk_without_room_for_a_log_keeps_no_pet_away(tmp_path: Path) -> None:
    (tmp_path / "log").write_text("in the way")
    start_log(find_home(tmp_path))
    logging.getLogger("pet").error("nowhere")
