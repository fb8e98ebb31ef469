"""Desktop portals for global hotkeys and screenshots on Wayland, over the session bus.

One connection and a thread that blocks in the kernel; no polling. All messages are sent on that thread. Abilities are
known once the portal has answered, and again whenever one appears on the bus. Only messages of the portal's own
connection count. See https://flatpak.github.io/xdg-desktop-portal/docs/.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import os
import select
import threading
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from pet.desktop.environment import session_address
from pet.desktop.platform import Hotkey

PORTAL = "org.freedesktop.portal.Desktop"
_PATH = "/org/freedesktop/portal/desktop"
_INTERFACES = {
    "shortcuts": "org.freedesktop.portal.GlobalShortcuts",
    "screenshot": "org.freedesktop.portal.Screenshot",
}
_MODIFIERS = {"Ctrl": "CTRL", "Alt": "ALT", "Shift": "SHIFT", "Meta": "LOGO", "Cmd": "LOGO"}
_APP_ID = "soulpet"  # the name of our .desktop file
_LARGEST = 256 * 2**20
"""Bytes of a screenshot's file."""

Refused = Callable[[frozenset[str]], None]
Answer = Callable[[Any], None]
"""Callback with a reply's body or a request's results; None if it failed or the owner declined."""

_MALFORMED = (LookupError, TypeError, ValueError, AttributeError)  # raised by malformed messages

_log = logging.getLogger(__name__)


