"""Three writers on one file beside another program, and writers killed at random moments."""

from __future__ import annotations

import os
import random
import signal
import time
import traceback
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from pet.errors import FileConflict
from pet.model import MISSING, Author, Present
from pet.workspace.store import WorkspaceStore
from tests.workspace.conftest import Desk

FILE = "MEMORY.md"


@dataclass(slots=True)
class Written:
    lines: int
    saves: int
    """Of the other program."""
    announced: int
    """Lines that it overwrote with an older text, and of which the owner was told."""
    problem: str


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
        except BaseException:  # noqa: BLE001  the end of the process: nobody else would tell
            traceback.print_exc()
        finally:
            os._exit(code)
    return pid


def three_writers(folder: Path, seconds: float, seed: int, most: int = 2_000) -> Written:
    """Two programs of ours beside one that takes no lock, and saves in place or by renaming.

    Every line of ours stands in the file, once, or in a version whose loss was announced; every line of the other
    program in some version.
    """
    desk = Desk(folder)
    desk.put(FILE, b"start\n")
    until = time.monotonic() + seconds

    def write(who: str) -> None:
        chance = random.Random(f"{seed}{who}")
        store, told = desk.open(), desk.told
        with (folder / who).open("w", encoding="ascii", buffering=1) as confirmed:
            for number in range(most):
                if time.monotonic() > until:
                    break
                _append(store, f"{who}-{number}")
                confirmed.write(f"{who}-{number}\n")
                time.sleep(chance.random() * 0.1)
        store.observe(FILE)
        lost = "\n".join(each.lost for each in told if each.lost)
        (folder / f"{who}-lost").write_text(lost, encoding="ascii")

    def save() -> None:
        chance = random.Random(seed)
        with (folder / "other").open("w", encoding="ascii", buffering=1) as saved:
            for number in count():
                if time.monotonic() > until:
                    return
                text = desk.bytes(FILE)
                time.sleep(chance.choice([0.0, 0.001, 0.01]))
                line = f"other-{number}\n".encode()
                act = chance.choice([Desk.put, Desk.replace])
                act(desk, FILE, line + text if chance.random() < 0.5 else text + line)
                saved.write(line.decode())
                time.sleep(chance.random())

    children = [_forked(lambda who=who: write(who)) for who in "ab"] + [_forked(save)]  # type: ignore[misc]
    codes = [os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) for pid in children]
    assert codes == [0, 0, 0]
    desk.store.observe(FILE)
    return _judged(desk, folder)


def _judged(desk: Desk, folder: Path) -> Written:
    def lines(name: str) -> list[str]:
        return (folder / name).read_text(encoding="ascii").split()

    ours, theirs = [*lines("a"), *lines("b")], lines("other")
    found = Counter(desk.bytes(FILE).decode().split())
    told = {*lines("a-lost"), *lines("b-lost"), *(each.lost for each in desk.told if each.lost)}
    announced = {line for version in told for line in desk.store.version_bytes(FILE, version).decode().split()}
    kept = {line for each in desk.store.history(FILE) for line in _version(desk, each.id)}
    gone = [line for line in ours if not found[line]]
    problems = {
        "stand twice": [line for line in ours if found[line] > 1],
        "are in no version": [line for line in [*ours, *theirs] if line not in kept],
        "were overwritten unannounced": [line for line in gone if line not in announced],
    }
    problem = "; ".join(f"{len(each)} {what}: {each[:3]}" for what, each in problems.items() if each)
    return Written(len(ours), len(theirs), len(gone), problem)


def _version(desk: Desk, version: str) -> list[str]:
    return desk.store.version_bytes(FILE, version).decode().split()


def kills(folder: Path, seconds: float, seed: int, most: int = 1_000) -> tuple[int, int, int]:
    """Writers killed at random moments: kills, confirmed lines, and those of them that are gone."""
    until, done, lines, gone = time.monotonic() + seconds, 0, 0, 0
    while time.monotonic() < until and done < most:
        place = folder / str(done)
        place.mkdir()
        few = min(most - done, 200)  # on a file of its own: with thousands of lines a writer hardly gets to work
        killed, confirmed, lost = _killed(Desk(place), until, few, random.Random(seed + done))
        done, lines, gone = done + killed, lines + confirmed, gone + lost
    return done, lines, gone


def _killed(desk: Desk, until: float, most: int, chance: random.Random) -> tuple[int, int, int]:
    desk.put(FILE, b"start\n")
    confirmed: list[bytes] = []
    killed = 0
    while time.monotonic() < until and killed < most:
        listen, say = os.pipe()
        pid = os.fork()
        if pid == 0:
            try:
                store = desk.open()
                os.write(say, b"\n")
                for number in count():
                    line = f"{killed}-{number}"
                    _append(store, line)
                    os.write(say, f"{line}\n".encode())
            finally:
                os._exit(1)
        os.close(say)
        with os.fdopen(listen, "rb") as heard:
            confirmed += [heard.readline() for _ in range(chance.randrange(1, 6))]
            time.sleep(chance.random() * 0.005)  # about as long as a write takes
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            confirmed += heard.readlines()
        killed += 1
    whole = {line.strip() for line in confirmed if line.endswith(b"\n")} - {b""}
    return killed, len(whole), len(whole - set(desk.bytes(FILE).split()))
