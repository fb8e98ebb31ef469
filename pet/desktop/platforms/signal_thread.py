"""Receive signals on a thread while a toolkit's native loop blocks the main one, without polling.

Python runs its handlers only while Python code runs on the main thread; the C handler writes to a wake-up socket.
"""

from __future__ import annotations

import signal
import socket
import threading
from collections.abc import Callable, Iterable


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
