"""A private session bus, and a fake of the desktop's portals on it."""

from __future__ import annotations

import contextlib
import subprocess
import threading
from collections import deque
from collections.abc import Iterator, Sequence
from typing import Any

from jeepney import DBusAddress, HeaderFields, MessageType, message_bus, new_error, new_method_return, new_signal
from jeepney.io.blocking import open_dbus_connection

from pet.desktop.linux.portal import PORTAL


@contextlib.contextmanager
def session_bus() -> Iterator[dict[str, str]]:
    """Start a bus and return its environment variables."""
    command = ["dbus-daemon", "--session", "--nofork", "--print-address"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as daemon:
        assert daemon.stdout is not None
        try:
            yield {"DBUS_SESSION_BUS_ADDRESS": daemon.stdout.readline().strip()}
        finally:
            daemon.terminate()


class FakePortal:
    """Has the interfaces of ``has`` and answers at once. ``answers``: code and results of the next requests that the
    owner decides, None for no answer; hotkeys are granted without one. ``calls``: method and body of each.
    """

    def __init__(self, bus: dict[str, str], has: Sequence[str] = ("GlobalShortcuts", "Screenshot")) -> None:
        self.has = has
        self.answers: deque[tuple[int, dict[str, Any]] | None] = deque()
        self.calls: list[tuple[str, tuple[Any, ...]]] = []
        self._connection = open_dbus_connection(bus["DBUS_SESSION_BUS_ADDRESS"])
        self._connection.send_and_get_reply(message_bus.RequestName(PORTAL))
        self.client = self._session = ""  # the last client that requested hotkeys or a picture; its session
        self._ended = False
        self._lock, self._sending = threading.Lock(), threading.Lock()
        self._thread = threading.Thread(target=self._serve, daemon=True)
        self._thread.start()

    def named(self, method: str) -> list[tuple[Any, ...]]:
        with self._lock:
            return [body for name, body in self.calls if name == method]

    def press(self, name: str, *, session: str = "") -> None:
        self._signal("GlobalShortcuts", "Activated", "osta{sv}", (session or self._session, name, 0, {}))

    def press_nothing(self) -> None:
        """Send a press without the hotkey's name."""
        self._signal("GlobalShortcuts", "Activated", "o", (self._session,))

    def end(self) -> None:
        """Leave the bus, like a crashed portal."""
        self._ended = True
        self._thread.join()
        self._connection.close()

    def _serve(self) -> None:
        while not self._ended:
            with contextlib.suppress(TimeoutError):
                try:
                    message = self._connection.receive(timeout=0.02)
                except ConnectionError:  # the bus ended first
                    return
                if message.header.message_type is MessageType.method_call:
                    self._answer(message)

    def _answer(self, message: Any) -> None:
        fields = message.header.fields
        method, body = fields[HeaderFields.member], message.body
        caller = fields[HeaderFields.sender]
        with self._lock:  # before the answer: its receiver reads ``calls``
            self.calls.append((method, body))
        if method == "Get":
            there = body[0].rpartition(".")[2] in self.has
            reply = new_method_return(message, "v", (("u", 1),)) if there else new_error(message, "x.No")
            self._send(reply)
        elif method in ("Register", "Close"):
            self._send(new_method_return(message))
        else:
            self.client = caller  # Qt registers us as well, on another connection
            sender = caller.removeprefix(":").replace(".", "_")
            path = f"/org/freedesktop/portal/desktop/request/{sender}/{body[-1]['handle_token'][1]}"
            self._send(new_method_return(message, "o", (path,)))
            if (results := self._results(method, body, sender)) is not None:
                self._signal("Request", "Response", "ua{sv}", results, path)

    def _results(self, method: str, body: Any, sender: str) -> tuple[int, dict[str, Any]] | None:
        if method == "CreateSession":
            token = body[0]["session_handle_token"][1]
            self._session = f"/org/freedesktop/portal/desktop/session/{sender}/{token}"
            return 0, {"session_handle": ("s", self._session)}
        if self.answers:
            return self.answers.popleft()
        return 0, {"shortcuts": ("a(sa{sv})", body[1])} if method == "BindShortcuts" else {}

    def _signal(self, interface: str, name: str, signature: str, body: tuple[Any, ...], path: str = "") -> None:
        emitter = DBusAddress(
            path or "/org/freedesktop/portal/desktop", PORTAL, interface=f"org.freedesktop.portal.{interface}"
        )
        signal = new_signal(emitter, name, signature, body)
        signal.header.fields[HeaderFields.destination] = self.client
        self._send(signal)

    def _send(self, message: Any) -> None:
        with self._sending:  # signals come from the test's thread
            self._connection.send(message)
