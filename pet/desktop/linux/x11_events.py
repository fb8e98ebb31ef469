"""X server events outside our windows: full-screen programs, global shortcuts, and selection owners.

One connection and a thread that blocks in the kernel; no polling. All requests are sent on that thread. A shortcut
grabbed by another program is reported and left to it.
"""

from __future__ import annotations

import logging
import os
import select
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from Xlib import XK, X, Xatom, error
from Xlib.ext import xfixes

from pet.desktop.geometry import Around, Rect, Strut, covers
from pet.desktop.linux.x11_server import XConnection

_ROOT = (
    "_NET_CLIENT_LIST",
    "_NET_CLIENT_LIST_STACKING",
    "_NET_ACTIVE_WINDOW",
    "_NET_CURRENT_DESKTOP",
    "_NET_DESKTOP_GEOMETRY",
)
_CLIENT = ("_NET_WM_STATE", "_NET_WM_STRUT", "_NET_WM_STRUT_PARTIAL", "_NET_WM_DESKTOP")
_EVERYWHERE = 0xFFFFFFFF
_BESIDE = ("_NET_WM_WINDOW_TYPE_DESKTOP", "_NET_WM_WINDOW_TYPE_DOCK", "_NET_WM_WINDOW_TYPE_NOTIFICATION")
"""Window types below or beside everything, which never cover a full-screen window."""
_HALF = 0.5
_WHOLE_EDGE = 65_535  # end of a strut along the whole edge


@dataclass(frozen=True, slots=True, kw_only=True)
class _Client:
    full: bool
    hidden: bool
    above: bool
    ours: bool  # the pet or a thing of it, of which Qt writes a property with each step
    desktop: int
    strut: Strut | None


