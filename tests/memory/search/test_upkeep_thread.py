"""The thread that keeps the index current: quick to end, and seldom heard."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from pet.memory.search import memory_index
from pet.memory.search.index_worker import IndexWorker
from pet.memory.search.memory_index import open_index
from tests.memory.gated import gated
from tests.memory.search.test_index_file import CountingEmbedder
from tests.memory.talks import Talk
from tests.memory.workspaces import TODAY, log, many_days


def test_it_ends_at_once(workspace: Path, tmp_path: Path) -> None:
    embedder = CountingEmbedder()
    index = open_index(workspace, tmp_path / "cache", embedder=embedder)
    upkeep, before = IndexWorker(index, lambda done, total: None), set(threading.enumerate())
    upkeep.pause()
    upkeep.start()
    upkeep.stop()
    left = {thread.name for thread in set(threading.enumerate()) - before}
    assert embedder.texts == [] and "memory-upkeep" not in left
    index.close()


def test_it_can_be_stopped_while_years_are_being_indexed(workspace: Path, tmp_path: Path) -> None:
    many_days(workspace, 450, 1)
    index = open_index(workspace, tmp_path / "cache", embedder=None)
    left = [True, True, False]
    assert not index.refresh_words(go_on=lambda: left.pop(0))
    assert 100 <= index.pending()[1] < 450
    assert index.refresh_words() and index.pending()[1] == 462
    index.close()


def test_many_steps_are_told_in_few_words(workspace: Path, tmp_path: Path) -> None:
    many_days(workspace, 40, 10)
    index = open_index(workspace, tmp_path / "cache", embedder=CountingEmbedder())
    heard: list[tuple[int, int]] = []
    upkeep = IndexWorker(index, lambda *told: heard.append(told))
    upkeep.start()
    assert upkeep.wait_until_idle(60)
    assert heard[-1] == (412, 412)
    told = len(heard)
    upkeep.wake()  # nothing is new: nothing is told
    assert upkeep.wait_until_idle(60) and len(heard) == told
    upkeep.stop()
    index.close()


def test_core_files_and_the_newest_notes_are_embedded_first_and_found_at_once(
    workspace: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory_index, "intent_log_odds", lambda _model, _vector: 3.0)
    many_days(workspace, 60, 4)
    log(workspace, "2026-11-20", [f"Owner: The aviary has {number} geese." for number in range(6)])
    embedder = CountingEmbedder()
    index = open_index(workspace, tmp_path / "cache", embedder=embedder)
    index.refresh_words()
    for _ in range(2):
        assert index.embed_some()
    core, newest = embedder.texts[:4], embedder.texts[4:10]
    assert (
        sorted("ficus" in text or "peanuts" in text or "Lin" in text or "奶奶" in text for text in core) == [True] * 4
    )
    assert all("geese" in text for text in newest)
    assert index.pending() == (index.count_entries() - 16, index.count_entries())
    memory = gated(index)
    recalled = memory.recall("What about the aviary?", TODAY, count=3, characters=600, threshold=0.0, seconds=10)
    assert recalled.way == "words"  # most are not embedded yet
    while index.pending()[0]:
        assert index.embed_some()
    recalled = memory.recall("What about the aviary?", TODAY, count=3, characters=600, threshold=0.0, seconds=10)
    assert recalled.way == "meaning"
    index.close()


def test_what_was_noted_is_embedded_before_what_was_said(workspace: Path, tmp_path: Path) -> None:
    talk = Talk(workspace)
    for number in range(10):
        talk.turn(f"Question {number}?", f"Answer {number}.")
    embedder = CountingEmbedder()
    index = open_index(workspace, tmp_path / "cache", embedder=embedder)
    index.refresh()
    said = [text.startswith(("Owner: Question", "Pet: Answer")) for text in embedder.texts]
    assert said == sorted(said) and sum(said) == 20
    log(workspace, "2026-11-20", ["A zebra."])
    talk.turn("The zebra runs.", "It is fast.")
    index.refresh()
    assert embedder.texts[-3:-2] == ["A zebra."] and len(embedder.texts) == len(set(embedder.texts))
    assert any("fast" in hit.snippet for hit in index.search("zebra fast", 5, conversations=True))
    index.close()
