"""Server and client of the commands that other processes of the owner may call.

The transport is a Unix socket, or a named pipe on Windows; never TCP. The instance lock decides which process runs,
so a socket that a killed process left is replaced.
"""

from __future__ import annotations

import contextlib
import logging
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar, cast

from pet.bridge.channel import SECONDS, Channel, ChannelBroken, Listener, NotListening
from pet.bridge.command import Client, Nothing, command_of, given_fields
from pet.bridge.dispatch import CommandFailed, Commands, error_envelope, open_envelope
from pet.bridge.single_instance import SingleInstance
from pet.errors import BadArguments, PetError
from pet.events import ErrorInfo
from pet.paths import Home, make_private, runtime_folder
from pet.serde import decode, encode


def listen(home: Home, pet: str = "") -> Listener:
    """Listen at the address of the home, or of a pet's own program, replacing a leftover socket; call with the
    instance lock. Raises OSError."""
    make_private(home.state)
    if sys.platform == "win32":
        from pet.bridge.named_pipe import PipeListener, owner_key

        return PipeListener(pipe_address(home, pet), "AF_PIPE", owner_key(home.state))
    else:  # noqa: RET505  the type checker reads one branch per platform
        from pet.bridge.unix_socket import UnixListener

        try:
            folder = runtime_folder()
        except PermissionError:  # another user took the name; clients read ours from the address file
            folder = Path(tempfile.mkdtemp(prefix="soulpet-"))
        path = folder / f"{home.socket_name(pet)}.sock"
        listening = UnixListener(path)
        # A shell without XDG_RUNTIME_DIR (ssh, cron) would compute another path.
        _address_file(home, pet).write_text(str(path), encoding="utf-8")
        return listening


def connect(home: Home, seconds: float = SECONDS, pet: str = "") -> Channel:
    """Return a channel to the program that leads, or to a pet's own. Raises NotListening."""
    if sys.platform == "win32":
        from pet.bridge.named_pipe import connect_pipe, owner_key

        return connect_pipe(pipe_address(home, pet), "AF_PIPE", owner_key(home.state), seconds)
    else:  # noqa: RET505
        from pet.bridge.unix_socket import connect_unix

        return connect_unix(_unix_path(home, pet), seconds)


def listens(home: Home, pet: str = "", seconds: float = SECONDS) -> bool:
    """Whether the program that leads, or a pet's own, runs; also one that does not respond."""
    try:
        connect(home, seconds, pet).close()
    except NotListening:
        return False
    except ChannelBroken:
        return True
    return True


def pipe_address(home: Home, pet: str = "") -> str:
    """Return the name of the home's pipe on Windows, or of the pet's."""
    return rf"\\.\pipe\soulpet-{home.socket_name(pet)}"


def _address_file(home: Home, pet: str) -> Path:
    return home.state / (f"socket.{pet}" if pet else "socket")


