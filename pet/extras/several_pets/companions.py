"""Another pet as its own program reports it, what commands ask of the pets on the desktop, and which of them come
again with the next start (in the program's state; ``forget_used`` removes a deleted one)."""

from __future__ import annotations

from dataclasses import dataclass

from pet.errors import PetError
from pet.services.desktop_port import OtherPets
from pet.settings.program_state import COMPANY, JsonState

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


def read_company(state: JsonState) -> list[str]:
    """Return the pets that are on the desktop beside the one used last, also after the next start."""
    ids = state.read().get(COMPANY)
    return [each for each in ids if isinstance(each, str)][: MOST_PETS - 1] if isinstance(ids, list) else []


def note_company(state: JsonState, pet_id: str, instead_of: str = "") -> None:
    """Record that this pet comes along, at another's place or as well. Raises OSError."""
    with state.held():
        ids = [pet_id if each == instead_of else each for each in read_company(state)]
        state.update({COMPANY: list(dict.fromkeys([*ids, pet_id]))})


def leave_company(state: JsonState, pet_id: str) -> None:
    """Record that this pet no longer comes along. Raises OSError."""
    with state.held():
        if pet_id in (ids := read_company(state)):
            state.update({COMPANY: [each for each in ids if each != pet_id]})
