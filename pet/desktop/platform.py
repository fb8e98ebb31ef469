"""Interface of a desktop platform, the records it exchanges, and the base of platforms that were never tried.

All methods of ``Platform`` run on the GUI thread, except ``post`` and ``after``. Windows are native ones (a QWidget);
rectangles are in Qt's units.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from pet.desktop.geometry import Monitor, Rect
from pet.desktop.ground import Window
from pet.services.desktop_port import Area, Selection, Speaker


@dataclass(frozen=True, slots=True, kw_only=True)
class Hotkey:
    keys: str  # in the settings' notation, such as Ctrl+Alt+P; "" disables it
    name: str  # stable when keys and language change
    label: str  # its action, in the owner's language
    act: Callable[[], None]  # on any thread


MOST_SELECTED = 256 * 1024
"""Characters or bytes that are read of a selection."""
Action = Callable[[], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuItem:
    """A menu entry. ``&`` in its text marks a mnemonic. ``children`` builds its submenu each time that opens."""

    text: str
    act: Action | None = None  # None: no action, or a submenu
    checked: bool | None = None  # None: not checkable
    one_of: bool = False  # one of a radio group
    starts_group: bool = False
    children: Callable[[], Sequence[MenuItem]] | None = None
    sign: str = ""  # icon, where a platform shows one: a file of ``assets/menu/signs``


Kind = Literal["pet", "chat", "bubble"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TraySpec:
    icon: Path
    tooltip: str
    items: Callable[[], Sequence[MenuItem]]
    on_click: Callable[[], None]
    dark: Callable[[], bool]  # evaluated when its menu opens


class Platform(Protocol):
    def abilities(self) -> tuple[str, ...]:
        """Return the capabilities.

        ``transparency``, ``opacity``, ``click_through``, ``tray``, ``skip_taskbar``, ``placement``, ``fullscreen``
        (detecting other full-screen programs), ``all_fullscreen`` (of every kind), ``shortcuts``, ``screenshot``,
        ``selection`` (reading what is selected in another program), ``speech`` (reading aloud).
        """
        ...

    def on_abilities_changed(self, react: Callable[[], None]) -> None:
        """Call ``react`` on the GUI thread when a capability comes or goes, such as with a compositor or a tray."""
        ...

    def lock_web_view(self, pages: Sequence[str]) -> None:
        """Import the web view and restrict it to these pages (URLs) and to ``invoke``, before its first window.

        From any thread, once; takes half a second. Raises ImportError if it is not installed.
        """
        ...

    def run(self) -> None:
        """Run the event loop until ``shutdown``; main thread only."""
        ...

    def post(self, work: Callable[[], object]) -> None:
        """Run ``work`` on the GUI thread soon, in order; callable from any thread."""
        ...

    def after(self, milliseconds: int, work: Callable[[], object]) -> None:
        """Run ``work`` on the GUI thread after a delay; callable from any thread."""
        ...

    def monitors(self) -> list[Monitor]: ...

    def on_monitors_changed(self, react: Callable[[], None]) -> None:
        """Call ``react`` when monitors or work areas change, possibly several times for one change."""
        ...

    def prepare_window(self, native: Any, *, kind: Kind) -> None:
        """Set up the native window, once it exists and before it is first shown."""
        ...

    def prerender(self, native: Any) -> None:
        """Render a hidden window once, off screen: the first rendering is slow and would delay showing it."""
        ...

    def release_page(self, native: Any) -> bool:
        """Drop a hidden window's page from memory; showing the window loads it again. Return whether it did."""
        ...

    def hold_keys(self, native: Any) -> None:
        """Keep what is typed into this shown window until ``release_keys``: its page can't take it yet."""
        ...

    def release_keys(self, native: Any, *, deliver: bool) -> None:
        """Deliver the kept keys to the page in order, or drop them; no effect if none are kept."""
        ...

    def pet_shown(self, native: Any) -> None:
        """Reapply state that the window manager drops while a window is hidden. Call it each time after showing."""
        ...

    def is_free(self, native: Any) -> bool:
        """Whether the window is neither maximised, minimised nor full screen, so that its geometry is its own."""
        ...

    def is_minimised(self, native: Any) -> bool: ...

    def rect(self, native: Any) -> Rect:
        """Return the window's rectangle without its frame."""
        ...

    def frame(self, native: Any) -> tuple[int, int, int, int]:
        """Return the frame's extents: left, top, right, bottom."""
        ...

    def place(self, native: Any, rect: Rect) -> None:
        """Move the window so that its frame's corner is the rectangle's; resize it if the size differs."""
        ...

    def on_moved(self, native: Any, react: Callable[[], None]) -> None:
        """Call ``react`` on the GUI thread each time moves or resizing of the window have ended, also by others."""
        ...

    def set_opacity(self, native: Any, share: float) -> None:
        """Set the whole window's opacity from 0 to 1; no effect without the ``opacity`` capability."""
        ...

    def show(self, native: Any, *, focus: bool) -> None: ...

    def hide(self, native: Any) -> None: ...

    def take_focus(self, native: Any, *, may: bool) -> None:
        """Set whether a window created without focus may take it for now, because it was clicked."""
        ...

    def scale(self, native: Any) -> float:
        """Return device pixels per unit."""
        ...

    def pointer(self) -> tuple[int, int] | None:
        """Return the pointer position in the desktop's units; None if the platform can't report it reliably."""
        ...

    def button_down(self) -> bool:
        """Whether the pointer's first button is down anywhere; False if the platform can't report it."""
        ...

    def on_drag(self, react: Callable[[], None]) -> None:
        """Call ``react`` on the GUI thread when something begins to be dragged in any program, where known."""
        ...

    def windows(self) -> list[Window]:
        """Return the visible windows bottom to top, without docks, pet and bubble: all, or only the chat if the
        platform can't tell others; none if it can't tell any."""
        ...

    def find_window(self, process: int, title: str) -> int:
        """Return the window of a process or its next ancestor that has any; of several, the only one with this word
        in its title. 0: none, or the platform can't tell."""
        ...

    def raise_window(self, handle: int) -> None:
        """Bring a window of another program forward, as its owner wished."""
        ...

    def follow(self, handle: int | None, moved: Callable[[Rect | None], None]) -> None:
        """Report the frame of this window each time it moves, and None once it is gone or hidden. None: stop."""
        ...

    def set_outline(self, native: Any, rects: Sequence[Rect] | None) -> None:
        """Restrict clicks to these device pixels; None: no restriction. Painting is unaffected."""
        ...

    def set_silhouette(self, native: Any, rects: Callable[[], Sequence[Rect]]) -> None:
        """Announce how to find the painted device pixels: without a compositor the window is cut to them."""
        ...

    def on_wake(self, react: Callable[[], None] | None) -> None:
        """Call ``react`` when the session resumes from sleep or is unlocked, if reported. None: stop."""
        ...

    def on_model_dropped(self, react: Callable[[Path], None]) -> None:
        """Call ``react`` on the GUI thread when a model file (.gguf) is dropped on the chat.

        The page does not get the drop: pages never learn paths, and such a file is far too large for one to read.
        """
        ...

    def keep_dropped(self, path: Path | None) -> None:
        """Keep the path of a drop until it is taken."""
        ...

    def take_dropped(self) -> Path | None:
        """Return the path last dropped on one of our windows, once; None if only the page got it. From any thread."""
        ...

    def on_session_end(self, react: Callable[[], None]) -> None:
        """Call ``react`` when the owner signs out, on systems that notify windows instead of sending a signal."""
        ...

    def on_fullscreen(self, react: Callable[[frozenset[str]], None] | None) -> None:
        """Call ``react`` on each change with the names of monitors that other programs fill. None: stop."""
        ...

    def register_hotkeys(self, hotkeys: Sequence[Hotkey], refused: Callable[[frozenset[str]], None]) -> None:
        """Register exactly these global hotkeys.

        ``refused`` is called on the GUI thread after each attempt, with the keys that another program has or the
        owner declined.
        """
        ...

    def read_selection(self) -> Selection:
        """Return the text selected in another program, or the clipboard's without the ``selection`` capability; none
        if the program doesn't answer within a fifth of a second. From any thread, except the GUI's.
        """
        ...

    def speaker(self) -> Speaker | None:
        """Return the system's voice, always the same; None if this platform has none."""
        ...

    def screenshot(self, area: Area, hint: str, taken: Callable[[bytes | None], None]) -> None:
        """Capture the monitor at the pointer, or an area the owner selects. ``taken``: a PNG, None if cancelled."""
        ...

    def dark(self) -> bool:
        """Whether the desktop uses a dark theme."""
        ...

    def calm(self) -> bool:
        """Whether the desktop asks for reduced motion."""
        ...

    def on_calm_changed(self, react: Callable[[], None]) -> None:
        """Call ``react`` on the GUI thread whenever ``calm`` may have changed."""
        ...

    def popup(self, items: Sequence[MenuItem], *, dark: bool, beside: Rect) -> None:
        """Show a menu beside this window, near the pointer; returns immediately."""
        ...

    def add_tray(self, tray: TraySpec) -> bool:
        """Add the tray icon. Return False, and remove an earlier icon, if this desktop has no tray now."""
        ...

    def rename(self, native: Any, title: str) -> None: ...

    def set_icon(self, picture: bytes | None) -> None:
        """Set the icon of all windows, also of later ones: a PNG, None for the program's."""
        ...

    def update_tray(self, tooltip: str, *, unread: bool, picture: bytes | None) -> None:
        """Update the tray icon, if any. ``unread``: draw the badge; ``picture``: PNG, None for the program's icon."""
        ...

    def open_url(self, url: str) -> None: ...

    def open_folder(self, folder: Path) -> bool:
        """Show a folder in the file manager. Return whether there is one. From any thread but the GUI's."""
        ...

    def show_error(self, message: str) -> None:
        """Show why the program can't start, and wait until the owner has closed it."""
        ...

    def shutdown(self, windows: Sequence[Any]) -> None:
        """Close the windows and end ``run``."""
        ...


_REST_MS = 400
"""Quiet time without a move and without a button down: a pausing drag is not finished."""


class MoveSettle:
    """Debounce moves: call ``moved`` for each one on the GUI thread; ``react`` is called once they have ended.

    ``after``: the platform's timer; ``held``: whether the window may still be dragged.
    """

    def __init__(
        self, after: Callable[[int, Callable[[], object]], None], held: Callable[[], bool], react: Callable[[], None]
    ) -> None:
        self._after = after
        self._held = held
        self._react = react
        self._moves = 0
        self._waiting = False

    def moved(self) -> None:
        self._moves += 1
        if not self._waiting:
            self._waiting = True
            self._wait()

    def _wait(self) -> None:
        seen = self._moves
        self._after(_REST_MS, lambda: self._check(seen))

    def _check(self, seen: int) -> None:
        if self._moves != seen or self._held():
            self._wait()
            return
        self._waiting = False
        self._react()
