"""Killed at any point of a reminder, an import, its undo, a compaction or a keepsake: nothing is lost, or half."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from pet.app import Pet
from pet.extras.imports.importer import Importer, Target
from pet.paths import find_home
from pet.services.file_transfer import save_to_downloads
from pet.services.reminders import ReminderBook
from pet.transcripts.entries import Compacted
from pet.transcripts.store import TranscriptStore
from pet.workspace.store import WorkspaceStore
from tests.engine.reader import reader
from tests.extras.imports import sources
from tests.support.clocks import DayClock, StandingClock
from tests.support.dying import deaths, needs_fork
from tests.support.examples import at_night
from tests.support.models.scripted import ScriptedProvider
from tests.workspace.plain_pets import plain_pets

pytestmark = needs_fork

_CLOCK = StandingClock(datetime(2026, 11, 21, 14, 30, 15, tzinfo=UTC))
_LOG = """# Memory Log: 2026-11-01

## [09:00:00] todo @2026-11-20

Call the plumber.

## [10:00:00] todo @2026-11-21

Water the ficus.
"""


def killed(
    tmp_path: Path, prepare: Callable[[Path], object], act: Callable[[Path], object], *, step: int = 8
) -> Iterator[Path]:
    """One folder per point of death, before a call and then inside a write; by day for one of ``step``."""
    for half in (False, True):
        yield from deaths(tmp_path, prepare, act, half=half, step=1 if at_night() else step)


def opened(folder: Path) -> WorkspaceStore:
    return WorkspaceStore(folder / "pet", locks=folder / "locks", clock=_CLOCK)


def logs(folder: Path) -> dict[str, str]:
    return {file.name: file.read_text(encoding="utf-8") for file in (folder / "pet" / "memory").glob("*.md")}


@pytest.mark.parametrize("act", ["done", "put_off", "add"])
def test_a_killed_reminder_is_as_it_was_or_settled(tmp_path: Path, act: str) -> None:
    def prepare(folder: Path) -> None:
        (folder / "pet" / "memory").mkdir(parents=True)
        (folder / "pet" / "memory" / "2026-11-01.md").write_text(_LOG, encoding="utf-8")

    def settle(folder: Path) -> None:
        book = ReminderBook(opened(folder), _CLOCK)
        match act:
            case "done":
                book.done(book.snapshot().due[0])
            case "put_off":
                book.put_off(book.snapshot().due[0], "in two weeks")
            case _:
                book.add("Buy stamps", "tomorrow at 9")

    whole = tmp_path / "whole"
    whole.mkdir()
    prepare(whole)
    before = logs(whole)
    settle(whole)
    after = logs(whole)
    assert after != before
    number = 0
    for folder in killed(tmp_path, prepare, settle):
        number += 1
        store = opened(folder)
        for name in logs(folder):
            store.observe(f"memory/{name}")
        assert logs(folder) in (before, after)
        if logs(folder) == before:
            settle(folder)
        assert logs(folder) == after
    assert number > 6


class Ground:
    """A home whose pet has a memory of its own, and an export beside it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = find_home(folder / "home")
        self.importer = Importer(self.home, plain_pets(self.home), _CLOCK, lambda: "en")
        root = self.home.workspace("pet")
        root.mkdir(parents=True, exist_ok=True)
        store = WorkspaceStore(root, locks=self.home.locks, clock=_CLOCK)
        self.target = Target(
            pet="pet", store=store, transcripts=TranscriptStore(root / "conversations", "here", _CLOCK)
        )

    def prepare(self) -> Ground:
        (self.target.store.root / "MEMORY.md").write_text("- mine\n", encoding="utf-8")
        sources.claude_zip(self.folder / "export.zip", [sources.claude_conversation(1)], "- Ana likes tea.")
        return self

    def run(self) -> None:
        survey = self.importer.survey(self.folder / "export.zip", self.target)
        self.importer.carry_out(survey, self.target, memory=True)

    def undo(self) -> list[str]:
        left: list[str] = []
        for past in self.importer.past():
            left += self.importer.undo(past, self.target).left
        return left

    def state(self) -> dict[str, bytes]:
        root = self.target.store.root
        kept = (file for file in root.rglob("*") if file.is_file() and ".history" not in file.parts)
        return {file.relative_to(root).as_posix(): file.read_bytes() for file in kept if file.suffix != ".tmp"}


