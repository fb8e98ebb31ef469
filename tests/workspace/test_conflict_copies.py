"""Conflict copies are found by their names, shown, and settled without losing a byte."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from queue import Queue
from types import SimpleNamespace

import pytest

from pet.bridge.commands.files import CopyCommands
from pet.errors import FileBroken, FileConflict, FileMissing, PathRefused
from pet.events import CopiesFound, Event
from pet.model import MISSING, Author, Present
from pet.paths import Home
from pet.settings.schema import Settings
from pet.workspace.conflict_copies import ConflictResolver, find_copies
from pet.workspace.file_names import parse_name
from pet.workspace.store import WorkspaceStore
from pet.workspace.templates import create_workspace
from pet.workspace.watcher import Watcher
from tests.support.clocks import DayClock
from tests.support.program.parts import pet_of

WAIT = 20.0  # until something happens; never how long it takes

NAMES = [
    ("MEMORY (Anna's conflicted copy 2026-02-24).md", "MEMORY.md", "Dropbox"),
    ("MEMORY (Anna's conflicted copy 2026-02-24) (1).md", "MEMORY.md", "Dropbox"),
    ("MEMORY (小明 的冲突副本 2026-02-24).md", "MEMORY.md", "Dropbox"),
    ("USER（小明的衝突複本 2026-02-24）.md", "USER.md", "Dropbox"),
    ("SOUL (Selective Sync Conflict).md", "SOUL.md", "Dropbox"),
    ("MEMORY.sync-conflict-20260224-101112-ABCDEFG.md", "MEMORY.md", "Syncthing"),
    ("MEMORY.sync-conflict-20260224-101112.md", "MEMORY.md", "Syncthing"),
    ("MEMORY-DESKTOP-1A2B3.md", "MEMORY.md", "OneDrive"),
    ("MEMORY-ANNAS-PC-2.md", "MEMORY.md", "OneDrive"),
    ("MEMORY 2.md", "MEMORY.md", "iCloud"),
    ("MEMORY (1).md", "MEMORY.md", "Google Drive"),
    ("MEMORY(1).md", "MEMORY.md", "Google Drive"),
    ("MEMORY (conflicted copy 2026-02-24 101112).md", "MEMORY.md", "Nextcloud"),
    ("MEMORY_conflict-20260224-101112.md", "MEMORY.md", "Nextcloud"),
    ("MEMORY.md..path1", "MEMORY.md", "rclone"),
    ("USER.md..path2", "USER.md", "rclone"),
    ("MEMORY..path1.md", "MEMORY.md", "rclone"),
    ("MEMORY.md.path2", "MEMORY.md", "rclone"),
    ("MEMORY.md.conflict1", "MEMORY.md", "rclone"),
    ("MEMORY.conflict12.md", "MEMORY.md", "rclone"),
    ("memory/2026-02-24.md.conflict2", "memory/2026-02-24.md", "rclone"),
    ("memory/2026-02-24..path2.md", "memory/2026-02-24.md", "rclone"),
    ("memory/people/femi.conflict1.md", "memory/people/femi.md", "rclone"),
    ("memory/people/femi.md..path1", "memory/people/femi.md", "rclone"),
    ("skills/tea/SKILL.md.conflict1", "skills/tea/SKILL.md", "rclone"),
    ("pet.toml.conflict1", "pet.toml", "rclone"),
    ("MEMORY (conflict_on_2026-02-24).md", "MEMORY.md", "Unison"),
    ("USER (conflict #2_on_2026-02-24).md", "USER.md", "Unison"),
    ("SOUL (conflict on 2026-02-24).md", "SOUL.md", "Unison"),
    ("USER (conflict_on_2026-02-24_was_deleted).md", "USER.md", "Unison"),
    ("memory/2026-02-24 (conflict_on_2026-02-25).md", "memory/2026-02-24.md", "Unison"),
    ("memory/people/femi (conflict #1_on_2026-02-25).md", "memory/people/femi.md", "Unison"),
    ("AGENTS.sync-conflict-20260224-101112-ABCDEFG.md", "AGENTS.md", "Syncthing"),
    ("pet.sync-conflict-20260224-101112-ABCDEFG.toml", "pet.toml", "Syncthing"),
    ("memory/2026-02-24.sync-conflict-20260224-101112-ABCDEFG.md", "memory/2026-02-24.md", "Syncthing"),
    ("memory/2026-02-24 2.md", "memory/2026-02-24.md", "iCloud"),
    ("memory/2026-02-24-DESKTOP-1A2B3.md", "memory/2026-02-24.md", "OneDrive"),
    ("skills/tea/SKILL (Anna's conflicted copy 2026-02-24).md", "skills/tea/SKILL.md", "Dropbox"),
]
NO_COPIES = [
    "notes 2.md",
    "MEMORY-old.md",
    "MEMORY.old.md",
    "MEMORY 2.txt",
    "memory/2026-02-31 2.md",
    "memory/notes (1).md",
    "skills/tea/notes 2.md",
    "skills/tea/deeper/SKILL 2.md",
    ".history/MEMORY 2.md",
    "conversations/MEMORY 2.md",
    "MEMORY.path.md",
    "MEMORY (conflict).txt",
    "notes.md.conflict1",
]


class Ground:
    """One workspace with its store."""

    def __init__(self, home: Home) -> None:
        self.home = home
        self.root = home.workspace("pet")
        create_workspace(self.root, "en")
        self.store = WorkspaceStore(self.root, locks=home.locks, clock=DayClock(), on_change=lambda event: None)
        self.copies = ConflictResolver(self.store, home.locks, DayClock())

    def put(self, name: str, text: str) -> None:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())

    def text(self, name: str) -> str:
        return (self.root / name).read_bytes().decode()

    def write(self, name: str, text: str) -> str:
        state = self.store.read(name)
        base = state.version if isinstance(state, Present) else MISSING
        self.store.write(name, text, base=base, author=Author.PET)
        return self.version(name)

    def version(self, name: str) -> str:
        state = self.copies.state(name)
        return state.version if isinstance(state, Present) else MISSING

    def kept(self, name: str) -> list[bytes]:
        """All versions in the history of a name."""
        return [self.store.version_bytes(name, each.id) for each in self.store.history(name)]


@pytest.fixture
def ground(home: Home) -> Ground:
    return Ground(home)


@pytest.mark.parametrize(("copy", "file", "program"), NAMES)
def test_a_copy_is_known_by_its_name_and_is_no_file_of_the_pets(
    ground: Ground, copy: str, file: str, program: str
) -> None:
    ground.put(copy, "theirs\n")
    (found,) = find_copies(ground.root)
    assert (found.copy, found.file, found.program) == (copy, file, program)
    assert found.at
    with pytest.raises(PathRefused):
        parse_name(copy)  # so it is in no prompt, no tool and no index
    ground.copies.settle(copy, None, MISSING)
    assert find_copies(ground.root) == () and not (ground.root / copy).exists()


@pytest.mark.parametrize("name", NO_COPIES)
def test_an_owners_own_file_is_no_copy(ground: Ground, name: str) -> None:
    ground.put(name, "mine\n")
    assert find_copies(ground.root) == ()


def test_links_and_folders_are_no_trouble(ground: Ground, tmp_path: Path) -> None:
    (ground.root / "MEMORY 2.md").mkdir()
    (ground.root / "USER 2.md").symlink_to(tmp_path / "outside.md")
    (tmp_path / "outside.md").write_text("outside")
    (ground.root / "skills").symlink_to(tmp_path)
    for found in find_copies(ground.root):
        with pytest.raises(FileBroken):
            ground.copies.read(found.copy)
        with pytest.raises(FileBroken):
            ground.copies.settle(found.copy, "text\n", ground.version(found.file))
    assert (tmp_path / "outside.md").read_text() == "outside"
    assert find_copies(tmp_path / "nowhere") == ()


def test_both_changes_are_offered_on_top_of_what_both_came_from(ground: Ground) -> None:
    base = "# Memory\n\n- tea\n- cake\n- rain\n"
    ground.write("MEMORY.md", base)
    ground.write("MEMORY.md", base.replace("- tea", "- green tea"))
    ground.put("MEMORY 2.md", base.replace("- rain", "- snow"))
    found = ground.copies.read("MEMORY 2.md")
    assert found.merged == "# Memory\n\n- green tea\n- cake\n- snow\n"
    assert found.text == base.replace("- rain", "- snow")


def test_what_both_added_at_the_end_stands_one_after_the_other(ground: Ground) -> None:
    base = "# Memory\n\n- tea\n"
    ground.write("MEMORY.md", base)
    ground.write("MEMORY.md", f"{base}- ours\n")
    ground.put("MEMORY 2.md", f"{base}- theirs\n- too\n")
    assert ground.copies.read("MEMORY 2.md").merged == f"{base}- ours\n- theirs\n- too\n"


def test_where_they_overlap_nothing_is_made_up(ground: Ground) -> None:
    ground.write("MEMORY.md", "- a\n- tea\n- b\n")
    ground.write("MEMORY.md", "- a\n- green tea\n- b\n")
    ground.put("MEMORY 2.md", "- a\n- black tea\n- b\n")
    assert ground.copies.read("MEMORY 2.md").merged is None


@pytest.mark.parametrize(
    "file", ["MEMORY.md", "memory/2026-02-24.md", "IDENTITY.md", "skills/tea/SKILL.md", "pet.toml"]
)
def test_the_owners_text_is_written_and_both_sides_stay_in_the_history(ground: Ground, file: str) -> None:
    stem, end = file.rsplit(".", 1)
    copy = f"{stem}.sync-conflict-20260224-101112-ABCDEFG.{end}"
    ground.put(file, "ours\r\n")
    ground.put(copy, "theirs\n")
    base = ground.version(file)
    ground.copies.settle(copy, "both\n", base)
    assert ground.text(file) == "both\r\n"
    assert find_copies(ground.root) == ()
    objects = {path.read_bytes() for path in (ground.root / ".history" / "objects").iterdir()}
    assert {b"ours\r\n", b"theirs\n", b"both\r\n"} <= objects
    ground.store.prune()
    assert objects == {path.read_bytes() for path in (ground.root / ".history" / "objects").iterdir()}


def test_a_copy_that_is_let_go_can_be_had_back_from_the_history(ground: Ground) -> None:
    ground.write("MEMORY.md", "ours\n")
    ground.put("MEMORY 2.md", "theirs\n")
    assert ground.copies.settle("MEMORY 2.md", None, MISSING) is None
    assert ground.text("MEMORY.md") == "ours\n"
    assert ground.kept("MEMORY.md") == [b"ours\n", b"theirs\n", b"ours\n"]
    theirs = ground.store.history("MEMORY.md")[1]
    assert (theirs.author, theirs.current) == (Author.OUTSIDE, False)
    ground.store.restore("MEMORY.md", theirs.id, author=Author.OWNER)
    assert ground.text("MEMORY.md") == "theirs\n"


def test_a_copy_of_a_file_that_is_not_there_can_become_it(ground: Ground) -> None:
    ground.put("MEMORY 2.md", "theirs\n")
    found = ground.copies.read("MEMORY 2.md")
    assert found.file.__class__.__name__ == "Missing" and found.merged is None
    receipt = ground.copies.settle("MEMORY 2.md", found.text, MISSING)
    assert receipt is not None and ground.text("MEMORY.md") == "theirs\n"


def test_a_file_that_changed_meanwhile_is_not_overwritten_and_the_copy_stays(ground: Ground) -> None:
    base = ground.write("MEMORY.md", "one\n")
    ground.put("MEMORY 2.md", "theirs\n")
    ground.write("MEMORY.md", "one\ntwo\n")
    with pytest.raises(FileConflict):
        ground.copies.settle("MEMORY 2.md", "mine\n", base)
    assert (ground.text("MEMORY.md"), ground.text("MEMORY 2.md")) == ("one\ntwo\n", "theirs\n")


def test_a_copy_that_is_no_text_is_left_alone(ground: Ground) -> None:
    (ground.root / "MEMORY 2.md").write_bytes("我".encode("gbk") + b"\0")
    with pytest.raises(FileBroken):
        ground.copies.read("MEMORY 2.md")
    (ground.root / "MEMORY 3.md").write_bytes(b"x" * ((1 << 20) + 1))
    with pytest.raises(FileBroken):
        ground.copies.settle("MEMORY 3.md", None, MISSING)
    assert len(find_copies(ground.root)) == 2


@pytest.mark.parametrize(
    "copy", ["MEMORY.md", "SOUL.md", "../MEMORY 2.md", "/etc/passwd", "", ".history/x", "notes.md"]
)
def test_what_is_no_copy_can_not_be_settled(ground: Ground, copy: str) -> None:
    before = {path: path.read_bytes() for path in ground.root.rglob("*") if path.is_file()}
    with pytest.raises(FileMissing):
        ground.copies.settle(copy, "x\n", ground.version("SOUL.md"))
    with pytest.raises(FileMissing):
        ground.copies.read(copy)
    assert before == {path: path.read_bytes() for path in before}


# --- git ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("style", ["merge", "diff3"])
def test_both_sides_that_git_left_in_a_file_are_told_apart(ground: Ground, style: str) -> None:
    def git(*words: str) -> None:
        named = ("-c", "user.name=x", "-c", "user.email=x@localhost", "-c", f"merge.conflictStyle={style}")
        subprocess.run(["git", *named, *words], cwd=ground.root, check=False, capture_output=True)

    git("init", "-b", "main")
    for text, act in (
        ("# M\n\n- a\n", ("commit", "-am", "one")),
        ("# M\n\n- a\n- theirs\n", ("commit", "-am", "two")),
        ("# M\n\n- a\n- ours\n", ("commit", "-am", "three")),
    ):
        if "ours" in text:
            git("checkout", "-q", "-b", "here", "main~1")
        ground.put("MEMORY.md", text)
        git("add", "MEMORY.md")
        git(*act)
    git("merge", "main")
    (found,) = find_copies(ground.root)
    assert (found.copy, found.file, found.program) == ("MEMORY.md", "MEMORY.md", "git")
    shown = ground.copies.read("MEMORY.md")
    assert shown.text == "# M\n\n- a\n- theirs\n"
    assert shown.merged == ("# M\n\n- a\n- ours\n- theirs\n" if style == "diff3" else None)
    ground.copies.settle("MEMORY.md", "# M\n\n- a\n- both\n", ground.version("MEMORY.md"))
    assert find_copies(ground.root) == ()
    assert any(b"<<<<<<<" in data for data in ground.kept("MEMORY.md"))


def test_a_heading_that_is_underlined_is_no_conflict(ground: Ground) -> None:
    ground.put("MEMORY.md", "Heading\n=======\n\n> quoted\n")
    ground.put("USER.md", "<<<<<<< once\n")
    assert find_copies(ground.root) == ()


# --- noticed --------------------------------------------------------------------------------------


@pytest.fixture
def told(ground: Ground) -> Iterator[Queue[int]]:
    queue: Queue[int] = Queue()
    ground.put("USER 2.md", "there before\n")
    watcher = Watcher(ground.store, queue.put)
    watcher.start()
    yield queue
    watcher.stop()


def test_copies_are_noticed_at_the_start_and_whenever_they_come_and_go(ground: Ground, told: Queue[int]) -> None:
    assert told.get(timeout=WAIT) == 1
    ground.put("memory/2026-02-24 2.md", "another\n")
    assert told.get(timeout=WAIT) == 2
    ground.put("MEMORY.md", "<<<<<<< here\na\n=======\nb\n>>>>>>> there\n")
    assert told.get(timeout=WAIT) == 3
    ground.copies.settle("USER 2.md", None, MISSING)
    assert told.get(timeout=WAIT) == 2
    ground.put("MEMORY.md", "a\nb\n")
    assert told.get(timeout=WAIT) == 1


# --- the commands ---------------------------------------------------------------------------------


def test_the_owner_sees_and_settles_them(ground: Ground) -> None:
    told: list[Event] = []
    app = pet_of(
        store=ground.store,
        home=SimpleNamespace(locks=ground.store.locks),
        clock=DayClock(),
        effective=SimpleNamespace(current=Settings),
        emit=told.append,
    )
    commands = CopyCommands(app)
    base = ground.write("MEMORY.md", "- a\n- b\n- c\n")
    ground.put("MEMORY 2.md", "- a\n- b\n- c\n- theirs\n")
    (info,) = commands.list_copies().copies
    view = commands.read_copy(copy=info.copy)
    assert (view.file.version, view.text) == (base, "- a\n- b\n- c\n- theirs\n")
    ground.write("MEMORY.md", "- now\n- b\n- c\n")
    conflict = commands.settle_copy(copy=info.copy, base=base, text="- a\n- b\n- mine\n")
    assert (conflict.outcome, conflict.merged_text) == ("conflict", "- now\n- b\n- mine\n")
    assert conflict.file.text == "- now\n- b\n- c\n"
    done = commands.settle_copy(copy=info.copy, base=conflict.file.version, text="- all\n")
    assert (done.outcome, done.file.text) == ("saved", "- all\n")
    assert told == [CopiesFound(count=0)] and commands.list_copies().copies == []
