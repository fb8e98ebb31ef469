"""The process: log file, re-exec, signals while a toolkit runs the main thread, memory after the start.

The log is small, rotated, for the owner to read and to send. Log records never contain texts of the owner, the pet or
the model: callers log codes, ids and counts, and exceptions are reduced to type and location. Secrets are redacted in
all of it.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import logging
import logging.handlers
import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, MutableMapping, Sequence
from contextlib import suppress
from types import TracebackType

from pet.desktop.environment import for_other_programs
from pet.errors import places_of
from pet.paths import Home
from pet.untrusted.regular_files import require_regular

ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]

_MAX_BYTES = 512 * 1024
_KEPT = 3
_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
# These libraries log URLs with queries, headers and bodies at INFO or DEBUG.
_TALKATIVE = ("anthropic", "httpx2", "httpcore2", "httpx", "httpcore", "asyncio", "watchdog")


def start_log(home: Home) -> None:
    """Log warnings and our own milestones to the file from now on, and nothing to the terminal."""
    root = logging.getLogger()
    root.handlers.clear()
    try:
        home.log.mkdir(parents=True, exist_ok=True)
        require_regular(home.log_file)
        file = _LogFile(home.log_file, maxBytes=_MAX_BYTES, backupCount=_KEPT, encoding="utf-8", delay=False)
    except OSError:
        root.addHandler(logging.NullHandler())  # a full or read-only disk must not prevent the start
        return
    file.setFormatter(_Masking(_FORMAT))
    root.addHandler(file)
    root.setLevel(logging.WARNING)
    logging.getLogger("pet").setLevel(logging.INFO)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)


class _LogFile(logging.handlers.RotatingFileHandler):
    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
        """Drop records a full disk does not take; the default prints a traceback to the owner's terminal."""

    def close(self) -> None:
        with suppress(OSError):  # unwritten records are lost
            super().close()


class _Masking(logging.Formatter):
    """Formatter that redacts the whole record: message, exception and stack."""

    def format(self, record: logging.LogRecord) -> str:
        from pet.text.redaction import redact  # lazy: rarely needed at start

        return redact(super().format(record)).text

    def formatException(self, ei: ExcInfo) -> str:  # noqa: N802 - logging's name
        return f"Traceback (most recent call last):\n{places_of(ei[1])}" if ei[1] is not None else ""


def quiet_webview() -> None:
    """Send pywebview's messages from WARNING on to our file instead of stderr."""
    logger = logging.getLogger("pywebview")
    logger.handlers.clear()
    logger.setLevel(logging.WARNING)


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


_M_ARENA_MAX = -8
_ARENAS = 2


def bound_arenas() -> None:
    """Let glibc keep at most two heaps. Call it before any other thread exists.

    Each call of a page runs on a separate thread; with a heap for each of sixteen such threads, the freed memory of
    many turns stays spread over all of them.
    """
    with contextlib.suppress(AttributeError, OSError, TypeError):  # glibc only
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, _ARENAS)


def settle_memory() -> None:
    """Freeze start-up objects and return freed memory to the system.

    Otherwise the garbage collector would scan a hundred thousand objects whenever many new ones are made (0.1 s while
    a long conversation opens), and the C library would keep several megabytes.
    """
    gc.freeze()
    return_freed_memory()


def return_freed_memory() -> None:
    """Return freed memory to the system, also from between blocks that stay: a millisecond after a turn.

    The C library alone returns only what is free at the end of a heap, and a turn frees megabytes in the middle.
    """
    with contextlib.suppress(AttributeError, OSError, TypeError):  # glibc only
        ctypes.CDLL(None).malloc_trim(0)