def words(state: dict[str, bytes]) -> dict[str, list[str]]:
    """What is in files and conversations, without the ids and times of entries."""
    return {name: sorted(data.decode().split("\n")) if name.endswith(".md") else [] for name, data in state.items()}


def test_a_killed_import_is_finished_by_the_same_import(tmp_path: Path) -> None:
    (tmp_path / "whole").mkdir()
    whole = Ground(tmp_path / "whole").prepare()
    whole.run()
    expected, number = words(whole.state()), 0
    for folder in killed(tmp_path, lambda folder: Ground(folder).prepare(), lambda folder: Ground(folder).run()):
        number += 1
        ground = Ground(folder)
        assert b"- mine" in ground.state()["MEMORY.md"]
        ground.run()
        assert words(ground.state()) == expected
    assert number > 6


def test_a_killed_undo_of_an_import_is_finished_by_the_same_undo(tmp_path: Path) -> None:
    def prepare(folder: Path) -> None:
        Ground(folder).prepare().run()

    number = 0
    for folder in killed(tmp_path, prepare, lambda folder: Ground(folder).undo()):
        number += 1
        ground = Ground(folder)
        ground.undo()
        assert ground.importer.past() == []
        assert ground.state() == {"MEMORY.md": b"- mine\n"}
    assert number > 6


def composed(folder: Path) -> Pet:
    provider = ScriptedProvider(*[reader()] * 60)
    return Pet(find_home(folder), environ={}, clock=DayClock(), provider=provider, channel="terminal")


def test_a_killed_compaction_loses_no_message_and_can_be_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pet.engine.compaction.KEPT_TURNS", 2)
    ids: list[str] = []

    def prepare(folder: Path) -> None:
        app = composed(folder)
        chat = app.conversations.create(memory=True)
        for at in range(5):
            chat.send(f"Message {at} KEEP-{at}. My cat is called NOTE-minka{at}.")
            chat.wait(60)
        ids.append(chat.id)
        app.close()

    def compact(folder: Path) -> None:
        app = composed(folder)
        chat = app.conversations.open(ids[-1])
        chat.compact()
        chat.wait(60)
        app.close()

    number = 0
    for folder in killed(tmp_path, prepare, compact, step=79):
        number += 1
        app = composed(folder)
        chat = app.conversations.open(ids[-1])
        turns = chat.folded().turns
        assert [turn.text for turn in turns] == [
            f"Message {at} KEEP-{at}. My cat is called NOTE-minka{at}." for at in range(5)
        ]
        assert all(turn.rounds[-1].text == "I see." for turn in turns)
        if not any(isinstance(entry, Compacted) for entry in chat.transcript.entries):
            chat.compact()
            chat.wait(60)
        made = [entry.text for entry in chat.transcript.entries if isinstance(entry, Compacted)]
        assert all("KEEP-0" in text for text in made) and made
        app.close()
        noted = "".join(file.read_text(encoding="utf-8") for file in (folder / "data").rglob("memory/*.md"))
        assert all(noted.count(f"NOTE-minka{at}.") <= 2 for at in range(5))
    assert number > 6


def test_a_killed_keepsake_or_export_leaves_no_half_file_under_its_name(tmp_path: Path) -> None:
    data = b"picture" * 40_000

    def prepare(folder: Path) -> None:
        (folder / "Momo.png").write_bytes(b"the owner's")

    number = 0
    for folder in killed(tmp_path, prepare, lambda folder: save_to_downloads(folder, "Momo.png", data), step=1):
        number += 1
        assert (folder / "Momo.png").read_bytes() == b"the owner's"
        assert all(file.read_bytes() == data for file in folder.glob("Momo (*.png"))
        saved = save_to_downloads(folder, "Momo.png", data)
        assert saved.read_bytes() == data and saved.name in ("Momo (2).png", "Momo (3).png")
    assert number > 8
