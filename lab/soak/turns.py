"""Random turns of several pets in two programs of one home, with kills: what was said, and what left, is checked."""

from __future__ import annotations

import copy
import json
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from lab.soak.worker import serve
from tests.support.files import write_files
from tests.support.servers.chat_replies import call, chat
from tests.support.servers.protocol_replies import Call, Hold, Reply, dropped, stream
from tests.support.servers.protocol_server import ProtocolServer, Recorded

POSITIONS = ("on", "read", "off")
GATED = ("USER.md", "memory/2026-02-24.md", "memory/people/femi.md")
_MOST_PETS = 4
_MOST_CONVERSATIONS = 8


def environ(home: Path, url: str) -> dict[str, str]:
    """Variables for a program on ``home``: nothing of it reaches the owner's keyring or bin."""
    own = {
        "HOME": str(home),
        "XDG_DATA_HOME": str(home / "xdg"),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.null.Keyring",
    }
    return own | {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "sk-test-000000000000"}


_Act = Callable[["Worker", "Pet"], None]
_PROGRAMS = get_context("forkserver")
_PROGRAMS.set_forkserver_preload(["lab.soak.worker"])


class Worker:
    """One program, with one pet open at a time."""

    def __init__(self, home: Path, url: str, pet: str | None = None) -> None:
        self._pipe, orders = _PROGRAMS.Pipe()
        self.process = _PROGRAMS.Process(target=serve, args=(orders, home, environ(home, url), pet))
        self.process.start()
        orders.close()
        self.pet = self.root = ""
        self._opened()

    def open(self, pet: str) -> None:
        if pet != self.pet:
            self.order("open", pet=pet)
            self._opened()

    def _opened(self) -> None:
        self.pet, self.root = self.answer()["ok"]

    def order(self, do: str, **more: object) -> None:
        self._pipe.send({"do": do, **more})

    def answer(self) -> dict[str, Any]:
        """Raises EOFError if the program ended by itself."""
        found: dict[str, Any] = self._pipe.recv()
        return found

    def ask(self, do: str, **more: object) -> dict[str, Any]:
        self.order(do, **more)
        return self.answer()

    def end(self, *, kill: bool = False) -> None:
        if kill:
            self.process.kill()
        self._pipe.close()
        self.process.join()


@dataclass(slots=True)
class Talk:
    """What was said in a conversation, with the replies; None where the program was killed in it."""

    memory_mode: str
    said: list[tuple[str, str | None]] = field(default_factory=list)


@dataclass(slots=True)
class Pet:
    canaries: set[str]
    """Stand in its gated files. A copy has those of its original too."""
    paused: bool = False
    talks: dict[str, Talk] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    logged: list[str] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    """What the model wanted to note while it might not."""

    def allows(self, talk: Talk, wanted: tuple[str, ...]) -> bool:
        return not self.paused and talk.memory_mode in wanted


@dataclass(slots=True)
class Counts:
    turns: int = 0
    requests: int = 0
    kills: int = 0
    switches: int = 0
    pets: int = 0
    checks: int = 0
    other: int = 0
    problems: list[str] = field(default_factory=list)


