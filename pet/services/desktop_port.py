"""Interfaces of the desktop: for the core, implemented by the shell; for the command line, injected by ``__main__``.

Every call of ``DesktopPort`` and its parts is thread-safe, returns at once and never raises for what a desktop can't
do, unless its docstring says otherwise; the method bodies are those of a terminal.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol

from pet.body.outings import Outing
from pet.i18n import Texts
from pet.paths import Home

if TYPE_CHECKING:
    from pet.desktop.pet_actor import ShownPose

# ruff: noqa: ARG002  (the default bodies do nothing)


View = Literal["chat", "settings", "history"]
Side = Literal["above", "left", "right"]
Area = Literal["screen", "region"]
PathKind = Literal["file", "folder", "model", "dropped"]
Taken = Callable[[bytes | None], None]
"""Called on a separate thread with the screenshot as PNG; None: the owner cancelled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """Text of another program; "" for none. ``cut``: there is more of it; ``copied``: it is the clipboard's, since
    the desktop shows programs no other's selection."""

    text: str = ""
    cut: bool = False
    copied: bool = False


class OtherPets:
    """The pets of this home on the desktop. Those of a terminal are this program's alone."""

    leads = True
    """Whether the home's socket, the tray and the hotkeys are this program's, and not of another pet's."""

    @property
    def present(self) -> frozenset[str]:
        """The other pets that are there."""
        return frozenset()

    def switch(self, pet: str) -> None:
        """Let another pet come, and this one go."""


class System:
    """The owner's desktop outside the program's windows."""

    def abilities(self) -> tuple[str, ...]:
        """Return the abilities of this desktop; the pages hide the others.

        ``transparency``, ``opacity``, ``click_through``, ``tray``, ``skip_taskbar``, ``placement``, ``fullscreen``
        (detecting other full-screen programs), ``all_fullscreen`` (of every kind), ``shortcuts``, ``screenshot``,
        ``selection`` (reading what is selected in another program).
        """
        return ()

    def open_url(self, url: str) -> None:
        """Open a URL in the browser; only for URLs that passed ``check_link``."""

    def open_folder(self, folder: Path) -> bool:
        """Show a folder in the file manager. Return whether there is one; may take two seconds."""
        return True

    def find_window(self, process: int, title: str) -> int:
        """Return a handle of the window of a process or its next ancestor that has any; of several, the only one with
        this word in its title. 0 without such a window, or if the desktop can't tell."""
        return 0

    def raise_window(self, handle: int) -> None:
        """Bring a window of another program forward, as its owner wished."""

    def read_selection(self) -> Selection:
        """Return the text selected in another program, or the clipboard's without the ``selection`` ability; none if
        the program doesn't answer within a fifth of a second."""
        return Selection()


class Shortcuts:
    """The global shortcuts of the settings."""

    taken: tuple[str, ...] = ()
    """Shortcuts that the system refused because another program holds them."""

    def retry(self) -> None:
        """Register them again."""


class AutostartEntry(Protocol):
    """The system's entry for start at login."""

    @property
    def on(self) -> bool: ...

    @property
    def other(self) -> bool:
        """Whether the entry starts a different program path than this one, for example a moved copy."""
        ...

    @property
    def place(self) -> str:
        """The entry's path or registry key."""
        ...

    def set(self, on: bool) -> None:
        """Write or remove the entry. Raises OSError."""
        ...


class DesktopPort:
    """The program's windows and the desktop around them; this class is the one of a terminal, which shows nothing."""

    pets = OtherPets()
    system = System()
    shortcuts = Shortcuts()
    login: AutostartEntry | None = None
    """None: the desktop can't have one."""
    backend = "none"
    """The web view in use, ``qt``."""
    chat_shown = False
    aside = False
    """Whether another program fills the pet's screen and the pet has stepped aside."""

    def show_chat(self, view: View | None = None) -> None:
        """Show the chat window, with this view; None: as it was."""

    def hide_chat(self) -> None:
        """Hide the chat window."""

    def show_pet(self) -> None:
        """Bring the pet forward, also when it was hidden."""

    def stroll(self, way: float, near: bool = False, what: Outing = "walk") -> None:
        """Go about something, or take some steps along the ground to the left (-1) or right (1), unless the pet would
        be in the way.

        ``near``: to come near the pointer; else it may sit down instead.
        """

    def find_pointer(self) -> tuple[int, int, bool] | None:
        """Return the pointer's offset from the top left of the pet's window, and whether its first button is down;
        None if unknown."""
        return None

    def pose(self) -> ShownPose | None:
        """Return what the pet shows now; None without a pet."""
        return None

    def to_corner(self) -> None:
        """Let the pet walk to the next corner of its screen."""

    def choose_path(self, kind: PathKind) -> Path | None:
        """Let the owner choose a file, a folder or a model file; None if they cancelled. "dropped": the path dropped
        last on the chat, if known. Blocks; not for the GUI thread."""
        return None

    def take_screenshot(self, area: Area, taken: Taken) -> bool:
        """Take a screenshot without the program's windows; ``taken`` is called once. False if the desktop can't."""
        return False

    def quit(self) -> None:
        """End the program."""


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
