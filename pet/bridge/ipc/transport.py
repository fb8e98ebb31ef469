"""Local byte channels between two processes of the same owner, whatever the platform carries them on.

Owns the interface, the caps, and the choice: a Unix socket, or on Windows a named pipe. Messages are whole byte
strings; nothing is ever unpickled. Refuses peers that can't prove to be the same owner; knows nothing of commands.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Protocol

from pet.paths import Home, runtime_folder

MAX_FRAME = 1024 * 1024
SECONDS = 5.0  # for one whole exchange


class ChannelBroken(Exception):
    """The other side is gone, too slow, too loud, or not who it should be."""


class NotListening(Exception):
    """No process listens at this address."""


class Channel(Protocol):
    """One exchange with a peer. Everything raises ChannelBroken."""

    def verify(self) -> None:
        """Proof that the peer is the same owner; comes before the first message."""
        ...

    def send(self, message: bytes) -> None:
        """Send one whole message."""
        ...

    def receive(self) -> bytes: ...

    def hang_up(self) -> None:
        """From another thread: a call that waits here raises soon. Raises nothing."""
        ...

    def close(self) -> None: ...


class Listener(Protocol):
    def accept(self) -> Channel | None:
        """The next peer, not yet verified. Blocks without a time limit; None once it is closed."""
        ...

    def close(self) -> None:
        """Ends ``accept`` in whatever thread it waits, and removes the address."""
        ...


def listen(home: Home) -> Listener:
    """The caller holds the instance lock, so whatever lies at the address is a leftover. Raises OSError."""
    home.state.mkdir(parents=True, exist_ok=True)
    if sys.platform == "win32":
        from pet.bridge.ipc.pipe import PipeListener, owner_key

        return PipeListener(pipe_address(home), "AF_PIPE", owner_key(home.state))
    else:  # noqa: RET505  the type checker reads one branch per platform
        from pet.bridge.ipc.unix import UnixListener

        try:
            folder = runtime_folder()
        except PermissionError:  # another user has taken the name; ours is found by the address that is written down
            folder = Path(tempfile.mkdtemp(prefix="soulpet-"))
        path = folder / f"{home.socket_name()}.sock"
        listening = UnixListener(path)
        # A shell without XDG_RUNTIME_DIR (ssh, cron) looks elsewhere, so the place is written down.
        _address_file(home).write_text(str(path), encoding="utf-8")
        return listening


def connect(home: Home, seconds: float = SECONDS) -> Channel:
    """A channel to the running pet. Raises NobodyThere."""
    if sys.platform == "win32":
        from pet.bridge.ipc.pipe import connect_pipe, owner_key

        return connect_pipe(pipe_address(home), "AF_PIPE", owner_key(home.state), seconds)
    else:  # noqa: RET505
        from pet.bridge.ipc.unix import connect_unix

        return connect_unix(_unix_path(home), seconds)


def pipe_address(home: Home) -> str:
    """The name of the home's pipe on Windows."""
    return rf"\\.\pipe\soulpet-{home.socket_name()}"


def _address_file(home: Home) -> Path:
    return home.state / "socket"


def _unix_path(home: Home) -> Path:
    try:
        return Path(_address_file(home).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        pass
    try:
        return runtime_folder() / f"{home.socket_name()}.sock"
    except OSError as error:
        raise NotListening(type(error).__name__) from error
