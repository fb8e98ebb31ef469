"""The page "What I know about you": every sentence, searched, limited and corrected, whatever the switch says."""

from __future__ import annotations

from pathlib import Path

import pytest

from pet.bridge.commands.about_owner import AboutOwnerCommands, CorrectArgs
from pet.errors import BadArguments, EmptyContent, FileConflict
from pet.memory.store.provenance import Provenance
from pet.model import Author
from pet.settings.import_records import ImportRecords
from pet.transcripts.store import TranscriptStore
from pet.workspace.store import WorkspaceStore
from tests.support.clocks import SteppingClock
from tests.support.files import write_files
from tests.support.program.parts import pet_of

DAY = "memory/2026-03-02.md"
LOG = "# Memory Log: 2026-03-02\n\n## [10:00:00] preference\n\nOwner: Likes tea\n"


@pytest.fixture
def page(tmp_path: Path) -> AboutOwnerCommands:
    root = tmp_path / "pet"
    root.mkdir()
    write_files(root, {"USER.md": "# About\n\n## Health\n\n- Sleeps badly\n", DAY: LOG})
    clock = SteppingClock()
    store = WorkspaceStore(root, locks=tmp_path / "locks", clock=clock)
    transcripts = TranscriptStore(root / "conversations", "00000000", clock)
    provenance = Provenance(store, transcripts, ImportRecords(tmp_path / "imports.json", "pet"))
    return AboutOwnerCommands(pet_of(store=store, provenance=provenance))


def told(page: AboutOwnerCommands, words: str = "") -> dict[str, list[str]]:
    return {each.name: [one.sentence for one in each.statements] for each in page.list_statements(words).groups}


def test_all_files_are_told_in_groups(page: AboutOwnerCommands) -> None:
    assert told(page) == {"likes": ["You like tea."], "health": ["You sleep badly."]}
    assert told(page, "TEA") == {"likes": ["You like tea."]}
    assert told(page, "nothing") == {}


def test_thousands_of_entries_come_a_few_at_a_time_and_a_group_whole(page: AboutOwnerCommands) -> None:
    for day in range(1, 31):
        entries = "".join(f"\n## [10:00:00] preference\n\nLikes tea {day}-{at}\n" for at in range(100))
        write_files(page.app.store.root, {f"memory/2026-04-{day:02}.md": entries})
    about = page.list_statements()
    (likes,) = [each for each in about.groups if each.name == "likes"]
    assert (about.total, likes.total, len(likes.statements)) == (3002, 3001, 6)
    assert likes.statements[0].sentence == "You like tea 30-99."
    (whole,) = [each for each in page.list_statements(group="likes", count=1).groups if each.name == "likes"]
    assert len(whole.statements) == 3001


def test_a_correction_is_the_owners_change_and_can_be_restored(page: AboutOwnerCommands) -> None:
    args = CorrectArgs(file=DAY, start_line=5, end_line=5, text="Owner: Likes tea", new_text="Owner: Likes coffee")
    page.correct_statement(args)
    assert (page.app.store.root / DAY).read_text(encoding="utf-8") == LOG.replace("tea", "coffee")
    assert page.app.store.history(DAY)[0].author is Author.OWNER
    with pytest.raises(FileConflict):
        page.correct_statement(args)
    with pytest.raises(EmptyContent):
        page.correct_statement(
            CorrectArgs(file=DAY, start_line=5, end_line=5, text="Owner: Likes coffee", new_text=" ")
        )
    with pytest.raises(FileConflict):
        page.correct_statement(CorrectArgs(file="SOUL.md", start_line=1, end_line=1, text="x", new_text="y"))


@pytest.mark.parametrize(("group", "count"), [("", 0), ("", 100_000), ("others", 5)])
def test_odd_arguments_are_refused(page: AboutOwnerCommands, group: str, count: int) -> None:
    with pytest.raises(BadArguments):
        page.list_statements(group=group, count=count)


def test_where_a_line_that_is_gone_comes_from_is_unknown(page: AboutOwnerCommands) -> None:
    assert page.explain_statement(DAY, 99).kind == "unknown"
    assert page.find_statement("../USER.md", 5).statement is None
    hit = page.find_statement("USER.md", 5).statement
    assert hit is not None and hit.sentence == "You sleep badly."


def test_a_statement_is_known_by_its_text_where_its_line_has_moved(page: AboutOwnerCommands) -> None:
    cold = "## [08:00:00] fact\n\nOwner: Has a cold\n\n"
    write_files(page.app.store.root, {DAY: LOG.replace("## [10", f"{cold}## [10")})
    by_line, by_text, part, gone = (
        page.find_statement(DAY, 5, text).statement for text in ("", "Owner: Likes tea", "…ikes tea…", "Likes milk")
    )
    assert by_line is not None and by_line.sentence == "You have a cold."
    assert by_text is not None and by_text.sentence == "You like tea." and by_text.start_line > 5
    assert part == by_text
    assert gone is None


def test_an_entry_that_is_not_to_be_used_goes_aside_with_its_doubles_and_comes_back(page: AboutOwnerCommands) -> None:
    write_files(page.app.store.root, {"MEMORY.md": "# Memory\n\n- You like tea.\n", "memory/2026-03-03.md": LOG})
    before = {
        each: (page.app.store.root / each).read_text(encoding="utf-8") for each in (DAY, "MEMORY.md", "USER.md")
    }
    page.set_aside(DAY, 5, "You like tea.")
    assert told(page) == {"health": ["You sleep badly."], "aside": ["You like tea."]}
    for name in ("MEMORY.md", DAY, "memory/2026-03-03.md"):
        assert "tea" not in (page.app.store.root / name).read_text(encoding="utf-8")
    assert (page.app.store.root / "ASIDE.md").read_text(encoding="utf-8").count("tea") == 3
    with pytest.raises(FileConflict):
        page.set_aside(DAY, 5, "You like tea.")
    while aside := [
        each for group in page.list_statements().groups if group.name == "aside" for each in group.statements
    ]:
        page.use_again(aside[0].start_line, aside[0].sentence)
    assert {each: (page.app.store.root / each).read_text(encoding="utf-8") for each in before} == before
    with pytest.raises(FileConflict):
        page.use_again(3, "You like tea.")