class Run:
    def __init__(self, home: Path, server: ProtocolServer, seed: int) -> None:
        self._home = home
        self._server = server
        self._chance = random.Random(seed)
        self._workers = [Worker(home, server.url)]
        self._workers.append(Worker(home, server.url))
        self._pets: dict[str, Pet] = {}
        self._protocol = "anthropic"
        self._number = 0
        self.counts = Counts()
        self._appeared(self._workers[0].pet)

    def step(self) -> None:
        self._number += 1
        worker = self._chance.choice(self._workers)
        pet = self._pets[worker.pet]
        weights: list[tuple[_Act, int]] = [
            *((self._say, 240), (self._noted_by_the_pet, 40), (self._switch, 80), (self._create, 30)),
            *((each, 8) for each in (self._note, self._pause, self._rename, self._delete, self._change_protocol)),
            *((each, 6) for each in (self._make_pet, self._copy_pet, self._rename_pet, self._delete_pet)),
            *((self._open_pet, 16), (self._restart, 1), (self._kill, 2)),
        ]
        acts, counts = zip(*weights, strict=True)
        act: _Act = self._chance.choices(acts, counts)[0]
        if not pet.talks and act in (self._say, self._noted_by_the_pet, self._switch, self._rename, self._kill):
            act = self._create
        act(worker, pet)

    def check(self) -> None:
        """Everything that was said stands in its conversation, in order, as either program reads it."""
        self.counts.checks += 1
        for name, pet in self._pets.items():
            worker = self._chance.choice(self._workers)
            worker.open(name)
            for conversation, talk in pet.talks.items():
                found = worker.ask("texts", id=conversation).get("ok", [])
                self._expect(
                    [text for text, _ in found] == [text for text, _ in talk.said], f"words of {conversation}"
                )
                for (_, got), (_, wanted) in zip(found, talk.said, strict=False):
                    self._expect(wanted is None or got == wanted, f"a reply of {conversation}: {got!r}")
            memory = _text(Path(worker.root, "MEMORY.md"))
            self._expect(all(memory.count(f"- {note}\n") == 1 for note in pet.notes), "a note in MEMORY.md")
            logs = "".join(_text(file) for file in sorted(Path(worker.root, "memory").iterdir()))
            self._expect(all(logs.count(f"{note}\n") == 1 for note in pet.logged), "a note in a log")
            self._expect(not any(f"{note}\n" in logs for note in pet.refused), "a note that was not allowed")

    def close(self) -> None:
        for worker in self._workers:
            worker.end()

    # --- turns

    def _create(self, worker: Worker, pet: Pet) -> None:
        if len(pet.talks) < _MOST_CONVERSATIONS:
            memory_mode = self._chance.choice(POSITIONS)
            made = worker.ask("create", memory_mode=memory_mode)["ok"]
            pet.talks[made] = Talk(memory_mode)
            self._turn(worker, pet, made)  # without a word in it there is no file for the other program

    def _say(self, worker: Worker, pet: Pet) -> None:
        self._turn(worker, pet, self._talk(pet))

    def _noted_by_the_pet(self, worker: Worker, pet: Pet) -> None:
        note = f"noted {self._number}"
        conversation = self._talk(pet)
        self._turn(worker, pet, conversation, note)
        allowed = pet.allows(pet.talks[conversation], ("on",))
        (pet.logged if allowed else pet.refused).append(note)

    def _turn(self, worker: Worker, pet: Pet, conversation: str, note: str = "") -> None:
        talk, text, reply = pet.talks[conversation], f"words {self._number}", f"reply {self._number}"
        before = len(self._server.requests)
        retried = self._chance.random() < 0.05
        self._server.queue(*([dropped("fin")] if retried else []))
        if note:
            self._server.queue(self._writes(note))
        self._server.queue(self._reply(reply))
        answer = worker.ask("send", id=conversation, text=text)
        self._expect(answer.get("ok") == "done", f"a turn ended with {answer}")
        talk.said.append((text, reply))
        self._no_leak(self._server.requests[before:], pet, talk)
        self.counts.turns += 1

    def _switch(self, worker: Worker, pet: Pet) -> None:
        conversation, memory_mode = self._talk(pet), self._chance.choice(POSITIONS)
        answer = worker.ask("switch", id=conversation, memory_mode=memory_mode)
        self._expect("ok" in answer, f"a switch answered {answer}")
        pet.talks[conversation].memory_mode = memory_mode
        self.counts.switches += 1

    def _pause(self, worker: Worker, pet: Pet) -> None:
        pet.paused = not pet.paused and self._chance.random() < 0.5
        self._expect("ok" in worker.ask("pause", paused=pet.paused), "a pause")
        self.counts.switches += 1

    def _note(self, worker: Worker, pet: Pet) -> None:
        note = f"note {self._number} {sorted(pet.canaries)[0]}"
        if "ok" in worker.ask("note", text=note):
            pet.notes.append(note)
        self.counts.other += 1

    def _rename(self, worker: Worker, pet: Pet) -> None:
        worker.ask("rename", id=self._talk(pet), text=f"title {self._number}")
        self.counts.other += 1

    def _delete(self, worker: Worker, pet: Pet) -> None:
        if pet.talks:
            conversation = self._talk(pet)
            if "ok" in worker.ask("delete", id=conversation):
                del pet.talks[conversation]
            self.counts.other += 1

    # --- programs

    def _change_protocol(self, _worker: Worker, _pet: Pet) -> None:
        self._protocol = "openai" if self._protocol == "anthropic" else "anthropic"
        for worker in self._workers:
            worker.ask("protocol", name=self._protocol)
        self.counts.other += 1

    def _restart(self, worker: Worker, _pet: Pet) -> None:
        worker.end()
        self._again(worker)
        self.counts.other += 1

    def _kill(self, worker: Worker, pet: Pet) -> None:
        """In the middle of a reply."""
        conversation, before = self._talk(pet), len(self._server.requests)
        text, hold = f"words {self._number}", f"hold {self._number}"
        self._server.queue(self._reply("half ", Hold(hold), "and half"))
        worker.order("send", id=conversation, text=text)
        self._server.reached(hold)
        time.sleep(self._chance.random() * 0.2)  # any moment, also that of writing what came so far
        worker.end(kill=True)
        self._server.release(hold)
        pet.talks[conversation].said.append((text, None))
        self._no_leak(self._server.requests[before:], pet, pet.talks[conversation])
        self._again(worker)
        self.counts.kills += 1

    def _again(self, worker: Worker) -> None:
        self._workers[self._workers.index(worker)] = Worker(self._home, self._server.url, worker.pet)

    # --- pets

    def _open_pet(self, worker: Worker, _pet: Pet) -> None:
        worker.open(self._chance.choice(sorted(self._pets)))
        self.counts.pets += 1

    def _make_pet(self, worker: Worker, _pet: Pet) -> None:
        if len(self._pets) < _MOST_PETS:
            for name in self._listed(worker, "create_pet", name=f"Pet {self._number}") - self._pets.keys():
                self._appeared(name)

    def _copy_pet(self, worker: Worker, pet: Pet) -> None:
        if len(self._pets) < _MOST_PETS:
            name = f"Copy {self._number}"
            for made in self._listed(worker, "duplicate_pet", pet=worker.pet, name=name) - self._pets.keys():
                self._appeared(made, copy.deepcopy(pet))

    def _rename_pet(self, worker: Worker, _pet: Pet) -> None:
        self._listed(worker, "rename_pet", pet=self._chance.choice(sorted(self._pets)), name=f"Name {self._number}")

    def _delete_pet(self, worker: Worker, _pet: Pet) -> None:
        gone = self._chance.choice(sorted(self._pets))
        busy = gone in {each.pet for each in self._workers}
        listed = self._listed(worker, "delete_pet", fails=busy, pet=gone)
        if not busy:
            del self._pets[gone]
            self._expect(listed == self._pets.keys(), f"the pets are {listed}")

    def _listed(self, worker: Worker, command: str, *, fails: bool = False, **args: object) -> set[str]:
        answer = worker.ask("command", name=command, args=args)["ok"]
        self._expect(answer["ok"] is not fails, f"{command} answered {answer}")
        self.counts.pets += 1
        return {each["id"] for each in answer["value"]["pets"]} if answer["ok"] else set(self._pets)

    def _appeared(self, name: str, pet: Pet | None = None) -> None:
        """With canaries of its own in its gated files."""
        pet = pet or Pet(set())
        canary = f"canary-{name}-{self._number}-5d21"
        pet.canaries.add(canary)
        pet.paused = False
        root = Path(self._workers[0].root).with_name(name)
        write_files(root, {file: f"{_text(root / file)}- {canary} in {file}\n" for file in GATED})
        self._pets[name] = pet

    # --- checks

    def _talk(self, pet: Pet) -> str:
        return self._chance.choice(sorted(pet.talks))

    def _reply(self, *pieces: str | Hold) -> Reply:
        return stream(*pieces) if self._protocol == "anthropic" else chat(*pieces)

    def _writes(self, note: str) -> Reply:
        args = {"content": note}
        if self._protocol == "anthropic":
            return stream(Call("memory_write", args))
        return chat(call("memory_write", json.dumps(args), id_="call_1"), finish="tool_calls")

    def _no_leak(self, requests: list[Recorded], pet: Pet, talk: Talk) -> None:
        self.counts.requests += len(requests)
        self._expect(len(requests) > 0, "no request left")
        seen = pet.canaries if pet.allows(talk, ("on", "read")) else set()
        hidden = {canary for each in self._pets.values() for canary in each.canaries} - seen
        for request in requests:
            found = [canary for canary in hidden if canary.encode() in request.body]
            self._expect(not found, f"a gated byte left: {found}")

    def _expect(self, true: bool, what: str) -> None:
        if not true:
            self.counts.problems.append(f"step {self._number}: {what}")


def _text(file: Path) -> str:
    return file.read_text(encoding="utf-8") if file.exists() else ""


def random_turns(home: Path, seconds: float, seed: int, most: int = 5_000) -> Counts:
    """Two programs until the time is over, everything checked at intervals and at the end."""
    with ProtocolServer() as server:
        run = Run(home, server, seed)
        until, checked = time.monotonic() + seconds, 0
        while time.monotonic() < until and run.counts.turns < most and not run.counts.problems:
            run.step()
            if run.counts.turns >= checked + 200:
                checked = run.counts.turns
                run.check()
                server.requests.clear()  # checked already, and each holds a whole conversation
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
                conversation = worker.ask("create", memory_mode=POSITIONS[turns // 50 % 3])["ok"]
            server.queue(stream(f"reply {turns}"))
            assert worker.ask("send", id=conversation, text=f"words {turns}")["ok"] == "done"
            turns += 1
            if turns == 100:
                first = worker.ask("measure")["ok"]
        last: dict[str, int] = worker.ask("measure")["ok"]
        worker.end()
    return turns, first or last, last
