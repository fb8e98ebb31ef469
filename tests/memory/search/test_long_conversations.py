"""The index of a conversation that grows holds what a fresh one would, and keeps only the last lines in memory."""

from __future__ import annotations

import sqlite3
import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pet.memory.search import index_rows, transcript_index
from pet.memory.search.memory_index import MemoryIndex, open_index
from pet.model import TurnEnd
from pet.transcripts.entries import TurnsRemovedSet, VariantSet
from pet.workspace.tombstones import TombstoneStore
from tests.memory.talks import Talk
from tests.memory.workspaces import TODAY

_STEPS = (
    "turn",
    "turn",
    "turn",
    "turn",
    "late",
    "edit",
    "edit old",
    "remove",
    "remove old",
    "choose",
    "flip",
    "other",
)


@pytest.fixture
def small_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transcript_index, "_PART", 4)


def rows(index: MemoryIndex) -> list[tuple[object, ...]]:
    """The entries of conversations in the index."""
    query = (
        "SELECT f.path, f.part, e.start_line, e.end_line, e.day, e.turn, e.text, e.tokens FROM entries e"
        " JOIN files f ON e.file = f.id ORDER BY f.path, f.part, e.start_line, e.id"
    )

    def read(connection: sqlite3.Connection) -> list[tuple[object, ...]]:
        return connection.execute(query).fetchall()

    nothing: list[tuple[object, ...]] = []
    return index._try(read, nothing)


def kept_lines(index: MemoryIndex) -> int:
    """The lines of conversations that the index keeps in memory."""
    opened = index._words._transcripts._open.values()
    return sum(len(each.entries) for files in opened for each in files.values())


def fresh_rows(workspace: Path) -> list[tuple[object, ...]]:
    with tempfile.TemporaryDirectory() as folder:
        index = open_index(workspace, Path(folder), embedder=None)
        index.refresh_words()
        found = rows(index)
        index.close()
    return found


def test_lines_kept_of_a_long_conversation_are_bounded(workspace: Path, index: MemoryIndex) -> None:
    talk = Talk(workspace)
    most = 0
    for number in range(300):
        talk.turn(f"Question {number} about the harbour.", f"Answer {number}.")
        index.refresh_words()
        most = max(most, kept_lines(index))
    assert most <= 3 * 3 * transcript_index._PART  # three lines of a turn, for at most three parts of utterances
    assert rows(index) == fresh_rows(workspace)
    assert index.search("question 7 harbour", 1, TODAY, conversations=True)


@given(st.lists(st.tuples(st.sampled_from(_STEPS), st.integers(0, 1_000)), min_size=20, max_size=60))
def test_a_growing_conversation_is_indexed_as_a_whole_one_would_be(steps: list[tuple[str, int]]) -> None:
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        patch.setattr(transcript_index, "_PART", 4)
        workspace = Path(folder, "pet")
        index = open_index(workspace, Path(folder, "cache"), embedder=None)
        talk = Talk(workspace)
        turns: list[str] = []
        memory = True
        for number, (step, which) in enumerate([*steps, *[("turn", 0)] * 12]):
            old = turns[which % len(turns)] if turns else ""
            last = turns[-1] if turns else ""
            if step == "turn" or not turns:
                turns.append(talk.turn(f"Message {number}.", f"Reply {number}."))
            elif step == "late":  # an answer of several rounds, indexed in between
                turns.append(talk.say(f"Message {number}."))
                index.refresh_words()
                talk.reply(turns[-1], f"First {number}.", 0)
                talk.reply(turns[-1], f"Second {number}.", 1)
                talk.close(turns[-1], TurnEnd.DONE)
            elif step in ("edit", "edit old"):
                turns.append(
                    talk.turn(f"Edit {number}.", "So.", kind="edit", supersedes=old if "old" in step else last)
                )
            elif step in ("remove", "remove old"):
                removed = (old if "old" in step else last,)
                talk._add(
                    TurnsRemovedSet(id=f"removed{number}", at=talk._now(), turns=removed, removed=which % 2 == 0)
                )
            elif step == "choose":
                talk._add(VariantSet(id=f"chosen{number}", at=talk._now(), turn=old))
            elif step == "flip":
                memory = not memory
                talk.switch(memory)
            else:
                talk.elsewhere("there").turn(f"Elsewhere {number}.", "Yes.") if which % 7 == 0 else None
            index.refresh_words()
        grown = rows(index)
        index.close()
        assert grown == fresh_rows(workspace)


@pytest.mark.usefixtures("small_parts")
def test_another_program_that_empties_the_index_gets_all_of_it_back(
    workspace: Path, index: MemoryIndex, tmp_path: Path
) -> None:
    talk = Talk(workspace)
    for number in range(30):
        talk.turn(f"Question {number}.", f"Answer {number}.")
        index.refresh_words()
    other = open_index(workspace, tmp_path / "cache", embedder=None)
    other._write(index_rows.clear, None)
    other.close()
    talk.turn("One more.", "Yes.")
    index.refresh_words()
    assert rows(index) == fresh_rows(workspace)


@pytest.mark.usefixtures("small_parts")
def test_what_is_forgotten_goes_from_settled_parts_too(workspace: Path, index: MemoryIndex, tmp_path: Path) -> None:
    talk = Talk(workspace)
    talk.turn("My ibex is called Wolfgang.", "Wolfgang!")
    for number in range(30):
        talk.turn(f"Question {number}.", f"Answer {number}.")
        index.refresh_words()
    TombstoneStore(workspace).remember("wolfgang", locks=tmp_path / "locks")
    talk.turn("One more.", "Yes.")
    index.refresh_words()
    assert rows(index) == fresh_rows(workspace)
    assert not any("Wolfgang" in str(row) for row in rows(index))


@pytest.mark.usefixtures("small_parts")
def test_parts_that_were_not_written_are_not_settled(
    workspace: Path, index: MemoryIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    older, newer = sorted((Talk(workspace), Talk(workspace)), key=lambda talk: talk.id)  # indexed newest first
    write = index_rows.replace_entries

    def failing(*args: object, **kwargs: object) -> None:
        if fails and args[1] == older.path:
            busy = sqlite3.OperationalError("database is locked")
            busy.sqlite_errorcode = sqlite3.SQLITE_BUSY
            raise busy
        write(*args, **kwargs)  # type: ignore[arg-type]

    monkeypatch.setattr(transcript_index, "replace_entries", failing)
    for number in range(40):
        fails = (number + 1) // 6 % 2 == 1
        for talk in (older, newer):
            talk.turn(f"Question {number}.", f"Answer {number}.")
        index.refresh_words()
    fails = False
    newer.turn("One more.", "Yes.")
    index.refresh_words()
    assert rows(index) == fresh_rows(workspace)