class OtherWindows:
    """Calls ``report`` with the new state on each change."""

    def __init__(self, display: Any, report: Callable[[Around], None]) -> None:
        self._display = display
        self._report = report
        self._root = display.screen().root
        self._known: dict[int, _Client] = {}
        self._reported = Around()
        self._root_atoms = {self._atom(name) for name in _ROOT}
        self._client_atoms = {self._atom(name) for name in _CLIENT}

    def begin(self) -> None:
        """Subscribe, and report the present state."""
        self._root.change_attributes(event_mask=X.PropertyChangeMask)
        self._refresh()

    def end(self) -> None:
        """Unsubscribe and report an empty state."""
        self._root.change_attributes(event_mask=X.NoEventMask)
        for handle in self._known:
            self._listen(handle, X.NoEventMask)
        self._known = {}
        self._report_change(Around())

    def on_event(self, event: Any) -> None:
        if event.type == X.PropertyNotify and event.window.id == self._root.id:
            if event.atom in self._root_atoms:
                self._refresh()
        elif event.type == X.PropertyNotify and event.window.id in self._known:
            if event.atom in self._client_atoms:
                del self._known[event.window.id]  # query again
                self._refresh()
        elif event.type == X.ConfigureNotify and event.window.id in self._known:
            self._refresh()  # a full-screen window moved to another monitor

    # --- inside ---------------------------------------------------------------------------------

    def _refresh(self) -> None:
        stacked = self._cardinals(self._root, "_NET_CLIENT_LIST_STACKING")
        clients = stacked or self._cardinals(self._root, "_NET_CLIENT_LIST")
        for handle in [known for known in self._known if known not in clients]:
            del self._known[handle]
        for handle in clients:
            if handle not in self._known:
                self._add(handle)
        struts = (client.strut for client in self._known.values() if client.strut is not None)
        self._report_change(Around(filled=tuple(self._filled(clients)), struts=tuple(sorted(struts))))

    def _report_change(self, around: Around) -> None:
        if around != self._reported:
            self._reported = around
            self._report(around)

    def _add(self, handle: int) -> None:
        try:
            self._listen(handle, X.PropertyChangeMask)  # before the query, so that no change is missed
            client = self._query(handle)
            if client.full:
                self._listen(handle, X.PropertyChangeMask | X.StructureNotifyMask)
            elif client.ours:
                self._listen(handle, X.NoEventMask)
        except error.XError:  # closed meanwhile
            return
        self._known[handle] = client

    def _query(self, handle: int) -> _Client:
        window = self._window(handle)
        states = set(self._cardinals(window, "_NET_WM_STATE", Xatom.ATOM))
        desktop = self._cardinals(window, "_NET_WM_DESKTOP")
        partial = self._cardinals(window, "_NET_WM_STRUT_PARTIAL")
        plain = self._cardinals(window, "_NET_WM_STRUT")
        if len(partial) != 12 and len(plain) == 4:
            partial = [*plain, *(0, _WHOLE_EDGE) * 4]
        above = self._atom("_NET_WM_STATE_ABOVE") in states
        return _Client(
            full=self._atom("_NET_WM_STATE_FULLSCREEN") in states,
            hidden=self._atom("_NET_WM_STATE_HIDDEN") in states,
            above=above,
            ours=above and self._cardinals(window, "_NET_WM_PID") == [os.getpid()],
            desktop=desktop[0] if desktop else _EVERYWHERE,
            strut=tuple(partial) if len(partial) == 12 and any(partial[:4]) else None,
        )

    def _filled(self, stacked: list[int]) -> list[Rect]:
        """Return the visible full-screen windows: on this desktop and not covered by an active window."""
        if not any(client.full and not client.hidden for client in self._known.values()):
            return []
        here = self._cardinals(self._root, "_NET_CURRENT_DESKTOP")
        active = self._cardinals(self._root, "_NET_ACTIVE_WINDOW", Xatom.WINDOW)
        seen = [handle for handle in stacked if self._is_here(handle, here[0] if here else None)]
        filled = []
        for place, handle in enumerate(seen):
            area = self._rect(handle) if self._known[handle].full else None
            if area is None:
                continue
            over = (each for each in seen[place + 1 :] if self._may_cover(each, handle))
            if not any(self._covers(each, area, is_active=each in active) for each in over):
                filled.append(area)
        return sorted(filled, key=lambda rect: (rect.x, rect.y))

    def _is_here(self, handle: int, desktop: int | None) -> bool:
        """Whether it is visible on ``desktop``; None if the window manager does not report the current one, as mutter
        until the first switch.
        """
        client = self._known.get(handle)
        if client is None or client.hidden:
            return False
        return desktop is None or client.desktop in (desktop, _EVERYWHERE)

    def _may_cover(self, handle: int, film: int) -> bool:
        """Whether it counts as covering the full-screen window: no dialog of it, panel or always-on-top window."""
        client = self._known[handle]
        if client.full or client.above:
            return False
        try:
            window = self._window(handle)
            kinds = set(self._cardinals(window, "_NET_WM_WINDOW_TYPE", Xatom.ATOM))
            owner = self._cardinals(window, "WM_TRANSIENT_FOR", Xatom.WINDOW)
        except error.XError:
            return False
        return film not in owner and not kinds & {self._atom(name) for name in _BESIDE}

    def _covers(self, handle: int, film: Rect, *, is_active: bool) -> bool:
        rect = self._rect(handle)
        if rect is None:
            return False
        return covers(rect, film, _HALF) or (is_active and covers(film, rect, _HALF))

    def _rect(self, handle: int) -> Rect | None:
        try:
            window = self._window(handle)
            size, place = window.get_geometry(), self._root.translate_coords(window, 0, 0)
        except error.XError:
            return None
        return Rect(int(place.x), int(place.y), int(size.width), int(size.height))

    def _listen(self, handle: int, mask: int) -> None:
        self._window(handle).change_attributes(event_mask=mask)  # our event mask only; its owner has its own

    def _cardinals(self, window: Any, name: str, kind: int = X.AnyPropertyType) -> list[int]:
        field = window.get_full_property(self._atom(name), kind)
        return [int(value) for value in field.value] if field and field.format == 32 else []

    def _window(self, handle: int) -> Any:
        return self._display.create_resource_object("window", handle)

    def _atom(self, name: str) -> int:
        return int(self._display.intern_atom(name))


Shortcuts = Mapping[str, Callable[[], None]]
"""Keys, as in ``Ctrl+Alt+P``, and their actions."""
Refused = Callable[[frozenset[str]], None]
"""Callback after each attempt, with the shortcuts another program has grabbed."""

_MODIFIERS = {
    "Ctrl": X.ControlMask,
    "Alt": X.Mod1Mask,
    "Shift": X.ShiftMask,
    "Meta": X.Mod4Mask,
    "Cmd": X.Mod4Mask,
}
_ALL = X.ControlMask | X.Mod1Mask | X.ShiftMask | X.Mod4Mask
_LOCKS = (0, X.LockMask, X.Mod2Mask, X.LockMask | X.Mod2Mask)
"""Caps lock and num lock count as modifiers and must be ignored."""

_OWNER_CHANGES = 0b111
"""XFixes events: a new owner, the owner's window destroyed, its connection closed."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Chord:
    """A key symbol's name with its modifiers."""

    key: str
    modifiers: int


def chord_of(shortcut: str) -> Chord:
    """Parse a shortcut that the settings have validated."""
    *modifiers, key = shortcut.split("+")
    mask = 0
    for modifier in modifiers:
        mask |= _MODIFIERS[modifier]
    return Chord(key.lower() if len(key) == 1 else key, mask)


