"""A warm program: it imports everything once, then forks for each command line.

    python -m tests.support.program.warm_pet SOCKET [--windows]

``python -m pet …`` takes one to four seconds of a core, most of it for its imports and both embedders; five with a
chat and its first message. ``warm_line`` returns a command that is run in the same way, with arguments, environment,
folder, streams and exit code of its own, and a terminal if its input is one that controls no other session; its
program is killed with it. ``WarmProgram`` is the same for a program with windows. They are not for tests of the start
of a process, of closed streams, or of Python's own options.
"""

from __future__ import annotations

import atexit
import faulthandler
import gc
import os
import pkgutil
import runpy
import select
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from tests.support.program import warm_launcher

_LAUNCHER = str(Path(warm_launcher.__file__))
_ROOT = Path(__file__).parents[3]
_IMPORTED_LATE = ("anthropic", "anyio._backends._asyncio", "keyring.backends.SecretService")
"""What the program imports when it needs it."""
_QT = ("QtGui", "QtWidgets", "QtSvg", "QtNetwork", "QtDBus", "QtWebChannel", "QtPrintSupport", "QtWebEngineWidgets")
WARM = hasattr(os, "pidfd_open")
"""Whether there is such a program: on Linux."""


def warm_line(*arguments: str) -> list[str]:
    """Return the command that runs ``pet`` with these arguments in the warm program of this process."""
    if not WARM:
        return [sys.executable, "-m", "pet", *arguments]
    return [sys.executable, "-I", "-S", _LAUNCHER, _warm_program(), "pet", *arguments]


def is_warm(line: Sequence[str]) -> bool:
    return _LAUNCHER in line


class WarmProgram:
    """A module run by the warm program with windows: as much of ``subprocess.Popen`` as the tests of windows need."""

    def __init__(self, module: Sequence[str], environ: Mapping[str, str], output: int) -> None:
        """``module``: its name and its arguments; ``output``: the descriptor of both its streams."""
        self._connection = socket.socket(socket.AF_UNIX)
        self._connection.connect(_warm_program("--windows"))
        data = warm_launcher.request(list(module), {os.fsencode(k): os.fsencode(v) for k, v in environ.items()})
        with open(os.devnull) as nothing:
            sent = socket.send_fds(self._connection, [data], [nothing.fileno(), output, output])
        self._connection.sendall(data[sent:])
        self.args = [sys.executable, "-m", *module]
        self.pid = int.from_bytes(self._connection.recv(4), "big", signed=True)
        self.returncode: int | None = None

    def poll(self) -> int | None:
        return self._look(0)

    def wait(self, timeout: float | None = None) -> int:
        code = self._look(timeout)
        if code is None:
            raise subprocess.TimeoutExpired(self.args, timeout or 0)
        return code

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def _look(self, seconds: float | None) -> int | None:
        if self.returncode is None and select.select([self._connection], [], [], seconds)[0]:
            with self._connection:
                said = self._connection.recv(4)
            self.returncode = int.from_bytes(said, "big", signed=True) if said else -signal.SIGKILL
        return self.returncode


@cache
def _warm_program(*options: str) -> str:
    """Start the program, which ends with this process; return its socket."""
    folder = tempfile.TemporaryDirectory(prefix="warm-")
    path = f"{folder.name}/socket"
    program = subprocess.Popen(
        [sys.executable, "-m", __name__, path, *options],
        env={**os.environ, "LANG": "C.UTF-8", "LC_ALL": ""},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=_ROOT,
    )
    assert program.stdin and program.stdout
    assert program.stdout.readline() == b"listening\n"

    def end() -> None:
        program.communicate()
        folder.cleanup()

    atexit.register(end)
    return path


def _load_program() -> None:
    """Import every module but those of windows, and load both embedders."""
    import pet
    from pet.memory.search.embedders import load_embedders, one_thread
    from tests.support.program.patient_pet import be_patient

    be_patient()
    one_thread()
    for module in pkgutil.walk_packages(pet.__path__, "pet."):
        if not module.name.startswith("pet.desktop.") and module.name != "pet.__main__":
            import_module(module.name)
    for name in _IMPORTED_LATE:
        import_module(name)
    for embedder in load_embedders():
        embedder.embed_question("Hello")


