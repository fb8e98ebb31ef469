"""What the owner said is on the disk before anything is done with it: synced, not only written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from pet.transcripts.jsonl_file import JsonlFile
from tests.engine.conftest import Make
from tests.support.models.scripted import call, say


def watch_syncs(monkeypatch: pytest.MonkeyPatch) -> list[bytes]:
    """The contents of every file that is synced from now on, as they were then."""
    synced: list[bytes] = []
    fsync = os.fsync

    def watched(handle: int) -> None:
        file = Path(f"/proc/self/fd/{handle}")
        if file.is_file():
            synced.append(file.read_bytes())
        fsync(handle)

    monkeypatch.setattr(os, "fsync", watched)
    return synced


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="reads open files by their number")
def test_owner_message_is_synced_before_its_turn_begins(make_core: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    core = make_core(say("fine"))
    chat = core.app.conversations.create(memory=False)
    synced = watch_syncs(monkeypatch)
    with core.busy():  # the turn can't begin, so nothing that it writes syncs the message along
        chat.send("the words of the owner")
        assert any(b"the words of the owner" in content for content in synced)
    chat.wait(60)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="reads open files by their number")
def test_receipt_is_synced_before_the_next_model_call(make_core: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """As the file that it tells of is."""
    core = make_core(call("memory_write", {"content": "The owner sails."}), say("Noted."))
    chat = core.app.conversations.create(memory=True)
    synced = watch_syncs(monkeypatch)
    chat.send("I sail.")
    chat.wait(60)
    assert any(content.splitlines()[-1].startswith(b'{"kind":"tool_done"') for content in synced if content)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="reads open files by their number")
@pytest.mark.parametrize("durable", [True, False])
def test_lines_that_must_last_are_synced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, durable: bool) -> None:
    file = JsonlFile(tmp_path / "x.jsonl")
    file.append(b"one\n", first=b"head\n", create=True, durable=True)
    synced = watch_syncs(monkeypatch)
    file.append(b"two\n", first=b"", create=False, durable=durable)
    assert (b"head\none\ntwo\n" in synced) is durable
