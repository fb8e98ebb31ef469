"""Who is asked on the internet, who never is, and for how long: ``pet.net`` against servers of our own."""

from __future__ import annotations

import shutil
import socket
import ssl
import subprocess
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

from pet.errors import FetchRefused
from pet.net.fetch import Deadline, FetchPolicy, fetch, is_public
from pet.net.web_address import read_web_address, resolve_redirect
from tests.support.servers.web_server import Server, leads_to, sends

HERE = FetchPolicy(loopback=True)
LONG = 60.0


@pytest.fixture
def server() -> Iterator[Server]:
    made = Server()
    yield made
    made.close()


def fetch_bytes(address: str, reach: FetchPolicy = HERE, run: Deadline | None = None, most: int = 1_000_000) -> bytes:
    at = read_web_address(address, plain=reach.takes_plain)
    with fetch(at, run or Deadline(LONG), reach, accept="*/*", most=most) as answer:
        return b"".join(answer.pieces(most))


def problem_of(work: Callable[[], object]) -> str:
    with pytest.raises(FetchRefused) as caught:
        work()
    return caught.value.problem


# --- addresses ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "numeric",
    [
        "127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.1.1", "169.254.169.254", "100.64.0.1", "0.0.0.0", "224.0.0.1",
        "255.255.255.255", "::1", "::", "fe80::1%eth0", "fc00::1", "ff02::1", "::ffff:10.0.0.1", "::ffff:127.0.0.1",
        "64:ff9b::a00:1", "64:ff9b::7f00:1", "2002:0a00:0001::1", "fec0::1", "not an address",
    ],
)  # fmt: skip
def test_addresses_of_this_machine_and_its_network_are_not_public(numeric: str) -> None:
    assert not is_public(numeric)


def test_public_addresses_are() -> None:
    translated = "64:ff9b::5db8:d822"  # 93.184.216.34, as a network without IPv4 names it
    assert all(map(is_public, ("93.184.216.34", "2606:2800:220:1:248:1893:25c8:1946", translated)))


def test_a_redirect_stays_on_https() -> None:
    start = read_web_address("https://pets.example.org/a/cat.zip")
    assert resolve_redirect(start, "../b.zip").url == "https://pets.example.org/b.zip"
    assert resolve_redirect(start, "//cdn.example.org/b.zip").host == "cdn.example.org"
    assert problem_of(lambda: resolve_redirect(start, "http://pets.example.org/b.zip")) == "address_scheme"
    everywhere = FetchPolicy(plain=True).takes_plain
    assert (
        problem_of(lambda: resolve_redirect(start, "http://pets.example.org/b.zip", plain=everywhere))
        == "address_scheme"
    )
    first = read_web_address("http://pets.example.org/a", plain=everywhere)
    assert resolve_redirect(first, "/b", plain=everywhere).port == 80
    assert problem_of(lambda: resolve_redirect(start, "//[half")) == "address"


@pytest.mark.parametrize(
    ("pasted", "problem"),
    [
        ("", "address"),
        ("moon cat", "address"),
        ("https://", "address"),
        ("https://[half/cat.zip", "address"),
        ("https://lin:secret@pets.example.org/cat.zip", "address"),
        ("https://pets.example.org:99999/cat.zip", "address"),
        ("https://pets.example.org\\@127.0.0.1/cat.zip", "address"),
        ("https://pets.example.org/" + "a" * 2000, "address"),
        ("http://pets.example.org/cat.zip", "address_scheme"),
        ("http://127.0.0.1/cat.zip", "address_scheme"),
        ("file:///etc/passwd", "address"),
        ("javascript:alert(1)", "address"),
        ("data:image/png;base64,AAAA", "address"),
    ],
)
def test_what_is_no_https_address_is_refused(pasted: str, problem: str) -> None:
    assert problem_of(lambda: read_web_address(pasted)) == problem


@pytest.mark.parametrize("host", ["a..example", ".example", "a" * 64 + ".example", "猫..example"])
def test_what_can_be_no_name_is_no_address(host: str) -> None:
    assert problem_of(lambda: read_web_address(f"https://{host}/cat.png")) == "address"
    start = read_web_address("https://pets.example.org/a/cat.zip")
    assert problem_of(lambda: resolve_redirect(start, f"//{host}/cat.png")) == "address"


def test_an_address_travels_in_plain_ascii_without_what_is_after_the_hash() -> None:
    found = read_web_address("https://bücher.example/图?q=猫%20a#there")
    assert found.url == "https://xn--bcher-kva.example/%E5%9B%BE?q=%E7%8C%AB%20a"
    assert found.host == "xn--bcher-kva.example"


# --- who is asked ---------------------------------------------------------------------------------


@pytest.mark.parametrize("found", [["10.0.0.7"], ["93.184.216.34", "127.0.0.1"], []])
def test_a_name_that_stands_for_a_private_address_is_not_connected_to(server: Server, found: list[str]) -> None:
    names: list[str] = []

    def resolve(host: str, _port: int) -> list[str]:
        names.append(host)
        return found

    assert (
        problem_of(lambda: fetch_bytes("https://pets.example.org/a.png", FetchPolicy(resolve=resolve)))
        == "address_private"
    )
    assert names == ["pets.example.org"]
    assert (
        problem_of(lambda: fetch_bytes(f"http://127.0.0.1:{server.port}/a", FetchPolicy(plain=True)))
        == "address_private"
    )
    assert server.asked == []


