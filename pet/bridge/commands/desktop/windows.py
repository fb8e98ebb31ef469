"""What the windows do: shown and hidden, dragged, faded, the menu, and links for the browser."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from pet.bridge.command import Client, command
from pet.services.desktop_port import DesktopPort
from pet.services.outgoing_links import check_link
from pet.settings.schema import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class PointerPlace:
    """From the top left of the pet's window, in its own units. ``known`` False: the platform doesn't tell."""

    known: bool
    x: int = 0
    y: int = 0


@dataclass(frozen=True, slots=True)
class WindowCommands:
    windows: DesktopPort
    settings: Callable[[], Settings]

    @command(Client.CHAT)
    def hide_chat(self) -> None:
        """Hide the chat window."""
        self.windows.hide_chat()

    @command(Client.PET)
    def toggle_chat(self) -> None:
        """Show or hide the chat window."""
        self.windows.toggle_chat()

    @command(Client.PET, Client.SOCKET)
    def show_view(self, view: Literal["chat", "settings", "history"]) -> None:
        """Show the chat window with this view."""
        self.windows.show_view(view)

    @command(Client.PET)
    def move_pet(self, dx: float, dy: float, done: bool) -> None:
        """Drag the pet.

        By how much, in screen pixels of the page, since the press.
        """
        self.windows.move_pet(dx, dy, done)

    @command(Client.PET)
    def fade_pet(self, faded: bool) -> None:
        """The pointer came to rest on the pet, or left it."""
        self.windows.fade_pet(faded and self.settings().fade_on_hover)

    @command(Client.PET)
    def find_pointer(self) -> PointerPlace:
        """Where the pointer is, for a glance."""
        found = self.windows.find_pointer()
        return PointerPlace(known=False) if found is None else PointerPlace(known=True, x=found[0], y=found[1])

    @command(Client.PET)
    def pet_menu(self) -> None:
        """Open the pet's context menu."""
        self.windows.pet_menu()

    @command(Client.CHAT)
    def open_link(self, url: str) -> None:
        """Open http(s) or mailto in the browser."""
        self.windows.open_link(check_link(url))
