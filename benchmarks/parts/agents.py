"""Other agents' costs: the hook that they wait for at each step, the start of ``pet mcp``, and its answers.

A pet runs with 300 entries and a warm index. Processor time of the hook is that of all its processes, beside a bare
``python -I -S -c pass``; the answers are wall clock, one after another, through one ``pet mcp``.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from benchmarks.instruments.figures import Figure, median, percentile
from benchmarks.parts.commands import fill, running
from pet.extras.agents.access import AgentMode
from pet.extras.agents.book import label_of
from pet.extras.agents.installation import hook_command
from pet.extras.agents.views import open_book
from pet.paths import Home, find_home
from pet.services.pet_files import PetFiles

_HOOKS, _STARTS, _ANSWERS = 40, 5, 60
_EVENT = {
    "session_id": "s",
    "cwd": "/src/tundra",
    "hook_event_name": "PostToolUse",
    "tool_name": "Read",
    "tool_response": "x" * 20_000,
}
_QUESTIONS = ("Which tea do I like?", "When is the train to Trieste?", "What did Jonas say?", "Where is the bicycle?")


def measure(folder: Path, *, say: Callable[[str], None]) -> list[Figure]:
    home = find_home(folder / "agents")
    fill(home)
    say("hooks and pet mcp")
    bare, _ = _hooks(f"'{sys.executable}' -I -S -c pass")
    hook = hook_command("claude-code", home.state, None)
    _, alone = _hooks(hook)
    with running(home):
        _allow(home, folder)
        cpu, wall = _hooks(hook)
        starts = [_start(home, folder) for _ in range(_STARTS)]
        answers = _answers(home, folder)
    return [
        Figure(
            name="hook, a pet runs", value=cpu, unit="ms CPU", reach="10", baseline=bare, baseline_name="python -c"
        ),
        Figure(name="hook, a pet runs", value=wall, unit="ms", reach="30"),
        Figure(name="hook, no pet", value=alone, unit="ms", reach="30"),
        Figure(name="pet mcp, a session", value=median(cpu for cpu, _ in starts), unit="ms CPU"),
        Figure(name="pet mcp, first answer", value=median(wall for _, wall in starts), unit="ms", reach="700"),
        Figure(name="pet mcp, search, median", value=median(answers), unit="ms"),
        Figure(name="pet mcp, search, p95", value=percentile(answers, 0.95), unit="ms", reach="150"),
    ]


def _hooks(command: str) -> tuple[float, float]:
    """Return the median processor and wall time of a hook, in milliseconds."""
    data, cpu, wall = json.dumps(_EVENT).encode(), list[float](), list[float]()
    for _ in range(_HOOKS):
        before, began = _children_ms(), time.perf_counter()
        subprocess.run(command, shell=True, input=data, check=True, stdout=subprocess.DEVNULL)
        wall.append(1000 * (time.perf_counter() - began))
        cpu.append(_children_ms() - before)
    return median(cpu), median(wall)


def _children_ms() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return 1000 * (used.ru_utime + used.ru_stime)


def _allow(home: Home, folder: Path) -> None:
    files = PetFiles(home, environ={})
    try:
        open_book(files).set_mode(label_of("bench", str(folder)), AgentMode.READ_ONLY)
    finally:
        files.close()


@contextmanager
def _server(home: Home, folder: Path) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    line = [sys.executable, "-m", "pet", "--home", str(home.data.parent), "mcp"]
    environ = {**os.environ, "HOME": str(home.data.parent)}
    with subprocess.Popen(line, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=folder, env=environ) as process:
        assert process.stdin
        assert process.stdout
        yield process.stdin, process.stdout
        process.stdin.close()


def _ask(pipes: tuple[IO[bytes], IO[bytes]], id_: int, method: str, **params: object) -> float:
    """Return the time until the reply, in milliseconds."""
    send, receive = pipes
    began = time.perf_counter()
    message = {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}
    send.write(json.dumps(message).encode() + b"\n")
    send.flush()
    reply = json.loads(receive.readline())
    assert "error" not in reply, reply
    assert not reply["result"].get("isError"), reply
    return 1000 * (time.perf_counter() - began)


def _handshake(pipes: tuple[IO[bytes], IO[bytes]]) -> None:
    about = {"name": "bench", "version": "1"}
    _ask(pipes, 0, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=about)


def _start(home: Home, folder: Path) -> tuple[float, float]:
    """Return the processor time of a whole session without a question, and the wall time of its first answer."""
    before, began = _children_ms(), time.perf_counter()
    with _server(home, folder) as pipes:
        _handshake(pipes)
        wall = 1000 * (time.perf_counter() - began)
    return _children_ms() - before, wall


def _answers(home: Home, folder: Path) -> list[float]:
    with _server(home, folder) as pipes:
        _handshake(pipes)
        times = []
        for number in range(_ANSWERS + len(_QUESTIONS)):
            arguments = {"query": _QUESTIONS[number % len(_QUESTIONS)]}
            times.append(_ask(pipes, number + 1, "tools/call", name="memory_search", arguments=arguments))
        return times[len(_QUESTIONS) :]  # the first of each warm up
