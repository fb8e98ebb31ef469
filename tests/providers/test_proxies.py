"""Proxies of the environment: used for the world, never for loopback, and a broken one says so."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Iterator

import pytest

from pet.providers.endpoint import endpoint_of, find_proxy, proxy_host
from tests.providers.calls import CANARY, closed_port, fault_of, run
from tests.support.servers.protocol_replies import html, stream
from tests.support.servers.protocol_server import ProtocolServer

_FAR = "http://far.invalid"


def test_a_http_proxy_carries_the_request(monkeypatch: pytest.MonkeyPatch) -> None:
    with ProtocolServer(stream("By proxy")) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        assert run(_FAR).text == "By proxy"
    assert proxy.requests[0].path == "http://far.invalid/v1/messages"
    assert proxy.requests[0].headers["x-api-key"] == CANARY


@pytest.mark.parametrize("name", ["HTTP_PROXY", "ALL_PROXY", "http_proxy", "all_proxy"])
def test_loopback_never_goes_through_a_proxy(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setenv(name, f"http://127.0.0.1:{closed_port()}")
    with ProtocolServer(stream("Direct")) as server:
        assert run(server.url).text == "Direct"
        server.queue(stream("Also direct"))
        assert run(server.url.replace("127.0.0.1", "localhost")).text == "Also direct"


def test_no_proxy_is_respected(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:1")
    monkeypatch.setenv("NO_PROXY", "far.invalid")
    assert find_proxy(endpoint_of(_FAR)) is None
    assert fault_of(_FAR).kind == "dns"


def test_a_proxy_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    port = closed_port()
    monkeypatch.setenv("HTTP_PROXY", f"http://owner:secret@127.0.0.1:{port}")
    fault = fault_of(_FAR)
    assert fault.kind == "proxy"
    assert fault.args_["proxy"] == f"127.0.0.1:{port}"  # without its password


def test_a_proxy_that_wants_a_password(monkeypatch: pytest.MonkeyPatch) -> None:
    with ProtocolServer(html(407)) as proxy:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        assert fault_of(_FAR).kind == "proxy"


def test_a_proxy_that_refuses_the_tunnel_gets_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    with ProtocolServer(html(403)) as proxy:
        monkeypatch.setenv("HTTPS_PROXY", proxy.url)
        assert fault_of("https://far.invalid").kind == "proxy"
    assert proxy.requests[0].method == "CONNECT"
    assert CANARY not in str(proxy.requests[0].headers)


@pytest.mark.parametrize("proxy", ["ftp://127.0.0.1:1", "http://[::1", "socks4://127.0.0.1:1"])
def test_a_proxy_nobody_understands_breaks_calls_and_not_the_program(
    monkeypatch: pytest.MonkeyPatch, proxy: str
) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy)
    assert fault_of(_FAR).kind == "proxy"
    with ProtocolServer(stream("Local")) as server:
        assert run(server.url).text == "Local"


@pytest.mark.parametrize("scheme", ["socks5", "socks5h", "socks"])
def test_a_socks_proxy_carries_the_request(monkeypatch: pytest.MonkeyPatch, scheme: str) -> None:
    with ProtocolServer(stream("By socks")) as server, _socks(server.port) as (port, asked):
        monkeypatch.setenv("ALL_PROXY", f"{scheme}://127.0.0.1:{port}")
        assert run(_FAR).text == "By socks"
    assert asked == ["far.invalid"]


def test_a_socks_proxy_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ALL_PROXY", f"socks5://127.0.0.1:{closed_port()}")
    assert fault_of(_FAR).kind == "proxy"


def test_a_proxy_is_shown_without_its_password() -> None:
    assert proxy_host("http://owner:secret@proxy.invalid:8080") == "proxy.invalid:8080"
    assert proxy_host(None) == ""


@contextlib.contextmanager
def _socks(target: int) -> Iterator[tuple[int, list[str]]]:
    """A SOCKS5 proxy for one connection, which leads everywhere to one port of loopback."""
    asked: list[str] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        client, _ = listener.accept()
        with client, socket.create_connection(("127.0.0.1", target)) as server:
            count = client.recv(2)[1]
            client.recv(count)
            client.sendall(b"\x05\x00")
            head = client.recv(5)
            asked.append(client.recv(head[4]).decode())
            client.recv(2)
            client.sendall(b"\x05\x00\x00\x01\x7f\x00\x00\x01\x00\x00")
            back = threading.Thread(target=_pipe, args=(server, client), daemon=True)
            back.start()
            _pipe(client, server)
            back.join(60)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield listener.getsockname()[1], asked
    finally:
        thread.join(60)
        listener.close()


def _pipe(source: socket.socket, target: socket.socket) -> None:
    with contextlib.suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)
