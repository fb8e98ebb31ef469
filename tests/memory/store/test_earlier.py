"""Notes that name an older line as earlier: read apart, and recalled before that line until the owner replaces it."""

from __future__ import annotations

from contextlib import closing
from datetime import date
from pathlib import Path

import pytest

from pet.i18n import LANGUAGES, Language, Texts
from pet.memory.search.memory_index import MemoryIndex, open_index
from pet.memory.store.split_entries import bare, split_earlier
from tests.memory.gated import gated, recalled
from tests.support.files import write_files

TODAY = date(2026, 11, 28)
MEMORY = "# Memory\n\n- Owner: I drive a red Fiesta (2026-05-06)\n- Owner: I like jazz (2026-07-12)\n"
LOG = (
    "# Memory Log: 2026-11-27\n\n## [10:00:00] fact\n\n"
    "Owner: Sold it, the Skoda is lovely (earlier: I drive a red Fiesta)\n"
)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_is_written_in_a_language_is_read_again(language: Language) -> None:
    text = Texts(language)("notebook.earlier", text="I live in Oslo", earlier="I live in Rome (near the river)")
    assert split_earlier(text) == ("I live in Oslo", "I live in Rome (near the river)")


@pytest.mark.parametrize("text", ["I live in Oslo", "I was earlier (than you)", "(earlier: nothing) follows", ""])
def test_any_other_text_names_no_older_line(text: str) -> None:
    assert split_earlier(text) == (text, "")


def test_a_line_is_compared_without_mark_speaker_and_date() -> None:
    assert bare("- Owner: I drive a red Fiesta (2026-05-06)") == bare("I drive a red Fiesta")


@pytest.mark.timeout(60)  # a quadratic scan takes minutes
@pytest.mark.parametrize("text", [f"a{' ' * 200_000}b", "(earlier: " * 20_000, f"a (earlier: {' ' * 200_000}b"])
def test_long_gaps_take_linear_time(text: str) -> None:
    assert bare(text) == text.strip() and split_earlier(text) == (text, "")


def index_of(tmp_path: Path, memory: str) -> MemoryIndex:
    write_files(tmp_path / "pet", {"MEMORY.md": memory, "memory/2026-11-27.md": LOG})
    return open_index(tmp_path / "pet", tmp_path / "cache", embedder=None)


def test_the_newer_note_comes_first_and_the_older_line_as_earlier(tmp_path: Path) -> None:
    with closing(index_of(tmp_path, MEMORY)) as index:
        for hits in (recalled(index, "Do I drive a red Fiesta?", TODAY), gated(index).search("red Fiesta", 3, TODAY)):
            assert [("Skoda" in hit.snippet, hit.superseded) for hit in hits[:2]] == [(True, False), (False, True)]


def test_a_line_that_the_owner_replaced_is_earlier_no_more(tmp_path: Path) -> None:
    with closing(index_of(tmp_path, MEMORY.replace("I drive a red Fiesta", "The Skoda is lovely"))) as index:
        assert not any(hit.superseded for hit in recalled(index, "How is the lovely Skoda?", TODAY))


def entry(day: str, text: str) -> str:
    return f"# Memory Log: {day}\n\n## [10:00:00] fact\n\nOwner: {text}\n"


THERE = {"memory/2026-11-01.md": entry("2026-11-01", "We've moved to Bergen (earlier: I live in Oslo)")}
BACK = {"memory/2026-11-20.md": entry("2026-11-20", "I live in Oslo (earlier: We've moved to Bergen)")}


@pytest.mark.parametrize("logs", [{**THERE, **BACK}, THERE])
def test_who_moved_back_lives_there_again(tmp_path: Path, logs: dict[str, str]) -> None:
    write_files(tmp_path / "pet", {"USER.md": "# Owner\n\n- Owner: I live in Oslo (2026-11-20)\n", **logs})
    with closing(open_index(tmp_path / "pet", tmp_path / "cache", embedder=None)) as index:
        hits = gated(index).search("Do I live in Oslo?", 5, TODAY)
    assert [hit.superseded for hit in hits if hit.path == "USER.md"] == [False]
    there = [hit.superseded for hit in hits if hit.path == "memory/2026-11-01.md"]
    assert there == [len(logs) == 2] * len(there)
