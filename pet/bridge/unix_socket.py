"""Channels over a Unix socket of mode 0600; each end checks the other's user with the kernel. Not for Windows.

A frame is a length of four bytes, big-endian, and the message.
"""

from __future__ import annotations

import contextlib
import os
import selectors
import socket
import stat
import struct
import sys
import time
from pathlib import Path

from pet.bridge.channel import MAX_FRAME, SECONDS, ChannelBroken, NotListening

assert sys.platform != "win32"

_LENGTH = struct.Struct(">I")
_SOL_LOCAL, _LOCAL_PEERCRED = 0, 1  # macOS, where the socket module has no names for them


class UnixChannel:
    def __init__(self, connection: socket.socket, seconds: float) -> None:
        self._socket = connection
        self._seconds = seconds
        self._begin()

    def verify(self) -> None:
        peer = _peer_user(self._socket)
        if peer is not None and peer != os.getuid():
            raise ChannelBroken("another user")

    def send(self, message: bytes) -> None:
        if len(message) > MAX_FRAME:
            raise ChannelBroken("too long to send")
        self._begin()  # the time to make the message doesn't count
        try:
            self._limit()
            self._socket.sendall(_LENGTH.pack(len(message)) + message)
        except OSError as error:
            raise ChannelBroken(type(error).__name__) from error

    def receive(self) -> bytes:
        (length,) = _LENGTH.unpack(self._exactly(_LENGTH.size))
        if length > MAX_FRAME:
            raise ChannelBroken("too long to receive")
        return self._exactly(length)

    def hang_up(self) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        self._socket.close()

    def _exactly(self, count: int) -> bytes:
        data = bytearray()
        while len(data) < count:
            try:
                self._limit()
                piece = self._socket.recv(min(count - len(data), 65536))
            except OSError as error:
                raise ChannelBroken(type(error).__name__) from error
            if not piece:
                raise ChannelBroken("cut")
            data += piece
        return bytes(data)

    def _begin(self) -> None:
        """Set the deadline of a message and its reply; slow bytes don't extend it."""
        self._deadline = time.monotonic() + self._seconds

    def _limit(self) -> None:
        rest = self._deadline - time.monotonic()
        if rest <= 0:
            raise ChannelBroken("too slow")
        self._socket.settimeout(rest)


class UnixListener:
    def __init__(self, path: Path, *, seconds: float = SECONDS) -> None:
        """Replace a socket that a killed process left. Raises OSError, also if the path is no socket."""
        self._path = path
        self._seconds = seconds
        _remove_socket(path)
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            self._bind()
        except OSError:
            self._socket.close()
            raise
        self._wake, self._woken = socket.socketpair()
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._socket, selectors.EVENT_READ)
        self._selector.register(self._woken, selectors.EVENT_READ)

    def accept(self) -> UnixChannel | None:
        while True:
            ready = {key.fileobj for key, _ in self._selector.select()}
            if self._woken in ready:
                self._selector.close()
                self._woken.close()
                self._socket.close()
                return None
            with contextlib.suppress(BlockingIOError, ConnectionAbortedError):  # the peer is gone already
                connection, _ = self._socket.accept()
                return UnixChannel(connection, self._seconds)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            if _identity(self._path) == self._bound:  # else it belongs to a newer process
                self._path.unlink()
        self._wake.close()  # the other end becomes readable, which ends accept

    def _bind(self) -> None:
        with contextlib.suppress(OSError):  # on Linux the file gets this mode when it is made
            os.fchmod(self._socket.fileno(), 0o600)
        self._socket.bind(os.fspath(self._path))
        self._path.chmod(0o600)  # other systems
        self._bound = _identity(self._path)
        self._socket.listen(128)
        self._socket.setblocking(False)


def connect_unix(path: Path, seconds: float = SECONDS) -> UnixChannel:
    """Connect. Raises NotListening, or ChannelBroken if the listener doesn't accept in time."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    connection.settimeout(seconds)
    deadline = time.monotonic() + seconds
    try:
        while True:
            try:
                connection.connect(os.fspath(path))
                break
            except BlockingIOError:  # the backlog is full; connect doesn't wait
                if time.monotonic() >= deadline:
                    raise
                time.sleep(0.01)
    except (BlockingIOError, TimeoutError) as error:
        connection.close()
        raise ChannelBroken(type(error).__name__) from error
    except OSError as error:
        connection.close()
        raise NotListening(type(error).__name__) from error
    return UnixChannel(connection, seconds)


def _remove_socket(path: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        if not stat.S_ISSOCK(path.lstat().st_mode):
            raise FileExistsError(f"{path.name} is not a socket")
        path.unlink()


def _identity(path: Path) -> tuple[int, int]:
    status = path.lstat()
    return status.st_dev, status.st_ino


def _peer_user(connection: socket.socket) -> int | None:
    """Return the user id of the peer; None if the system doesn't provide it."""
    try:
        return _ask_kernel(connection)
    except OSError as error:
        raise ChannelBroken(type(error).__name__) from error


def _ask_kernel(connection: socket.socket) -> int | None:
    if sys.platform == "linux":
        data = connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
        return int(struct.unpack("3i", data)[1])
    elif sys.platform == "darwin":  # noqa: RET505  the type checker reads one branch per platform
        data = connection.getsockopt(_SOL_LOCAL, _LOCAL_PEERCRED, 76)  # struct xucred: version, user, groups
        return int(struct.unpack_from("=II", data)[1])
    else:
        return None
