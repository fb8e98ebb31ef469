"""Three writers on one file beside another program, and writers killed at random moments."""

from __future__ import annotations

import os
import random
import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from pet.errors import FileConflict
from pet.model import MISSING, Author, Present
from pet.workspace.versioned.store import WorkspaceStore
from tests.workspace.conftest import Desk

FILE = "MEMORY.md"


@dataclass(slots=True)
class Written:
    lines: int
    missing: int
    twice: int


def _append(store: WorkspaceStore, line: str) -> None:
    while True:
        state = store.read(FILE)
        text, base = (state.text, state.version) if isinstance(state, Present) else ("", MISSING)
        try:
            store.write(FILE, f"{text}{line}\n", base=base, author=Author.PET)
        except FileConflict:
            continue
        return


def _forked(act: Callable[[], None]) -> int:
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            act()
            code = 0
        finally:
            os._exit(code)
    return pid


def three_writers(folder: Path, seconds: float) -> Written:
    """Every line in the file, once; where another program saved over one, it is in the history."""
    desk = Desk(folder)
    until = time.monotonic() + seconds

    def write(who: str) -> None:
        confirmed = (folder / who).open("w", encoding="ascii", buffering=1)
        for number in count():
            if time.monotonic() > until or number > 2_000:
                return
            _append(desk.open(), f"{who}-{number}")
            confirmed.write(f"{who}-{number}\n")

    children = [_forked(lambda who=who: write(who)) for who in "abc"]  # type: ignore[misc]
    codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children]
    assert codes == [0, 0, 0]
    wanted = [line for who in "abc" for line in (folder / who).read_text(encoding="ascii").split()]
    found = desk.bytes(FILE).decode().split()
    return Written(len(wanted), len(set(wanted) - set(found)), len(found) - len(set(found)))


def kills(folder: Path, seconds: float, seed: int) -> tuple[int, int, int]:
    """Writers killed at random moments: kills, confirmed lines, and those of them that are gone."""
    desk, chance = Desk(folder), random.Random(seed)
    desk.put(FILE, b"start\n")
    until, killed = time.monotonic() + seconds, 0
    confirmed: list[str] = []
    while time.monotonic() < until and killed < 1_000:
        listen, say = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                store = desk.open()
                for number in count():
                    line = f"{killed}-{number}"
                    _append(store, line)
                    os.write(say, f"{line}\n".encode())
            finally:
                os._exit(1)
        os.close(say)
        time.sleep(chance.random() * 0.15)
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
        with os.fdopen(listen, "rb") as heard:
            confirmed += [line.decode().strip() for line in heard.readlines() if line.endswith(b"\n")]
        killed += 1
        if len(confirmed) > 3_000:
            break
    found = set(desk.bytes(FILE).decode().split())
    return killed, len(confirmed), len(set(confirmed) - found)
