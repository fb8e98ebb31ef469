"""Where the files are watched, a search glances at folders and the latest files instead of asking every file."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from pet.app import Pet
from pet.memory.search import index_sync
from pet.memory.search.memory_index import MemoryIndex, open_index
from pet.paths import find_home
from tests.memory.workspaces import TODAY
from tests.support.files import write_files
from tests.support.models.scripted import ScriptedProvider
from tests.support.waiting import wait_for

YEARS_AGO = 1_600_000_000


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "pet"
    write_files(folder, {"MEMORY.md": "- A lantern\n", "memory/people/femi.md": "Femi repairs accordions.\n"})
    write_files(folder, {f"memory/{n}.md": f"The word is w{n}x.\n" for n in range(100)})
    for path in (folder, *folder.rglob("*")):
        os.utime(path, (YEARS_AGO, YEARS_AGO))
    return folder


@pytest.fixture
def lists(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """One item for each listing of all files, and a minute since the files were written."""
    counted: list[float] = []
    listed, now = index_sync.list_files, time.time

    def counting(*given: object) -> object:
        counted.append(time.monotonic())
        return listed(*given)  # type: ignore[arg-type]

    monkeypatch.setattr("pet.memory.search.index_sync.list_files", counting)
    monkeypatch.setattr("pet.memory.search.index_sync.time.time", lambda: now() + 60)
    return counted


@pytest.fixture
def index(root: Path, tmp_path: Path, lists: list[float]) -> Iterator[MemoryIndex]:
    opened = open_index(root, tmp_path / "cache", embedder=None)
    opened.is_watched = lambda: True
    opened.refresh_words()
    opened.search("lantern", 1, now=TODAY)
    lists.clear()
    yield opened
    opened.close()


def test_searches_of_watched_files_list_them_once_in_a_while(
    index: MemoryIndex, lists: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(5):
        assert index.search("lantern", 1, now=TODAY)
    assert not lists
    monkeypatch.setattr("pet.memory.search.index_sync._LISTED_EVERY", 0.0)
    assert index.search("lantern", 1, now=TODAY)
    assert len(lists) == 1


def test_searches_of_unwatched_files_list_them_each_time(index: MemoryIndex, lists: list[float]) -> None:
    index.is_watched = lambda: False
    for _ in range(3):
        assert index.search("lantern", 1, now=TODAY)
    assert len(lists) == 3


def test_what_is_made_swapped_moved_or_removed_is_found_without_a_word_of_the_watcher(
    index: MemoryIndex, root: Path
) -> None:
    write_files(root, {"memory/people/iza.md": "Iza sails.\n"})
    assert index.search("sails", 1, now=TODAY)
    write_files(root, {"elsewhere.md": "The word is zeppelin.\n"})
    (root / "elsewhere.md").replace(root / "memory" / "7.md")
    assert index.search("zeppelin", 1, now=TODAY)[0].path == "memory/7.md"
    (root / "memory" / "people" / "femi.md").rename(root / "memory" / "femi.md")
    assert index.search("accordions", 1, now=TODAY)[0].path == "memory/femi.md"
    (root / "memory" / "femi.md").unlink()
    assert not index.search("accordions", 1, now=TODAY)
    (root / "MEMORY.md").write_text("- A telescope\n", encoding="utf-8")
    assert index.search("telescope", 1, now=TODAY)


def test_an_old_file_written_in_place_is_found_when_the_watcher_tells_and_else_by_the_next_listing(
    index: MemoryIndex, root: Path, lists: list[float], monkeypatch: pytest.MonkeyPatch
) -> None:
    oldest = sorted(root.glob("memory/*.md"), key=lambda path: path.stat().st_mtime_ns)[0]
    oldest.write_text("The word is periscope.\n", encoding="utf-8")
    index.refresh_words()  # as the index worker does when it is woken
    assert index.search("periscope", 1, now=TODAY)
    oldest.write_text("The word is bathysphere.\n", encoding="utf-8")
    monkeypatch.setattr("pet.memory.search.index_sync._LISTED_EVERY", 0.0)
    assert index.search("bathysphere", 1, now=TODAY)
    assert len(lists) >= 2


def test_a_pet_with_windows_glances_while_its_watcher_lives(tmp_path: Path) -> None:
    pet = Pet(find_home(tmp_path / "home"), environ={}, provider=ScriptedProvider())
    try:
        write_files(pet.store.root, {"memory/2026-02-01.md": "Seen\n"})
        pet.index.maintain(0)
        index = pet.index.get()
        assert wait_for("the watcher", index.is_watched)
    finally:
        pet.close()
    assert not index.is_watched()
