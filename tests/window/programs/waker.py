"""Plays the system's login service: ``python -m tests.window.programs.waker ADDRESS`` tells that a machine woke.

Sends what logind sends on the bus at that address: that it goes to sleep, and that it is back.
"""

from __future__ import annotations

import sys

from PySide6.QtCore import QCoreApplication
from PySide6.QtDBus import QDBusConnection, QDBusMessage


def main() -> int:
    app = QCoreApplication(sys.argv)
    bus = QDBusConnection.connectToBus(sys.argv[1], "waker")
    if not bus.registerService("org.freedesktop.login1"):
        return 1
    for begins in (True, False):
        told = QDBusMessage.createSignal(
            "/org/freedesktop/login1", "org.freedesktop.login1.Manager", "PrepareForSleep"
        )
        told.setArguments([begins])
        bus.send(told)
    app.processEvents()
    # An answered question: whatever was sent before it has arrived by then.
    bus.interface().isServiceRegistered("org.freedesktop.login1")
    return 0


if __name__ == "__main__":
    sys.exit(main())