def _unix_path(home: Home, pet: str) -> Path:
    try:
        return Path(_address_file(home, pet).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        pass
    try:
        return runtime_folder() / f"{home.socket_name(pet)}.sock"
    except OSError as error:
        raise NotListening(type(error).__name__) from error


_AT_ONCE = 16
_LAST_REPLIES = 1.0  # seconds
P = ParamSpec("P")
R = TypeVar("R")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A call on the wire; ``args`` is JSON text."""

    name: str
    args: str


class SocketServer:
    """Answer calls of other processes with the commands that ``Client.SOCKET`` may use.

    ``pet``: at the address of this pet's own program, with its lock, instead of the home's.
    """

    def __init__(self, home: Home, commands: Commands, instance: SingleInstance, pet: str = "") -> None:
        self._home = home
        self._pet = pet
        self._commands = commands
        self._instance = instance
        self._slots = threading.BoundedSemaphore(_AT_ONCE)
        self._silent: dict[int, Channel] = {}  # accepted, without a whole message yet; oldest first
        self._silent_lock = threading.Lock()
        self._closed = threading.Event()
        self._listening: Listener | None = None
        self._thread = threading.Thread(target=self._accept, name="socket", daemon=True)

    def start(self) -> None:
        """Listen. Raises OSError if no address is usable, ValueError without the instance lock."""
        if not self._instance.held:
            raise ValueError("the socket belongs to the holder of the instance lock")
        self._listening = listen(self._home, self._pet)
        self._thread.start()

    def close(self) -> None:
        """Stop listening. Running calls still get their replies, also ``quit``."""
        self._closed.set()
        if self._listening is None:
            return
        self._listening.close()
        self._thread.join(_LAST_REPLIES)
        deadline = time.monotonic() + _LAST_REPLIES
        for _ in range(_AT_ONCE):
            self._slots.acquire(timeout=max(0.0, deadline - time.monotonic()))

    def _accept(self) -> None:
        assert self._listening
        while not self._closed.is_set():
            try:
                channel = self._listening.accept()
            except OSError:
                _log.warning("accept failed", exc_info=True)
                self._closed.wait(1.0)  # probably out of descriptors
                continue
            if channel is None:
                return
            if not self._slots.acquire(blocking=False) and not self._free_a_slot():
                channel.close()
                continue
            with self._silent_lock:
                self._silent[id(channel)] = channel
            threading.Thread(target=self._serve, args=(channel,), name="socket-call", daemon=True).start()

    def _serve(self, channel: Channel) -> None:
        try:
            channel.verify()
            message = channel.receive()
            self._no_longer_silent(channel)
            answer = self._answer(message).encode("ascii")
            with contextlib.suppress(ChannelBroken):  # hooks of agents don't wait for it
                channel.send(answer)
        except ChannelBroken as error:
            _log.info("a local call broke off: %s", error)
        finally:
            self._no_longer_silent(channel)
            channel.close()
            self._slots.release()

    def _no_longer_silent(self, channel: Channel) -> None:
        with self._silent_lock:
            self._silent.pop(id(channel), None)

    def _free_a_slot(self) -> bool:
        """Disconnect the peer that has been silent longest; return whether a slot is free."""
        with self._silent_lock:
            oldest = next(iter(self._silent.values()), None)
            if oldest is None:
                return False
            oldest.hang_up()
            del self._silent[id(oldest)]
        return self._slots.acquire(timeout=_LAST_REPLIES)

    def _answer(self, message: bytes) -> str:
        try:
            call = decode(Call, message.decode("utf-8", errors="replace"))
        except PetError as error:
            return error_envelope(ErrorInfo.of(error))
        return self._commands.invoke(Client.SOCKET, call.name, call.args)


class RunningPet:
    """Client of the program that leads in this home, or of a pet's own, with the commands' own types.

    status = RunningPet(home).call(LifecycleCommands.get_status)
    """

    def __init__(self, home: Home, *, seconds: float = SECONDS, pet: str = "") -> None:
        self._home = home
        self._pet = pet
        self._seconds = seconds

    def call(self, method: Callable[Concatenate[Any, P], R], *args: P.args, **kwargs: P.kwargs) -> R:
        """Call a command and return its reply.

        Raises NotListening if no program runs, CommandFailed with its error, or with ``not_answering`` if it does
        not reply in time or in this version's format.
        """
        command = command_of(method)
        call = Call(name=command.name, args=encode(given_fields(method, args, kwargs)))
        channel = connect(self._home, self._seconds, self._pet)
        try:
            with contextlib.closing(channel):
                channel.verify()
                channel.send(encode(call).encode("ascii"))
                answer = channel.receive()
            reply: object = open_envelope(command.reply, answer.decode("ascii", errors="replace"))
        except (ChannelBroken, BadArguments):  # also the reply of another version
            raise CommandFailed(ErrorInfo(code="not_answering", retryable=True)) from None
        return cast("R", None if command.reply is Nothing else reply)
