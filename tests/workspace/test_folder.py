"""Both kinds of folder behave alike; the one by path, and file systems that can't exchange, lose nothing either."""

from __future__ import annotations

import os
import sys
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from pet.errors import FileConflict
from pet.fs.directory import (
    Absent,
    Contents,
    Folder,
    FolderIsLink,
    PathFolder,
    Unusable,
    open_folder,
    remove_leftovers,
    temp_beside,
    write_atomically,
)
from pet.model import Author
from pet.workspace.file_history import NO_LIMIT, FileHistory
from pet.workspace.locked_file import LockedFile
from pet.workspace.safe_replace import Change, commit
from tests.support.clocks import StandingClock
from tests.support.files import make_pipe

Open = Callable[[Path], Folder]


@pytest.fixture(params=[open_folder, PathFolder], ids=["system", "path"])
def opening(request: pytest.FixtureRequest) -> Open:
    kind: Open = request.param
    return kind


def test_reading_tells_files_from_everything_else(opening: Open, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    (tmp_path / "folder").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "file")
    pipes = make_pipe(tmp_path / "pipe")
    with opening(tmp_path) as folder:
        found = folder.read("file", 5)
        assert isinstance(found, Contents)
        assert found.data == b"12345"
        assert folder.read("file", 4) == Unusable("too_large")
        assert folder.read("none", 5) == Absent()
        assert folder.read("link", 5) == Unusable("link")
        for name in ("folder", *pipes):
            assert folder.read(name, 5) == Unusable("not_a_file")
        assert sorted(folder.names()) == ["file", "folder", "link", *pipes]


def test_reading_takes_the_memory_of_the_file_and_not_of_the_limit(opening: Open, tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"12345")
    with opening(tmp_path) as folder:
        tracemalloc.start()
        try:
            assert isinstance(folder.read("file", NO_LIMIT), Contents)
            assert tracemalloc.get_traced_memory()[1] < 1 << 20
        finally:
            tracemalloc.stop()


def test_a_folder_below_is_made_only_on_demand_and_never_through_a_link(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        open_folder(tmp_path, "one")
    with open_folder(tmp_path, "one", "two", create=True) as folder:
        write_atomically(folder, "file", b"1")
        write_atomically(folder, "file", b"2")
        assert folder.names() == ["file"]
    assert (tmp_path / "one" / "two" / "file").read_bytes() == b"2"
    (tmp_path / "link").symlink_to(tmp_path / "one")
    with pytest.raises(FolderIsLink):
        open_folder(tmp_path, "link", "two")


def test_failed_replacement_keeps_the_old_file_and_leaves_no_temporary_one(opening: Open, tmp_path: Path) -> None:
    (tmp_path / "taken").mkdir()
    with opening(tmp_path) as folder:
        write_atomically(folder, "file", b"1")
        with pytest.raises(FileExistsError):
            write_atomically(folder, "file", b"2", overwrite=False)
        with pytest.raises(OSError):
            write_atomically(folder, "taken", b"2")
        assert sorted(folder.names()) == ["file", "taken"]
    assert (tmp_path / "file").read_bytes() == b"1"


def test_only_the_files_own_leftovers_are_removed(opening: Open, tmp_path: Path) -> None:
    with opening(tmp_path) as folder:
        for name in (temp_beside("one"), temp_beside("two"), "one"):
            folder.create(name, b"", 0o600)
        remove_leftovers(folder, "one")
        two, one = sorted(folder.names())
    assert one == "one"
    assert two.startswith(".two.")


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_replaced_file_has_the_mode_that_was_asked_for(tmp_path: Path) -> None:
    with open_folder(tmp_path) as folder:
        write_atomically(folder, "private", b"")
        write_atomically(folder, "shared", b"", mode=0o644)
    assert [(tmp_path / name).stat().st_mode & 0o777 for name in ("private", "shared")] == [0o600, 0o644]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such modes")
def test_a_file_without_permission_is_unreadable_and_not_missing(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"1")
    (tmp_path / "file").chmod(0)
    tmp_path.chmod(0o755)
    with open_folder(tmp_path) as folder:
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                if os.geteuid() == 0:  # root may read everything
                    os.seteuid(65534)
                code = 0 if folder.read("file", 5) == Unusable("unreadable") else 2
            finally:
                os._exit(code)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0


def test_a_link_is_no_folder(opening: Open, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path)
    (tmp_path / "file").write_bytes(b"")
    with opening(tmp_path) as folder:
        for name in ("link", "file"):
            with pytest.raises(FolderIsLink):
                folder.sub(name, create=False)
    with pytest.raises(FolderIsLink):
        opening(tmp_path / "link")
    with pytest.raises(FileNotFoundError):
        opening(tmp_path / "none")


def test_nothing_is_overwritten_by_chance(opening: Open, tmp_path: Path) -> None:
    with opening(tmp_path) as folder:
        folder.create("one", b"1", 0o600)
        with pytest.raises(FileExistsError):
            folder.create("one", b"2", 0o600)
        folder.create("two", b"2", 0o600)
        with pytest.raises(FileExistsError):
            folder.add("two", "one")
        folder.add("two", "three")
        folder.append("log", b"a", durable=True)
        folder.append("log", b"b", durable=False)
        with folder.sub("deeper", create=True) as deeper:
            folder.move("log", deeper, "log")
            assert deeper.names() == ["log"]
        assert folder.signature("log") is None
        folder.sync()
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if path.is_file()} == {
        "one": b"1",
        "three": b"2",
    }
    assert (tmp_path / "deeper" / "log").read_bytes() == b"ab"


