"""Killed at any point: old or new bytes, nothing confirmed is lost, and the next start tidies up."""

from __future__ import annotations

import gc
import os
import random
import signal
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from pet.errors import FileConflict
from pet.model import MISSING, Author, Present
from pet.workspace.store import WorkspaceStore
from tests.support.dying import deaths, needs_fork
from tests.support.examples import at_night
from tests.workspace.conftest import Desk

pytestmark = needs_fork

_CALLS = ("open", "write", "fsync", "replace", "rename", "link", "unlink", "mkdir", "close", "fchmod", "utime")

OLD = "# 主人\n- tea\n- 猫\n".encode()
FOREIGN = "# 主人\n- tea\n- 猫\n- theirs\n".encode()
Act = Callable[[WorkspaceStore, Desk], object]


def _deaths(tmp_path: Path, act: Act, *, half: bool) -> Iterator[Desk]:
    """The desk after each point of death, by day after one of six."""

    def prepare(folder: Path) -> None:
        desk = Desk(folder)
        desk.put("USER.md", OLD)
        desk.store.observe("USER.md")

    def run(folder: Path) -> None:
        desk = Desk(folder)
        act(desk.store, desk)

    for folder in deaths(tmp_path, prepare, run, half=half, calls=_CALLS, step=1 if at_night() else 6):
        yield Desk(folder)


def _texts(store: WorkspaceStore, name: str) -> list[bytes]:
    return [store.version_bytes(name, kept.id) for kept in store.history(name)]


def _edit(store: WorkspaceStore, _: Desk) -> object:
    return store.edit("USER.md", "- tea", "- coffee", author=Author.PET)


def _create(store: WorkspaceStore, _: Desk) -> object:
    return store.write("MEMORY.md", "- one\n", base=MISSING, author=Author.PET)


def _edit_against_foreign(store: WorkspaceStore, desk: Desk) -> object:
    saved: list[bool] = []

    def save() -> None:
        if not saved:
            saved.append(True)
            _save_foreign(desk)

    return store.edit("USER.md", "- tea", "- coffee", author=Author.PET, check=save)


def _overlap_with_foreign(store: WorkspaceStore, desk: Desk) -> object:
    try:
        return store.edit("USER.md", "- 猫", "- 狗", author=Author.PET, check=lambda: _save_foreign(desk))
    except FileConflict:
        return None


def _save_foreign(desk: Desk) -> None:
    desk.replace("USER.md", FOREIGN)
    (desk.folder / "saved").touch()


def _finish(desk: Desk, name: str) -> WorkspaceStore:
    """What the next start does; afterwards everything works and nothing lies about."""
    store = desk.open()
    store.observe(name)
    assert desk.strays() == []
    state = store.read(name)
    if isinstance(state, Present):
        store.write(name, "next\n", base=state.version, author=Author.OWNER)
        assert desk.bytes(name) == b"next\n"
        newest, before = store.history(name)[:2]
        assert newest.current
        assert before.version == state.version
    return store


@pytest.mark.parametrize("half", [False, True])
def test_a_killed_edit_leaves_old_or_new(tmp_path: Path, half: bool) -> None:
    new = OLD.replace(b"tea", b"coffee")
    seen = set()
    for desk in _deaths(tmp_path, _edit, half=half):
        seen.add(desk.bytes("USER.md"))
        store = _finish(desk, "USER.md")
        assert OLD in _texts(store, "USER.md")
    assert seen == {OLD, new}


def _append(store: WorkspaceStore, _: Desk) -> object:
    state = store.read("USER.md")
    assert isinstance(state, Present)
    return store.write("USER.md", state.text + "- coffee\n", base=state.version, author=Author.PET)


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("act", [_edit, _append])
def test_version_of_a_killed_writer_is_kept_if_it_stood_on_the_disk(tmp_path: Path, act: Act, half: bool) -> None:
    """Another program saves before the next start, so the file itself says nothing about the killed change."""
    changed = OLD.replace(b"tea", b"coffee") if act is _edit else OLD + b"- coffee\n"
    outcomes = set()
    for desk in _deaths(tmp_path, act, half=half):
        stood = desk.bytes("USER.md") == changed
        outcomes.add(stood)
        desk.replace("USER.md", b"# quite another text\n")
        texts = _texts(_finish(desk, "USER.md"), "USER.md")
        assert (changed in texts) == stood
        assert OLD in texts
        assert b"# quite another text\n" in texts
    assert outcomes == {False, True}


def test_a_killed_creation_leaves_nothing_or_all(tmp_path: Path) -> None:
    seen = set()
    for desk in _deaths(tmp_path, _create, half=True):
        file = desk.root / "MEMORY.md"
        seen.add(file.read_bytes() if file.exists() else None)
        _finish(desk, "MEMORY.md")
    assert seen == {None, b"- one\n"}


def test_a_foreign_save_survives_our_death(tmp_path: Path) -> None:
    after_save = 0
    for act in (_edit_against_foreign, _overlap_with_foreign):
        folder = tmp_path / act.__name__
        folder.mkdir()
        for desk in _deaths(folder, act, half=False):
            texts = _texts(_finish(desk, "USER.md"), "USER.md")
            assert OLD in texts
            if (desk.folder / "saved").exists():
                after_save += 1
                assert FOREIGN in texts
    assert after_save > (60 if at_night() else 9)


def test_an_undone_creation_that_dies_keeps_the_text(tmp_path: Path) -> None:
    def act(store: WorkspaceStore, _: Desk) -> None:
        receipt = store.write("MEMORY.md", "- one\n", base=MISSING, author=Author.PET)
        assert receipt is not None
        store.undo(receipt, author=Author.OWNER)

    confirmed = 0
    for desk in _deaths(tmp_path, act, half=False):
        store = _finish(desk, "MEMORY.md")
        confirmed += b"- one\n" in _texts(store, "MEMORY.md")
    assert confirmed > (5 if at_night() else 0)


def test_kills_at_random_lose_no_confirmed_write(desk: Desk) -> None:
    chance = random.Random(20260224)
    desk.put("MEMORY.md", b"start\n")
    confirmed: list[str] = []
    for round_ in range(100 if at_night() else 30):
        confirmed += _write_until_killed(desk, round_, after=chance.randrange(3))
        now = desk.bytes("MEMORY.md").decode()
        assert now.startswith("start\n")
        assert now.endswith("\n")
    lines = desk.bytes("MEMORY.md").decode().splitlines()
    assert set(confirmed) <= set(lines)
    assert len(confirmed) >= (50 if at_night() else 15)
    store = desk.open()
    store.observe("MEMORY.md")
    assert desk.strays() == []
    kept = {kept.version for kept in store.history("MEMORY.md")}
    assert len(kept) >= len(confirmed)
    assert desk.told == [] or desk.told[-1].lost is None


def _write_until_killed(desk: Desk, round_: int, *, after: int) -> list[str]:
    """Kills the writer when ``after`` writes were confirmed, wherever it is by then."""
    listen, say = os.pipe()
    pid = os.fork()
    if pid == 0:
        gc.disable()
        try:
            store = desk.open()
            for n in count():
                state = store.read("MEMORY.md")
                assert isinstance(state, Present)
                line = f"{round_}-{n}"
                store.write("MEMORY.md", f"{state.text}{line}\n", base=state.version, author=Author.PET)
                os.write(say, f"{line}\n".encode())
        finally:
            os._exit(1)
    os.close(say)
    with os.fdopen(listen, "rb") as heard:
        lines = [heard.readline() for _ in range(after)]
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        return [line.decode().strip() for line in [*lines, *heard.readlines()] if line.endswith(b"\n")]