def _load_windows() -> None:
    """Import what windows need; no application is made, and so no thread."""
    import pet.desktop
    from pet.desktop.qt_import import import_plainly, import_qt

    import_qt()
    for name in _QT:
        import_module(f"PySide6.{name}")
    for module in pkgutil.walk_packages(pet.desktop.__path__, "pet.desktop."):
        if not module.name.endswith(".windows_desktop"):  # of another system
            import_module(module.name)
    import_plainly()


class _Server:
    """Forks for each connection, and replies with the exit code."""

    def __init__(self, path: str) -> None:
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(path)
        self._listener.listen(64)
        self._events = select.epoll()
        self._events.register(self._listener, select.EPOLLIN)
        self._events.register(0, select.EPOLLIN)
        self._running: dict[int, tuple[int, socket.socket]] = {}
        """Child and its connection, by pidfd."""

    def serve(self) -> socket.socket:
        """Return in a child, with its connection. Exits at the end of standard input."""
        print("listening", flush=True)
        while True:
            ((descriptor, _),) = self._events.poll(maxevents=1)  # one, since it may close the next one's
            if descriptor == 0:
                self._kill(child for child, _ in self._running.values())
                sys.exit()
            elif descriptor == self._listener.fileno():
                connection, _ = self._listener.accept()
                child = os.fork()
                if child == 0:
                    self._close()
                    return connection
                handle = os.pidfd_open(child)
                self._running[handle] = child, connection
                self._events.register(handle, select.EPOLLIN)
                self._events.register(connection, 0)  # only that it was closed
                _tell(connection, child)
            elif descriptor in self._running:
                self._ended(descriptor)
            else:  # the command was killed
                self._events.unregister(descriptor)
                self._kill(child for child, each in self._running.values() if each.fileno() == descriptor)

    def _ended(self, handle: int) -> None:
        child, connection = self._running.pop(handle)
        # Closing them is not enough: a child that was just forked may still hold them open.
        self._events.unregister(handle)
        with suppress(FileNotFoundError):  # the command was killed
            self._events.unregister(connection)
        os.close(handle)
        with connection:
            _tell(connection, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))

    def _kill(self, children: Iterable[int]) -> None:
        for child in children:
            os.kill(child, signal.SIGKILL)

    def _close(self) -> None:
        self._events.close()
        self._listener.close()
        for handle, (_, connection) in self._running.items():
            os.close(handle)
            connection.close()


def _tell(connection: socket.socket, number: int) -> None:
    with suppress(BrokenPipeError):  # the command was killed
        connection.send(number.to_bytes(4, "big", signed=True))


def _become(connection: socket.socket) -> None:
    """Take over streams, folder, arguments and environment of the command."""
    with connection:
        data, streams, _, _ = socket.recv_fds(connection, 1 << 16, 3)
        length = 8 + int.from_bytes(data[:8], "big")
        while len(data) < length:
            data += connection.recv(1 << 20)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    sys.stdin = os.fdopen(0, encoding="utf-8", errors="surrogateescape", closefd=False)
    sys.stdout = os.fdopen(1, "w", encoding="utf-8", errors="surrogateescape", closefd=False)
    sys.stderr = os.fdopen(2, "w", 1, encoding="utf-8", errors="backslashreplace", closefd=False)
    os.setsid()
    if os.isatty(0):
        import fcntl
        import termios

        fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    folder, count, *fields = data[8:].split(b"\0")
    os.environb.clear()
    os.environb.update((name, value) for name, _, value in (each.partition(b"=") for each in fields[int(count) :]))
    if "PYTHONFAULTHANDLER" in os.environ:
        faulthandler.enable()
    time.tzset()
    os.chdir(folder)
    sys.argv[:] = map(os.fsdecode, fields[: int(count)])


def _run() -> NoReturn:
    """Run the module and end as Python does, but without taking its modules apart, half of a short command's time."""
    code: object = 0
    try:
        runpy.run_module(sys.argv[0], run_name="__main__", alter_sys=True)
    except SystemExit as end:
        code = 0 if end.code is None else end.code
    assert isinstance(code, int)
    vars(threading)["_shutdown"]()
    vars(atexit)["_run_exitfuncs"]()
    sys.stdout.flush()
    os._exit(code)


if __name__ == "__main__":
    _load_program()
    if "--windows" in sys.argv:
        _load_windows()
    gc.freeze()  # what the children share is not written to
    _become(_Server(sys.argv[1]).serve())
    _run()
