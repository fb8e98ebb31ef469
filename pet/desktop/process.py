"""The process: re-exec, signals while a toolkit runs the main thread, memory after the start."""

from __future__ import annotations

import contextlib
import ctypes
import gc
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, MutableMapping, Sequence

from pet.desktop.environment import for_other_programs

_log = logging.getLogger(__name__)
_STREAMS = 2  # highest inherited descriptor: stdin, stdout, stderr
_WITH_CHAT = "SOULPET_WITH_CHAT"


def reexec(*, with_chat: bool) -> None:
    """Re-exec the process. Returns only on Windows, which has no exec: there it starts a second process."""
    environ = {**for_other_programs(), **({_WITH_CHAT: "1"} if with_chat else {})}
    if getattr(sys, "frozen", False):
        # otherwise PyInstaller's bootloader treats it as its own child process
        environ["PYINSTALLER_RESET_ENVIRONMENT"] = "1"
    command = [sys.executable, *without_pet(sys.orig_argv[1:])]
    logging.shutdown()
    if sys.platform == "win32":
        subprocess.Popen(command, env=environ)  # noqa: S603  our own command line
        return
    for descriptor in os.listdir("/dev/fd"):  # noqa: PTH208  names of numbers, not files
        with contextlib.suppress(OSError):  # the web view leaks some inheritable descriptors, including its sockets
            if int(descriptor) > _STREAMS:
                os.set_inheritable(int(descriptor), False)
    # The web view's helper processes exit when we are gone; nothing would reap them later.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    os.execve(sys.executable, command, environ)  # noqa: S606  the same


def was_reexeced(environ: MutableMapping[str, str]) -> bool:
    """Whether it was re-executed with the chat open. Consumes the marker; call before windows are created."""
    if sys.platform != "win32" and signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _log.info("re-executed")
    return environ.pop(_WITH_CHAT, "") == "1"


def without_pet(arguments: Sequence[str]) -> list[str]:
    """Return the arguments without ``--pet``, which names the previous pet."""
    kept: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        if argument == "--pet":
            next(rest, None)
        elif not argument.startswith("--pet="):
            kept.append(argument)
    return kept


def end_on_signals(numbers: Iterable[int], react: Callable[[], object]) -> None:
    """Call ``react`` on a separate thread for each of these signals. Main thread only."""
    receiver, sender = socket.socketpair()
    sender.setblocking(False)
    wanted = frozenset(numbers)
    for number in wanted:
        signal.signal(number, _ignore)
    signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)

    def listen() -> None:
        with sender:  # kept open for as long as the program runs
            while received := receiver.recv(64):
                if wanted.intersection(received):
                    react()

    threading.Thread(target=listen, name="signals", daemon=True).start()


def _ignore(_number: int, _frame: object) -> None:
    """Do nothing: only signals with a Python handler reach the socket."""


def settle_memory() -> None:
    """Freeze start-up objects and return freed memory to the system.

    Otherwise the garbage collector would scan a hundred thousand objects whenever many new ones are made (0.1 s while
    a long conversation opens), and the C library would keep several megabytes.
    """
    gc.freeze()
    with contextlib.suppress(AttributeError):  # glibc only
        ctypes.CDLL(None).malloc_trim(0)