def test_an_exchange_leaves_both_files(tmp_path: Path) -> None:
    with open_folder(tmp_path) as folder:
        folder.create("one", b"1", 0o600)
        folder.create("two", b"2", 0o600)
        assert folder.exchange("one", "two")
        with pytest.raises(FileNotFoundError):
            folder.exchange("one", "none")
    assert ((tmp_path / "one").read_bytes(), (tmp_path / "two").read_bytes()) == (b"2", b"1")


@contextmanager
def place_by_path(tmp_path: Path) -> Iterator[LockedFile]:
    """A place whose folder has no exchange on this system: the fall-back way of committing."""
    with ExitStack() as opened:
        top = opened.enter_context(PathFolder(tmp_path))
        kept = opened.enter_context(top.sub(".history", create=True))
        aside = opened.enter_context(kept.sub("displaced", create=True))
        log = FileHistory(kept, "USER.md")
        yield LockedFile(
            name="USER.md", leaf="USER.md", folder=top, log=log, aside=aside, clock=StandingClock(), limit=1000
        )


def test_without_an_exchange_a_change_is_compared_and_replaced(tmp_path: Path) -> None:
    (tmp_path / "USER.md").write_bytes(b"1\n2\n3\n")
    with place_by_path(tmp_path) as place:
        base = place.reconcile()[0]
        assert isinstance(base, Contents)
        done = commit(place, Change(base=base, data=b"one\n2\n3\n", author=Author.PET))
        assert done is not None
        assert (tmp_path / "USER.md").read_bytes() == b"one\n2\n3\n"
        assert [entry.done for entry in place.log.entries()] == [True, True]
        base = place.read()
        assert isinstance(base, Contents)

        def foreign() -> None:
            (tmp_path / "USER.md").write_bytes(b"one\n2\nthree\n")

        merged = commit(place, Change(base=base, data=b"1\n2\n3\n", author=Author.PET, check=foreign))
        assert merged is not None
        assert merged.change.merged
        assert (tmp_path / "USER.md").read_bytes() == b"1\n2\nthree\n"
        removed = commit(place, Change(base=read_now(place), data=None, author=Author.OWNER))
        assert removed is not None
        assert not (tmp_path / "USER.md").exists()
    assert [path.name for path in tmp_path.iterdir()] == [".history"]


def test_without_an_exchange_an_overlap_is_a_conflict(tmp_path: Path) -> None:
    (tmp_path / "USER.md").write_bytes(b"1\n")
    with place_by_path(tmp_path) as place:
        place.reconcile()

        def meanwhile() -> None:
            (tmp_path / "USER.md").write_bytes(b"theirs\n")

        change = Change(base=read_now(place), data=b"ours\n", author=Author.PET, check=meanwhile)
        with pytest.raises(FileConflict):
            commit(place, change)
    assert (tmp_path / "USER.md").read_bytes() == b"theirs\n"


def read_now(place: LockedFile) -> Contents:
    raw = place.read()
    assert isinstance(raw, Contents)
    return raw
