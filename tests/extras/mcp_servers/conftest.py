"""A core with the odd server, allowed to start."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from pet.access import MemoryMode
from pet.engine.conversation import LiveConversation
from pet.events import Event, ProposalAsked, ToolEnded
from pet.extras.mcp_servers.entries import make_given
from pet.extras.mcp_servers.running import Servers, servers_of
from pet.model import Allowed, Decision, Lasting, Refused, ToolCallPart, ToolResultPart
from tests.engine.conftest import Core, Make, make_core
from tests.support.models.scripted import Scripted, calls, say
from tests.support.waiting import wait_for

__all__ = ["make_core"]

SERVER = Path(__file__).with_name("odd_server.py")


def call(tool: str, id_: str = "call_1", *, server: str = "odd", **arguments: object) -> ToolCallPart:
    return ToolCallPart(id=id_, name=f"{server}__{tool}", arguments=json.dumps(arguments))


def answer_all(core: Core, answer: Callable[[], Decision]) -> list[ProposalAsked]:
    """Answer each question at once; return the questions, as they come."""
    asked: list[ProposalAsked] = []

    def on_event(event: Event) -> None:
        if isinstance(event, ProposalAsked):
            asked.append(event)
            core.app.conversations.open(event.conversation).answer(event.proposal.id, answer())

    core.app.emitter.subscribe(on_event, ProposalAsked, name="owner")
    return asked


def yes(lasting: Lasting = "once") -> Callable[[], Decision]:
    return lambda: Allowed(text="", edited=False, lasting=lasting)


def no() -> Decision:
    return Refused(why="owner")


@dataclass
class Talk:
    """A conversation of a core whose server is allowed."""

    core: Core
    live: LiveConversation
    log: Path

    @property
    def servers(self) -> Servers:
        return servers_of(self.core.app)

    def send(self, text: str = "please") -> None:
        self.live.send(text)
        self.live.wait(120)

    def rows(self, key: str) -> list[Any]:
        """What the server noted: its process ids for ``pid``, calls for ``call``."""
        lines = self.log.read_text().splitlines() if self.log.exists() else []
        return [row[key] for row in map(json.loads, lines) if key in row]

    def sent(self) -> str:
        return self.log.read_text() if self.log.exists() else ""

    def results(self) -> list[ToolResultPart]:
        request = self.core.provider.requests[-1]
        return [part for message in request.messages for part in message.parts if isinstance(part, ToolResultPart)]

    def tools(self, request: int = -1) -> list[str]:
        return [each.name for each in self.core.provider.requests[request].tools]

    def problems(self) -> list[str]:
        return [each.error.code for each in self.core.events if isinstance(each, ToolEnded) and each.error]

    def script(self, *replies: Scripted) -> None:
        self.core.provider.queue(*replies)

    def gone(self) -> None:
        """Wait until no process of the server is left."""
        processes = [Path(f"/proc/{pid}") for pid in self.rows("pid")]
        wait_for("the end of the server", lambda: not any(each.exists() for each in processes))


class Begin:
    def __init__(self, make: Make, folder: Path) -> None:
        self._make, self._folder = make, folder

    def __call__(
        self,
        *script: Scripted,
        on: bool = True,
        memory: MemoryMode = MemoryMode.OFF,
        temporary: bool = False,
        env: Mapping[str, str] | None = None,
        command: tuple[str, ...] | None = None,
    ) -> Talk:
        core = self._make(*script)
        log = self._folder / "calls.jsonl"
        entries = servers_of(core.app).entries
        if not entries.list():
            given = make_given("odd", command or (sys.executable, str(SERVER), str(log)), "", env or {})
            entry = entries.add(given, "session")
            entries.change(entry.name, lambda now: replace(now, allowed=now.digest))
        live = core.app.conversations.create(memory=memory, temporary=temporary)
        if on:
            live.set_switch("mcp_servers", True)
        return Talk(core, live, log)


@pytest.fixture
def begin(make_core: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Begin:
    for limit in ("_START_SECONDS", "_WAIT_SECONDS"):  # beside busy programs a Python takes long to start
        monkeypatch.setattr(f"pet.extras.mcp_servers.running.{limit}", 180.0)
    return Begin(make_core, tmp_path)


def one_call(tool: str, **arguments: object) -> tuple[Scripted, Scripted]:
    return calls(ToolCallPart(id="call_1", name=f"odd__{tool}", arguments=json.dumps(arguments))), say("done")
