"""The watcher tells the store to look; the store does the rest."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from queue import Queue

import pytest

from pet.events import WorkspaceChanged
from pet.model import MISSING, Author
from pet.workspace.store import WorkspaceStore
from pet.workspace.watcher import Watcher
from tests.workspace.conftest import Desk

WAIT = 20.0  # until something happens; never how long it takes


@pytest.fixture
def told(desk: Desk) -> Iterator[Queue[WorkspaceChanged]]:
    queue: Queue[WorkspaceChanged] = Queue()
    desk.put("SOUL.md", b"me\n")
    desk.store = WorkspaceStore(desk.root, locks=desk.folder / "locks", clock=desk.clock, on_change=queue.put)
    watcher = Watcher(desk.store)
    watcher.start()
    yield queue
    watcher.stop()


def test_saves_of_other_programs_are_noticed(desk: Desk, told: Queue[WorkspaceChanged]) -> None:
    desk.put("USER.md", b"one\n")
    first = told.get(timeout=WAIT)
    assert (first.file, first.author) == ("USER.md", Author.OUTSIDE)
    desk.replace("USER.md", b"two\n")
    assert told.get(timeout=WAIT).file == "USER.md"
    (desk.root / "USER.md").unlink()
    assert told.get(timeout=WAIT).version == MISSING


def test_a_folder_of_logs_that_comes_later_is_watched_too(desk: Desk, told: Queue[WorkspaceChanged]) -> None:
    desk.put("memory/2026-02-24.md", b"# log\n")
    assert told.get(timeout=WAIT).file == "memory/2026-02-24.md"
    desk.put("memory/2026-02-24.md", b"# log\nmore\n")
    assert told.get(timeout=WAIT).file == "memory/2026-02-24.md"


@pytest.mark.parametrize("at_once", [True, False])
def test_a_folder_of_logs_that_another_program_made_anew_is_watched_again(
    desk: Desk, told: Queue[WorkspaceChanged], at_once: bool
) -> None:
    def wait_for(name: str) -> None:
        while told.get(timeout=WAIT).file != name:
            pass

    desk.put("memory/2026-02-24.md", b"# log\n")
    wait_for("memory/2026-02-24.md")
    if at_once:
        desk.put("fetched/2026-02-24.md", b"# log\nfetched\n")
        shutil.rmtree(desk.root / "memory")
        (desk.root / "fetched").rename(desk.root / "memory")
    else:
        shutil.rmtree(desk.root / "memory")
        wait_for("memory/2026-02-24.md")  # deleted
        desk.put("memory/2026-02-24.md", b"# log\nfetched\n")
    wait_for("memory/2026-02-24.md")
    for day in (25, 26):
        desk.put(f"memory/2026-02-{day}.md", b"# log\n")
        wait_for(f"memory/2026-02-{day}.md")
    assert told.empty()


def test_our_own_writes_are_told_once_and_strangers_never(desk: Desk, told: Queue[WorkspaceChanged]) -> None:
    desk.put("notes.txt", b"somebody's\n")
    receipt = desk.store.write("USER.md", "one\n", base=MISSING, author=Author.PET)
    assert receipt is not None
    assert told.get(timeout=WAIT).version == receipt.after
    desk.put("MEMORY.md", b"marks the end\n")
    assert told.get(timeout=WAIT).file == "MEMORY.md"
    assert told.empty()


def test_what_happened_while_nobody_watched_is_caught_up(desk: Desk) -> None:
    queue: Queue[WorkspaceChanged] = Queue()
    desk.store.write("USER.md", "one\n", base=MISSING, author=Author.PET)
    desk.put("USER.md", b"two\n")
    store = WorkspaceStore(desk.root, locks=desk.folder / "locks", clock=desk.clock, on_change=queue.put)
    watcher = Watcher(store)
    watcher.start()
    try:
        assert queue.get(timeout=WAIT).author is Author.OUTSIDE
    finally:
        watcher.stop()
    watcher.stop()


def test_a_watcher_that_never_started_stops(desk: Desk) -> None:
    Watcher(desk.store).stop()
