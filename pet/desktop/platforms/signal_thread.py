"""Hear signals while a toolkit's loop that knows nothing of Python waits, without polling.

Python runs its handlers only when Python code runs on the main thread. The wake-up socket is written to at once, by
the C handler; a thread reads it.
"""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable, Iterable


def end_on_signals(numbers: Iterable[int], react: Callable[[], object]) -> None:
    """Call ``react`` on a thread for each of these signals. Call it on the main thread."""
    heard, told = socket.socketpair()
    told.setblocking(False)
    wanted = frozenset(numbers)
    for number in wanted:
        signal.signal(number, _noted)
    signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)

    def listen() -> None:
        with told:  # it stays open for as long as the program runs
            while came := heard.recv(64):
                if wanted.intersection(came):
                    react()

    threading.Thread(target=listen, name="signals", daemon=True).start()


def _noted(_number: int, _frame: object) -> None:
    """A signal needs a handler of Python's to reach the socket."""
