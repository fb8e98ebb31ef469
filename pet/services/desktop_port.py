"""What the core may ask of the windows; the shell answers it on the desktop, nobody in a terminal.

Owns no window. Every call is safe from any thread, returns at once and never raises for what a desktop can't do,
except where its own docstring says otherwise. The bodies here are what happens where there is no desktop.
"""

# ruff: noqa: ARG002  (nothing has a use for what it is asked)

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol

View = Literal["chat", "settings", "history"]
Side = Literal["above", "left", "right"]
Area = Literal["screen", "region"]
PathKind = Literal["file", "folder", "dropped"]
Taken = Callable[[bytes | None], None]
"""What was taken of the screen, as PNG; None: the owner thought better of it. On a thread of its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginEntry:
    """Starting at login, as the system has it now. ``other``: the entry starts another program than this one."""

    on: bool
    other: bool
    place: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InputMethod:
    """``program``: "fcitx5", "ibus", or "" with the reason in ``why``, the end of the catalogue's key; ``context``:
    the Qt context chosen instead; ``named``: the session's variables ask for one."""

    program: str
    why: Literal["", "chosen", "no_bus", "not_running", "not_offered"] = ""
    context: str = ""
    named: bool = False


class DesktopPort(Protocol):
    @property
    def chat_shown(self) -> bool: ...

    @property
    def aside(self) -> bool:
        """Whether another program fills the pet's screen and the pet has stepped aside."""
        ...

    @property
    def backend(self) -> str:
        """The web view in use, e.g. ``qt``; ``none`` in a terminal."""
        ...

    @property
    def abilities(self) -> tuple[str, ...]:
        """What this desktop can do, e.g. ``tray``, ``click_through``; the pages hide what is not here."""
        ...

    def show_chat(self) -> None:
        return

    def hide_chat(self) -> None:
        return

    def toggle_chat(self) -> None:
        return

    def show_view(self, view: View) -> None:
        """Show the chat window with this view."""
        return

    def show_pet(self) -> None:
        """Bring the pet forward, also when it was hidden."""
        return

    def show_bubble(self) -> None:
        """There is something to say: its page asks what, and then for its place."""
        return

    def show_bubble_sized(self, width: int, height: int, reading: bool) -> tuple[Side, int, int]:
        """Beside the pet: on which side, how far from its left edge the pet is, and how high it could be. It takes
        the focus only with ``reading``: then its owner has clicked on it."""
        return "above", 0, height

    def hide_bubble(self) -> None:
        return

    def move_pet(self, dx: float, dy: float, done: bool) -> None:
        """By how much since the press; ``done`` at the release."""
        return

    def find_pointer(self) -> tuple[int, int] | None:
        """Where the pointer is, from the top left of the pet's window; None if unknown."""
        return None

    def pet_menu(self) -> None:
        return

    def open_link(self, url: str) -> None:
        """Hand an address to the browser; only what ``check_link`` let through gets here."""
        return

    def open_folder(self, folder: Path) -> None:
        """Show a folder in the file manager."""
        return

    @property
    def taken_shortcuts(self) -> tuple[str, ...]:
        """Keys wanted everywhere that the system refused: another program has them."""
        ...

    def try_shortcuts(self) -> None:
        """Ask the system for them once more."""
        return

    def login_entry(self) -> LoginEntry | None:
        """None where this is not possible."""
        return None

    def set_login(self, on: bool) -> None:
        """Raises LoginEntryFailed, against the rule of this protocol: the owner waits for the answer."""
        return

    def choose_path(self, kind: PathKind) -> Path | None:
        """Ask the owner for a file or a folder, above the chat; None if they thought better of it. Returns when the
        owner has answered; not for the GUI thread. "dropped": what they dropped on the chat just before, if it is
        known."""
        return None

    def fade_pet(self, faded: bool) -> None:
        """As far as the settings say; nothing where they don't."""
        return

    def take_screenshot(self, area: Area, taken: Taken) -> bool:
        """With our own windows out of the picture. False where the desktop can't; else ``taken`` hears, once."""
        return False

    def restart(self) -> None:
        """Begin anew with the pet that was chosen meanwhile; the chat comes back with it."""
        return

    def quit(self) -> None:
        return


class HeadlessDesktop(DesktopPort):
    """For a terminal and for tests of the core: nothing to show."""

    chat_shown = False
    aside = False
    backend = "none"
    abilities: tuple[str, ...] = ()
    taken_shortcuts: tuple[str, ...] = ()