class XEvents:
    """``watch`` and ``grab`` from any thread; callbacks run on the event thread."""

    def __init__(self) -> None:
        self._tasks: deque[Callable[[], None]] = deque()
        self._awake, self._wake = os.pipe()
        self._display: Any = None
        self._others: OtherWindows | None = None
        self._selections: dict[int, Callable[[bool], None]] = {}
        self._acts: dict[tuple[int, int], Callable[[], None]] = {}
        self._wanted: Shortcuts = {}
        self._refused: Refused | None = None
        self._began = threading.Event()

    def watch(self, react: Callable[[Around], None] | None) -> None:
        """Report other programs' windows from now on; None stops, reporting an empty state first."""
        self._do(lambda: self._watch(react))

    def grab(self, shortcuts: Shortcuts, refused: Refused | None = None) -> None:
        """Grab exactly these shortcuts on the whole desktop."""
        self._do(lambda: self._grab(shortcuts, refused))

    def follow(self, selections: Mapping[str, Callable[[bool], None]]) -> None:
        """Report whether each of these selections has an owner (a compositor, a tray): now, and on each change."""
        self._do(lambda: self._follow(selections))

    # --- the thread -----------------------------------------------------------------------------

    def _do(self, task: Callable[[], None]) -> None:
        self._tasks.append(task)
        if not self._began.is_set():
            self._began.set()
            threading.Thread(target=self._run, name="x-events", daemon=True).start()
        os.write(self._wake, b"x")

    def _run(self) -> None:
        try:
            self._display = XConnection("XFIXES", keyboard=True)
            self._display.set_error_handler(_ignore_error)
            while True:
                self._turn()
        except (error.ConnectionClosedError, OSError) as lost:
            _log.warning("the connection to the X server was lost: %s", type(lost).__name__)

    def _turn(self) -> None:
        while self._display.pending_events():  # also flushes pending requests
            self._on_event(self._display.next_event())
        ready, _, _ = select.select([self._display.fileno(), self._awake], [], [])
        if self._awake in ready:
            os.read(self._awake, 64)
            while self._tasks:
                self._tasks.popleft()()

    def _on_event(self, event: Any) -> None:
        if event.type == X.KeyPress:
            act = self._acts.get((event.detail, event.state & _ALL))
            if act is not None:
                act()
        elif event.type in (X.PropertyNotify, X.ConfigureNotify) and self._others is not None:
            self._others.on_event(event)
        elif isinstance(event, xfixes.SelectionNotify):
            self._selections[event.selection](event.owner.id != X.NONE)
        elif event.type == X.MappingNotify and event.request != X.MappingPointer:
            self._display.refresh_keyboard_mapping(event)
            self._grab(self._wanted, self._refused)

    # --- the windows of others ------------------------------------------------------------------

    def _watch(self, react: Callable[[Around], None] | None) -> None:
        if self._others is not None:
            self._others.end()
        self._others = OtherWindows(self._display, react) if react else None
        if self._others is not None:
            self._others.begin()

    def _follow(self, selections: Mapping[str, Callable[[bool], None]]) -> None:
        if not self._display.has_extension("XFIXES"):
            return
        self._display.xfixes_query_version()  # requests before it are refused
        for name, react in selections.items():
            atom = self._display.intern_atom(name)
            self._selections[atom] = react
            self._display.xfixes_select_selection_input(self._root, atom, _OWNER_CHANGES)
            react(self._display.get_selection_owner(atom) != X.NONE)

    # --- shortcuts ------------------------------------------------------------------------------

    def _grab(self, shortcuts: Shortcuts, refused: Refused | None) -> None:
        for code, modifiers in self._acts:
            self._ungrab_key(code, modifiers)
        self._acts, self._wanted, self._refused = {}, shortcuts, refused
        taken: set[str] = set()
        for shortcut, act in shortcuts.items():
            chord = chord_of(shortcut)
            code = self._display.keysym_to_keycode(XK.string_to_keysym(chord.key))
            if not code or not self._grab_key(code, chord.modifiers):
                _log.warning("the shortcut %s is grabbed by another program", shortcut)
                taken.add(shortcut)
                continue
            self._acts[code, chord.modifiers] = act
        if refused is not None:
            refused(frozenset(taken))

    def _grab_key(self, code: int, modifiers: int) -> bool:
        refused = error.CatchError(error.BadAccess)
        for lock in _LOCKS:
            self._root.grab_key(code, modifiers | lock, True, X.GrabModeAsync, X.GrabModeAsync, onerror=refused)
        self._display.sync()
        if refused.get_error() is None:
            return True
        # ungrab combinations that succeeded: a shortcut that fails with some lock states is unusable
        self._ungrab_key(code, modifiers)
        return False

    def _ungrab_key(self, code: int, modifiers: int) -> None:
        for lock in _LOCKS:
            self._root.ungrab_key(code, modifiers | lock)

    # --- inside ---------------------------------------------------------------------------------

    @property
    def _root(self) -> Any:
        return self._display.screen().root


def _ignore_error(problem: Any, _request: Any) -> None:
    """Ignore errors about another program's window that was closed before our request arrived."""
    _log.info("X error: %s", type(problem).__name__)
