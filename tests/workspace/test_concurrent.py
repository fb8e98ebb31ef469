"""Threads, processes and foreign editors at once; folders swapped for links while we work."""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Callable
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from itertools import chain
from pathlib import Path
from threading import Event, Thread

import pytest

from pet.errors import EditNotFound, FileConflict, WorkspaceError
from pet.fs.directory import open_folder
from pet.model import MISSING, Author, Present
from pet.workspace.store import FileLimits, WorkspaceStore
from tests.support.clocks import START
from tests.support.dying import needs_fork
from tests.workspace.conftest import Desk


def _append(store: WorkspaceStore, name: str, line: str) -> None:
    """As a caller does: read, change, write on that base; again if somebody was quicker."""
    while True:
        state = store.read(name)
        text, base = (state.text, state.version) if isinstance(state, Present) else ("", MISSING)
        try:
            store.write(name, f"{text}{line}\n", base=base, author=Author.PET)
        except FileConflict:
            continue
        return


def _append_each(store: WorkspaceStore, name: str, lines: list[str]) -> None:
    for line in lines:
        _append(store, name, line)


def _append_anew(desk: Desk, name: str, lines: list[str]) -> None:
    """By a store of its own for each line, as a program would that is started for it."""
    for line in lines:
        _append(desk.open(), name, line)


def _fork(act: Callable[[], object]) -> int:
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            act()
            code = 0
        finally:
            os._exit(code)
    return pid


def _join(pids: list[int]) -> None:
    assert [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in pids] == [0] * len(pids)


def test_threads_lose_no_line(desk: Desk) -> None:
    lines = [[f"{who}-{n}" for n in range(15)] for who in "abcd"]
    threads = [Thread(target=_append_each, args=(desk.store, "MEMORY.md", own)) for own in lines]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(desk.bytes("MEMORY.md").decode().split()) == sorted(chain(*lines))
    assert len(desk.store.history("MEMORY.md")) == 60


@needs_fork
def test_processes_lose_no_line(desk: Desk) -> None:
    lines = [[f"{who}-{n}" for n in range(30)] for who in "abc"]
    _join([_fork(partial(_append_anew, desk, "MEMORY.md", own)) for own in lines])
    assert sorted(desk.bytes("MEMORY.md").decode().split()) == sorted(chain(*lines))


@needs_fork
@pytest.mark.parametrize("save", [Desk.put, Desk.replace])
def test_with_a_foreign_editor_every_line_stays_recoverable(
    desk: Desk, save: Callable[[Desk, str, bytes], None]
) -> None:
    desk.put("MEMORY.md", b"start\n")

    def foreign() -> None:
        for n in range(120):
            text = desk.bytes("MEMORY.md")
            save(desk, "MEMORY.md", b"foreign-%d\n" % n + text)

    lines = [[f"{who}-{n}" for n in range(40)] for who in "ab"]
    pids = [_fork(partial(_append_anew, desk, "MEMORY.md", own)) for own in lines]
    _join([*pids, _fork(foreign)])
    desk.store.observe("MEMORY.md")
    found: set[str] = set()
    for kept in desk.store.history("MEMORY.md"):
        found.update(desk.store.version_bytes("MEMORY.md", kept.id).decode().split())
    assert found >= set(chain(*lines)), "what the pet wrote"
    assert found >= {f"foreign-{n}" for n in range(120)}, "what the other program saved"
    assert desk.strays() == []


@needs_fork
def test_editing_at_both_ends_needs_no_retry(desk: Desk) -> None:
    desk.put("USER.md", b"a: 0\n\nb: 0\n")

    def count_up(key: str) -> None:
        for n in range(25):
            desk.open().edit("USER.md", f"{key}: {n}\n", f"{key}: {n + 1}\n", author=Author.PET)

    _join([_fork(lambda: count_up("a")), _fork(lambda: count_up("b"))])
    assert desk.bytes("USER.md") == b"a: 25\n\nb: 25\n"
    with pytest.raises(EditNotFound):
        desk.store.edit("USER.md", "a: 3\n", "", author=Author.PET)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows exchanges no folders")
