"""What the shell needs of a desktop; one implementation per platform.

Everything but ``post``, ``after`` and ``gui`` is called on the GUI thread. Rectangles are in the web view's units.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

from pet.bridge.desktop_port import Area
from pet.desktop.geometry import Monitor, Rect
from pet.desktop.menu_model import MenuItem

Gui = Literal["qt", "edgechromium", "cocoa"]
Kind = Literal["pet", "chat", "bubble"]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSpec:
    """One of our two pages."""

    url: str
    ordered: bool  # its calls are answered one after the other


@dataclass(frozen=True, slots=True, kw_only=True)
class TraySpec:
    icon: Path
    tooltip: str
    items: Callable[[], Sequence[MenuItem]]
    on_click: Callable[[], None]
    dark: Callable[[], bool]  # asked when its menu opens


class Platform(Protocol):
    @property
    def gui(self) -> Gui: ...

    def abilities(self) -> tuple[str, ...]:
        """Of ``transparency``, ``opacity``, ``click_through``, ``tray``, ``skip_taskbar``, ``placement``,
        ``fullscreen`` (seeing that another program fills the screen), ``shortcuts``, ``screenshot``."""
        ...

    @property
    def see_through(self) -> bool:
        """Whether the pet's window can be; asked before the first window, and so in no time."""
        ...

    def lock(self, pages: Sequence[PageSpec]) -> None:
        """Before the first window: nothing but these pages, nothing but ``invoke``."""
        ...

    def post(self, work: Callable[[], object]) -> None:
        """Run it on the GUI thread, soon, in order; from any thread."""
        ...

    def after(self, milliseconds: int, work: Callable[[], object]) -> None:
        """The same, later."""
        ...

    def monitors(self) -> list[Monitor]: ...

    def on_monitors_changed(self, react: Callable[[], None]) -> None:
        """Also when what panels leave of them is another part. May come several times for one change."""
        ...

    def prepare_window(self, window: Any, *, kind: Kind) -> None:
        """The native window exists and was not shown yet."""
        ...

    def prerender(self, window: Any) -> None:
        """Draw a hidden window once, out of sight: the first drawing is slow, and the owner would wait for it."""
        ...

    def pet_shown(self, window: Any) -> None:
        """Each time the pet was shown: what the window manager forgets in between."""
        ...

    def is_free(self, window: Any) -> bool:
        """Neither maximised nor minimised nor filling the screen: its size and place are its own."""
        ...

    def rect(self, window: Any) -> Rect:
        """Where the window is, without its frame."""
        ...

    def frame(self, window: Any) -> tuple[int, int, int, int]:
        """What the frame adds: left, top, right, bottom."""
        ...

    def place(self, window: Any, rect: Rect) -> None:
        """Moves the window, its frame's corner to the rectangle's; resizes it if the size is another one."""
        ...

    def on_moved(self, window: Any, react: Callable[[], None]) -> None:
        """Tell, on the GUI thread, each time it has come to rest after moves, whoever moved it."""
        ...

    def set_opacity(self, window: Any, share: float) -> None:
        """From 0 to 1, of the whole window; nothing where ``opacity`` is no ability."""
        ...

    def show(self, window: Any, *, focus: bool) -> None: ...

    def hide(self, window: Any) -> None: ...

    def take_focus(self, window: Any, *, may: bool) -> None:
        """Whether a window that was made without may have the focus for now, because it was clicked on."""
        ...

    def capture_alpha(self, window: Any) -> tuple[list[bytes], float] | None:
        """The alpha of what the window shows, row by row, and device pixels per unit; None if unknown."""
        ...

    def scale(self, window: Any) -> float:
        """Device pixels per unit."""
        ...

    def pointer(self) -> tuple[int, int] | None:
        """Where the pointer is, in the desktop's units; None where the platform doesn't say it reliably."""
        ...

    def set_outline(self, window: Any, rects: Sequence[Rect] | None) -> None:
        """Only these device pixels take clicks; None: all. Painting is left alone."""
        ...

    def on_wake(self, react: Callable[[], None] | None) -> None:
        """Tell that the session woke from sleep or was unlocked, where the desktop says so. None: don't."""
        ...

    def on_fullscreen(self, react: Callable[[frozenset[str]], None] | None) -> None:
        """Tell the names of the monitors that other programs fill, each time these are others. None: don't."""
        ...

    def register_hotkeys(
        self, shortcuts: Mapping[str, Callable[[], None]], refused: Callable[[frozenset[str]], None]
    ) -> None:
        """These keys and no others do this, whatever program has the focus. ``refused`` hears each time it was tried,
        on the GUI thread, which of them another program has."""
        ...

    def screenshot(self, area: Area, hint: str, taken: Callable[[bytes | None], None]) -> None:
        """The monitor at the pointer, or a part of one that the owner drags over; as PNG, None if cancelled."""
        ...

    def dark(self) -> bool:
        """Whether the desktop's own look is a dark one."""
        ...

    def popup(self, items: Sequence[MenuItem], *, dark: bool) -> None:
        """A menu at the pointer; returns at once."""
        ...

    def add_tray(self, tray: TraySpec) -> bool:
        """False if this desktop has no place for it."""
        ...

    def rename(self, window: Any, title: str) -> None: ...

    def update_tray(self, tooltip: str, *, unread: bool, picture: bytes | None) -> None:
        """Nothing where there is none. ``unread``: with a mark; ``picture``: of the pet, None for the program's."""
        ...

    def open_url(self, url: str) -> None: ...

    def open_folder(self, folder: Path) -> None: ...

    def shutdown(self, windows: Sequence[Any]) -> None:
        """Close them and end the loop that ``webview.start`` runs."""
        ...
