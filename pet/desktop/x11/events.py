"""X server events outside our windows: full-screen programs, global shortcuts, and selection owners.

Holds one connection and a thread that blocks in the kernel; no polling. All requests are sent on that thread. A
shortcut grabbed by another program is reported and left to it.
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

from Xlib import XK, X, display, error
from Xlib.ext import xfixes

from pet.desktop.geometry import Around
from pet.desktop.x11.other_windows import OtherWindows

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
            self._display = display.Display()
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
            self._report_owner(event.selection)
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
            self._report_owner(atom)

    def _report_owner(self, selection: int) -> None:
        self._selections[selection](self._display.get_selection_owner(selection) != X.NONE)

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
