"""A Messages endpoint on loopback with scripted replies, over real sockets.

In a test:

    with ProtocolServer(stream("Hello"), overloaded()) as server:
        ... AnthropicProvider(server.url, ...) ...
        assert server.requests[0].json["messages"]

As a child process, for tests of the window and the command line (prints its address as the first line, and runs until
its standard input is closed):

    python -m tests.support.servers.protocol_server --port 0 --script replies.json --record folder

``replies.json`` is ``{"replies": [...], "matching": [{"contains": "tea", "reply": {...}}], "default": {...}}`` with
replies as in ``protocol_replies.from_json``. A request takes the first matching reply whose text is in its last
user message, else the next of ``replies``, else ``default``. Commands over HTTP under ``/_control/``:
``release?hold=NAME``, ``reached?hold=NAME`` (answers when it is), ``queue`` (POST a reply), ``requests``.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import select
import socket
import struct
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO
from urllib.parse import parse_qs, urlsplit

from tests.support.servers.protocol_replies import Cut, Hold, Pause, Reply, Step, error, from_json, stream, whole

_WAIT_SECONDS = 60.0
_FACT_ROUTES = ("/api/ps", "/api/show", "/api/v0/models", "/props")


@dataclass(slots=True, eq=False)
class Recorded:
    """A request as received; ``gone`` is set once the client hangs up, ``sent`` once the reply is complete."""

    method: str
    path: str
    headers: dict[str, str]  # names in lower case
    body: bytes
    gone: threading.Event = field(default_factory=threading.Event)
    sent: threading.Event = field(default_factory=threading.Event)

    @property
    def route(self) -> str:
        """Path without query and, of a request to a proxy, without the address."""
        return urlsplit(self.path).path

    @property
    def json(self) -> dict[str, Any]:
        data: dict[str, Any] = json.loads(self.body)
        return data

    def last_text(self) -> str:
        """Text of the last user message, tool results included."""
        if not self.body:
            return ""
        last = (self.json.get("messages") or self.json.get("input") or [{"content": ""}])[-1]
        content = last.get("content") or last.get("output") or ""
        if isinstance(content, str):
            return content
        return "\n".join(str(block.get("text") or block.get("content") or "") for block in content)


Scripted = Reply | Callable[[Recorded], Reply]


class _Gone(Exception):
    """The client hung up, or the server is closing."""


@dataclass(slots=True, eq=False)
class _Gate:
    reached: threading.Event = field(default_factory=threading.Event)
    released: threading.Event = field(default_factory=threading.Event)


_UNKNOWN = whole("404 page not found", status=404, content_type="text/plain")


class ProtocolServer:
    """Context manager. Replies are used in order; then each request gets ``default``. ``only``: the end of the routes
    that it serves; others get 404."""

    def __init__(
        self,
        *replies: Scripted,
        default: Scripted | None = None,
        models: tuple[str | dict[str, Any], ...] = ("test-model", "other-model"),
        port: int = 0,
        record: Path | None = None,
        only: str = "",
    ) -> None:
        self._only = only
        self.requests: list[Recorded] = []
        self.matching: list[tuple[str, Reply]] = []
        self.facts: dict[str, Reply] = {}  # routes of questions about a model; others get 404
        self.fact_requests: list[Recorded] = []
        self.default: Scripted = default or error(500, "api_error", "the script of the test has no more replies")
        self._replies = deque(replies)
        self._models = models
        self._record = record
        self._gates: dict[str, _Gate] = {}
        self._lock = threading.Lock()
        self._arrived = threading.Condition(self._lock)
        self._closing = threading.Event()
        self._listener = socket.create_server(("127.0.0.1", port))
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._connections: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []

    # --- for the test -------------------------------------------------------------------------

    @property
    def messages(self) -> list[Recorded]:
        """Return the model calls among the requests."""
        return [request for request in self.requests if request.route.endswith("/messages")]

    def queue(self, *replies: Scripted) -> None:
        with self._lock:
            self._replies.extend(replies)

    def release(self, hold: str) -> None:
        self._gate(hold).released.set()

    def reached(self, hold: str, timeout: float = _WAIT_SECONDS) -> None:
        """Block until a reply waits at this hold."""
        if not self._gate(hold).reached.wait(timeout):
            raise TimeoutError(f"no reply came to the hold {hold!r}")

    def wait_for_requests(self, count: int, timeout: float = _WAIT_SECONDS) -> None:
        """Block until ``count`` requests arrived."""
        with self._arrived:
            if not self._arrived.wait_for(lambda: len(self.requests) >= count, timeout):
                raise TimeoutError(f"{len(self.requests)} requests came, not {count}")

    def __enter__(self) -> ProtocolServer:
        self._start(self._accept)
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        self._closing.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes accept()
        self._listener.close()
        with self._lock:
            for connection in self._connections:
                with contextlib.suppress(OSError):
                    connection.shutdown(socket.SHUT_RDWR)
            threads = list(self._threads)
        for thread in threads:
            thread.join(60)

    # --- connections --------------------------------------------------------------------------

    def _start(self, run: Callable[..., None], *args: object) -> None:
        thread = threading.Thread(target=run, args=args, daemon=True, name="protocol-server")
        with self._lock:
            self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while not self._closing.is_set():
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self._start(self._serve, connection)

    def _serve(self, connection: socket.socket) -> None:
        with self._lock:
            self._connections.add(connection)
        try:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with connection.makefile("rb") as incoming:
                while (request := _read_request(incoming)) is not None:
                    self._answer(connection, request)
        except (_Gone, OSError, ValueError):
            pass  # the client hung up, or it does not speak HTTP (a TLS hello, for one)
        finally:
            with self._lock:
                self._connections.discard(connection)
            connection.close()

    def _answer(self, connection: socket.socket, request: Recorded) -> None:
        if "/_control/" in request.path:
            self._send(connection, request, self._control(request))
            return
        reply = self._fact(request) or self._choose(request)
        try:
            self._send(connection, request, reply)
            request.sent.set()
        except (_Gone, OSError):
            request.gone.set()
            raise _Gone from None

    def _fact(self, request: Recorded) -> Reply | None:
        """Return the answer to a question about a model, which doesn't count among ``requests``; None for others."""
        listing = request.route.endswith("/models") and request.headers.get("accept") == "application/json"
        if not (request.route.endswith(_FACT_ROUTES) or (listing and "limit=" not in request.path)):
            return None
        with self._lock:
            self.fact_requests.append(request)
        return self.facts.get(request.route, _models(self._models) if listing else _UNKNOWN)

    def _choose(self, request: Recorded) -> Reply:
        with self._arrived:
            self.requests.append(request)
            number = len(self.requests)
            self._arrived.notify_all()
            if request.route.endswith("/models"):
                return _models(self._models)
            if not request.route.endswith(self._only):
                return _UNKNOWN
            text = request.last_text()
            found: Scripted | None = next((reply for contains, reply in self.matching if contains in text), None)
            if found is None:
                found = self._replies.popleft() if self._replies else self.default
        if self._record is not None:
            _write_record(self._record, number, request)
        return found if isinstance(found, Reply) else found(request)

    def _send(self, connection: socket.socket, request: Recorded, reply: Reply) -> None:
        for step in reply.head:
            self._step(connection, step, lambda data: data)
        length = sum(len(step) for step in reply.steps if isinstance(step, bytes))
        framing = {"transfer-encoding": "chunked"} if reply.chunked else {"content-length": str(length)}
        lines = [f"HTTP/1.1 {reply.status} {_reason(reply.status)}"]
        lines += [f"{name}: {value}" for name, value in {**reply.headers, **framing}.items()]
        connection.sendall(("\r\n".join(lines) + "\r\n\r\n").encode("latin-1"))
        frame = _chunk if reply.chunked else bytes
        for step in reply.steps:
            self._step(connection, step, frame)
        if reply.chunked:
            connection.sendall(b"0\r\n\r\n")

    def _step(self, connection: socket.socket, step: Step, frame: Callable[[bytes], bytes]) -> None:
        match step:
            case bytes():
                if step:
                    connection.sendall(frame(step))
            case Hold():
                gate = self._gate(step.name)
                gate.reached.set()
                self._wait(connection, gate.released, None)
            case Pause():
                self._wait(connection, threading.Event(), step.seconds)
            case Cut():
                if step.how == "rst":
                    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                else:
                    connection.shutdown(socket.SHUT_RDWR)
                raise _Gone

    def _wait(self, connection: socket.socket, for_event: threading.Event, seconds: float | None) -> None:
        """Wait, unless the client hangs up."""
        until = None if seconds is None else time.monotonic() + seconds
        while not for_event.wait(0.01):
            if until is not None and time.monotonic() >= until:
                return
            if self._closing.is_set() or _hung_up(connection):
                raise _Gone

    def _gate(self, name: str) -> _Gate:
        with self._lock:
            return self._gates.setdefault(name, _Gate())

    def _control(self, request: Recorded) -> Reply:
        parts = urlsplit(request.path)
        hold = parse_qs(parts.query).get("hold", [""])[0]
        match parts.path.rsplit("/", 1)[1]:
            case "release":
                self.release(hold)
            case "reached":
                self.reached(hold)
            case "queue":
                self.queue(from_json(request.json))
            case "requests":
                every = [
                    {"path": one.path, "headers": one.headers, "body": one.body.decode()} for one in self.requests
                ]
                return whole(json.dumps(every))
            case other:
                return error(404, "not_found_error", f"no order {other}")
        return whole("{}")


