"""The pets of this home: list, create, rename, copy, delete, switch. Each pet is a separate workspace."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pet.bridge.command import Client, command
from pet.errors import PetBusy, UnknownTemplate
from pet.events import PetsChanged
from pet.skins.model import BODY_OF_SOUL
from pet.workspace.pet_registry import require_known_pet
from pet.workspace.pet_toml import display_name
from pet.workspace.templates import FIRST_SOUL

if TYPE_CHECKING:
    from pet.app.pet import Pet


@dataclass(frozen=True, slots=True, kw_only=True)
class PetInfo:
    """``beside``: it is on the desktop beside the current one."""

    id: str
    name: str
    current: bool
    beside: bool
    conversations: int
    changed_at: str  # "" without a message


@dataclass(frozen=True, slots=True, kw_only=True)
class PetList:
    pets: list[PetInfo]


@dataclass(frozen=True, slots=True)
class PetCommands:
    app: Pet

    @command(Client.CHAT)
    def list_pets(self) -> PetList:
        """Return the pets of this home."""
        texts, beside = self.app.texts(), self.app.windows.pets.present
        return PetList(
            pets=[
                PetInfo(
                    id=each.id,
                    name=display_name(each.root, each.id, texts),
                    current=each.id == self.app.pet_id,
                    beside=each.id in beside,
                    conversations=each.conversations,
                    changed_at=each.changed_at,
                )
                for each in self.app.pets.list()
            ]
        )

    @command(Client.CHAT)
    def create_pet(self, name: str, profile_of: str | None = None, soul: str = "") -> PetList:
        """Create a pet. Raises UnknownTemplate, and as ``Pets.create``.

        ``profile_of``: the pet whose USER.md is copied. ``soul``: the id of a shipped personality, with its body.
        """
        if soul and soul not in BODY_OF_SOUL:
            raise UnknownTemplate(template=soul[:60])
        soul = soul or FIRST_SOUL
        body = BODY_OF_SOUL[soul] if soul != FIRST_SOUL else None
        self.app.pets.create(name, self.app.language(), profile_of, soul=soul, skin=body)
        return self._changed()

    @command(Client.CHAT)
    def rename_pet(self, pet: str, name: str) -> PetList:
        """Rename a pet; its folder keeps its name."""
        self.app.pets.rename(pet, name)
        return self._changed()

    @command(Client.CHAT)
    def duplicate_pet(self, pet: str, name: str) -> PetList:
        """Copy a pet with all its files, memory included."""
        self.app.pets.duplicate(pet, name)
        return self._changed()

    @command(Client.CHAT)
    def delete_pet(self, pet: str) -> PetList:
        """Move a pet's folder to the trash. Raises PetBusy for one that is open."""
        root = self.app.pets.root(pet)
        if pet == self.app.pet_id or pet in self.app.windows.pets.present:
            raise PetBusy(pet_id=display_name(root, pet, self.app.texts()))
        self.app.pets.delete(pet)
        return self._changed()

    @command(Client.CHAT, Client.SOCKET)
    def switch_pet(self, pet: str) -> None:
        """Let another pet come, and this one go.

        Open proposals are refused; running turns are stopped and their text is kept. Raises UnknownPet, NewerFormat.
        """
        root = self.app.pets.root(pet)
        if pet != self.app.pet_id:
            require_known_pet(root)
            self.app.windows.pets.switch(pet)

    def _changed(self) -> PetList:
        self.app.emit(PetsChanged())
        return self.list_pets()
