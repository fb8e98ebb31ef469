"""The pets of this home on the desktop: this program's pet alone. The extra ``several_pets``, behind this port, adds
others, one process each."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from pet.bridge.single_instance import SingleInstance
from pet.desktop.platform import MenuItem
from pet.desktop.process import Arrival
from pet.extra import provided
from pet.paths import Home
from pet.services.desktop_port import OtherPets

if TYPE_CHECKING:
    from pet.bridge.commands.pets import PetInfo
    from pet.desktop.controller import DesktopController

# ruff: noqa: ARG002  (alone, a pet ignores what is about others)


def pets_of(home: Home) -> list[str]:
    """Return the ids of the pets that have files. What reads them is loaded after the first drawing."""
    from pet.workspace.pet_registry import list_ids

    return list_ids(home)


class PetsHere(OtherPets):
    """The only pet on the desktop. ``lead``: the lock of the program that leads in this home; ``arrival``: how this
    one was started by another pet's."""

    own: SingleInstance | None = None
    """The lock of this pet, where another pet's program has started it."""
    replaces = False
    """Whether the pet comes at another's place and is not seen yet."""
    awaits = False
    """Whether another pet comes instead of this one."""
    quit_key = "shell.menu_quit"
    successor: tuple[str, Arrival] | None = None
    """The pet that is started once this program has ended."""

    def __init__(self, home: Home, lead: SingleInstance, arrival: Arrival) -> None:
        self._home = home
        self._lead = lead
        self._arrival = arrival

    def enter(self, pet: str) -> bool:
        """Take the lock of this pet, whose program another pet's has started. Return False if it is there already."""
        return self._lead.acquire()

    def attach(self, desk: DesktopController) -> None:
        """Take the windows, before they are shown."""
        self._desk = desk

    def join(self, pet: str, lead: Callable[[], object]) -> None:
        """Take part as this pet, before its socket listens; ``lead`` is called once this program leads, if it doesn't
        yet."""

    def core_ready(self) -> None:
        """Take part: the core is there. On the GUI thread."""

    def drawn(self) -> None:
        """Note that the pet draws what the core answered. On the GUI thread."""

    def switch(self, pet: str) -> None:
        self.successor = pet, Arrival(with_chat=self._desk.chat_shown)
        self._desk.quit()

    def toggle_chat(self) -> None:
        """Show or hide the chat. On the GUI thread."""
        self._desk.visibility.toggle()

    def mood_changed(self, mood: str) -> None:
        """Note the pet's mood."""

    def menu_changes(self, pets: Sequence[PetInfo]) -> list[MenuItem]:
        """Return the menu's entries that let one of these pets come or go."""
        return []

    def companions(self) -> list[MenuItem]:
        """Return a menu for each other pet on the desktop."""
        return []

    def end(self) -> None:
        """End the program, as at a logout."""
        self._desk.quit()

    def quit_all(self) -> None:
        """End the programs of all pets."""
        self._desk.quit()

    def leave(self) -> None:
        """Tell the others that this pet goes."""


def pets_here(home: Home, lead: SingleInstance, arrival: Arrival | None) -> PetsHere:
    """Return the pets on the desktop, of which this program has one."""
    kind: type[PetsHere] = provided("several_pets") or PetsHere
    return kind(home, lead, arrival or Arrival())
