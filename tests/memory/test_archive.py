"""Notes of no use for a year: which are offered, how use is known, and how they move to the archive and back."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import closing
from datetime import date, timedelta
from pathlib import Path

import pytest

from pet.bridge.commands.about_owner import AboutOwnerCommands, CorrectArgs
from pet.bridge.commands.archive import ArchiveCommands
from pet.errors import BadArguments, FileConflict
from pet.imports.apply import ImportRecords
from pet.memory.about_owner import statements
from pet.memory.archive import offered, split_off, with_parts
from pet.memory.entries import split_file
from pet.memory.memory_index import open_index
from pet.memory.use_log import UseLog
from pet.services.provenance import Provenance
from pet.transcripts.store import TranscriptStore
from pet.workspace.store import FileLimits, WorkspaceStore
from tests.memory.gated import gated
from tests.support.clocks import SteppingClock
from tests.support.files import write_files

OLD = "memory/2025-03-02.md"
PAGE = "memory/2024-03-02.md"
TODAY = date(2026, 11, 26)
LOG = (
    "# Memory Log: 2025-03-02\n\n## [10:00:00] fact\n\nOwner: The shed is green\n\n"
    "## [11:00:00] todo @2027-01-02\n\nBuy paint\n\n## [12:00:00] general\n\nSaw a heron\n"
)


def everything(texts: Iterable[str]) -> set[str]:
    return set(texts)


# --- which are offered -------------------------------------------------------------------------------------------


def test_old_notes_are_offered_but_no_plans_health_people_or_what_is_sent_anyway() -> None:
    entries = [
        ("fact", "Owner: The shed is green"),
        ("fact", "Owner: Allergic to nuts"),
        ("person", "Owner: My sister is called Runa"),
        ("todo @2027-01-02", "Buy paint"),
        ("fact", "Owner: Plans to sail"),
        ("preference", "Owner: Likes tea"),
    ]
    text = "".join(f"\n## [10:00:00] {head}\n\n{body}\n" for head, body in entries)
    core = statements("USER.md", "# About\n\n- likes TEA.\n")
    logged = [*statements(OLD, text), *statements("memory/2026-03-02.md", text)]
    assert [each.text for each in offered(logged, everything, core, TODAY)] == ["Owner: The shed is green"]
    assert offered(logged, lambda _texts: set(), core, TODAY) == []


def test_entries_move_with_their_headings_and_nothing_else_changes() -> None:
    told = statements(OLD, LOG)
    rest, part = split_off(LOG, [told[0], told[2]])
    assert rest == "# Memory Log: 2025-03-02\n\n## [11:00:00] todo @2027-01-02\n\nBuy paint\n"
    archive = with_parts("", {OLD: part})
    assert archive.startswith("# Memory Log: 2025-03-02\n\n## [10:00:00] fact\n\nOwner: The shed is green\n")
    twice = with_parts(archive, {"memory/2024-01-01.md": part})
    days = {(each.text, each.day and each.day.year) for each in split_file("memory/archive.md", twice.split("\n"))}
    assert days == {(text, year) for text in ("Owner: The shed is green", "Saw a heron") for year in (2024, 2025)}
    assert split_off("# Other\n", told) == ("# Other\n", "")


# --- use ----------------------------------------------------------------------------------------------------------


def test_nothing_is_unused_before_a_year_of_knowing(tmp_path: Path) -> None:
    log = UseLog(tmp_path / "cache" / "use")
    assert log.unused(["a", "b"], TODAY) == set()
    later = TODAY.replace(year=2027)
    assert log.unused(["a", "b"], later) == {"a", "b"}
    log.record(["a"], later - timedelta(days=60))
    assert UseLog(tmp_path / "cache" / "use").unused(["a", "b"], later) == {"b"}
    assert log.unused(["a"], later.replace(year=2028)) == {"a"}
    (tmp_path / "cache" / "use").unlink()
    assert log.unused(["a", "b"], later) == set()


def test_the_file_holds_no_words_and_one_line_a_month_and_note(tmp_path: Path) -> None:
    file = tmp_path / "use"
    log = UseLog(file)
    for day in range(1, 29):
        log.record(["The shed is green", "- Owner: the SHED is green."], date(2026, 11, day))
    assert len(file.read_text().splitlines()) == 2
    assert "shed" not in file.read_text()


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe", b"since never x\n", b"since 2026-13-01 x\n24323 a b\n", b"x" * 999]
)
def test_an_odd_file_begins_anew(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "use").write_bytes(content)
    assert UseLog(tmp_path / "use").unused(["a"], TODAY) == set()
    assert UseLog(tmp_path / "use").unused(["a"], TODAY.replace(year=2028)) == {"a"}


def test_a_clock_that_was_set_back_offers_nothing(tmp_path: Path) -> None:
    log = UseLog(tmp_path / "use")
    log.record(["a"], date(2031, 1, 1))
    assert log.unused(["a", "b"], TODAY) == set()
    assert log.unused(["a", "b"], TODAY.replace(year=2027)) == {"a", "b"}


def test_an_unwritable_cache_offers_nothing_and_breaks_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    log = UseLog(tmp_path / "file" / "use")
    log.record(["a"], TODAY)
    assert log.unused(["a"], TODAY) == set()


def test_what_is_recalled_or_searched_is_of_use(tmp_path: Path) -> None:
    write_files(tmp_path / "pet", {OLD: LOG})
    with closing(open_index(tmp_path / "pet", tmp_path / "cache", embedder=None)) as index:
        index.uses.record([], TODAY.replace(year=2025))
        assert index.uses.unused(["Owner: The shed is green"], TODAY) == {"Owner: The shed is green"}
        assert gated(index).search("the green shed", 3, TODAY)
        assert index.uses.unused(["Owner: The shed is green", "Saw a swan"], TODAY) == {"Saw a swan"}


def test_search_finds_the_archive_by_the_day_of_the_note(tmp_path: Path) -> None:
    write_files(tmp_path / "pet", {"memory/archive.md": LOG})
    with closing(open_index(tmp_path / "pet", tmp_path / "cache", embedder=None)) as index:
        hit = index.search("green shed", 3, TODAY)[0]
        assert (hit.path, hit.start_line, hit.source.value) == ("memory/archive.md", 5, "log")
        assert index.search("what did I note on 2 March 2025?", 5, TODAY)[0].path == "memory/archive.md"


# --- the page -----------------------------------------------------------------------------------------------------


@pytest.fixture
def page(tmp_path: Path) -> ArchiveCommands:
    root = tmp_path / "pet"
    root.mkdir()
    write_files(root, {PAGE: LOG, "memory/2024-03-03.md": LOG.replace("heron", "swan").replace("shed", "door")})
    clock = SteppingClock()
    store = WorkspaceStore(
        root, locks=tmp_path / "locks", clock=clock, limits=FileLimits(), on_change=lambda _event: None
    )
    transcripts = TranscriptStore(root / "conversations", "00000000", clock)
    provenance = Provenance(store, transcripts, ImportRecords(tmp_path / "imports.json", "pet"))
    uses = UseLog(tmp_path / "use")
    uses.record([], clock.now().date() - timedelta(days=800))
    about = AboutOwnerCommands(store, provenance, lambda text: uses.record([text], clock.now().date()))
    return ArchiveCommands(about, lambda: uses, clock)


def files(page: ArchiveCommands) -> dict[str, str]:
    root = page.about.store.root
    return {file.name: file.read_text("utf-8") for file in sorted((root / "memory").glob("*.md"))}


def test_what_is_offered_moves_by_a_click_and_comes_back_by_undo(page: ArchiveCommands) -> None:
    before = files(page)
    notes = page.list_unused(1)
    assert (notes.total, len(notes.statements), notes.moved) == (4, 1, 0)
    assert files(page) == before  # nothing moves by itself
    moved = page.archive_unused(notes.key)
    assert (moved.total, moved.moved) == (0, 4)
    archive = files(page)["archive.md"]
    assert all(word in archive for word in ("shed", "heron", "door", "swan"))
    assert "shed" not in files(page)["2024-03-02.md"] and "Buy paint" in files(page)["2024-03-02.md"]
    assert page.undo_archive().total == 4
    assert files(page) == before
    assert page.undo_archive().moved == 0


def test_only_what_was_shown_moves(page: ArchiveCommands) -> None:
    key = page.list_unused().key
    write_files(page.about.store.root, {"memory/2024-03-04.md": "## [10:00:00] fact\n\nA fourth\n"})
    with pytest.raises(FileConflict):
        page.archive_unused(key)
    with pytest.raises(FileConflict):
        page.archive_unused("")
    with pytest.raises(BadArguments):
        page.list_unused(0)


def test_what_was_corrected_is_of_use(page: ArchiveCommands) -> None:
    args = CorrectArgs(
        file=PAGE, start_line=5, end_line=5, text="Owner: The shed is green", new_text="The shed is red"
    )
    page.about.correct_statement(args)
    assert page.list_unused().total == 3
