"""Channels over a named pipe, for Windows; both ends prove that they can read the owner's key file.

Python can't give a pipe an access list, so other users may open it; without the key, which only the owner can read,
they are refused before the first message. Tests run it over Unix sockets.
"""

from __future__ import annotations

import contextlib
import hashlib
import hmac
import os
import secrets
import threading
import time
from multiprocessing.connection import Client as Dial
from multiprocessing.connection import Connection, Listener
from pathlib import Path
from typing import Any, Literal

from pet.bridge.channel import MAX_FRAME, SECONDS, ChannelBroken, NotListening
from pet.paths import make_private

Family = Literal["AF_PIPE", "AF_UNIX"]
Side = Literal["server", "client"]
_KEY_BYTES = 32
_NONCE_BYTES = 32
_POLL_SECONDS = 0.2  # a pipe can't be shut down from another thread


class PipeChannel:
    """A channel over a multiprocessing connection. Never calls ``recv``, which unpickles."""

    def __init__(self, raw: Connection[Any, Any], side: Side, key: bytes, seconds: float) -> None:
        self._raw = raw
        self._side: Side = side
        self._key = key
        self._deadline = time.monotonic() + seconds
        self._over = threading.Event()

    def verify(self) -> None:
        """Answer the other side's nonce; the answer contains the side, so that it can't be reflected."""
        mine = secrets.token_bytes(_NONCE_BYTES)
        self.send(mine)
        theirs = self.receive()
        if len(theirs) != _NONCE_BYTES:
            raise ChannelBroken("no nonce")
        other: Side = "client" if self._side == "server" else "server"
        self.send(self._answer(self._side, theirs, mine))
        if not hmac.compare_digest(self.receive(), self._answer(other, mine, theirs)):
            raise ChannelBroken("wrong key")

    def send(self, message: bytes) -> None:
        if len(message) > MAX_FRAME:
            raise ChannelBroken("too long to send")
        try:
            self._raw.send_bytes(message)
        except (OSError, ValueError) as error:
            raise ChannelBroken(type(error).__name__) from error

    def receive(self) -> bytes:
        try:
            while not self._raw.poll(min(_POLL_SECONDS, max(0.0, self._deadline - time.monotonic()))):
                if self._over.is_set() or time.monotonic() >= self._deadline:
                    raise ChannelBroken("too slow")
            return self._raw.recv_bytes(MAX_FRAME)
        except (OSError, EOFError) as error:
            raise ChannelBroken(type(error).__name__) from error

    def hang_up(self) -> None:
        self._over.set()

    def close(self) -> None:
        self._raw.close()

    def _answer(self, side: Side, nonce: bytes, own: bytes) -> bytes:
        return hmac.digest(self._key, side.encode() + nonce + own, hashlib.sha256)


class PipeListener:
    def __init__(self, address: str, family: Family, key: bytes, *, seconds: float = SECONDS) -> None:
        self._address = address
        self._family: Family = family
        self._key = key
        self._seconds = seconds
        self._closed = threading.Event()
        self._listener = Listener(address, family, backlog=16)  # no authkey: its challenge would block accept

    def accept(self) -> PipeChannel | None:
        try:
            raw = self._listener.accept()
        except (OSError, EOFError):
            if not self._closed.is_set():
                raise
            return None
        if self._closed.is_set():
            raw.close()
            self._listener.close()
            return None
        return PipeChannel(raw, "server", self._key, self._seconds)

    def close(self) -> None:
        self._closed.set()
        with contextlib.suppress(OSError):  # a pipe's accept ends only with a connection
            Dial(self._address, self._family).close()


def connect_pipe(address: str, family: Family, key: bytes, seconds: float = SECONDS) -> PipeChannel:
    """Connect. Raises NotListening."""
    try:
        raw = Dial(address, family)
    except OSError as error:
        raise NotListening(type(error).__name__) from error
    return PipeChannel(raw, "client", key, seconds)


def owner_key(folder: Path) -> bytes:
    """Return the key that both ends share, made once; its mode, or the profile's rights, exclude other users."""
    from filelock import FileLock  # lazy: needed once per home

    file = folder / "pipe-key"
    make_private(folder)
    if key := _stored_key(file):
        return key
    with FileLock(folder / "pipe-key.lock"):
        if key := _stored_key(file):  # made by the other end meanwhile
            return key
        made, key = folder / "pipe-key.new", secrets.token_bytes(_KEY_BYTES)
        made.unlink(missing_ok=True)  # left by a killed process
        descriptor = os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o600)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(key)
        made.replace(file)
        return key


def _stored_key(file: Path) -> bytes:
    """Return the stored key; empty if it is missing or incomplete."""
    with contextlib.suppress(OSError):
        key = file.read_bytes()
        return key if len(key) == _KEY_BYTES else b""
    return b""
