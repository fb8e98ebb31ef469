"""Read-only questions to the D-Bus session bus, without Qt and within a time limit. Linux only.

Never starts a service: a name counts only while a running program owns it.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

_ANSWER = 0.5
"""Seconds for connecting and for the replies. A healthy bus takes one or two milliseconds."""


def owned_names(
    names: Collection[str], environ: Mapping[str, str] = os.environ, *, wait_for: str = "", seconds: float = 0.0
) -> frozenset[str] | None:
    """Those of ``names`` that a program on the session bus owns; None if there is no bus or it does not answer.

    If ``wait_for`` is given and not yet owned, waits for it up to ``seconds``.
    """
    address = session_address(environ)
    if not address:
        return None
    from jeepney import message_bus

    deadline = time.monotonic() + _ANSWER
    try:
        with _connected(address) as bus:
            bus.call(message_bus.Hello(), deadline)
            if wait_for:
                bus.follow(wait_for, deadline)
            owned = bus.owned(names, deadline)
            if wait_for and wait_for not in owned and bus.appears(wait_for, time.monotonic() + seconds):
                owned = bus.owned(names, time.monotonic() + _ANSWER)
            return owned
    except (OSError, ValueError, RuntimeError):  # refused, timed out, not a bus, or a transport other than unix
        return None


def session_address(environ: Mapping[str, str]) -> str:
    """The same search as libdbus, but for starting a bus through X11. "" if there is none."""
    if given := environ.get("DBUS_SESSION_BUS_ADDRESS"):
        return given
    folder = environ.get("XDG_RUNTIME_DIR")
    usual = Path(folder, "bus") if folder else None
    return f"unix:path={usual}" if usual is not None and usual.exists() else ""


@contextlib.contextmanager
def _connected(address: str) -> Iterator[_Bus]:
    from jeepney.bus import get_bus
    from jeepney.io.blocking import prep_socket

    with prep_socket(get_bus(address), timeout=_ANSWER) as socket:
        yield _Bus(socket)


class _Bus:
    """One connection. jeepney's own blocking connection has no time limit for its first call."""

    def __init__(self, socket: Any) -> None:
        from jeepney import Parser

        self._socket = socket
        self._parser: Any = Parser()
        self._serial = 0
        self._signals: list[Any] = []

    def call(self, message: Any, deadline: float) -> Any:
        """The body of the reply. Raises OSError, and ValueError for an error reply."""
        from jeepney import HeaderFields, MessageType

        self._serial += 1
        self._socket.settimeout(_left(deadline))
        self._socket.sendall(message.serialise(serial=self._serial))
        while True:
            reply = self._next(deadline)
            if reply.header.message_type is MessageType.signal:
                self._signals.append(reply)
            elif reply.header.fields.get(HeaderFields.reply_serial) == self._serial:
                if reply.header.message_type is MessageType.error:
                    raise ValueError("the bus answered with an error")
                return reply.body

    def owned(self, names: Collection[str], deadline: float) -> frozenset[str]:
        from jeepney import message_bus

        return frozenset(name for name in names if self.call(message_bus.NameHasOwner(name), deadline)[0])

    def follow(self, name: str, deadline: float) -> None:
        """Subscribes to the owners of this name."""
        from jeepney import MatchRule, message_bus

        rule = MatchRule(type="signal", sender="org.freedesktop.DBus", member="NameOwnerChanged")
        rule.add_arg_condition(0, name)
        self.call(message_bus.AddMatch(rule), deadline)

    def appears(self, name: str, deadline: float) -> bool:
        """Whether a program takes this name before the deadline; ``follow`` it first."""
        while True:
            while self._signals:
                body = self._signals.pop(0).body
                if len(body) == 3 and body[0] == name and body[2]:
                    return True
            try:
                self._signals.append(self._next(deadline))
            except TimeoutError:
                return False

    def _next(self, deadline: float) -> Any:
        while (message := self._parser.get_next_message()) is None:
            self._socket.settimeout(_left(deadline))
            if not (received := self._socket.recv(4096)):
                raise ConnectionResetError
            self._parser.add_data(received)
        return message


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
