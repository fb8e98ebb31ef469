"""Thousands of turns in one conversation in the real window: what the program and the web view's processes keep.

Memory is the proportional share (PSS) of all processes of the program, in MiB, so that shared pages count once.
"""

from __future__ import annotations

import random
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from playwright.sync_api import expect, sync_playwright

from tests.support.desktop.xvfb import call_page, open_desktop
from tests.support.pet_windows.windows import talking
from tests.support.servers.protocol_replies import stream
from tests.support.servers.protocol_server import ProtocolServer

_PATIENCE = 600.0
_FIRST = 100
"""Turns after which growth counts: caches and pools are full by then."""
_EVERY = 100
_MOST_MIB_IN_5_000 = 20.0
_WORDS = ("tea", "ferry", "the harbour", "blue", "我们", "on Sunday", "**quietly**", "a map", "`code`", "and then")


@dataclass(slots=True)
class Growth:
    """``curve``: turns, MiB of the program's own process, MiB of the web view's processes, files, threads."""

    turns: int = 0
    curve: list[tuple[int, float, float, int, int]] = field(default_factory=list)

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


def growth(home: Path, seconds: float, seed: int) -> Growth:
    """Take turns for so long."""
    expect.set_options(timeout=_PATIENCE * 1000)
    chance = random.Random(seed)
    found = Growth()
    ends = time.monotonic() + seconds
    with (
        open_desktop() as desktop,
        sync_playwright() as playwright,
        ProtocolServer(default=stream(_said(chance, 80))) as server,
        talking(desktop, home, server, playwright) as chat,
    ):
        pid = chat.running.process.pid
        conversation = call_page(chat.page, "get_app_state")["value"]["active_tab"]
        while time.monotonic() < ends:
            sent = call_page(chat.page, "send_message", {"conversation": conversation, "text": _said(chance, 12)})
            if not sent["ok"]:  # the turn before is still running
                assert sent["error"]["code"] == "turn_running", sent
                chat.page.wait_for_timeout(10)
                continue
            found.turns += 1
            with server._lock:  # what it received is not what is measured
                server.requests.clear()
            if found.turns % _EVERY == 0:
                found.curve.append((found.turns, *_memory(pid), *_handles(pid)))
                print(*(round(each, 1) for each in found.curve[-1]), flush=True)
    return found


def _said(chance: random.Random, words: int) -> str:
    return " ".join(chance.choice(_WORDS) for _ in range(words))


def _memory(pid: int) -> tuple[float, float]:
    """Return MiB of the process itself, and of its descendants."""
    return _pss(pid), sum(_pss(child) for child in _descendants(pid))


def _pss(pid: int) -> float:
    with suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
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