def test_a_folder_swapped_for_a_link_leads_nowhere(desk: Desk, tmp_path: Path) -> None:
    name = "memory/2026-02-24.md"
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "2026-02-24.md").write_bytes(b"secret\n")
    desk.put(name, b"mine\n")
    (desk.root / "other").symlink_to(outside)
    root = open_folder(desk.root.resolve())
    done = Event()

    def swap() -> None:
        for _ in range(1001):
            root.exchange("memory", "other")
        done.set()

    thread = Thread(target=swap)
    thread.start()
    worked = 0
    try:
        while not done.is_set() or worked < 20:
            state = desk.store.read(name)
            assert not isinstance(state, Present) or "secret" not in state.text
            try:
                desk.store.edit(name, "mine\n", f"mine\n{worked}\n", author=Author.PET)
                worked += 1
            except WorkspaceError:
                if done.is_set():  # it stopped with the link in place
                    root.exchange("memory", "other")
    finally:
        thread.join()
    root.__exit__(None, None, None)
    assert [(path.name, path.read_bytes()) for path in outside.iterdir()] == [("2026-02-24.md", b"secret\n")]


class JumpingClock:
    """A clock that jumps by up to a year, forwards and back, at each reading."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def now(self) -> datetime:
        return START + timedelta(days=self._chance.uniform(-365, 365))

    def monotonic(self) -> float:
        return 0.0


def test_three_writers_whose_clocks_jump_lose_no_line_and_no_version(desk: Desk) -> None:
    stores = [
        WorkspaceStore(
            desk.root,
            locks=desk.folder / "locks",
            clock=JumpingClock(seed),
            limits=FileLimits(history_days=1, history_daily_days=2, history_newest=500),
            on_change=lambda _change: None,
        )
        for seed in range(3)
    ]
    lines = [[f"- writer {writer} line {number}" for number in range(12)] for writer in range(3)]
    threads = [Thread(target=_append_each, args=(stores[at], "MEMORY.md", lines[at])) for at in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stores[0].prune()
    assert sorted(desk.bytes("MEMORY.md").decode().splitlines()) == sorted(chain(*lines))
    versions = desk.store.history("MEMORY.md")
    assert len(versions) == 36
    assert versions[0].current
    assert desk.store.version_bytes("MEMORY.md", versions[0].id) == desk.bytes("MEMORY.md")


class _SyncProgram:
    """What sync programs do to a file under us: lock it, take it away and put it back, bring back an old version,
    leave a copy beside it, and touch its time. Each version it brings is one that was there."""

    def __init__(self, root: Path, seed: int) -> None:
        self._root = root
        self._chance = random.Random(seed)
        self.seen: list[bytes] = []

    def step(self) -> None:
        file = self._root / "MEMORY.md"
        try:
            now = file.read_bytes()
        except OSError:
            return
        self.seen.append(now)
        match self._chance.randrange(5):
            case 0:
                import fcntl

                with file.open("rb") as opened:
                    fcntl.flock(opened, fcntl.LOCK_EX)
                    os.utime(file, (0, 0))
            case 1:  # for a moment it is not there
                away = self._root / "MEMORY.md.syncing"
                with suppress(OSError):
                    file.rename(away)
                    if not file.exists():
                        os.link(away, file)
                    away.unlink()
            case 2:  # of another machine that was behind
                beside = self._root / ".syncthing.MEMORY.md.tmp"
                beside.write_bytes(self._chance.choice(self.seen))
                beside.replace(file)
            case 3:
                (self._root / "MEMORY.sync-conflict-20260224-101010-ABCDEFG.md").write_bytes(now)
            case _:
                file.write_bytes(now)  # in place


@needs_fork
@pytest.mark.parametrize("seed", range(4))
def test_under_a_sync_program_every_line_stays_recoverable(desk: Desk, seed: int) -> None:
    desk.put("MEMORY.md", b"- first\n")
    desk.store.observe("MEMORY.md")
    lines = [f"- line {number}" for number in range(60)]

    def write() -> None:
        for line in lines:
            _append_patiently(desk.open(), line)

    def sync() -> None:
        program = _SyncProgram(desk.root, seed)
        for _ in range(300):
            program.step()

    _join([_fork(write), _fork(sync)])
    desk.store.observe("MEMORY.md")
    texts = [desk.store.version_bytes("MEMORY.md", each.id) for each in desk.store.history("MEMORY.md")]
    assert {line for text in texts for line in text.decode().splitlines()} >= set(lines)
    assert desk.strays() == []


def _append_patiently(store: WorkspaceStore, line: str) -> None:
    """Until it is confirmed, also while the file is away."""
    while True:
        with suppress(WorkspaceError):
            _append(store, "MEMORY.md", line)
            return
