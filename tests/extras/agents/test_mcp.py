"""``pet mcp`` with the SDK's own client, beside a running pet and without one."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import anyio
import pytest
from mcp import Client

from pet.app import Pet
from pet.bridge.single_instance import SingleInstance
from pet.bridge.socket_server import SocketServer
from pet.extras.agents.access import AgentMode
from pet.extras.agents.book import AgentBook, label_of
from pet.extras.agents.views import open_book
from pet.paths import find_home
from pet.services.pet_files import PetFiles
from tests.extras.agents.asking import LEGACY, MODERN, call, with_client
from tests.support.files import write_files
from tests.support.program.warm_pet import warm_line

CANARY = "canary-7f3a"
NAMES = ["memory_search", "memory_get", "owner_profile", "owner_reminders", "remember"]
LOG = f"# Memory Log: 2026-02-24\n\n## [14:30:15] todo @2999-03-01\nOwner: {CANARY} water the ferns\n"
FILES = {
    "SOUL.md": f"# Soul\nI am {CANARY}-soul\n",
    "USER.md": f"# About me\n- Name: Lin {CANARY}\n",
    "MEMORY.md": f"# Plans\n- The move to Lisbon {CANARY}\n\n# Work\n- Tundra ships in May\n",
    "memory/2026-02-24.md": LOG,
}


@contextmanager
def book_of(home: Path) -> Iterator[AgentBook]:
    files = PetFiles(find_home(home), environ={})
    try:
        write_files(files.store.root, FILES)
        yield open_book(files)
    finally:
        files.close()


def allow(home: Path, mode: AgentMode, folder: Path, name: str = "claude-code") -> None:
    with book_of(home) as book:
        book.set_mode(label_of(name, str(folder)), mode)


@contextmanager
def running(home: Path) -> Iterator[None]:
    where = find_home(home)
    instance = SingleInstance(where)
    assert instance.acquire()
    app = Pet(where, environ={})
    socket = SocketServer(where, app.commands, instance)
    socket.start()
    try:
        yield
    finally:
        socket.close()
        app.close()
        instance.release()


async def ask_all(client: Client) -> list[tuple[str, bool]]:
    return [
        await call(client, "memory_search", query="Lisbon move"),
        await call(client, "memory_get", path="USER.md"),
        await call(client, "memory_get", path="memory/2026-02-24.md"),
        await call(client, "owner_profile"),
        await call(client, "owner_profile", section="Plans"),
        await call(client, "owner_reminders"),
    ]


@pytest.mark.parametrize("mode", [LEGACY, MODERN, "auto"])
def test_client_of_either_age_lists_and_calls(tmp_path: Path, mode: str) -> None:
    home, folder = tmp_path / "home", tmp_path / "tundra"
    folder.mkdir()
    allow(home, AgentMode.READ_ONLY, folder)

    async def talk(client: Client) -> None:
        tools = (await client.list_tools()).tools
        assert [each.name for each in tools] == NAMES
        assert [each.annotations and each.annotations.read_only_hint for each in tools] == [True] * 4 + [False]
        for each in tools:
            assert each.title
            assert each.output_schema is not None
            assert all(about["description"] for about in each.input_schema["properties"].values())
        for text, error in await ask_all(client):
            assert CANARY in text
            assert not error
        hits = json.loads((await call(client, "memory_search", query="water the ferns"))[0])["results"]
        assert (hits[0]["path"], hits[0]["day"]) == ("memory/2026-02-24.md", "2026-02-24")

    with_client(home, talk, mode=mode, folder=folder)


@pytest.mark.parametrize("beside", [False, True])
@pytest.mark.parametrize("mode", list(AgentMode))
def test_each_position_gives_what_it_may(tmp_path: Path, beside: bool, mode: AgentMode) -> None:
    home, folder = tmp_path / "home", tmp_path / "tundra"
    folder.mkdir()
    allow(home, mode, folder)

    async def talk(client: Client) -> list[tuple[str, bool]]:
        return [*await ask_all(client), await call(client, "memory_get", path="SOUL.md")]

    if beside:
        with running(home):
            replies = with_client(home, talk, folder=folder)
    else:
        replies = with_client(home, talk, folder=folder)
    *given, soul = replies
    assert CANARY not in soul[0]
    assert all((CANARY in text) is (mode is not AgentMode.OFF) for text, _ in given)
    assert all(error is (mode is AgentMode.OFF) for _, error in given)


def test_position_holds_for_one_name_and_one_folder(tmp_path: Path) -> None:
    home, folder, other = tmp_path / "home", tmp_path / "tundra", tmp_path / "taiga"
    folder.mkdir()
    other.mkdir()
    allow(home, AgentMode.WRITE, folder)
    for name, where in (("claude-code", other), ("Claude Code", folder), ("claude-code\u200b", folder)):
        assert all(CANARY not in text for text, _ in with_client(home, ask_all, name=name, folder=where))


def test_cancelled_call_leaves_the_session_usable(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "tundra"
    folder.mkdir()
    allow(home, AgentMode.READ_ONLY, folder)

    async def talk(client: Client) -> str:
        with anyio.CancelScope() as scope:
            scope.cancel()
            await call(client, "memory_search", query="Lisbon")
        async with anyio.create_task_group() as group:
            group.start_soon(lambda: call(client, "memory_search", query="Lisbon"))
            await anyio.lowlevel.checkpoint()
            group.cancel_scope.cancel()
        return (await call(client, "owner_profile"))[0]

    assert CANARY in with_client(home, talk, mode=LEGACY, folder=folder)


def test_an_agent_that_nobody_can_be_asked_about_hears_once_that_the_pet_is_not_running(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "tundra"
    folder.mkdir()
    allow(home, AgentMode.OFF, folder)

    async def talk(client: Client) -> list[tuple[str, bool]]:
        return [await call(client, "owner_profile"), await call(client, "owner_reminders")]

    first, second = with_client(home, talk, folder=folder)
    assert "isn't running" in first[0] and "start it" in first[0]
    assert "isn't running" not in second[0] and "not allowed" in second[0]
    assert first[1] and second[1]


def test_home_without_a_pet_gets_none(tmp_path: Path) -> None:
    home, folder = tmp_path / "home", tmp_path / "tundra"
    folder.mkdir()
    replies = with_client(home, ask_all, folder=folder)
    assert all(error for _, error in replies)
    assert not (home / "data" / "pets").exists()


def test_say_without_a_running_pet_says_so(tmp_path: Path) -> None:
    line = warm_line("--home", str(tmp_path), "say", "Backup done")
    done = subprocess.run(line, capture_output=True, text=True, env={**os.environ, "LANG": "C.UTF-8"}, timeout=60)
    assert (done.returncode, done.stderr) == (1, "No pet is running.\n")
