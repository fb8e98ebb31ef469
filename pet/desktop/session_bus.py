"""Read-only queries of the D-Bus session bus, without Qt and within a time limit. Linux only.

Never starts a service: a name counts only while a running program owns it.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections import deque
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

_ANSWER = 0.5
"""Seconds for connecting and for the replies. A healthy bus takes one or two milliseconds."""


def owned_names(
    names: Collection[str], environ: Mapping[str, str] = os.environ, *, wait_for: str = "", seconds: float = 0.0
) -> frozenset[str] | None:
    """Return those of ``names`` that a program on the session bus owns; None if no bus answers.

    If ``wait_for`` is given and not yet owned, wait for it up to ``seconds``.
    """
    address = session_address(environ)
    if not address:
        return None
    from jeepney import DBusErrorResponse

    try:
        with _connected(address) as bus:
            return _owned(bus, names) if not wait_for else _owned_soon(bus, names, wait_for, seconds)
    except (OSError, ValueError, RuntimeError, DBusErrorResponse):
        return None  # refused, timed out, not a bus, or a transport other than unix


def session_address(environ: Mapping[str, str]) -> str:
    """Return the bus address as libdbus finds it, without starting a bus through X11; "" if not found."""
    if given := environ.get("DBUS_SESSION_BUS_ADDRESS"):
        return given
    folder = environ.get("XDG_RUNTIME_DIR")
    usual = Path(folder, "bus") if folder else None
    return f"unix:path={usual}" if usual is not None and usual.exists() else ""


@contextlib.contextmanager
def _connected(address: str) -> Iterator[Any]:
    from jeepney.bus import get_bus
    from jeepney.io.blocking import DBusConnection, prep_socket

    class Bus(DBusConnection):  # type: ignore[misc]
        """Connection with one time limit for all calls; jeepney's own has none for the first."""

        def __init__(self, socket: Any) -> None:
            self.deadline = time.monotonic() + _ANSWER
            super().__init__(socket)

        def send_and_get_reply(self, message: Any, *, timeout: float | None = None) -> Any:
            del timeout
            return super().send_and_get_reply(message, timeout=max(0.0, self.deadline - time.monotonic()))

    with prep_socket(get_bus(address), timeout=_ANSWER) as socket, Bus(socket) as bus:
        yield bus


def _owned(bus: Any, names: Collection[str]) -> frozenset[str]:
    return frozenset(name for name in names if bus.bus_proxy.NameHasOwner(name)[0])


def _owned_soon(bus: Any, names: Collection[str], wait_for: str, seconds: float) -> frozenset[str]:
    from jeepney import MatchRule

    rule = MatchRule(type="signal", sender="org.freedesktop.DBus", member="NameOwnerChanged")
    rule.add_arg_condition(0, wait_for)
    with bus.filter(rule, queue=deque()) as changes:
        bus.bus_proxy.AddMatch(rule)
        owned = _owned(bus, names)
        until = time.monotonic() + seconds
        while wait_for not in owned:
            try:
                change = bus.recv_until_filtered(changes, timeout=until - time.monotonic())
            except TimeoutError:
                break
            if change.body[2]:  # its new owner
                bus.deadline = time.monotonic() + _ANSWER
                owned = _owned(bus, names)
    return owned
