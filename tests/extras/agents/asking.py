"""The SDK's own client against ``pet mcp`` in a process of its own, and MCP messages against the server itself."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable, Mapping
from io import BytesIO
from pathlib import Path
from typing import Any, TypeVar

from mcp import Client, StdioServerParameters
from mcp.types import Implementation, TextContent

from pet.extras.agents import protocol
from pet.extras.agents.agent_tools import agent_tools
from pet.extras.agents.protocol import Answer, McpServer
from pet.i18n import Texts
from tests.support.program.warm_pet import warm_line

T = TypeVar("T")
SECONDS = 60
LEGACY, MODERN = "legacy", "2026-07-28"


def with_client(
    home: Path, talk: Callable[[Client], Awaitable[T]], *, mode: str = "auto", name: str = "claude-code", folder: Path
) -> T:
    """Start ``pet mcp`` in a folder, let ``talk`` use the client, and return its result."""
    command, *arguments = warm_line("--home", str(home), "mcp")
    server = StdioServerParameters(
        command=command,
        args=arguments,
        env={**os.environ, "LANG": "C.UTF-8"},
        cwd=str(folder),
    )

    async def run() -> T:
        about = Implementation(name=name, version="1")
        async with asyncio.timeout(SECONDS), Client(server, mode=mode, client_info=about) as client:
            return await talk(client)

    return asyncio.run(run())


async def call(client: Client, tool: str, **arguments: object) -> tuple[str, bool]:
    result = await client.call_tool(tool, arguments)
    assert result.is_error or result.structured_content is not None
    return "".join(part.text for part in result.content if isinstance(part, TextContent)), bool(result.is_error)


def exchange(answer: Answer, *messages: Mapping[str, object] | bytes) -> list[dict[str, Any]]:
    """Send messages to a server in this process; return all that it wrote."""
    protocol._LAST_ANSWERS = SECONDS  # a busy machine takes longer than a client that hangs up would be given
    lines = [each if isinstance(each, bytes) else json.dumps(each).encode() + b"\n" for each in messages]
    sink = BytesIO()
    McpServer(
        source=BytesIO(b"".join(lines)),
        sink=sink,
        version="1",
        tools=[each.listed() for each in agent_tools(Texts("en"))],
        instructions="",
        answer=answer,
    ).serve()
    return [json.loads(line) for line in sink.getvalue().splitlines()]


def request(id_: object, method: str, **params: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": id_, "method": method, "params": params}


def handshake(name: str, id_: object = 0) -> dict[str, object]:
    about = {"name": name, "version": "1"}
    return request(id_, "initialize", protocolVersion="2025-11-25", capabilities={}, clientInfo=about)