def test_a_redirect_into_the_own_network_is_not_followed(server: Server) -> None:
    server.answers["/a"] = leads_to("https://router.example.org/admin")
    table = {"127.0.0.1": ["127.0.0.1"], "router.example.org": ["192.168.1.1"]}
    reach = FetchPolicy(resolve=lambda host, _port: table[host], loopback=True)
    assert problem_of(lambda: fetch_bytes(server.at("/a"), reach)) == "address_private"


def test_unresolvable_name_is_reported() -> None:
    def resolve(_host: str, _port: int) -> list[str]:
        raise socket.gaierror("no such name")

    assert problem_of(lambda: fetch_bytes("https://pets.example.org/a", FetchPolicy(resolve=resolve))) == "failed"


def test_nothing_tells_who_asks(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")  # would refuse the connection

    def with_cookie(request: BaseHTTPRequestHandler) -> None:
        request.send_response(302)
        request.send_header("Location", "/b")
        request.send_header("Set-Cookie", "who=lin")
        request.end_headers()

    server.answers |= {"/a": with_cookie, "/b": sends(b"there")}
    assert fetch_bytes(server.at("/a")) == b"there"
    told = {"host", "accept", "accept-encoding", "user-agent", "connection"}
    assert [set(headers) for headers in server.headers] == [told, told]
    assert {headers["user-agent"] for headers in server.headers} == {"Soulpet"}


@pytest.mark.skipif(shutil.which("openssl") is None, reason="a certificate is made with openssl")
def test_the_connection_goes_to_the_checked_address_under_the_certificate_of_the_name(tmp_path: Path) -> None:
    key, certificate = tmp_path / "key.pem", tmp_path / "certificate.pem"
    made = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
    subprocess.run([*made, *names, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    server = Server(context)
    answers = iter([["127.0.0.1"]])  # a second question would have no answer: the name is asked for once
    try:
        server.answers["/a"] = sends(b"there")
        trust = ssl.create_default_context(cafile=str(certificate))
        reach = FetchPolicy(resolve=lambda _host, _port: next(answers), loopback=True, trust=trust)
        assert fetch_bytes(f"https://localhost:{server.port}/a", reach) == b"there"
        assert server.asked == [("/a", f"localhost:{server.port}")]
        numeric = FetchPolicy(loopback=True, trust=trust)  # the certificate is not for the number
        assert problem_of(lambda: fetch_bytes(f"https://127.0.0.1:{server.port}/a", numeric)) == "failed"
    finally:
        server.close()


# --- for how long ---------------------------------------------------------------------------------


class Dripping:
    """Sends ``head`` at once and then a letter at a time without end, until whoever asked has hung up."""

    def __init__(self, head: bytes) -> None:
        self._head = head
        self._listens = socket.create_server(("127.0.0.1", 0))
        self.port = self._listens.getsockname()[1]
        self.thread = threading.Thread(target=self._serve)
        self.thread.start()

    def _serve(self) -> None:
        connection, _ = self._listens.accept()
        with connection:
            try:
                connection.sendall(self._head)
                while True:
                    connection.sendall(b"x")
                    threading.Event().wait(0.01)
            except OSError:
                return

    def close(self) -> None:
        with socket.create_connection(("127.0.0.1", self.port)):  # wakes it where nobody ever came
            pass
        self.thread.join()
        self._listens.close()


@pytest.mark.parametrize(
    "head",
    [b"", b"HTTP/1.1 200 OK\r\nX-Long: ", b"HTTP/1.1 200 OK\r\nContent-Length: 900000\r\n\r\n"],
    ids=["status_line", "header", "body"],
)
def test_slow_server_is_cut_off_at_the_deadline(head: bytes) -> None:
    server = Dripping(head)
    try:
        assert problem_of(lambda: fetch_bytes(f"http://127.0.0.1:{server.port}/a", run=Deadline(1.0))) == "slow"
    finally:
        server.close()  # returns only because we hung up
    assert not server.thread.is_alive()


def test_a_handshake_that_drips_ends_with_the_deadline_too() -> None:
    server = Dripping(b"\x16\x03\x03\x40\x00")  # the head of a long TLS record
    try:
        assert problem_of(lambda: fetch_bytes(f"https://127.0.0.1:{server.port}/a", run=Deadline(1.0))) == "slow"
    finally:
        server.close()


def test_a_name_that_nobody_answers_for_ends_with_the_deadline_too() -> None:
    over = threading.Event()

    def resolve(_host: str, _port: int) -> list[str]:
        over.wait(LONG)
        return []

    assert (
        problem_of(lambda: fetch_bytes("https://pets.example.org/a", FetchPolicy(resolve=resolve), Deadline(0.2)))
        == "slow"
    )
    over.set()


def test_cancelled_fetch_makes_no_request(server: Server) -> None:
    run = Deadline(LONG)
    run.stop()
    assert problem_of(lambda: fetch_bytes(server.at("/a"), run=run)) == "cancelled"
    assert server.asked == []
