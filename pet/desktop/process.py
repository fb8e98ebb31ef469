"""The process: log file, other pets' programs, signals while a toolkit runs the main thread, memory after the start.

The log is small, rotated, for the owner to read and to send. Log records never contain texts of the owner, the pet or
the model: callers log codes, ids and counts, and exceptions are reduced to type and location. Secrets are redacted in
all of it.
"""

from __future__ import annotations

import contextlib
import ctypes
import gc
import logging
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterable, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING

from pet.desktop.environment import for_other_programs
from pet.errors import places_of
from pet.paths import Home, make_private
from pet.untrusted.regular_files import require_regular

if TYPE_CHECKING:
    import subprocess

ExcInfo = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]

_MAX_BYTES = 512 * 1024
_KEPT = 3
_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"
# These libraries log URLs with queries, headers and bodies at INFO or DEBUG.
_TALKATIVE = ("anthropic", "httpx2", "httpcore2", "httpx", "httpcore", "asyncio", "watchdog")


def start_log(home: Home, pet: str = "") -> None:
    """Log warnings and our own milestones to the file from now on, and nothing to the terminal.

    ``pet``: of a program that was started beside another's: it logs to a separate file.
    """
    place = home.log_file.with_stem(f"{home.log_file.stem}-{pet}") if pet else home.log_file
    root = logging.getLogger()
    root.handlers.clear()
    try:
        make_private(home.log)
        require_regular(place)
        file = _LogFile(place, encoding="utf-8")
    except OSError:
        root.addHandler(logging.NullHandler())  # a full or read-only disk must not prevent the start
        return
    file.setFormatter(_Masking(_FORMAT))
    root.addHandler(file)
    root.setLevel(logging.WARNING)
    logging.getLogger("pet").setLevel(logging.INFO)
    for name in _TALKATIVE:
        logging.getLogger(name).setLevel(logging.WARNING)


class _LogFile(logging.FileHandler):
    """Rotates its file. ``logging.handlers`` would import pickle and queue before the pet is shown."""

    def emit(self, record: logging.LogRecord) -> None:
        super().emit(record)
        with suppress(OSError, ValueError):  # ValueError: closed
            if self.stream is not None and self.stream.tell() >= _MAX_BYTES:
                self._rotate(self.stream)

    def _rotate(self, before: IO[str]) -> None:
        self.stream = None  # opened again with the next record
        before.close()
        names = [self.baseFilename, *(f"{self.baseFilename}.{number + 1}" for number in range(_KEPT))]
        for older, newer in pairwise(reversed(names)):
            with suppress(FileNotFoundError):
                Path(newer).replace(older)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
        """Drop records a full disk does not take; the default prints a traceback to the owner's terminal."""

    def close(self) -> None:
        with suppress(OSError):  # unwritten records are lost
            super().close()


class _Masking(logging.Formatter):
    """Formatter that redacts the whole record: message, exception and stack."""

    def format(self, record: logging.LogRecord) -> str:
        from pet.language.redaction import redact  # lazy: rarely needed at start

        return redact(super().format(record)).text

    def formatException(self, ei: ExcInfo) -> str:  # noqa: N802 - logging's name
        return f"Traceback (most recent call last):\n{places_of(ei[1])}" if ei[1] is not None else ""


def quiet_webview() -> None:
    """Send pywebview's messages from WARNING on to our file instead of stderr."""
    logger = logging.getLogger("pywebview")
    logger.handlers.clear()
    logger.setLevel(logging.WARNING)


_log = logging.getLogger(__name__)
_COMES = "SOULPET_COMES"


@dataclass(frozen=True, slots=True)
class Arrival:
    """Start of a pet by another pet's program. ``instead_of``: the pet that it replaces, "" for none."""

    instead_of: str = ""
    with_chat: bool = False


def start_pet(pet: str, arrival: Arrival) -> subprocess.Popen[bytes]:
    """Start this program once more for another pet. Raises OSError."""
    import subprocess

    comes = " ".join((arrival.instead_of or "-", *(["chat"] if arrival.with_chat else ())))
    environ = {**for_other_programs(), _COMES: comes}
    if getattr(sys, "frozen", False):
        # otherwise PyInstaller's bootloader treats it as its own child process
        environ["PYINSTALLER_RESET_ENVIRONMENT"] = "1"
    command = [sys.executable, *without_pet(sys.orig_argv[1:]), "--pet", pet]
    return subprocess.Popen(command, env=environ)  # noqa: S603  our own command line


def take_arrival(environ: MutableMapping[str, str]) -> Arrival | None:
    """Return how this program was started; None: by the owner. Consumes the variable."""
    instead_of, _, chat = environ.pop(_COMES, "").partition(" ")
    return Arrival("" if instead_of == "-" else instead_of, chat == "chat") if instead_of else None


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


_M_ARENA_MAX, _M_MMAP_THRESHOLD = -8, -3
_ARENAS = 2
_MAPPED_FROM = 128 * 1024
"""Size in bytes from which a block is mapped separately; its memory is returned as soon as it is freed."""


def bound_heaps() -> None:
    """Let glibc keep at most two heaps. Call it before any other thread exists.

    Each call of a page runs on a separate thread; with a heap for each of sixteen such threads, the freed memory of
    many turns stays spread over all of them. Without a fixed threshold the first large block that is freed raises it,
    up to 32 MB, and what is read and freed each turn leaves holes in the heap.
    """
    with contextlib.suppress(AttributeError, OSError, TypeError):  # glibc only
        library = ctypes.CDLL(None)
        library.mallopt(_M_ARENA_MAX, _ARENAS)
        library.mallopt(_M_MMAP_THRESHOLD, _MAPPED_FROM)


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
