"""The end of other programs' processes, without polling: one thread that sleeps until the kernel wakes it.

Linux only (pidfd); elsewhere nothing is reported, and the agents' own events end their states.
"""

from __future__ import annotations

import os
import selectors
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from threading import Lock, Thread

_MOST = 100
"""Processes that are watched at once; more would be no agents."""


class ProcessWatch:
    """``ended``: called once with each watched process that ended, on the watch's thread, or at once on the caller's
    if there is no such process. Thread-safe."""

    def __init__(self, ended: Callable[[int], object]) -> None:
        self._ended = ended
        self._lock = Lock()
        self._open: dict[int, int] = {}  # descriptor by process
        self._wake: socket.socket | None = None
        self._thread: Thread | None = None
        self._selector: selectors.BaseSelector | None = None
        self._closed = False

    def watch(self, process: int) -> None:
        """Report the end of a process, once."""
        if sys.platform != "linux" or process <= 0:
            return
        with self._lock:
            if process in self._open or self._closed or len(self._open) >= _MOST:
                return
            try:
                descriptor = os.pidfd_open(process)
                self._open[process] = descriptor
                self._begin().register(descriptor, selectors.EVENT_READ, process)
                self._wake_up()
                return
            except ProcessLookupError:
                pass
            except OSError:  # too many, or an old kernel
                return
        self._ended(process)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            thread = self._thread
            self._wake_up()
        if thread is not None:
            thread.join()
        for descriptor in self._open.values():
            os.close(descriptor)
        self._open.clear()

    def _begin(self) -> selectors.BaseSelector:
        if self._selector is None:
            self._selector = selectors.DefaultSelector()
            self._wake, woken = socket.socketpair()
            self._selector.register(woken, selectors.EVENT_READ, None)
            self._thread = Thread(target=self._run, args=(self._selector, woken), name="process-watch", daemon=True)
            self._thread.start()
        return self._selector

    def _wake_up(self) -> None:
        if self._wake is not None:
            with suppress(OSError):
                self._wake.send(b"x")

    def _run(self, selector: selectors.BaseSelector, woken: socket.socket) -> None:
        while not self._closed:
            for key, _ in selector.select():
                process = key.data
                if process is None:
                    woken.recv(64)
                    continue
                with self._lock:
                    selector.unregister(key.fd)
                    os.close(self._open.pop(process))
                self._ended(process)
        selector.close()
        woken.close()
        if self._wake is not None:
            self._wake.close()
