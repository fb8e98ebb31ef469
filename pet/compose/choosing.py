"""Which pet is meant, whether its brain is paused, and the settings as it has them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from pet.errors import BadPetId, UnknownPet
from pet.ids import check_pet_id
from pet.paths import Home
from pet.settings.schema import Settings
from pet.settings.state import JsonState
from pet.settings.store import PetSettings, SettingsStore
from pet.texts import Language, system_language
from pet.workspace.pets import DEFAULT_PET


@dataclass(slots=True)
class PetSettingsSource:
    """The settings as one pet has them: environment, then pet.toml, then settings.toml."""

    store: SettingsStore
    own: Callable[[], PetSettings]

    def current(self) -> Settings:
        return self.own().over(self.store.current(), self.store.overridden())[0]

    def language(self) -> Language:
        language = self.current().language
        return system_language() if language == "system" else language


def pets_in(home: Home) -> list[str]:
    """The ids of the pets that have a folder."""
    if not home.pets.is_dir():
        return []
    return sorted(folder.name for folder in home.pets.iterdir() if folder.is_dir() and _is_pet_id(folder.name))


def choose_pet(home: Home, pet_id: str | None, state: JsonState) -> str:
    """The named pet, else the one used last, else the first there is, else a new one."""
    there = pets_in(home)
    if pet_id is not None:
        if check_pet_id(pet_id) not in there:
            raise UnknownPet(pet_id=pet_id)
        return pet_id
    last = state.read().get("pet")
    if isinstance(last, str) and last in there:
        return last
    return there[0] if there else DEFAULT_PET


def _is_pet_id(name: str) -> bool:
    try:
        return bool(check_pet_id(name))
    except BadPetId:
        return False


def is_paused(state: JsonState, pet: str) -> bool:
    return state.read().get(paused_key(pet)) is True


def paused_key(pet: str) -> str:
    return f"paused.{pet}"
