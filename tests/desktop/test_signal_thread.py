"""A signal is heard while the main thread waits in a toolkit's loop that never runs Python."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest

PROGRAM = """
import os, signal, threading
from pet.desktop.process import end_on_signals
end_on_signals([signal.SIGTERM, signal.SIGINT], lambda: (print("heard", flush=True), os._exit(3)))
lock = threading.Lock()
lock.acquire()
print("ready", flush=True)
lock.acquire()
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no signals between processes there")
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_is_heard_by_a_thread(number: signal.Signals) -> None:
    with subprocess.Popen([sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        assert program.stdout.readline() == "ready\n"
        program.send_signal(number)
        assert program.communicate(timeout=60)[0] == "heard\n"
    assert program.returncode == 3
