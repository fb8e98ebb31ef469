"""Address of the running pet of a home: a Unix socket, or a named pipe on Windows."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

from pet.bridge.ipc.transport import SECONDS, Channel, Listener, NotListening
from pet.paths import Home, runtime_folder


def listen(home: Home) -> Listener:
    """Listen at the home's address, replacing a leftover socket; call with the instance lock. Raises OSError."""
    home.state.mkdir(parents=True, exist_ok=True)
    if sys.platform == "win32":
        from pet.bridge.ipc.pipe import PipeListener, owner_key

        return PipeListener(pipe_address(home), "AF_PIPE", owner_key(home.state))
    else:  # noqa: RET505  the type checker reads one branch per platform
        from pet.bridge.ipc.unix import UnixListener

        try:
            folder = runtime_folder()
        except PermissionError:  # another user took the name; clients read ours from the address file
            folder = Path(tempfile.mkdtemp(prefix="soulpet-"))
        path = folder / f"{home.socket_name()}.sock"
        listening = UnixListener(path)
        # A shell without XDG_RUNTIME_DIR (ssh, cron) would compute another path.
        _address_file(home).write_text(str(path), encoding="utf-8")
        return listening


def connect(home: Home, seconds: float = SECONDS) -> Channel:
    """Return a channel to the running pet. Raises NotListening."""
    if sys.platform == "win32":
        from pet.bridge.ipc.pipe import connect_pipe, owner_key

        return connect_pipe(pipe_address(home), "AF_PIPE", owner_key(home.state), seconds)
    else:  # noqa: RET505
        from pet.bridge.ipc.unix import connect_unix

        return connect_unix(_unix_path(home), seconds)


def pipe_address(home: Home) -> str:
    """Return the name of the home's pipe on Windows."""
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
