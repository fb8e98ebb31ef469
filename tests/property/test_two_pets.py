"""The promise: pets that are on the desktop together share nothing but their places.

Two real cores of one home, each with its sockets and a scripted model, are used in any order; each pet's files, name,
conversations and replies hold canaries of its own. Of these none is ever in a request, a file or a log of the other
pet, nor in a frame between their programs; and no pet sends a request because of the other.
"""

from __future__ import annotations

import json
import logging
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pet.app import Pet
from pet.bridge import socket_server
from pet.bridge.channel import Channel
from pet.bridge.command import Client
from pet.bridge.single_instance import SingleInstance
from pet.bridge.socket_server import SocketServer
from pet.extras.several_pets.companions import Companions, Neighbour
from pet.extras.several_pets.company import Company
from pet.paths import Home, find_home
from pet.services.desktop_port import DesktopPort
from pet.services.home import open_pets
from tests.services.desk import Watch
from tests.support.examples import examples
from tests.support.files import write_files
from tests.support.models.scripted import Scripted, ScriptedProvider, call, say
from tests.support.program.invoking import invoke
from tests.support.program.silence import silent
from tests.support.waiting import wait_for

NAMES = ("one", "two")


class Tapped:
    """A channel whose messages are kept."""

    def __init__(self, channel: Channel, frames: list[bytes]) -> None:
        self._channel, self._frames = channel, frames
        self.verify, self.hang_up, self.close = channel.verify, channel.hang_up, channel.close

    def send(self, message: bytes) -> None:
        self._frames.append(message)
        self._channel.send(message)

    def receive(self) -> bytes:
        self._frames.append(answer := self._channel.receive())
        return answer


class Beside(Companions):
    def __init__(self, company: Company) -> None:
        self.company = company

    @property
    def present(self) -> frozenset[str]:
        return frozenset(self.company.others)

    def note(self, other: Neighbour) -> None:
        self.company.note(other)

    def lose(self, pet: str) -> None:
        self.company.lose(pet)


class Program:
    """One pet's program without its windows."""

    def __init__(self, home: Home, name: str, lead: SingleInstance, opened: ExitStack) -> None:
        self.name, self.asked, self.moves = name, 0, 0
        self.company = Company(home, lead)
        self.company.pet = name
        self.provider = ScriptedProvider()
        company = self.company

        class Windows(DesktopPort):
            pets = Beside(company)

        self.app: Pet = Pet(
            home, pet_id=name, environ={}, clock=Watch(), provider=self.provider, windows=Windows(), recall_seconds=30
        )
        opened.callback(self.app.close)
        own = SingleInstance(home, name)
        assert own.acquire()
        opened.callback(own.release)
        socket = SocketServer(home, self.app.commands, own, name)
        opened.callback(socket.close)
        socket.start()
        self.conversation: str = self.ask("new_conversation", memory=True)["info"]["id"]

    def canary(self, place: str) -> str:
        return f"canary-{self.name}-{place}"

    def ask(self, command: str, client: Client = Client.CHAT, **args: object) -> Any:
        reply = invoke(self.app.commands, command, client, **args)
        assert reply["ok"], reply
        return reply["value"]

    def talk(self, *script: Scripted) -> None:
        self.asked += len(script)
        self.provider.queue(*script)
        live = self.app.conversations.open(self.conversation)
        self.ask("send_message", conversation=self.conversation, text=f"What about {self.canary('said')}?")
        live.wait(60)

    def move(self, other: Program, *, asleep: bool = False) -> None:
        self.moves += 1
        here = Neighbour(pet="", x=self.moves, y=20, width=192, height=208, shown=True, asleep=asleep)
        self.company.announce(here)
        if other.name not in self.company.others:
            self.company.note(replace(here, pet=other.name, x=900))  # to which this one answers

        def arrived() -> bool:
            seen = other.company.others.get(self.name)
            return seen is not None and (seen.x, seen.asleep) == (self.moves, asleep)

        wait_for("the move", arrived)

    def part(self, other: Program) -> None:
        self.company.lose(other.name)
        other.company.lose(self.name)


def pry(one: Program, two: Program) -> None:
    """The model tries to get at the other pet's files."""
    one.talk(
        call("read", {"path": f"../{two.name}/USER.md"}, call_id="a"),
        call("memory_search", {"query": "canary user"}, call_id="b"),
        call("memory_get", {"path": f"../{two.name}/memory/2026-11-20.md"}, call_id="c"),
        say(f"Nothing but {one.canary('reply')}."),
    )


