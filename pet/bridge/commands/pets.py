"""The pets of this home: list, create, rename, copy, delete, switch. Each pet is a separate workspace."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pet.bridge.command import Client, command
from pet.errors import PetBusy, UnknownTemplate
from pet.events import Event, PetsChanged
from pet.i18n import Language, Texts
from pet.services.desktop_port import DesktopPort
from pet.skins.model import BODY_OF_SOUL
from pet.workspace.pet_registry import require_known_pet
from pet.workspace.pet_toml import display_name
from pet.workspace.pets import Pets
from pet.workspace.templates import FIRST_SOUL


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
    """``current``: the open pet."""

    pets: Pets
    current: str
    language: Callable[[], Language]
    windows: DesktopPort
    emit: Callable[[Event], object]

    @command(Client.CHAT)
    def list_pets(self) -> PetList:
        """Return the pets of this home."""
        texts, beside = Texts(self.language()), self.windows.pets.present
        return PetList(
            pets=[
                PetInfo(
                    id=each.id,
                    name=display_name(each.root, each.id, texts),
                    current=each.id == self.current,
                    beside=each.id in beside,
                    conversations=each.conversations,
                    changed_at=each.changed_at,
                )
                for each in self.pets.list()
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
        self.pets.create(name, self.language(), profile_of, soul=soul, skin=body)
        return self._changed()

    @command(Client.CHAT)
    def rename_pet(self, pet: str, name: str) -> PetList:
        """Rename a pet; its folder keeps its name."""
        self.pets.rename(pet, name)
        return self._changed()

    @command(Client.CHAT)
    def duplicate_pet(self, pet: str, name: str) -> PetList:
        """Copy a pet with all its files, memory included."""
        self.pets.duplicate(pet, name)
        return self._changed()

    @command(Client.CHAT)
    def delete_pet(self, pet: str) -> PetList:
        """Move a pet's folder to the trash. Raises PetBusy for one that is open."""
        root = self.pets.root(pet)
        if pet == self.current or pet in self.windows.pets.present:
            raise PetBusy(pet_id=display_name(root, pet, Texts(self.language())))
        self.pets.delete(pet)
        return self._changed()

    @command(Client.CHAT, Client.SOCKET)
    def switch_pet(self, pet: str) -> None:
        """Let another pet come, and this one go.

        Open proposals are refused; running turns are stopped and their text is kept. Raises UnknownPet, NewerFormat.
        """
        root = self.pets.root(pet)
        if pet != self.current:
            require_known_pet(root)
            self.windows.pets.switch(pet)

    def _changed(self) -> PetList:
        self.emit(PetsChanged())
        return self.list_pets()
