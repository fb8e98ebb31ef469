"""Notes below ``memory``: their versions, the watcher, copies beside them, attachments, and a whole pet with them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from queue import Queue

import pytest

from pet.errors import FileBroken
from pet.events import WorkspaceChanged
from pet.model import MISSING, Author, Present
from pet.workspace.attachments import Attachments
from pet.workspace.conflict_copies import find_copies
from pet.workspace.note_files import left_alone, note_names
from pet.workspace.pet_zip import duplicate_pet
from pet.workspace.purge import list_sidecars
from pet.workspace.store import WorkspaceStore
from pet.workspace.watcher import Watcher
from tests.support.clocks import StandingClock
from tests.support.files import make_pipe, write_files
from tests.workspace.conftest import Desk

WAIT = 20.0  # until something happens; never how long it takes
FEMI = "memory/people/femi.md"


def wait_for(told: Queue[WorkspaceChanged], name: str) -> WorkspaceChanged:
    while (event := told.get(timeout=WAIT)).file != name:
        pass
    return event


@pytest.fixture
def told(desk: Desk) -> Queue[WorkspaceChanged]:
    queue: Queue[WorkspaceChanged] = Queue()
    desk.store = WorkspaceStore(desk.root, locks=desk.folder / "locks", clock=StandingClock(), on_change=queue.put)
    return queue


@pytest.fixture
def watched(desk: Desk, told: Queue[WorkspaceChanged]) -> Iterator[Queue[WorkspaceChanged]]:
    watcher = Watcher(desk.store)
    watcher.start()
    yield told
    watcher.stop()


def test_notes_are_listed_and_nothing_else_is(desk: Desk) -> None:
    names = [FEMI, "memory/2026-06-27-baking.md", "memory/projects.md", "memory/日记/旅行.md", "memory/plan 2.md"]
    others = ["memory/2026-02-24.md", "memory/archive.md", "memory/.dreams/x.md", "memory/x.txt", "memory/x.MD"]
    copies = ["memory/2026-02-24 2.md", "memory/people/femi.sync-conflict-20260101-101010-ABCDEFG.md"]
    write_files(desk.root, dict.fromkeys([*names, *others, *copies], "x\n"))
    (desk.root / "memory" / "folder.md").mkdir()
    (desk.root / "memory" / "people" / "out").symlink_to(desk.folder)
    assert note_names(desk.root) == sorted([*names, "memory/folder.md"])
    assert set(names) <= set(desk.store.names())
    assert desk.store.log_names() == ["memory/2026-02-24.md"]


@pytest.mark.parametrize("name", [FEMI, "memory/a_b/c__d~e%5F.md", "memory/日记/旅行.md", f"memory/{'x' * 116}.md"])
def test_a_notes_versions_are_kept_shown_and_restored(desk: Desk, name: str) -> None:
    write_files(desk.root, {name: "one\n"})
    desk.store.observe(name)
    write_files(desk.root, {name: "two\r\n"})
    desk.store.observe(name)
    receipt = desk.store.write(name, "three\n", base=present(desk, name).version, author=Author.OWNER)
    assert receipt is not None
    versions = desk.store.history(name)
    assert [desk.store.version_bytes(name, each.id) for each in versions] == [b"three\r\n", b"two\r\n", b"one\n"]
    assert [each.author for each in versions] == [Author.OWNER, Author.OUTSIDE, Author.OUTSIDE]
    desk.store.restore(name, versions[-1].id, author=Author.OWNER)
    assert desk.bytes(name) == b"one\n"
    desk.store.prune()
    (desk.root / name).unlink()
    desk.store.observe(name)
    assert desk.store.version_bytes(name, desk.store.history(name)[0].id) == b"one\n"
    assert name in desk.store.names()


def present(desk: Desk, name: str) -> Present:
    state = desk.store.read(name)
    assert isinstance(state, Present)
    return state


def test_notes_of_names_that_look_alike_have_histories_of_their_own(desk: Desk) -> None:
    names = [
        "memory/a/b.md",
        "memory/a__b.md",
        "memory/a_/b.md",
        "memory/a/_b.md",
        "memory/a%2Fb.md",
        "memory/a/b.md.md",
    ]
    for name in names:
        write_files(desk.root, {name: name})
        desk.store.observe(name)
    for name in names:
        assert [desk.store.version_bytes(name, each.id) for each in desk.store.history(name)] == [name.encode()]


def test_looking_at_a_note_whose_folder_is_gone_makes_no_folder(desk: Desk) -> None:
    write_files(desk.root, {FEMI: "one\n"})
    desk.store.observe(FEMI)
    shutil.rmtree(desk.root / "memory")
    desk.store.observe(FEMI)
    assert [each.current for each in desk.store.history(FEMI)] == [False]
    assert not (desk.root / "memory").exists()
    desk.store.restore(FEMI, desk.store.history(FEMI)[0].id, author=Author.OWNER)
    assert desk.bytes(FEMI) == b"one\n"


def test_a_linked_folder_is_neither_read_nor_written(desk: Desk) -> None:
    write_files(desk.folder, {"outside/femi.md": "outside\n"})
    (desk.root / "memory").mkdir()
    (desk.root / "memory" / "people").symlink_to(desk.folder / "outside")
    state = desk.store.read(FEMI)
    assert getattr(state, "problem", "") == "link"
    with pytest.raises(FileBroken):
        desk.store.write(FEMI, "x", base=MISSING, author=Author.OWNER)
    assert (desk.folder / "outside" / "femi.md").read_text() == "outside\n"


def test_changes_in_folders_below_are_noticed(desk: Desk, watched: Queue[WorkspaceChanged]) -> None:
    write_files(desk.root, {FEMI: "one\n"})
    assert wait_for(watched, FEMI).author is Author.OUTSIDE
    write_files(desk.root, {FEMI: "two\n"})
    wait_for(watched, FEMI)
    write_files(desk.root, {"memory/a/b/c.md": "deep\n"})
    wait_for(watched, "memory/a/b/c.md")
    (desk.root / FEMI).rename(desk.root / "memory" / "people" / "iza.md")
    assert {watched.get(timeout=WAIT).file for _ in range(2)} == {FEMI, "memory/people/iza.md"}
    write_files(desk.root, {"memory/.dreams/x.md": "hidden\n", "memory/projects.md": "marks the end\n"})
    assert watched.get(timeout=WAIT).file == "memory/projects.md"


def test_a_folder_that_is_moved_or_removed_is_noticed_with_all_that_was_in_it(
    desk: Desk, watched: Queue[WorkspaceChanged]
) -> None:
    write_files(desk.root, {FEMI: "one\n"})
    wait_for(watched, FEMI)
    (desk.root / "memory" / "people").rename(desk.folder / "away")
    assert wait_for(watched, FEMI).version == MISSING
    (desk.folder / "away").rename(desk.root / "memory" / "crowd")
    wait_for(watched, "memory/crowd/femi.md")
    (desk.root / "memory" / "crowd").rename(desk.root / "memory" / "people")
    versions = {event.file: event.version for event in (watched.get(timeout=WAIT) for _ in range(2))}
    assert versions.keys() == {FEMI, "memory/crowd/femi.md"}
    assert versions[FEMI] != MISSING == versions["memory/crowd/femi.md"]


def test_at_the_start_only_notes_that_changed_are_looked_at(desk: Desk, told: Queue[WorkspaceChanged]) -> None:
    write_files(desk.root, {FEMI: "one\n", "memory/projects.md": "one\n"})
    for name in desk.store.note_names():
        desk.store.observe(name)
    later = os.stat(desk.root / ".history").st_mtime_ns + 10**9
    for log in (desk.root / ".history").glob("*.jsonl"):
        os.utime(log, ns=(later, later))
    assert desk.store.unrecorded_notes() == []
    write_files(desk.root, {"memory/new.md": "new\n"})
    os.utime(desk.root / FEMI, ns=(later, later))
    assert desk.store.unrecorded_notes() == ["memory/new.md", FEMI]
    while not told.empty():
        told.get()
    (desk.root / "memory" / "projects.md").unlink()
    desk.store.observe("memory/projects.md")
    assert told.get(timeout=WAIT).version == MISSING, "the one that was not looked at is told when it goes"


def test_copies_beside_notes_are_known(desk: Desk) -> None:
    write_files(
        desk.root,
        {
            FEMI: "- figs\n",
            "memory/people/femi.sync-conflict-20260101-101010-ABCDEFG.md": "- plums\n",
            "memory/people/femi 2.md": "- a note of its own\n",
            "memory/people/femi.md~": "- backup\n",
            "memory/people/#femi.md#": "- unsaved\n",
        },
    )
    (copy,) = find_copies(desk.root)
    assert (copy.file, copy.program) == (FEMI, "Syncthing")
    assert [each.path for each in list_sidecars(desk.root)] == [
        "memory/people/#femi.md#",
        "memory/people/femi.md~",
        "memory/people/femi.sync-conflict-20260101-101010-ABCDEFG.md",
    ]
    assert {each.of for each in list_sidecars(desk.root)} == {FEMI}


@pytest.mark.parametrize(
    "name",
    [FEMI, "memory/people/femi.md~", "memory/.dreams/x.md", "memory/x.txt", "Memory.md", "user.md", "Memory/x.md"],
)
def test_an_attached_file_of_the_folder_is_a_memory_file(desk: Desk, name: str) -> None:
    attachments = Attachments(desk.root, StandingClock())
    write_files(desk.root, {name: "- likes tea with lemon\n", "notes.md": "- mine\n"})
    copy, mine = attachments.add("a.md", b"- likes tea with lemon\n"), attachments.add("b.md", b"- mine\n")
    assert attachments.gated([copy, mine]) == [copy]


def test_an_attached_earlier_version_of_a_note_is_a_memory_file(desk: Desk) -> None:
    attachments = Attachments(desk.root, StandingClock())
    for text in ("- likes tea with lemon\n", "- something else altogether\n"):
        write_files(desk.root, {"memory/a_b/femi.md": text})
        desk.store.observe("memory/a_b/femi.md")
    copy = attachments.add("a.md", b"- likes tea with lemon\n")
    assert attachments.gated([copy]) == [copy]


def test_what_is_no_note_is_named_with_why(desk: Desk) -> None:
    hidden = ["memory/.dreams", "memory/people/.x.md"]
    odd = ["memory/x.MD", "memory/con.md", "memory/a\u202eb.md", f"memory/{'x' * 130}.md", "memory/a\u2215b"]
    write_files(
        desk.root, dict.fromkeys(["memory/.dreams/x.md", "memory/people/.x.md", *odd[:4], f"{odd[4]}/x.md"], "x")
    )
    write_files(desk.root, {"Memory.md": "x", "user.md": "x", "memory/fine.md": "x", "memory/2026-02-24 2.md": "x"})
    write_files(desk.root, dict.fromkeys(["DREAMS.md", ".x.md", "SOUL 2.md", "AGENTS.md"], "x"))
    (desk.root / "memory" / "out").symlink_to(desk.folder)
    make_pipe(desk.root / "memory" / "pipe")
    assert sorted(left_alone(desk.root)) == sorted(
        [
            *((path, "hidden") for path in hidden),
            *((path, "name") for path in odd),
            ("memory/out", "link"),
            ("Memory.md", "spelling"),
            ("user.md", "spelling"),
            ("DREAMS.md", "beside"),
        ]
    )


def test_a_folder_of_notes_that_is_a_link_holds_none(desk: Desk) -> None:
    write_files(desk.folder, {"outside/x.md": "x"})
    (desk.root / "memory").symlink_to(desk.folder / "outside")
    assert (note_names(desk.root), list(left_alone(desk.root))) == ([], [("memory", "link")])


def test_a_copied_pet_has_its_notes_and_their_versions(desk: Desk, tmp_path: Path) -> None:
    for text in ("one\n", "two\n"):
        write_files(desk.root, {FEMI: text, "memory/a_b.md": text})
        for name in (FEMI, "memory/a_b.md"):
            desk.store.observe(name)
    duplicate_pet(desk.root, tmp_path / "other", locks=desk.folder / "locks")
    other = WorkspaceStore(tmp_path / "other", locks=desk.folder / "locks", clock=StandingClock(), on_change=print)
    for name in (FEMI, "memory/a_b.md"):
        assert [other.version_bytes(name, each.id) for each in other.history(name)] == [b"two\n", b"one\n"]
