"""Interface of the desktop for the command line, which must not import it; ``__main__`` injects it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from pet.i18n import Texts
from pet.paths import Home
from pet.services.desktop_port import InputMethod


@dataclass(frozen=True, slots=True, kw_only=True)
class DesktopCheck:
    """Desktop state for ``pet doctor``. ``why_not``: catalogue key of the reason no window can be opened."""

    backend: str
    display: bool
    has_session: bool  # a desktop session exists, whether or not a window can be shown
    why_not: str | None
    webview_problem: str  # "" or the import error
    compositor: bool | None  # None: unknown on this platform
    pages_missing: tuple[str, ...]
    wayland: bool = False  # the windows are XWayland's
    missing_portals: tuple[str, ...] = ()  # on Wayland: of "shortcuts" and "screenshot"
    restricts_sandbox: bool = False  # AppArmor keeps programs from making the user namespaces of the outer sandbox
    typing: InputMethod | None = None  # None: the platform's own, or no display


class Desktop(Protocol):
    def why_not(self) -> str | None:
        """Return the catalogue key of the reason no window can be opened; None if one can."""
        ...

    def open(self, home: Home, pet_id: str | None, texts: Texts) -> int:
        """Run the pet on the desktop until the owner quits. Return the exit code."""
        ...

    def start_log(self, home: Home) -> None:
        """Redirect logging away from the terminal."""
        ...

    def state(self) -> DesktopCheck:
        """Examine in depth: loads the web view, connects to the display."""
        ...
