"""Thousands of turns in one conversation in the real window: what the program and the web view's processes keep.

The page takes the turns by itself, with no debugger attached: with one, each process keeps what it is sent. It rests
and collects its garbage before each point, which a busy page puts off. Memory is the proportional share (PSS) of all
processes of the program, in MiB, without mapped files: how much of those counts depends on what else runs.
"""

from __future__ import annotations

import random
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import sync_playwright

from pet.transcripts.entries import UserMessage
from pet.transcripts.entry_codec import prefix
from tests.support.desktop.xvfb import call_page, open_desktop
from tests.support.pet_windows.windows import talking, workspace
from tests.support.servers.protocol_replies import Reply, stream
from tests.support.servers.protocol_server import ProtocolServer

_FIRST = 100
"""Turns after which growth counts: caches and pools are full by then."""
_EVERY = 100
_LOOK_EVERY = 0.2  # seconds
_SETTLED = 2.0  # seconds after the last turn's message at which the page has collected its garbage
_REST = 5.0  # seconds without turns at each point
_MOST_MIB_IN_5_000 = 20.0
_WORDS = ("tea", "ferry", "the harbour", "blue", "我们", "on Sunday", "**quietly**", "a map", "`code`", "and then")
_COLLECTS = {"QTWEBENGINE_CHROMIUM_FLAGS": "--disable-gpu --js-flags=--expose-gc,--optimize-for-size"}
"""Given flags for scripts replace the program's own, so its ``--optimize-for-size`` is among them."""
_PROGRAM = "tests.window.programs.quick_pet"
_TAKE_TURNS = """([conversation, words, pause, every, rest]) => {
    const said = () => Array.from({ length: 12 }, () => words[Math.floor(Math.random() * words.length)]).join(" ");
    let taken = 0;
    const send = async () => {
        const envelope = await window.pywebview.api.invoke(
            "send_message", JSON.stringify({ conversation, text: said() }));
        if (JSON.parse(envelope).ok) taken += 1;
        const rests = JSON.parse(envelope).ok && taken % every === 0;
        if (rests) setTimeout(() => gc(), rest / 4);
        setTimeout(send, rests ? rest : pause);
    };
    send();
}"""
"""A message while the turn before is still running is refused, and another one is tried."""


@dataclass(slots=True)
class Growth:
    """``curve``: turns, MiB of the program's own process, of the web view's processes, files, threads, minutes."""

    turns: int = 0
    curve: list[tuple[int, float, float, int, int, float]] = field(default_factory=list)

    @property
    def in_5_000(self) -> float:
        """Return the growth in MiB that 5,000 turns would show, by a straight line through all points."""
        points = [(turns, own + others) for turns, own, others, *_ in self.curve if turns >= _FIRST]
        if len(points) < 3:
            return 0.0
        mean_x, mean_y = (sum(each) / len(points) for each in zip(*points, strict=True))
        over = sum((x - mean_x) * (y - mean_y) for x, y in points)
        return float(5_000 * over / sum((x - mean_x) ** 2 for x, _y in points))

    @property
    def problem(self) -> str:
        grew = self.in_5_000
        return f"{grew:.0f} MiB in 5,000 turns" if grew > _MOST_MIB_IN_5_000 else ""


def growth(home: Path, seconds: float, seed: int, *, pause: float = 0.02) -> Growth:
    """Take turns for so long, ``pause`` seconds after each."""
    chance = random.Random(seed)
    found = Growth()
    with (
        open_desktop() as desktop,
        ProtocolServer(default=lambda _: _reply(chance)) as server,
        sync_playwright() as playwright,
        talking(desktop, home, server, playwright, program=_PROGRAM, environ=_COLLECTS) as chat,
    ):
        pid = chat.running.process.pid
        conversation = call_page(chat.page, "get_app_state")["value"]["active_tab"]
        chat.page.evaluate(_TAKE_TURNS, [conversation, _WORDS, pause * 1_000, _EVERY, _REST * 1_000])
        browser = chat.page.context.browser
        assert browser is not None
        browser.close()
        messages = _Messages(workspace(home) / "conversations" / f"{conversation}.jsonl")
        began = time.monotonic()
        while (took := time.monotonic() - began) < seconds:
            time.sleep(_LOOK_EVERY)
            with server._lock:  # what it received is not what is measured
                server.requests.clear()
            found.turns = messages.count()
            if found.turns >= (len(found.curve) + 1) * _EVERY:
                time.sleep(_SETTLED)
                found.curve.append((found.turns, *_memory(pid), *_handles(pid), took / 60))
                print(*(round(each, 1) for each in found.curve[-1]), flush=True)
    return found


def _reply(chance: random.Random) -> Reply:
    return stream(" ".join(chance.choice(_WORDS) for _ in range(80)))


class _Messages:
    """The owner's messages in a transcript, counted as it grows."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._read = self._count = 0

    def count(self) -> int:
        if self._file.exists():
            with self._file.open("rb") as transcript:
                transcript.seek(self._read)
                *lines, _unfinished = transcript.read().split(b"\n")
            self._read += sum(len(line) + 1 for line in lines)
            self._count += sum(line.startswith(prefix(UserMessage)) for line in lines)
        return self._count


def _memory(pid: int) -> tuple[float, float]:
    """Return MiB of the process itself, and of its descendants."""
    return _pss(pid), sum(_pss(child) for child in _descendants(pid))


def _pss(pid: int) -> float:
    with suppress(OSError):
        lines = Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines()
        return sum(int(line.split()[1]) for line in lines if line.startswith(("Pss_Anon:", "Pss_Shmem:"))) / 1024
    return 0.0


def _descendants(pid: int) -> list[int]:
    found: list[int] = []
    for task in Path(f"/proc/{pid}/task").iterdir():
        with suppress(OSError):
            children = [int(each) for each in (task / "children").read_text().split()]
            found += children
            for child in children:
                found += _descendants(child)
    return found


def _handles(pid: int) -> tuple[int, int]:
    """Return the open files and the threads."""
    return len(list(Path(f"/proc/{pid}/fd").iterdir())), len(list(Path(f"/proc/{pid}/task").iterdir()))
