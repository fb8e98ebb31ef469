"""Recall at leisure and beside busy loops: the same questions, each in a conversation of its own, over real HTTP.

``python -m benchmarks.recall_load [--size 300] [--every N] [--loops 2] [--starts N] [--json]``. Counts messages that
something is sent along with, and those with the right note; the same for the first message of programs just started,
window and terminal. Measures what recall adds to the time to the first word at leisure, with and without a draft that
was prepared, and how long a lost index takes to come back beside the loops.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from benchmarks.instruments.figures import Figure, as_data, median, table
from benchmarks.instruments.processes import busy
from pet.app import App, compose
from pet.events import ChatShown
from pet.memory.database import index_file, open_database
from pet.memory.embedders import load_embedders
from pet.memory.memory_index import MemoryIndex
from pet.memory.vectors import count_pending
from pet.paths import find_home
from tests.memory.recall_set.workspaces import HELD_OUT, memories, questions_of, write_logs
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
    home.settings_file.write_text(f'base_url = "{server.url}"\nmodel = "scripted"\n', encoding="utf-8")
    notes = next(iter(memories(HELD_OUT, given.size)))
    asked = [each for each in questions_of(HELD_OUT) if each.fact in notes]
    questions = [_Question(each.kind, each.message, each.fact) for each in asked][:: given.every]
    app = compose(home, environ={})
    try:
        write_logs(app.store.root, notes)
        with busy(given.loops):
            by_one, by_all = _come_back(app.index.get(), index_file(app.store.root, home.cache))
        name = f"{app.index.get().count_entries()} entries are found by meaning again beside {given.loops} busy loops"
        yield Figure(name=name, value=by_one, unit="s", reach="20 s")
        yield Figure(name=f"{name}, by all embedders", value=by_all, unit="s", reach="20 s")
        app.index.wait_until_warm(60)
        yield from _times(app, server, [each.message for each in questions])
        at_leisure = [_ask(app, server, each.message) for each in questions]
        with busy(given.loops):
            under_load = [_ask(app, server, each.message) for each in questions]
    finally:
        app.close()
    for kind in sorted({each.kind for each in questions}):
        of_kind = [place for place, each in enumerate(questions) if each.kind == kind]
        yield from _compared(
            f"{kind} ({len(of_kind)})",
            [questions[place] for place in of_kind],
            [at_leisure[place].text for place in of_kind],
            [under_load[place].text for place in of_kind],
        )
    yield from _compared(
        "all", questions, [each.text for each in at_leisure], [each.text for each in under_load], reach=".97"
    )
    yield from _first_messages(folder, server, questions[: given.starts], given.loops)


def _come_back(index: MemoryIndex, file: Path) -> tuple[float, float]:
    """Seconds until an empty index has all entries by one embedder, and by all."""
    started, by_one = time.perf_counter(), 0.0
    index.refresh_words()
    with closing(open_database(file)) as connection:
        while index.embed_some():
            if not by_one and any(count_pending(connection, each.model)[0] == 0 for each in load_embedders()):
                by_one = time.perf_counter() - started
    return by_one, time.perf_counter() - started


def _compared(
    name: str, questions: Sequence[_Question], at_leisure: Sequence[str], under_load: Sequence[str], reach: str = ""
) -> Iterator[Figure]:
    def share(texts: Sequence[str], counts: Callable[[_Question, str], bool]) -> float:
        return sum(map(counts, questions, texts)) / max(1, len(texts))

    def sent(_question: _Question, text: str) -> bool:
        return bool(text)

    def right(question: _Question, text: str) -> bool:
        return question.fact in text

    for what, counts in (("something sent", sent), ("right note sent", right)):
        yield Figure(
            name=f"{name}: {what} under load",
            value=share(under_load, counts),
            unit="",
            baseline=share(at_leisure, counts),
            baseline_name="at leisure",
            reach=reach,
        )


def _times(app: App, server: ProtocolServer, messages: Sequence[str]) -> Iterator[Figure]:
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
    for name, line in lines.items():

        def begin(question: _Question, line: list[str] = line) -> str:
            before = len(server.messages)
            subprocess.run(
                [*line, question.message], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True
            )
            return _recalled(server) if len(server.messages) > before else ""

        at_leisure = [begin(each) for each in questions]
        with busy(loops):
            under_load = [begin(each) for each in questions]
        yield from _compared(f"first message, {name}", questions, at_leisure, under_load, reach=".97")


def _ask(app: App, server: ProtocolServer, message: str, *, typed: bool = False) -> _Sent:
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
    app = compose(find_home(folder), environ={})
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
    parser.add_argument("--json", action="store_true", help="figures as JSON on stdout")
    parser.add_argument("--first-in", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("message", nargs="?", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.first_in:
        _first_in(given.first_in, given.message)
        return 0
    with tempfile.TemporaryDirectory() as folder, ProtocolServer(default=stream("Yes.")) as server:
        figures = list(measure(Path(folder), server, given))
    print(json.dumps(as_data(figures), indent=2) if given.json else table(figures))
    return 0


if __name__ == "__main__":
    sys.exit(main())
