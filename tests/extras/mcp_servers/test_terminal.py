"""Tool servers in the terminal: ``pet tools``, and the questions of a chat."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

from tests.cli.conftest import PetCommand, pet, server
from tests.cli.test_chat import Console, say
from tests.extras.mcp_servers.conftest import SERVER
from tests.support.servers.protocol_replies import Call, stream
from tests.support.servers.protocol_server import ProtocolServer

__all__ = ["pet", "server"]


def calls_of(log: Path) -> list[object]:
    rows = map(json.loads, log.read_text().splitlines())
    return [row["arguments"] for row in rows if "call" in row]


def test_a_server_is_added_allowed_used_and_removed(pet: PetCommand, server: ProtocolServer, tmp_path: Path) -> None:
    log = tmp_path / "calls.jsonl"
    command = shlex.join([sys.executable, str(SERVER), str(log)])
    key = "sk-ant-very-secret-value-1234567890"

    adding = Console(
        pet.line("tools", "add", "odd", command, "--env", "GIT_TOKEN", "--keep", "file"),
        pet.environment(GIT_TOKEN=key),
    )
    shown = adding.expect("Allow it to run?")
    assert command in shown and "Keys: GIT_TOKEN" in shown and key not in shown
    assert not log.exists()
    adding.type("y")
    adding.expect("odd works and has")
    assert adding.ends() == 0

    listed = pet("tools", "list", "--json")
    assert json.loads(listed.out)["servers"] == [{"name": "odd", "command": command, "allowed": True}]
    files = [each for each in pet.home.rglob("*") if each.is_file() and key.encode() in each.read_bytes()]
    assert [each.name for each in files] == ["key"]  # where the owner chose to keep keys

    console = Console(pet.line("chat", "--memory", "off"), pet.environment())
    console.expect("] > ")
    say(console, "/tools on", "you are asked first")
    server.queue(stream(Call("odd__echo", {"text": "tea"})), stream("It is tea."))
    console.type("please")
    question = console.expect("Allow it?")
    assert "echo" in question and "odd" in question and '"text": "tea"' in question and calls_of(log) == []
    console.type("c")
    console.expect("It is tea.")
    console.expect("] > ")
    server.queue(stream(Call("odd__echo", {"text": "rye"})), stream("It is rye."))
    console.type("once more")
    assert "Allow it?" not in console.expect("It is rye.")
    console.expect("] > ")
    server.queue(stream(Call("odd__save", {"text": "rye"})), stream("Fine."))
    console.type("save it")
    assert "says that it changes something" in console.expect("Allow it?")
    console.type("n")
    console.expect("Fine.")
    assert calls_of(log) == [{"text": "tea"}, {"text": "rye"}]
    console.type("/quit")
    assert console.ends() == 0

    assert pet("tools", "remove", "odd").code == 0
    assert json.loads(pet("tools", "list", "--json").out)["servers"] == []
    assert not [each for each in pet.home.rglob("*") if each.is_file() and key.encode() in each.read_bytes()]


def test_without_a_terminal_nothing_is_allowed_or_called(
    pet: PetCommand, server: ProtocolServer, tmp_path: Path
) -> None:
    log = tmp_path / "calls.jsonl"
    added = pet("tools", "add", "odd", shlex.join([sys.executable, str(SERVER), str(log)]))
    assert added.code == 1 and "not started before you allow it" in added.err and not log.exists()
    tested = pet("tools", "test", "odd")
    assert tested.code == 1 and "not allowed" in tested.err and not log.exists()


def test_pasted_servers_are_read_from_the_input(pet: PetCommand) -> None:
    pasted = {
        "mcpServers": {
            "time": {"command": "uvx", "args": ["mcp-server-time"]},
            "web": {"url": "https://mcp.example.org"},
        }
    }
    assert pet("tools", "add", typed=json.dumps(pasted)).code == 1  # nobody to allow them
    listed = json.loads(pet("tools", "list", "--json").out)["servers"]
    assert [(each["name"], each["command"], each["allowed"]) for each in listed] == [
        ("time", "uvx mcp-server-time", False),
        ("web", "https://mcp.example.org", False),
    ]
    broken = pet("tools", "add", typed="{not json")
    assert broken.code == 1 and "can't be read" in broken.err
