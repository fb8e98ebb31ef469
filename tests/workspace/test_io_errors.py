"""The answer of write, restore and undo says what happened, whichever system call fails."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest
from filelock import FileLock

from pet.errors import WorkspaceError
from pet.model import Author, Receipt
from tests.workspace.conftest import Desk

NAME = "MEMORY.md"
CALLS = (
    "open",
    "mkdir",
    "write",
    "fsync",
    "rename",
    "replace",
    "link",
    "unlink",
    "utime",
    "stat",
    "scandir",
    "close",
)
FIRST, SECOND, THIRD = b"- tea\n", b"- tea\n- coffee\n", b"- tea\n- coffee\n- cake\n"

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the calls are those of POSIX")


@contextmanager
def failing(calls: Sequence[str], at: int, *, lasting: bool) -> Iterator[Callable[[], bool]]:
    """Fail the ``at``-th of these calls with EIO, with ``lasting`` also all later ones; yield whether one failed."""
    number, failed = count(), [False]

    def wrap(real: Callable[..., object], *, closes: bool) -> Callable[..., object]:
        def call(*args: object, **kwargs: object) -> object:
            now = next(number)
            if now == at or (lasting and now > at):
                failed[0] = True
                if closes:  # the system closes a file also when it reports an error
                    real(*args, **kwargs)
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return real(*args, **kwargs)

        return call

    with pytest.MonkeyPatch.context() as patched:
        for name in calls:
            patched.setattr(os, name, wrap(getattr(os, name), closes=name == "close"))
        yield lambda: failed[0]


def write(desk: Desk) -> Receipt | None:
    state = desk.store.read(NAME)
    return desk.store.write(NAME, THIRD.decode(), base=getattr(state, "version", "missing"), author=Author.PET)


def create(desk: Desk) -> Receipt | None:
    return desk.store.write("AGENTS.md", "- x\n", base="missing", author=Author.PET)


def restore(desk: Desk) -> Receipt | None:
    return desk.store.restore(NAME, desk.store.history(NAME)[-1].id, author=Author.OWNER)


def undo(desk: Desk) -> Receipt | None:
    (newest, older) = desk.store.history(NAME)[:2]
    receipt = Receipt(
        file=NAME,
        history_id=older.id,
        before=older.version,
        after=newest.version,
        added=1,
        removed=0,
        author=Author.PET,
        merged=False,
    )
    return desk.store.undo(receipt, author=Author.OWNER)


def undo_creation(desk: Desk) -> Receipt | None:
    (only,) = desk.store.history("TOOLS.md")
    receipt = Receipt(
        file="TOOLS.md",
        history_id="missing",
        before="missing",
        after=only.version,
        added=1,
        removed=0,
        author=Author.PET,
        merged=False,
    )
    return desk.store.undo(receipt, author=Author.OWNER)


ACTS: list[tuple[Callable[[Desk], Receipt | None], str, bytes | None, bytes | None]] = [
    (write, NAME, SECOND, THIRD),
    (restore, NAME, SECOND, FIRST),
    (undo, NAME, SECOND, FIRST),
    (create, "AGENTS.md", None, b"- x\n"),
    (undo_creation, "TOOLS.md", b"- x\n", None),
]


@pytest.mark.parametrize("lasting", [False, True])
@pytest.mark.parametrize(("act", "name", "before", "after"), ACTS)
def test_an_io_error_is_reported_only_if_the_file_is_unchanged(
    tmp_path: Path,
    act: Callable[[Desk], Receipt | None],
    name: str,
    before: bytes | None,
    after: bytes | None,
    lasting: bool,
) -> None:
    wrong: list[str] = []
    for at in count():
        folder = tmp_path / str(at)
        folder.mkdir()
        desk = Desk(folder)
        for text in (FIRST, SECOND):
            state = desk.store.read(NAME)
            desk.store.write(NAME, text.decode(), base=getattr(state, "version", "missing"), author=Author.PET)
        desk.store.write("TOOLS.md", "- x\n", base="missing", author=Author.PET)
        answer = "done"
        with failing(CALLS, at, lasting=lasting) as failed:
            try:
                act(desk)
            except WorkspaceError:
                answer = "failed"
        now = desk.bytes(name) if (desk.root / name).exists() else None
        if now != (after if answer == "done" else before):
            wrong.append(f"call {at}: {answer}, but the file is {now!r}")
        desk.store.observe(name)  # settles what is pending
        if any(kept.author is Author.OUTSIDE for kept in desk.store.history(name)):
            wrong.append(f"call {at}: the change counts as another program's")
        if not failed():
            break
    assert not wrong
    assert at > 15


def test_an_error_of_the_locks_release_is_no_failed_write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = Desk(tmp_path)
    release = FileLock.release

    def fail(lock: FileLock, *arguments: bool, **options: bool) -> None:
        release(lock, *arguments, **options)
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    with monkeypatch.context() as patched:
        patched.setattr(FileLock, "release", fail)
        assert create(desk)
    assert desk.bytes("AGENTS.md") == b"- x\n"
