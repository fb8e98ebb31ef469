"""Recall at leisure and beside busy loops: the same questions, each in a conversation of its own, over real HTTP.

``python -m benchmarks.recall_load [--size 300] [--every N] [--loops 2] [--starts N] [--seconds S] [--json]``. Counts
messages that something is sent along with, and those with the right note; the same for the first message of programs
just started, window and terminal. Measures what recall adds to the time to the first word at leisure, also for a
draft that was prepared, and how long a lost index takes to come back beside the loops. Each figure is printed when it
is there, with the machine's load; ``--every 12 --starts 4`` takes some ten minutes. ``--seconds``: the time that a
message waits for recall.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from benchmarks.instruments.figures import Figure, as_data, line, median
from benchmarks.instruments.processes import busy
from pet.app import Pet
from pet.events import ChatShown
from pet.memory.search.database import index_file, open_database
from pet.memory.search.embedders import load_embedders
from pet.memory.search.memory_index import MemoryIndex
from pet.memory.search.vectors import count_pending
from pet.paths import find_home
from tests.memory.search.recall_set.workspaces import HELD_OUT, memories, questions_of, write_logs
from tests.support.servers.protocol_replies import stream
from tests.support.servers.protocol_server import ProtocolServer

_RECALLED = re.compile(r'<pet-file name="recall">\n.*?\n</pet-file>', re.DOTALL)
_PAUSE = 0.5  # seconds between the last key and Enter


@dataclass(frozen=True, slots=True)
class _Question:
    kind: str
    message: str
    fact: str


@dataclass(frozen=True, slots=True)
class _Sent:
    """What was sent along with a message, and the seconds to the end of its reply."""

    text: str
    seconds: float


def measure(folder: Path, server: ProtocolServer, given: argparse.Namespace) -> Iterator[Figure]:
    home = find_home(folder)
    home.settings_file.parent.mkdir(parents=True)
    # Without upkeep, which moves some of the notes to USER.md: those are sent with every message.
    settings = f'base_url = "{server.url}"\nmodel = "scripted"\nupkeep = false\n'
    home.settings_file.write_text(settings, encoding="utf-8")
    notes = next(iter(memories(HELD_OUT, given.size)))
    asked = [each for each in questions_of(HELD_OUT) if each.fact in notes]
    questions = [_Question(each.kind, each.message, each.fact) for each in asked][:: given.every]
    app = Pet(home, environ={}, recall_seconds=given.seconds)
    try:
        write_logs(app.store.root, notes)
        yield from _come_back(app.index.get(), index_file(app.store.root, home.cache), given.loops)
        app.index.wait_until_warm(60)
        at_leisure = [_ask(app, server, each.message).text for each in questions]
        for what, share in _shares(questions, at_leisure):
            yield Figure(name=f"all ({len(questions)}): {what} at leisure", value=share, unit="")
        with busy(given.loops):
            under_load = [_ask(app, server, each.message).text for each in questions]
        yield from _compared(f"all ({len(questions)})", questions, at_leisure, under_load, reach=".97")
        for kind in sorted({each.kind for each in questions}):
            of_kind = [place for place, each in enumerate(questions) if each.kind == kind]
            yield from _compared(
                f"{kind} ({len(of_kind)})",
                [questions[place] for place in of_kind],
                [at_leisure[place] for place in of_kind],
                [under_load[place] for place in of_kind],
            )
        yield from _times(app, server, [each.message for each in questions])
    finally:
        app.close()
    yield from _first_messages(folder, server, questions[: given.starts], given.loops)


def _come_back(index: MemoryIndex, file: Path, loops: int) -> Iterator[Figure]:
    """Seconds until an empty index has all entries by one embedder, and by all, beside busy loops."""
    by_one = 0.0
    with busy(loops), closing(open_database(file)) as connection:
        started = time.perf_counter()
        index.refresh_words()
        name = f"{index.count_entries()} entries are found by meaning again beside {loops} busy loops"
        while index.embed_some():
            if not by_one and any(count_pending(connection, each.model)[0] == 0 for each in load_embedders()):
                by_one = time.perf_counter() - started
                yield Figure(name=name, value=by_one, unit="s", reach="20 s")
        yield Figure(name=f"{name}, by all embedders", value=time.perf_counter() - started, unit="s", reach="20 s")


def _compared(
    name: str, questions: Sequence[_Question], at_leisure: Sequence[str], under_load: Sequence[str], reach: str = ""
) -> Iterator[Figure]:
    for (what, share), (_, baseline) in zip(
        _shares(questions, under_load), _shares(questions, at_leisure), strict=True
    ):
        yield Figure(
            name=f"{name}: {what} under load",
            value=share,
            unit="",
            baseline=baseline,
            baseline_name="at leisure",
            reach=reach,
        )


def _shares(questions: Sequence[_Question], texts: Sequence[str]) -> list[tuple[str, float]]:
    """Shares of the questions that something was sent along with, and of those with the right note."""
    right = [question.fact in text for question, text in zip(questions, texts, strict=True)]
    many = max(1, len(texts))
    return [("something sent", sum(map(bool, texts)) / many), ("right note sent", sum(right) / many)]


def _times(app: Pet, server: ProtocolServer, messages: Sequence[str]) -> Iterator[Figure]:
    """Seconds to the end of a reply of one word: without recall, with it, and with a draft that was prepared."""
    app.settings.change({"recall": False})
    without = median(_ask(app, server, message).seconds for message in messages)
    app.settings.change({"recall": True})
    for name, typed in (("", False), (", prepared while it is typed", True)):
        took = median(_ask(app, server, message, typed=typed).seconds for message in messages)
        yield Figure(
            name=f"a reply with recall at leisure{name}",
            value=1_000 * took,
            unit="ms",
            baseline=1_000 * without,
            baseline_name="without recall",
            reach="50 ms more",
        )


def _first_messages(
    folder: Path, server: ProtocolServer, questions: Sequence[_Question], loops: int
) -> Iterator[Figure]:
    lines = {
        "terminal": [sys.executable, "-m", "pet", "--home", str(folder), "chat", "--once"],
        "window": [sys.executable, "-m", "benchmarks.recall_load", "--first-in", str(folder)],
    }
    for name, command in lines.items():

        def begin(question: _Question, command: list[str] = command) -> str:
            before = len(server.messages)
            subprocess.run(
                [*command, question.message],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                check=True,
            )
            return _recalled(server) if len(server.messages) > before else ""

        at_leisure = [begin(each) for each in questions]
        with busy(loops):
            under_load = [begin(each) for each in questions]
        yield from _compared(
            f"first message, {name} ({len(questions)})", questions, at_leisure, under_load, reach=".97"
        )


def _ask(app: Pet, server: ProtocolServer, message: str, *, typed: bool = False) -> _Sent:
    chat = app.conversations.create(memory=True)
    if typed:
        chat.prepare(message)
        time.sleep(_PAUSE)
    started = time.perf_counter()
    chat.send(message)
    chat.wait(60)
    seconds = time.perf_counter() - started
    app.conversations.delete(chat.id)  # the next question finds the memory as if this one had never been asked
    return _Sent(_recalled(server), seconds)


def _recalled(server: ProtocolServer) -> str:
    match = _RECALLED.search(server.messages[-1].last_text())
    return match[0] if match else ""


def _first_in(folder: Path, message: str) -> None:
    """Send one message as soon as the chat is shown, as the window does."""
    app = Pet(find_home(folder), environ={})
    try:
        app.emitter.emit(ChatShown(shown=True))
        chat = app.conversations.create(memory=True)
        chat.send(message)
        chat.wait(60)
        app.conversations.delete(chat.id)
    finally:
        app.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", type=int, default=300)
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--loops", type=int, default=2)
    parser.add_argument("--starts", type=int, default=10)
    parser.add_argument("--seconds", type=float, default=1.5)
    parser.add_argument("--json", action="store_true", help="figures as JSON on stdout")
    parser.add_argument("--first-in", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("message", nargs="?", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.first_in:
        _first_in(given.first_in, given.message)
        return 0
    with tempfile.TemporaryDirectory() as folder, ProtocolServer(default=stream("Yes.")) as server:
        figures = []
        for figure in measure(Path(folder), server, given):
            figures.append(figure)
            print(
                f"{time.strftime('%H:%M:%S')}  load {os.getloadavg()[0]:.0f}  {line(figure)}",
                file=sys.stderr if given.json else sys.stdout,
                flush=True,
            )
    if given.json:
        print(json.dumps(as_data(figures), indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
