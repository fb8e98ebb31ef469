"""What the command line asks of the desktop side, which it must not import: ``__main__`` hands it in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from pet.i18n import Texts
from pet.paths import Home


@dataclass(frozen=True, slots=True, kw_only=True)
class TypingState:
    """The input method. ``program``: "" if there is none; ``why`` is then the last part of the catalogue key."""

    program: str
    why: str = ""
    context: str = ""  # which of Qt's own was chosen instead
    named: bool = False  # the session's variables ask for an input method


@dataclass(frozen=True, slots=True, kw_only=True)
class DesktopState:
    """What ``pet doctor`` tells of the desktop. ``why_not``: the catalogue key of why there can be no window."""

    backend: str
    display: bool
    has_session: bool  # somebody sits in front of a desktop here, whether or not a window can be shown
    why_not: str | None
    webview_problem: str  # "" or what could not be loaded
    compositor: bool | None  # None: not known on this platform
    pages_missing: tuple[str, ...]
    typing: TypingState | None = None  # None: the platform's own, or no display


class Desktop(Protocol):
    def why_not(self) -> str | None:
        """The catalogue key of the sentence that says why no window can be opened; None if one can."""
        ...

    def open(self, home: Home, pet_id: str | None, texts: Texts) -> int:
        """The pet on the desktop, until the owner quits. Returns the exit code."""
        ...

    def start_log(self, home: Home) -> None:
        """From here on nothing of the log goes to the terminal."""
        ...

    def state(self) -> DesktopState:
        """Looks closely: loads the web view, asks the display."""
        ...
