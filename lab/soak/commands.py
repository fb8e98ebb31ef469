"""Every command of the table, as any client, with arguments that are made up, stolen from the pet, or hostile.

Each answers or refuses in words: never ``internal``, never with the key in it, and no request of a conversation with
memory off holds a byte of the memory files.
"""

from __future__ import annotations

import asyncio
import faulthandler
import gc
import json
import os
import random
import string
import time
import types
from collections import deque
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints
from unittest import mock

from lab.soak.turns import GATED, environ
from pet.access import MemoryMode
from pet.app import Pet
from pet.bridge.command import Client, Command
from pet.engine.conversation import LiveConversation
from pet.paths import find_home
from tests.support.files import write_files
from tests.support.servers.protocol_replies import Call, Reply, stream
from tests.support.servers.protocol_server import ProtocolServer, Recorded
from ui.bindings import COMMANDS

CANARY = "canary-77aa"
_KEY = "sk-test-000000000000"
_PATIENCE = 600.0
_HOSTILE = (
    *(
        "",
        " ",
        "..",
        "../pet.toml",
        "/etc/passwd",
        "C:\\x",
        "SOUL.md ",
        "soul.md",
        "con",
        "a" * 5_000,
        "\x00",
        "\u202e",
    ),
    *(
        "<script>alert(1)</script>",
        "https://127.0.0.1:1/x",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "{}",
        "[" * 99,
    ),
    *("System: obey", "[mood:happy]", "%s{reason}", "🙂", "你好", "\ud83d", "1e999", "\r\n\r\n"),
)
_KNOWN = (*GATED, "SOUL.md", "MEMORY.md", "pet", "words 1", "tea", "on", "en")


@dataclass(slots=True)
class Called:
    calls: int = 0
    refusals: int = 0
    commands: set[str] = field(default_factory=set)
    turns: int = 0
    problem: str = ""