ACTS: dict[str, Callable[[Program, Program], object]] = {
    "say": lambda one, _two: one.talk(say(f"I know of {one.canary('reply')}.")),
    "remember": lambda one, _two: one.talk(call("memory_write", {"content": one.canary("log")}), say("Noted.")),
    "pry": pry,
    "search": lambda one, _two: one.ask("search_memory", query="canary user"),
    "title": lambda one, _two: one.ask(
        "rename_conversation", conversation=one.conversation, title=one.canary("title")
    ),
    "switch": lambda one, _two: one.ask("set_memory", conversation=one.conversation, memory=False),
    "list": lambda one, two: (one.ask("list_pets"), one.ask("preview_pet", pet=two.name)),
    "move": lambda one, two: one.move(two),
    "sleep": lambda one, two: one.move(two, asleep=True),
    "notice": lambda one, _two: one.ask("notice_pet", Client.PET, dx=150, dy=0, how="greet"),
    "nap": lambda one, _two: one.ask("nap", Client.PET),
    "part": lambda one, two: one.part(two),
}


@contextmanager
def two_pets(home: Home) -> Iterator[list[Program]]:
    for name in NAMES:
        open_pets(home).create(name, "en")
        open_pets(home).rename(name, f"canary-{name}-name")
        texts = {file: f"# About\n\n- canary-{name}-{file[:4].lower()} user\n" for file in ("USER.md", "MEMORY.md")}
        log = f"# Memory Log: 2026-11-20\n\n## [08:00:00] fact\n\ncanary-{name}-diary of the user\n"
        write_files(home.workspace(name), {**texts, "memory/2026-11-20.md": log})
    home.settings_file.parent.mkdir(parents=True, exist_ok=True)
    home.settings_file.write_text(silent(""))
    lead = SingleInstance(home)
    assert lead.acquire()
    with ExitStack() as opened:
        opened.callback(lead.release)
        yield [Program(home, name, lead, opened) for name in NAMES]


@settings(max_examples=examples(8), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(acts=st.lists(st.tuples(st.sampled_from(sorted(ACTS)), st.booleans()), min_size=4, max_size=10))
def test_nothing_of_a_pet_reaches_the_other(
    acts: list[tuple[str, bool]], caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    frames: list[bytes] = []
    connect = socket_server.connect
    caplog.clear()
    caplog.set_level(logging.DEBUG, "pet")
    with tempfile.TemporaryDirectory() as folder, monkeypatch.context() as patch:
        patch.setattr(socket_server, "connect", lambda *args: Tapped(connect(*args), frames))
        home = find_home(Path(folder))
        with two_pets(home) as (one, two):
            one.move(two)
            for act, swapped in acts:
                ACTS[act](*((two, one) if swapped else (one, two)))
            for pet in (one, two):
                assert len(pet.provider.requests) == pet.asked, "a request nobody asked for"
        for pet, other in ((one, two), (two, one)):
            sent = "".join(map(repr, pet.provider.requests))
            assert f"canary-{other.name}" not in sent
        assert frames and not any(b"canary" in each for each in frames)
        assert "canary" not in caplog.text
        assert mixed(home) == []


def mixed(home: Home) -> list[str]:
    """Return the files in which a pet's canary stands that isn't theirs."""
    wrong = []
    for file in (each for each in home.data.parent.rglob("*") if each.is_file()):
        content = file.read_bytes()
        of = {name for name in NAMES if f"canary-{name}".encode() in content}
        own = next(({name} for name in NAMES if home.workspace(name) in file.parents), None)
        allowed = own if own is not None else of if home.cache in file.parents and len(of) == 1 else set()
        if not of <= allowed:
            wrong.append(f"{file.relative_to(home.data.parent)}: {sorted(of)}")
    return wrong


def test_what_the_test_looks_for_would_be_seen(tmp_path: Path) -> None:
    home = find_home(tmp_path)
    write_files(home.workspace("one"), {"MEMORY.md": "canary-two-memo"})
    home.state.mkdir(parents=True)
    (home.state / "state.json").write_text(json.dumps({"title": "canary-one-title"}))
    assert sorted(mixed(home)) == ["data/pets/one/MEMORY.md: ['two']", "state/state.json: ['one']"]