def _read_request(incoming: BinaryIO) -> Recorded | None:
    first = incoming.readline(65536)
    if not first:
        return None
    method, target, _ = first.decode("ascii").split()
    headers: dict[str, str] = {}
    while (line := incoming.readline(65536)) not in (b"\r\n", b"\n", b""):
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.strip().lower()] = value.strip()
    body = incoming.read(int(headers.get("content-length", "0")))
    return Recorded(method=method, path=target, headers=headers, body=body)


def _hung_up(connection: socket.socket) -> bool:
    readable, _, _ = select.select([connection], [], [], 0)
    return bool(readable) and connection.recv(1, socket.MSG_PEEK) == b""


def _chunk(data: bytes) -> bytes:
    return f"{len(data):x}\r\n".encode() + data + b"\r\n"


def _reason(status: int) -> str:
    return HTTPStatus(status).phrase if status in HTTPStatus._value2member_map_ else "Unnamed"


def _models(entries: tuple[str | dict[str, Any], ...]) -> Reply:
    data = [
        {"type": "model", "display_name": "A model", **(each if isinstance(each, dict) else {"id": each})}
        for each in entries
    ]
    return whole(json.dumps({"data": data, "has_more": False, "first_id": None, "last_id": None}))


def _write_record(folder: Path, number: int, request: Recorded) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    head = {"method": request.method, "path": request.path, "headers": request.headers}
    (folder / f"{number:04d}.head.json").write_text(json.dumps(head, indent=1), encoding="utf-8")
    (folder / f"{number:04d}.body").write_bytes(request.body)


def load_script(server: ProtocolServer, script: Mapping[str, Any]) -> None:
    server.queue(*(from_json(reply) for reply in script.get("replies", [])))
    server.matching += [(entry["contains"], from_json(entry["reply"])) for entry in script.get("matching", [])]
    if "default" in script:
        server.default = from_json(script["default"])


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="A scripted Messages endpoint on loopback.")
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--script", type=Path)
    parser.add_argument("--record", type=Path)
    options = parser.parse_args(arguments)
    server = ProtocolServer(default=stream("Hello from the test server."), port=options.port, record=options.record)
    if options.script is not None:
        load_script(server, json.loads(options.script.read_text(encoding="utf-8")))
    with server:
        print(server.url, flush=True)
        sys.stdin.read()  # runs until the parent closes the pipe, or is gone


if __name__ == "__main__":
    main()
