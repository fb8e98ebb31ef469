"""The owner's view of the memory: search, the index, days and entries."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest

from pet.bridge.commands.memory import MemoryCommands
from pet.errors import BadArguments, PathRefused
from pet.memory.search.memory_index import open_index
from pet.memory.search.recall_selection import DEFAULT_RESULTS
from pet.settings.schema import Settings
from pet.workspace.store import WorkspaceStore
from tests.memory.talks import EVENING, Talk
from tests.memory.workspaces import few_days
from tests.support.clocks import SteppingClock
from tests.support.program.parts import pet_of


class Owner:
    """The commands over a real workspace."""

    def __init__(self, folder: Path) -> None:
        self.workspace = few_days(folder / "pet")
        self.clock = SteppingClock(EVENING)
        store = WorkspaceStore(
            self.workspace, locks=folder / "locks", clock=self.clock, on_change=lambda _event: None
        )
        self.index = open_index(self.workspace, folder / "cache", embedder=None)
        self.rebuilt = 0
        index = SimpleNamespace(get=lambda: self.index, notice=self._count)
        effective = SimpleNamespace(current=Settings)
        self.commands = MemoryCommands(pet_of(store=store, index=index, clock=self.clock, effective=effective))

    def _count(self) -> None:
        self.rebuilt += 1


@pytest.fixture
def owner(tmp_path: Path) -> Iterator[Owner]:
    (tmp_path / "pet").mkdir()
    owner = Owner(tmp_path)
    yield owner
    owner.index.close()


def test_the_owner_searches_files_and_conversations(owner: Owner) -> None:
    talk = Talk(owner.workspace)
    turn = talk.turn("The sunrise was green.", "Green?")
    reply = owner.commands.search_memory(query="sunrise")
    assert reply.embedder is None and len(reply.hits) <= DEFAULT_RESULTS
    assert {hit.source for hit in reply.hits} >= {"log", "conversation"}
    assert next(hit.turn for hit in reply.hits if "green" in hit.snippet) == turn
    assert len(owner.commands.search_memory(query="sunrise", count=1).hits) == 1
    for count in (0, -1, 101):
        with pytest.raises(BadArguments):
            owner.commands.search_memory(query="sunrise", count=count)


def test_a_word_in_every_note_is_found_in_each_of_them_before_the_conversations(owner: Owner) -> None:
    for at in range(20):
        day = f"2026-0{1 + at // 4}-{20 + at % 4}"
        text = f"# Memory Log: {day}\n\n## [10:00:00] event\nThe bees came to hive {at}.\n"
        (owner.workspace / "memory" / f"{day}.md").write_text(text, encoding="utf-8")
    talk = Talk(owner.workspace)
    for at in range(30):
        talk.turn(f"Tell me about bees {at}", "Bees, bees, bees.")
    sources = [hit.source for hit in owner.commands.search_memory(query="bees", count=20).hits]
    assert sources[:20] == ["log"] * 20
    assert set(sources[20:]) == {"conversation"}


def test_the_index_tells_its_state_and_is_made_anew(owner: Owner) -> None:
    owner.commands.search_memory(query="sunrise")
    state = owner.commands.get_index_state()
    assert (state.embedder, state.done, state.total) == (None, 12, 12)
    owner.commands.rebuild_index()
    assert owner.rebuilt == 1 and owner.commands.get_index_state().total == 0
    assert owner.commands.search_memory(query="sunrise").hits


def test_the_days_with_a_log_newest_first(owner: Owner) -> None:
    def days() -> list[tuple[str, int]]:
        return [(day.day, day.entries) for day in owner.commands.list_logs().days]

    assert days() == [("2026-11-18", 2), ("2026-11-17", 2), ("2026-11-10", 2), ("2026-03-05", 2)]
    log = owner.workspace / "memory" / "2026-11-18.md"
    log.write_text(log.read_text(encoding="utf-8") + "\n## [22:00:00] fact\n\nMore.\n", encoding="utf-8")
    (owner.workspace / "memory" / "2026-11-19.md").write_bytes("文".encode("utf-16"))
    assert days()[:2] == [("2026-11-19", 0), ("2026-11-18", 3)]


def test_a_log_is_read_entry_by_entry(owner: Owner) -> None:
    log = owner.workspace / "memory" / "2026-11-20.md"
    log.write_text(
        "# Memory Log: 2026-11-20\n\n## [09:00:00] fact\n\nTea.\n\n## [10:00:00] todo @2026-12-01\n\nPay\nthe rent.\n"
        "\n## [11:00:00] todo @2026-11-21 ✓ 2026-11-21\n\nCall.\n",
        encoding="utf-8",
    )
    view = owner.commands.read_entries(file="memory/2026-11-20.md")
    assert view.file.state == "present" and view.file.text.startswith("# Memory Log")
    assert [(e.start_line, e.end_line, e.heading, e.time, e.due, e.state, e.text) for e in view.entries] == [
        (5, 5, "fact", "09:00:00", "", "", "Tea."),
        (9, 10, "todo", "10:00:00", "2026-12-01", "open", "Pay\nthe rent."),
        (14, 14, "todo", "11:00:00", "2026-11-21", "done", "Call."),
    ]


def test_a_core_file_is_read_entry_by_entry_and_a_broken_one_has_none(owner: Owner) -> None:
    view = owner.commands.read_entries(file="MEMORY.md")
    assert [(e.start_line, e.heading, e.text) for e in view.entries] == [
        (5, "Memory / Promises", "- We water the ficus on Sundays."),
        (6, "Memory / Promises", "- 答应过每周给奶奶打电话。"),
    ]
    (owner.workspace / "MEMORY.md").write_bytes(b"\xff\xfe")
    broken = owner.commands.read_entries(file="MEMORY.md")
    assert broken.file.state == "broken" and broken.entries == []
    assert owner.commands.read_entries(file="memory/2020-01-01.md").file.state == "missing"
    with pytest.raises(PathRefused):
        owner.commands.read_entries(file="../secret.md")
