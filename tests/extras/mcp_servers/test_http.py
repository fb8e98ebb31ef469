"""A server at an address, over streamable HTTP, by the official server."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import pytest
import uvicorn
from mcp.server.mcpserver import MCPServer
from starlette.types import ASGIApp, Receive, Scope, Send

from pet.extras.mcp_servers.entries import make_given
from pet.extras.mcp_servers.running import servers_of
from tests.engine.conftest import Core
from tests.extras.mcp_servers.conftest import Begin, answer_all, call, yes
from tests.support.models.scripted import calls, say
from tests.support.waiting import wait_for

HEADER = "Bearer very-secret-1234567890"


@dataclass
class Web:
    """``seen``: the authorization of each request. ``status``: in place of an answer."""

    address: str = ""
    seen: list[str] = field(default_factory=list)
    status: int = 0

    def around(self, app: ASGIApp) -> ASGIApp:
        async def asked(scope: Scope, receive: Receive, send: Send) -> None:
            if scope["type"] == "http":
                self.seen.append(dict(scope["headers"]).get(b"authorization", b"").decode())
                if self.status:
                    head = {
                        "type": "http.response.start",
                        "status": self.status,
                        "headers": [(b"location", b"/away")],
                    }
                    await send(head)
                    await send({"type": "http.response.body", "body": b"<html>no</html>"})
                    return
            await app(scope, receive, send)

        return asked


@pytest.fixture
def web() -> Iterator[Web]:
    served, web = MCPServer("web"), Web()

    @served.tool()
    def echo(text: str) -> str:
        """Return it."""
        return f"over the wire: {text}"

    app = web.around(served.streamable_http_app())
    server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    wait_for("the server", lambda: server.started)
    web.address = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/mcp"
    yield web
    server.should_exit = True
    server.force_exit = True
    thread.join(10)


def add(core: Core, address: str) -> None:
    entries = servers_of(core.app).entries
    entry = entries.add(make_given("web", (), address, {"Authorization": HEADER}), "session")
    entries.change(entry.name, lambda now: replace(now, allowed=now.digest))


def test_a_tool_at_an_address_is_called_with_the_owners_headers(begin: Begin, web: Web) -> None:
    talk = begin(calls(call("echo", server="web", text="tea")), say("done"))
    add(talk.core, web.address)
    answer_all(talk.core, yes())
    talk.send()
    assert "over the wire: tea" in talk.results()[0].text
    assert set(web.seen) == {HEADER} and HEADER not in str(talk.core.provider.requests)


@pytest.mark.parametrize("status", [401, 404, 307, 500])
def test_an_address_that_answers_otherwise_costs_no_reply(begin: Begin, web: Web, status: int) -> None:
    web.status = status
    talk = begin(say("hello"))
    add(talk.core, web.address)
    talk.send()
    assert talk.live.folded().turns[-1].reply == "hello"
    state, problem, _ = talk.servers.state("web")
    assert state == "failed" and problem is not None and problem.error_code == "mcp_unreachable"


def test_nobody_at_the_address_is_said(begin: Begin) -> None:
    talk = begin(say("hello"))
    add(talk.core, "http://127.0.0.1:9/mcp")
    talk.send()
    problem = talk.servers.state("web")[1]
    assert problem is not None and problem.error_code == "mcp_unreachable"
