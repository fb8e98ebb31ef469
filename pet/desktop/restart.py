"""Beginning anew with another pet: the program takes its own place, with nothing of the first pet in its memory.

Owns how the program calls itself. Refuses to go on as if nothing were: what is called again is the whole program.
"""

from __future__ import annotations

import contextlib
import logging
import os
import signal
import subprocess
import sys
from collections.abc import MutableMapping, Sequence

_log = logging.getLogger(__name__)
_STREAMS = 2  # and what is below: input, output, errors
_WITH_CHAT = "SOULPET_WITH_CHAT"


def reexec(*, with_chat: bool) -> None:
    """Does not return, but on Windows, where a program can't take its own place: there it starts a second one."""
    environ = {**os.environ, **({_WITH_CHAT: "1"} if with_chat else {})}
    if getattr(sys, "frozen", False):
        environ["PYINSTALLER_RESET_ENVIRONMENT"] = "1"  # else the packaged program takes itself for its own helper
    command = [sys.executable, *without_pet(sys.orig_argv[1:])]
    logging.shutdown()
    if sys.platform == "win32":
        subprocess.Popen(command, env=environ)  # noqa: S603  our own command line
        return
    for descriptor in os.listdir("/dev/fd"):  # noqa: PTH208  names of numbers, not files
        with contextlib.suppress(OSError):  # the web view lets some through, its sockets among them
            if int(descriptor) > _STREAMS:
                os.set_inheritable(int(descriptor), False)
    # The web view's helpers end when they find us gone; nobody would wait for them any more.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    os.execve(sys.executable, command, environ)  # noqa: S606  the same


def was_reexeced(environ: MutableMapping[str, str]) -> bool:
    """Whether this program took its own place with the chat open. To be asked once, before windows are made."""
    if sys.platform != "win32" and signal.getsignal(signal.SIGCHLD) == signal.SIG_IGN:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        _log.info("begun anew")
    return environ.pop(_WITH_CHAT, "") == "1"


def without_pet(arguments: Sequence[str]) -> list[str]:
    """The arguments without ``--pet``, which names the pet of before."""
    kept: list[str] = []
    rest = iter(arguments)
    for argument in rest:
        if argument == "--pet":
            next(rest, None)
        elif not argument.startswith("--pet="):
            kept.append(argument)
    return kept
