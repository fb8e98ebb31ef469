"""Random turns in two programs of one home, with kills, checked against what was said and against what left."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.chat_replies import chat
from tests.support.protocol_replies import Hold, Reply, dropped, stream
from tests.support.protocol_server import ProtocolServer, Recorded

CANARY = "canary-5d21"
ROOT = Path(__file__).parents[2]
Truth = list[tuple[str, str | None]]
"""What was said in a conversation, and the reply; None where the program was killed in it."""


class Worker:
    """One program."""

    def __init__(self, home: Path, url: str) -> None:
        model = {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "sk-test-000000000000"}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.soak.worker", str(home)],
            cwd=ROOT,
            env=os.environ | model,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.root = Path(self.answer()["ok"])

    def order(self, do: str, **more: object) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"do": do, **more}) + "\n")
        self.process.stdin.flush()

    def answer(self) -> dict[str, Any]:
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, "a program ended by itself"
        found: dict[str, Any] = json.loads(line)
        return found

    def ask(self, do: str, **more: object) -> dict[str, Any]:
        self.order(do, **more)
        return self.answer()

    def end(self, *, kill: bool = False) -> None:
        if kill:
            self.process.kill()
        self.process.communicate()


@dataclass(slots=True)
class Counts:
    turns: int = 0
    requests: int = 0
    kills: int = 0
    switches: int = 0
    other: int = 0
    problems: list[str] = field(default_factory=list)


class Run:
    def __init__(self, home: Path, server: ProtocolServer, seed: int) -> None:
        self._home = home
        self._server = server
        self._chance = random.Random(seed)
        self._workers = [Worker(home, server.url) for _ in range(2)]
        self._truth: dict[str, Truth] = {}
        self._memory: dict[str, bool] = {}
        self._notes: list[str] = []
        self._protocol = "anthropic"
        self._number = 0
        self.counts = Counts()
        for name in ("USER.md", "memory/2026-02-24.md"):
            path = self._workers[0].root / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"- {CANARY} in {name}\n", encoding="utf-8")

    def step(self) -> None:
        self._number += 1
        acts = [self._say] * 12 + [self._switch] * 4 + [self._create] * 2
        acts += [self._note, self._rename, self._restart, self._kill, self._change_protocol, self._delete]
        (self._chance.choice(acts) if self._truth else self._create)()

    def check(self) -> None:
        """Everything that was said stands in its conversation, in order, as either program reads it."""
        for worker in self._workers:
            for conversation, said in self._truth.items():
                found = worker.ask("texts", id=conversation).get("ok", [])
                self._expect([text for text, _ in found] == [text for text, _ in said], f"words of {conversation}")
                for (_, got), (_, wanted) in zip(found, said, strict=False):
                    self._expect(wanted is None or got == wanted, f"a reply of {conversation}: {got!r}")
        file = self._workers[0].root / "MEMORY.md"
        memory = file.read_text(encoding="utf-8") if file.exists() else ""
        self._expect(all(f"- {note}\n" in memory for note in self._notes), "a note in MEMORY.md")

    def close(self) -> None:
        for worker in self._workers:
            worker.end()

    # --- acts

    def _worker(self) -> Worker:
        return self._chance.choice(self._workers)

    def _conversation(self) -> str:
        return self._chance.choice(sorted(self._truth))

    def _create(self) -> None:
        if len(self._truth) >= 12:
            return
        memory = self._chance.random() < 0.5
        worker = self._worker()
        made = worker.ask("create", memory=memory)["ok"]
        self._truth[made], self._memory[made] = [], memory
        self._say_in(made, worker)  # without a word in it there is no file for the other program

    def _say(self) -> None:
        self._say_in(self._conversation(), self._worker())

    def _say_in(self, conversation: str, worker: Worker) -> None:
        memory, text = self._memory[conversation], f"words {self._number}"
        reply = f"reply {self._number}" + (f" {CANARY}" if memory else "")
        before = len(self._server.requests)
        retried = self._chance.random() < 0.05
        self._server.queue(*([dropped("fin")] if retried else []), self._reply(reply))
        answer = worker.ask("send", id=conversation, text=text)
        self._expect(answer.get("ok") == "done", f"a turn ended with {answer}")
        self._truth[conversation].append((text, reply))
        self._no_leak(self._server.requests[before:], memory)
        self.counts.turns += 1

    def _switch(self) -> None:
        conversation, memory = self._conversation(), self._chance.random() < 0.5
        answer = self._worker().ask("switch", id=conversation, memory=memory)
        self._expect("ok" in answer, f"a switch answered {answer}")
        self._memory[conversation] = memory
        self.counts.switches += 1

    def _note(self) -> None:
        note = f"note {self._number} {CANARY}"
        if "ok" in self._worker().ask("note", text=note):
            self._notes.append(note)
        self.counts.other += 1

    def _rename(self) -> None:
        self._worker().ask("rename", id=self._conversation(), text=f"title {self._number}")
        self.counts.other += 1

    def _delete(self) -> None:
        conversation = self._conversation()
        if "ok" in self._worker().ask("delete", id=conversation):
            del self._truth[conversation], self._memory[conversation]
        self.counts.other += 1

    def _change_protocol(self) -> None:
        self._protocol = "openai" if self._protocol == "anthropic" else "anthropic"
        for worker in self._workers:
            worker.ask("protocol", name=self._protocol)
        self.counts.other += 1

    def _restart(self) -> None:
        place = self._chance.randrange(2)
        self._workers[place].end()
        self._workers[place] = Worker(self._home, self._server.url)
        self.counts.other += 1

    def _kill(self) -> None:
        """In the middle of a reply."""
        place, conversation = self._chance.randrange(2), self._conversation()
        before, text, hold = len(self._server.requests), f"words {self._number}", f"hold {self._number}"
        self._server.queue(self._reply("half ", Hold(hold), "and half"))
        self._workers[place].order("send", id=conversation, text=text)
        self._server.reached(hold)
        time.sleep(self._chance.random() * 0.2)  # any moment, also that of writing what came so far
        self._workers[place].end(kill=True)
        self._server.release(hold)
        self._truth[conversation].append((text, None))
        self._no_leak(self._server.requests[before:], self._memory[conversation])
        self._workers[place] = Worker(self._home, self._server.url)
        self.counts.kills += 1

    # --- checks

    def _reply(self, *pieces: str | Hold) -> Reply:
        return stream(*pieces) if self._protocol == "anthropic" else chat(*pieces)

    def _no_leak(self, requests: list[Recorded], memory: bool) -> None:
        self.counts.requests += len(requests)
        self._expect(len(requests) > 0, "no request left")
        if not memory:
            self._expect(not any(CANARY.encode() in request.body for request in requests), "a gated byte left")

    def _expect(self, true: bool, what: str) -> None:
        if not true:
            self.counts.problems.append(f"step {self._number}: {what}")


def random_turns(home: Path, seconds: float, seed: int) -> Counts:
    """Two programs until the time is over, everything checked at intervals and at the end."""
    with ProtocolServer() as server:
        run = Run(home, server, seed)
        until, checked = time.monotonic() + seconds, 0
        while time.monotonic() < until and not run.counts.problems:
            run.step()
            if run.counts.turns >= checked + 100:
                checked = run.counts.turns
                run.check()
        run.check()
        run.close()
    return run.counts


def one_program(home: Path, seconds: float, most: int = 2_000) -> tuple[int, dict[str, int], dict[str, int]]:
    """Turns in one program, with its size after the first hundred and at the end."""
    with ProtocolServer() as server:
        worker = Worker(home, server.url)
        until, turns, conversation = time.monotonic() + seconds, 0, ""
        first: dict[str, int] = {}
        while time.monotonic() < until and turns < most:
            if turns % 50 == 0:
                conversation = worker.ask("create", memory=turns % 100 == 0)["ok"]
            server.queue(stream(f"reply {turns}"))
            assert worker.ask("send", id=conversation, text=f"words {turns}")["ok"] == "done"
            turns += 1
            if turns == 100:
                first = worker.ask("measure")["ok"]
        last: dict[str, int] = worker.ask("measure")["ok"]
        worker.end()
    return turns, first or last, last