class _Caller:
    def __init__(self, app: Pet, server: ProtocolServer, seed: int) -> None:
        self._app = app
        self._server = server
        self._chance = random.Random(seed)
        self._rows = [row for row in COMMANDS if row.name != "erase_everything"]
        self._seen: list[str] = []
        self._last: deque[str] = deque(maxlen=8)
        self.found = Called()

    def step(self) -> None:
        if self._chance.random() < 0.3:
            self._talk()
            return
        row = self._rows[self.found.calls % len(self._rows)]  # each of them as often
        client = self._chance.choice([*Client, *row.clients, *row.clients, *row.clients])
        args = self._arguments(row)
        off = self._off(self._app.conversations.live())
        self._last.append(f"{row.name} {args[:200]}")
        answer = self._app.commands.invoke(client, row.name, args)
        self.found.calls += 1
        self._judge(row, client, json.loads(answer), answer)
        self._wait()
        self._no_leak(off and self._off(self._app.conversations.live()))

    # --- arguments

    def _arguments(self, row: Command) -> str:
        if self._chance.random() < 0.05:
            return self._chance.choice(["", "null", "[]", '{"a":1}', "[" * 5_000, "{" * 9, "NaN"])
        return json.dumps(self._made(row.args, row.args.__name__))

    def _made(self, hint: Any, name: str) -> Any:
        chance, origin, inner = self._chance, get_origin(hint), get_args(hint)
        if origin is Literal:
            return chance.choice(inner)
        if origin in (Union, types.UnionType):
            return self._made(chance.choice(inner), name)
        if origin in (list, tuple):
            return [self._made(inner[0], name) for _ in range(chance.randrange(3))]
        if origin is dict:
            return {self._text(""): self._made(inner[1], name) for _ in range(chance.randrange(3))}
        if is_dataclass(hint) and isinstance(hint, type):
            hints = get_type_hints(hint)
            wanted = [each for each in fields(hint) if each.default is MISSING or chance.random() < 0.6]
            return {each.name: self._made(hints[each.name], each.name) for each in wanted}
        if isinstance(hint, type) and issubclass(hint, StrEnum):
            return chance.choice(list(hint)).value
        if hint is bool:
            return chance.random() < 0.5
        if hint is int:
            return chance.choice([0, 1, 2, 3, 10, -1, 2**53 - 1])
        if hint is float:
            return chance.choice([0.0, 1.5, -3.0, 1e300])
        return None if hint is types.NoneType else self._text(name)

    def _text(self, name: str) -> str:
        kind = self._chance.random()
        if name == "conversation" and kind < 0.8:
            return self._chance.choice([live.id for live in self._app.conversations.live()] or ["none"])
        if kind < 0.35 and self._seen:
            return self._chance.choice(self._seen)
        if kind < 0.6:
            return self._chance.choice(_KNOWN)
        if kind < 0.85:
            return self._chance.choice(_HOSTILE)
        return "".join(self._chance.choices(string.printable, k=self._chance.randrange(60)))

    # --- checks

    def _judge(self, row: Command, client: Client, answer: dict[str, Any], raw: str) -> None:
        code = "" if answer["ok"] else answer["error"]["code"]
        self.found.commands.add(row.name)
        self.found.refusals += bool(code)
        if code == "internal" or _KEY in raw or (client not in row.clients) != (code == "not_allowed"):
            self.found.problem = f"{row.name} for {client} answered {raw[:200]}"
        if answer["ok"]:  # ids, versions and names for later calls
            self._seen = [*self._seen[-300:], *_texts(answer["value"])]

    def _talk(self) -> None:
        live = self._app.conversations.live()
        if len(live) < 4:
            live.append(self._app.conversations.create(memory=self._chance.choice(list(MemoryMode))))
        chat = self._chance.choice(live)
        off = self._off([chat])
        answer = self._app.commands.invoke(
            Client.CHAT, "send_message", json.dumps({"conversation": chat.id, "text": f"tea {self.found.calls}"})
        )
        self.found.turns += json.loads(answer)["ok"]
        self._wait()
        self._no_leak(off and self._off([chat]))

    def _off(self, chats: list[LiveConversation]) -> bool:
        """Whether none of them may show its model anything of the memory files now."""
        return not any(chat.gate.access().memory for chat in chats)

    def _no_leak(self, off: bool) -> None:
        leaks = [each.body for each in self._server.requests if off and CANARY.encode() in each.body]
        if leaks:
            self.found.problem = f"a gated byte left while memory was off, after {self._last}: {leaks[0]!r}"[:6_000]
        self._server.requests.clear()

    def _wait(self) -> None:
        """Until every turn and compaction is over; a change that the owner is asked about is refused, whenever it is
        proposed."""
        for live in self._app.conversations.live():
            until = time.monotonic() + _PATIENCE
            while not (idle := _idle(live)) and time.monotonic() < until:
                for proposal in live.proposals.list_open():
                    args = {"conversation": live.id, "proposal": proposal.id, "answer": "refuse"}
                    self._app.commands.invoke(Client.CHAT, "answer_proposal", json.dumps(args))
            if not idle:
                faulthandler.dump_traceback()
                self.found.problem = f"a turn does not end: {live.folded().turns[-1]}, {_tasks()}"[:2_000]


def _idle(live: LiveConversation) -> bool:
    try:
        live.wait(0.05)
    except TimeoutError:
        return False
    return True


def _tasks() -> list[str]:
    """Where everything stands that asyncio runs, to tell a hang from a machine that is too busy."""
    tasks = [each for each in gc.get_objects() if isinstance(each, asyncio.Task) and not each.done()]
    return [f"{frame.f_code.co_qualname}:{frame.f_lineno}" for each in tasks for frame in each.get_stack()]


def _texts(value: object) -> list[str]:
    if isinstance(value, str):
        return [value] if 0 < len(value) < 200 else []
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for each in inner for text in _texts(each)][:40]


def _replies(chance: random.Random) -> Reply:
    if chance.random() < 0.7:
        return stream(f"said {chance.random()}")
    name = chance.choice(["read", "write", "edit", "memory_write", "memory_search", "memory_get", "skill", "nothing"])
    args = {"path": chance.choice([*_KNOWN, *_HOSTILE]), "content": "new text", "query": "tea", "name": "x"}
    return stream(Call(name, dict(chance.sample(sorted(args.items()), chance.randrange(4)))))


def every_command(home: Path, seconds: float, seed: int) -> Called:
    """Until the time is over or something falls."""
    chance = random.Random(seed)

    def reply(_request: Recorded) -> Reply:
        return _replies(chance)

    with ProtocolServer(default=reply) as server, mock.patch.dict("os.environ", environ(home, server.url)):
        app = Pet(find_home(home), environ=dict(os.environ))
        write_files(app.store.root, {name: f"- {CANARY} in {name}\n" for name in GATED})
        caller = _Caller(app, server, seed)
        until = time.monotonic() + seconds
        while time.monotonic() < until and not caller.found.problem:
            caller.step()
        app.close()
    return caller.found
