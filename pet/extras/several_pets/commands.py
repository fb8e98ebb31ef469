"""Commands of several pets: the owner lets one come or go, and the pets' programs tell one another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pet.bridge.command import Client, command
from pet.events import PetTravels
from pet.extras.several_pets.companions import Companions, Neighbour
from pet.services.proactive_limits import wants_quiet
from pet.workspace.pet_registry import require_known_pet

if TYPE_CHECKING:
    from pet.app.pet import Pet


@dataclass(frozen=True, slots=True)
class CompanyCommands:
    app: Pet

    @property
    def _pets(self) -> Companions:
        pets = self.app.windows.pets
        return pets if isinstance(pets, Companions) else Companions()

    @command(Client.CHAT)
    def bring_pet(self, pet: str) -> None:
        """Let another pet come too, also after the next start. Raises UnknownPet, NewerFormat, TooManyPets."""
        root = self.app.pets.root(pet)
        if pet != self.app.pet_id:
            require_known_pet(root)
            self._pets.bring(pet)

    @command(Client.CHAT)
    def send_pet_home(self, pet: str) -> None:
        """Let another pet on the desktop go. Raises UnknownPet."""
        self.app.pets.root(pet)
        if pet != self.app.pet_id:
            self._pets.send_home(pet)

    @command(Client.PET)
    def notice_pet(self, dx: int, dy: int, how: Literal["greet", "look", "join", "play"]) -> None:
        """Let the pet notice another one this far from it, if nothing speaks against it: watch it, greet it, play
        with it, or go to sleep beside it, but not over an open chat."""
        settings, windows = self.app.effective.current(), self.app.windows
        if wants_quiet(settings, self.app.clock.now()) or self.app.gate.paused:
            return
        if how == "join" and windows.chat_shown:
            return
        self.app.emit(PetTravels(dx=dx, dy=dy, how=how))
        if how == "play" and settings.pet_life != "still":
            windows.stroll(-1.0 if dx > 0 else 1.0, near=True, what="run")

    @command(Client.SOCKET)
    def dismiss_pet(self) -> None:
        """Let this pet go; the others on the desktop stay."""
        self._pets.dismiss()

    @command(Client.SOCKET)
    def toggle_pet(self) -> None:
        """Hide this pet, or show it."""
        self._pets.toggle()

    @command(Client.SOCKET)
    def give_way(self, pet: str) -> None:
        """Let this pet go if it waits for the other one, which is there now."""
        self._pets.give_way(pet)

    @command(Client.SOCKET)
    def note_neighbour(self, neighbour: Neighbour) -> None:
        """Note where another pet is and whether it is shown; what can't be is ignored."""
        self._pets.note(neighbour)

    @command(Client.SOCKET)
    def lose_neighbour(self, pet: str) -> None:
        """Note that another pet is gone."""
        self._pets.lose(pet)