class Portal:
    """Public methods from any thread; callbacks run on the portal's thread.

    ``changed``: called when ``abilities`` has changed. Without a session bus none ever appears.
    """

    def __init__(self, changed: Callable[[], None], environ: Mapping[str, str] = os.environ) -> None:
        self.abilities: frozenset[str] = frozenset()  # of "shortcuts" and "screenshot"
        self.examined = threading.Event()  # the portal has answered, or is missing
        self._changed = changed
        self._address = session_address(environ)
        self._tasks: deque[Callable[[], None]] = deque()
        self._awake, self._wake = os.pipe()
        self._tokens = itertools.count(1)
        self._replies: dict[int, Answer] = {}  # by the serial of our call
        self._requests: dict[str, Answer] = {}  # by the path of the request
        self._bus: Any = None
        self._owner = ""  # the portal's unique name
        self._examining = False
        self._hotkeys: Sequence[Hotkey] = ()
        self._refused: Refused = lambda _keys: None
        self._session = ""
        self._attempt = 0
        threading.Thread(target=self._run, name="portal", daemon=True).start()

    def bind(self, hotkeys: Sequence[Hotkey], refused: Refused) -> None:
        """Request exactly these hotkeys, now and whenever the portal comes back. The desktop may ask the owner."""
        self._do(lambda: self._bind(hotkeys, refused))

    def screenshot(self, *, choose: bool, taken: Callable[[bytes | None], None]) -> None:
        """Capture the whole screen, or an area the owner chooses in the desktop's own dialog.

        ``taken`` is called once, with the image file's bytes or None if declined. The portal's file is removed.
        """
        self._do(lambda: self._screenshot(choose, taken))

    # --- the thread -----------------------------------------------------------------------------

    def _do(self, task: Callable[[], None]) -> None:
        self._tasks.append(task)
        os.write(self._wake, b"x")

    def _run(self) -> None:
        try:
            self._connect()
            if self._bus is not None:
                self._examine()
        except (OSError, ValueError, RuntimeError):  # no bus, not a bus, or a transport other than unix
            _log.info("no session bus for portals")
            self._bus = None
        if self._bus is None:
            self.examined.set()
        while True:
            try:
                self._turn()
            except (OSError, ValueError):
                _log.info("the session bus is gone")
                self._bus = None
                self._reset()

    def _turn(self) -> None:
        sources = [self._awake] if self._bus is None else [self._awake, self._bus.sock]
        ready, _, _ = select.select(sources, [], [])
        if self._awake in ready:
            os.read(self._awake, 64)
            while self._tasks:
                self._tasks.popleft()()
        with contextlib.suppress(TimeoutError):
            while self._bus is not None:
                message = self._bus.receive(timeout=0)
                try:
                    self._on_message(message)
                except _MALFORMED:
                    _log.warning("a portal sent a malformed message")

    def _connect(self) -> None:
        from jeepney import MatchRule, message_bus
        from jeepney.io.blocking import open_dbus_connection

        if not self._address:
            return
        self._bus = open_dbus_connection(self._address)
        owners = MatchRule(type="signal", sender="org.freedesktop.DBus", member="NameOwnerChanged")
        owners.add_arg_condition(0, PORTAL)
        for rule in (owners, MatchRule(type="signal", sender=PORTAL)):
            self._send(message_bus.AddMatch(rule), _ignore)

    def _on_message(self, message: Any) -> None:
        from jeepney import HeaderFields, MessageType

        fields = message.header.fields
        sender = fields.get(HeaderFields.sender, "")
        if (serial := fields.get(HeaderFields.reply_serial)) is not None:
            failed = message.header.message_type is MessageType.error
            answer = self._replies.pop(serial, None)
            if answer is not None:
                _deliver(answer, None if failed else message.body)
            return
        name = fields.get(HeaderFields.member)
        if name == "NameOwnerChanged" and sender == "org.freedesktop.DBus" and message.body[0] == PORTAL:
            if message.body[1]:
                self._reset()
            if message.body[2] and not self._examining:  # our own calls may have started it
                self._examine()
        elif sender != self._owner:
            return
        elif name == "Response":
            code, results = (*message.body, None, None)[:2]
            answer = self._requests.pop(fields.get(HeaderFields.path, ""), None)
            if answer is not None:
                _deliver(answer, results if code == 0 else None)
        elif name == "Activated" and message.body[0] == self._session:
            for hotkey in self._hotkeys:
                if hotkey.name == message.body[1]:
                    hotkey.act()

    # --- calls ----------------------------------------------------------------------------------

    def _send(self, message: Any, answer: Answer) -> None:
        serial = next(self._bus.outgoing_serial)
        self._replies[serial] = answer
        self._bus.send(message, serial=serial)

    def _call(
        self, interface: str, method: str, signature: str, body: tuple[Any, ...], answer: Answer, path: str = _PATH
    ) -> None:
        from jeepney import DBusAddress, new_method_call

        address = DBusAddress(path, bus_name=PORTAL, interface=interface)
        self._send(new_method_call(address, method, signature or None, body), answer)

    def _request(
        self,
        ability: str,
        method: str,
        signature: str,
        body: tuple[Any, ...],
        options: dict[str, Any],
        answer: Answer,
    ) -> None:
        """Call a method whose answer comes later by a signal, when the owner has decided."""
        token = self._token()
        sender = self._bus.unique_name.removeprefix(":").replace(".", "_")
        path = f"{_PATH}/request/{sender}/{token}"
        self._requests[path] = answer

        def called(reply: Any) -> None:
            if reply is None and (waiting := self._requests.pop(path, None)) is not None:
                waiting(None)

        options = {**options, "handle_token": ("s", token)}
        self._call(_INTERFACES[ability], method, signature + "a{sv}", (*body, options), called)

    def _token(self) -> str:
        return f"soulpet{next(self._tokens)}"

    # --- what is there --------------------------------------------------------------------------

    def _examine(self) -> None:
        self._examining = True
        abilities: set[str] = set()
        left = set(_INTERFACES)
        # A program without a sandbox registers its own id; older portals lack this method.
        self._call("org.freedesktop.host.portal.Registry", "Register", "sa{sv}", (_APP_ID, {}), _ignore)
        for ability, interface in _INTERFACES.items():

            def on_version(body: Any, ability: str = ability) -> None:
                if body is not None:
                    abilities.add(ability)
                left.discard(ability)
                if not left:
                    self._query_owner(frozenset(abilities))

            self._call("org.freedesktop.DBus.Properties", "Get", "ss", (interface, "version"), on_version)

    def _query_owner(self, abilities: frozenset[str]) -> None:
        from jeepney import message_bus

        def on_owner(body: Any) -> None:
            self._examining = False
            self._owner = body[0] if body is not None else ""
            self._set_abilities(abilities if self._owner else frozenset())
            self.examined.set()
            self._bind(self._hotkeys, self._refused)

        self._send(message_bus.GetNameOwner(PORTAL), on_owner)

    def _set_abilities(self, abilities: frozenset[str]) -> None:
        if abilities != self.abilities:
            self.abilities = abilities
            self._changed()

    def _reset(self) -> None:
        self._owner = self._session = ""
        self._examining = False
        self._attempt += 1
        waiting = list(self._requests.values())
        self._requests.clear()
        self._replies.clear()
        self._set_abilities(frozenset())
        self.examined.set()
        for answer in waiting:
            answer(None)

    # --- hotkeys --------------------------------------------------------------------------------

    def _bind(self, hotkeys: Sequence[Hotkey], refused: Refused) -> None:
        self._hotkeys, self._refused = hotkeys, refused
        self._attempt += 1
        attempt = self._attempt
        self._close(self._session)  # a session takes its hotkeys once
        self._session = ""
        if not hotkeys or "shortcuts" not in self.abilities:
            refused(frozenset())
            return

        def created(results: Any) -> None:
            session = _text(results, "session_handle")
            if attempt != self._attempt:
                self._close(session)
                return
            if not session:  # some desktops refuse programs that are not installed
                self._set_abilities(self.abilities - {"shortcuts"})
                return
            self._session = session
            wanted = [(each.name, _described(each)) for each in hotkeys]
            self._request("shortcuts", "BindShortcuts", "oa(sa{sv})s", (self._session, wanted, ""), {}, bound)

        def bound(results: Any) -> None:
            if attempt == self._attempt:
                granted = results["shortcuts"][1] if results is not None else ()
                # KDE grants one whose keys another program has without any keys
                names = {name for name, about in granted if about.get("trigger_description") != ("s", "")}
                refused(frozenset(each.keys for each in hotkeys if each.name not in names))

        self._request("shortcuts", "CreateSession", "", (), {"session_handle_token": ("s", self._token())}, created)

    def _close(self, session: str) -> None:
        if session and self._bus is not None:
            self._call("org.freedesktop.portal.Session", "Close", "", (), _ignore, path=session)

    # --- screenshots ----------------------------------------------------------------------------

    def _screenshot(self, choose: bool, taken: Callable[[bytes | None], None]) -> None:
        def answered(results: Any) -> None:
            taken(_read_and_remove(_text(results, "uri")))

        if "screenshot" not in self.abilities:
            taken(None)
            return
        self._request("screenshot", "Screenshot", "s", ("",), {"interactive": ("b", choose)}, answered)


