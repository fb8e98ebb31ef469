"""Cost of one-line commands: processor time of the whole process, as a ratio to a bare ``python -c pass``.

Each command runs in a process of its own on the same home, first alone, then beside a running pet with a warm index,
which answers over its socket. The model is scripted, on loopback.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.instruments.figures import Figure, median
from pet.app import Pet
from pet.bridge.single_instance import SingleInstance
from pet.bridge.socket_server import SocketServer
from pet.paths import Home, find_home
from tests.support.servers.protocol_replies import stream
from tests.support.servers.protocol_server import ProtocolServer

_COMMANDS = (
    ("--version",),
    ("--help",),
    ("pets",),
    ("settings", "model"),
    ("history", "USER.md"),
    ("remind",),
    ("search", "Which tea do I like?"),
    ("chat", "--memory", "off", "--once", "Hi"),
    ("chat", "--memory", "on", "--once", "Which tea do I like?"),
)
_ENTRIES = 300
_REACH = {
    "--version": "10",
    "--help": "10",
    "settings": "17",
    "search": "60 beside a running pet",
    "chat": "60 beside a running pet",
}
_WARM_SECONDS = 60.0


def measure(folder: Path, *, rounds: int, say: Callable[[str], None]) -> list[Figure]:
    home = find_home(folder / "commands")
    fill(home)
    with ProtocolServer(default=stream("Hello.")) as server:
        home.settings_file.parent.mkdir(parents=True)
        home.settings_file.write_text(f'base_url = "{server.url}"\nmodel = "scripted"\n', encoding="utf-8")
        say("commands")
        bare = median(_cpu_ms([sys.executable, "-c", "pass"]) for _ in range(max(5, rounds)))
        figures = list(_figures(home, rounds, bare, ""))
        say("commands beside a running pet")
        with running(home):
            figures += _figures(home, rounds, bare, ", a pet runs")
    return figures


def _figures(home: Home, rounds: int, bare: float, beside: str) -> Iterator[Figure]:
    for command in _COMMANDS:
        line = [sys.executable, "-m", "pet", "--home", str(home.data.parent), *command]
        _cpu_ms(line)  # the first writes caches
        yield Figure(
            name=f"pet {' '.join(word for word in command if ' ' not in word)}{beside}",
            value=median(_cpu_ms(line) for _ in range(rounds)),
            unit="ms CPU",
            baseline=bare,
            baseline_name="python -c pass",
            reach=_REACH.get(command[0], ""),
        )


def _cpu_ms(line: list[str]) -> float:
    """Return the processor time of the command and of what it starts, in milliseconds."""
    process = subprocess.Popen(line, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, used = os.wait4(process.pid, 0)
    process.returncode = 0  # reaped here
    return 1000 * (used.ru_utime + used.ru_stime)


def fill(home: Home) -> None:
    workspace = home.workspace("pet")
    (workspace / "memory").mkdir(parents=True)
    (workspace / "USER.md").write_text("# Me\n\n- likes green tea\n", encoding="utf-8")
    entries = "".join(
        f"\n## [09:{number // 60:02}:{number % 60:02}] fact\n\nNote {number} about tea.\n"
        for number in range(_ENTRIES)
    )
    (workspace / "memory" / "2026-02-24.md").write_text(f"# Memory Log: 2026-02-24\n{entries}", encoding="utf-8")


@contextmanager
def running(home: Home) -> Iterator[None]:
    """A running pet of this home, in this process, once its index answers by meaning."""
    instance = SingleInstance(home)
    if not instance.acquire():
        raise RuntimeError("another pet runs in this home")
    app = Pet(home, environ={})
    socket = SocketServer(home, app.commands, instance)
    socket.start()
    try:
        index, until = app.index.get(), time.monotonic() + _WARM_SECONDS
        app.index.wait_until_warm(_WARM_SECONDS)
        while index.pending()[0] and time.monotonic() < until and index.embed_some():
            pass
        yield
    finally:
        socket.close()
        app.close()
        instance.release()
