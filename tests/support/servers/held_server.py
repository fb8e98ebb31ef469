"""A server on loopback that stops at one stage of a connection until it is released; records what arrives.

Stages: ``connect`` (its queue is full, so the connection is not made), ``proxy`` (the tunnel request is not
answered), ``write`` (the body has begun, and nothing is read; the receive buffer is small), ``socks`` (the same, as a
proxy).
"""

from __future__ import annotations

import contextlib
import socket
import sys
import threading
from pathlib import Path
from types import TracebackType
from typing import Literal

from tests.support.waiting import PATIENCE, wait_for

Stage = Literal["connect", "proxy", "write", "socks"]
# Only Linux keeps a connection waiting for a place in the queue, and reports it.
CONNECT: list[Stage] = ["connect"] if sys.platform == "linux" else []
_SYN_SENT = "02"
_BEGUN_BYTES = 512
"""Of the body; what comes before is headers."""


class HeldServer:
    """Context manager."""

    def __init__(self, stage: Stage) -> None:
        self.stage = stage
        self._arrived = b""
        self._lock = threading.Lock()
        self._go_on = threading.Event()
        self._stands = threading.Event()
        self._listener = socket.socket()
        if stage in ("write", "socks"):
            self._listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self._listener.bind(("127.0.0.1", 0))
        self._listener.listen(0 if stage == "connect" else 16)
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._filler = socket.create_connection(("127.0.0.1", self.port)) if stage == "connect" else None
        self._threads = [threading.Thread(target=self._accept, daemon=True)]

    def wait_for_client(self) -> None:
        """Block until a client has reached the stage."""
        if self.stage == "connect":
            wait_for("a connection that is not made", self._is_connecting)
        elif not self._stands.wait(PATIENCE):
            raise AssertionError(f"no client came to the stage {self.stage}")

    def go_on(self) -> None:
        """Read everything from here on."""
        if self._filler is not None:
            self._filler.close()
        self._go_on.set()

    def received(self) -> bytes:
        """Block until the clients have closed their connections, and return all bytes of all of them."""
        for thread in self._threads[1:]:
            thread.join(PATIENCE)
        return self._arrived

    def __enter__(self) -> HeldServer:
        self._threads[0].start()
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.go_on()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in list(self._threads):
            thread.join(PATIENCE)

    def _is_connecting(self) -> bool:
        for line in Path("/proc/net/tcp").read_text(encoding="ascii").splitlines()[1:]:
            _, _, remote, state = line.split()[:4]
            if state == _SYN_SENT and int(remote.rsplit(":", 1)[1], 16) == self.port:
                return True
        return False

    def _accept(self) -> None:
        if self.stage == "connect":
            self._go_on.wait()
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
            thread.start()
            self._threads.append(thread)  # only then can it be joined

    def _wait_for_body(self, connection: socket.socket) -> None:
        """Return once the body of the request has begun, nothing more comes, or everything is read. Takes nothing."""
        while data := connection.recv(65536, socket.MSG_PEEK):
            if len(data.partition(b"\r\n\r\n")[2]) >= _BEGUN_BYTES or self._go_on.wait(0.01):
                return

    def _serve(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            if self.stage == "proxy":
                connection.recv(65536)
            if self.stage == "socks":
                connection.recv(3)
                connection.sendall(b"\x05\x00")
                connection.recv(262)
                connection.sendall(b"\x05\x00\x00\x01" + bytes(6))
            if self.stage in ("write", "socks"):
                self._wait_for_body(connection)
            self._stands.set()
            self._go_on.wait()
            if self.stage == "proxy":
                connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
            while data := connection.recv(65536):
                with self._lock:
                    self._arrived += data
