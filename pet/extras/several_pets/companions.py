"""Another pet as its own program reports it, and what commands ask of the pets on the desktop."""

from __future__ import annotations

from dataclasses import dataclass

from pet.errors import PetError
from pet.services.desktop_port import OtherPets

MOST_PETS = 3
"""On the desktop at a time; each is a program."""


class TooManyPets(PetError):
    """The limit of pets on the desktop is reached."""


class PetDidNotCome(PetError):
    """The program of the pet ``name``, which was to come instead of this one, did not start."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """Another pet on the desktop, as its own program reports it: the place of its window, in units. ``plays``: it has
    come to play."""

    pet: str
    x: int
    y: int
    width: int
    height: int
    shown: bool
    asleep: bool = False
    plays: bool = False


class Companions(OtherPets):
    """The pets of this home on the desktop, one process each; a terminal has none. Thread-safe."""

    def bring(self, pet: str) -> None:
        """Let another pet come too. Raises TooManyPets, OSError."""

    def dismiss(self) -> None:
        """End this program; the other pets stay."""

    def send_home(self, pet: str) -> None:
        """End the program of another pet."""

    def give_way(self, pet: str) -> None:
        """End this program if this is the pet it waits for."""

    def toggle(self) -> None:
        """Hide this program's pet, or show it."""

    def note(self, other: Neighbour) -> None:
        """Note where another pet is."""

    def lose(self, pet: str) -> None:
        """Note that another pet is gone."""