def _ignore(_body: Any) -> None:
    return


def _deliver(answer: Answer, results: Any) -> None:
    """Call ``answer`` with the results, or with None if they are malformed: the caller waits for it."""
    try:
        answer(results)
    except _MALFORMED:
        if results is None:
            raise
        answer(None)


def _text(results: Any, key: str) -> str:
    """Return a result's text; "" if it is missing."""
    text = results[key][1] if results is not None and key in results else ""
    return text if isinstance(text, str) else ""


def _described(hotkey: Hotkey) -> dict[str, Any]:
    """Return the keys in XDG shortcuts notation; the owner may choose others in the desktop."""
    *held, key = hotkey.keys.split("+")
    trigger = "+".join([*(_MODIFIERS[each] for each in held), key.lower() if len(key) == 1 else key])
    return {"description": ("s", hotkey.label), "preferred_trigger": ("s", trigger)}


def _read_and_remove(uri: str) -> bytes | None:
    """Read a local file and remove it."""
    parts = urlsplit(uri)
    path = Path(unquote(parts.path))
    if parts.scheme != "file" or parts.netloc not in ("", "localhost"):
        return None
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST:
            return None
        picture = path.read_bytes()
        path.unlink()
    except OSError as problem:
        _log.warning("the portal's screenshot: %s", type(problem).__name__)
        return None
    return picture
