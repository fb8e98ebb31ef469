"""``memory/archive.md``, into which earlier versions moved old notes, is read like a log of many days."""

from __future__ import annotations

from contextlib import closing
from datetime import date
from pathlib import Path

from pet.memory.search.memory_index import open_index
from pet.memory.store.split_entries import split_file
from tests.support.files import write_files

ARCHIVE = (
    "# Memory Log: 2025-03-02\n\n## [10:00:00] fact\n\nOwner: The shed is green\n\n"
    "# Memory Log: 2024-01-01\n\n## [12:00:00] general\n\nSaw a heron\n"
)


def test_each_entry_has_the_day_of_its_title() -> None:
    days = {(each.text, each.day and each.day.year) for each in split_file("memory/archive.md", ARCHIVE.split("\n"))}
    assert days == {("Owner: The shed is green", 2025), ("Saw a heron", 2024)}


def test_search_finds_the_archive_by_the_day_of_the_note(tmp_path: Path) -> None:
    write_files(tmp_path / "pet", {"memory/archive.md": ARCHIVE})
    today = date(2026, 11, 26)
    with closing(open_index(tmp_path / "pet", tmp_path / "cache", embedder=None)) as index:
        hit = index.search("green shed", 3, today)[0]
        assert (hit.path, hit.start_line, hit.source.value) == ("memory/archive.md", 5, "log")
        assert index.search("what did I note on 2 March 2025?", 5, today)[0].path == "memory/archive.md"
