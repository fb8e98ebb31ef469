"""The MCP server over streams: both ages of the protocol, cancelling, and hostile input."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from io import BytesIO
from typing import Any, cast

import mcp_types
import pytest
from hypothesis import given
from hypothesis import strategies as st
from mcp_types.version import KNOWN_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from pet.extras.agents import protocol
from pet.extras.agents.agent_tools import agent_tools
from pet.extras.agents.protocol import McpServer
from pet.i18n import LANGUAGES, Language, Texts
from pet.text.token_estimate import estimate_tokens
from tests.extras.agents.asking import exchange, handshake, request

META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "modern", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def asking(_client: str, _tool: str, _arguments: str) -> tuple[str, bool]:
    return '{"status": "asking", "wait_seconds": 30}', True


def echo(client: str, tool: str, arguments: str) -> tuple[str, bool]:
    return f"{client}/{tool}/{arguments}", tool == "wrong"


def text_of(reply: dict[str, Any]) -> str:
    return str(reply["result"]["content"][0]["text"])


@pytest.mark.parametrize(
    ("asked", "answered"),
    [("2024-11-05", "2024-11-05"), ("2025-11-25", "2025-11-25"), ("2099-01-01", "2025-11-25")],
)
def test_initialize_answers_with_a_version_both_speak(asked: str, answered: str) -> None:
    about = {"name": "x", "version": "1"}
    [reply] = exchange(echo, request(1, "initialize", protocolVersion=asked, capabilities={}, clientInfo=about))
    assert reply["result"]["protocolVersion"] == answered


def test_call_names_the_client_of_the_handshake() -> None:
    replies = exchange(echo, handshake("codex-mcp-client"), request("a", "tools/call", name="profile", arguments={}))
    assert text_of(replies[1]) == "codex-mcp-client/profile/{}"
    assert replies[1]["id"] == "a"


def test_stateless_call_names_its_own_client() -> None:
    [reply] = exchange(echo, request(1, "tools/call", name="profile", arguments={"section": "x"}, _meta=META))
    assert text_of(reply) == 'modern/profile/{"section": "x"}'
    assert reply["result"]["resultType"] == "complete"


def test_call_that_waits_for_the_owner_has_the_seconds_as_a_field() -> None:
    [_, reply] = exchange(asking, handshake("x"), request(1, "tools/call", name="profile"))
    assert reply["result"]["structuredContent"] == {"status": "asking", "wait_seconds": 30}
    [_, reply] = exchange(echo, handshake("x"), request(1, "tools/call", name="wrong"))
    assert "structuredContent" not in reply["result"]


def test_failed_call_is_an_error_result() -> None:
    [_, reply] = exchange(echo, handshake("x"), request(1, "tools/call", name="wrong"))
    assert reply["result"]["isError"] is True


def test_call_before_the_handshake_reaches_nobody() -> None:
    def never(_client: str, _tool: str, _arguments: str) -> tuple[str, bool]:
        raise AssertionError

    [reply] = exchange(never, request(1, "tools/call", name="profile"))
    assert reply["error"] == {"code": -32600, "message": "initialize first"}


def test_batch_is_answered_by_one_array() -> None:
    batch = [
        request(1, "ping"),
        {"jsonrpc": "2.0", "method": "notifications/x"},
        request(2, "tools/call", name="a"),
        5,
    ]
    [_, answers] = exchange(echo, handshake("x"), json.dumps(batch).encode() + b"\n")
    assert sorted(str(each["id"]) for each in cast("list[dict[str, Any]]", answers)) == ["1", "2", "None"]
    silent = json.dumps([{"jsonrpc": "2.0", "method": "notifications/x"}]).encode() + b"\n"
    assert [each["id"] for each in exchange(echo, silent, request(3, "ping"))] == [3]


def test_constants_are_those_of_the_sdk() -> None:
    assert (*protocol.HANDSHAKE_VERSIONS, *protocol.STATELESS_VERSIONS) == KNOWN_PROTOCOL_VERSIONS
    assert protocol.STATELESS_VERSIONS == MODERN_PROTOCOL_VERSIONS
    assert (protocol.VERSION_KEY, protocol.CLIENT_KEY, protocol.SERVER_KEY) == (
        mcp_types.PROTOCOL_VERSION_META_KEY,
        mcp_types.CLIENT_INFO_META_KEY,
        mcp_types.SERVER_INFO_META_KEY,
    )
    assert protocol.UNSUPPORTED_PROTOCOL_VERSION == mcp_types.UNSUPPORTED_PROTOCOL_VERSION


def test_unknown_stateless_version_names_those_spoken() -> None:
    meta = {**META, "io.modelcontextprotocol/protocolVersion": "2099-01-01"}
    [reply] = exchange(echo, request(1, "tools/list", _meta=meta))
    assert reply["error"]["code"] == -32022
    assert "2026-07-28" in reply["error"]["data"]["supported"]


def test_cancelled_call_has_no_answer() -> None:
    begun, cancelled = threading.Event(), threading.Event()

    def wait(client: str, tool: str, arguments: str) -> tuple[str, bool]:
        if tool == "slow":
            begun.set()
            assert cancelled.wait(60)
        return "done", False

    class Source(BytesIO):
        def readline(self, size: int | None = -1, /) -> bytes:
            line = super().readline(size)
            if b"cancelled" in line:
                assert begun.wait(60)
            elif not line:
                cancelled.set()
            return line

    cancel = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 7}}
    messages = (handshake("x"), request(7, "tools/call", name="slow"), cancel, request(8, "ping"))
    sink = BytesIO()
    source = Source(b"".join(json.dumps(each).encode() + b"\n" for each in messages))
    McpServer(source=source, sink=sink, version="1", tools=(), instructions="", answer=wait).serve()
    assert [json.loads(line)["id"] for line in sink.getvalue().splitlines()] == [0, 8]


def test_calls_beyond_sixteen_wait_for_room() -> None:
    full, running, most = threading.Event(), 0, 0
    lock = threading.Lock()

    def wait(client: str, tool: str, arguments: str) -> tuple[str, bool]:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
            if running == 16:
                full.set()
        assert full.wait(60)
        with lock:
            running -= 1
        return "done", False

    calls = [request(at, "tools/call", name="profile") for at in range(1, 1_001)]
    replies = exchange(wait, handshake("x"), *calls)
    assert sum("result" in each for each in replies) == 1_001
    assert most == 16


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b'{"jsonrpc": "2.0", "id": 1, "meth\n', -32700),
        (b"[" * 100_000 + b"\n", -32700),
        (b'{"id": 1, "x": "' + b"y" * (10 << 20) + b'"}\n', -32700),
        (b"[]\n", -32600),
        (b'{"id": 1, "method": "tools/call", "params": {"name": "a", "arguments": []}}\n', -32602),
        (b'{"id": 1, "method": 5}\n', -32600),
        (b'{"id": true, "method": "ping"}\n', -32600),
        (b'{"id": 1, "method": "resources/list"}\n', -32601),
        (b'{"id": 1, "method": "tools/call", "params": {"name": 5}}\n', -32602),
        (b'{"id": 1, "method": "initialize", "params": {}}\n', -32602),
    ],
)
def test_bad_message_is_answered_by_an_error_and_the_next_is_served(line: bytes, code: int) -> None:
    replies = exchange(echo, line, request(2, "ping"))
    assert [each.get("error", {}).get("code") for each in replies] == [code, None]


@given(st.lists(st.binary(max_size=200), max_size=5))
def test_no_bytes_end_the_server(lines: list[bytes]) -> None:
    replies = exchange(echo, *(line.replace(b"\n", b"") + b"\n" for line in lines), request("last", "ping"))
    assert replies[-1]["id"] == "last"


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_list_of_tools_takes_at_most_700_tokens(language: Language) -> None:
    listed = json.dumps(
        [each.listed() for each in agent_tools(Texts(language))], ensure_ascii=False, separators=(",", ":")
    )
    assert estimate_tokens(listed) <= 700


def test_pet_mcp_lists_its_tools_without_what_calls_need() -> None:
    """Some clients give a server 1.5 s for its first answer."""
    late = ("pydantic", "pet.engine", "pet.memory", "pet.services.s", "pet.workspace", "tomlkit", "asyncio")
    code = (
        "import sys, pet.cli.main, pet.extras.agents.cli, pet.extras.agents.protocol, pet.extras.agents.agent_tools;"
        f"print([name for name in sys.modules if name.startswith({late})])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.strip() == "[]"
