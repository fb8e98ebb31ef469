"""Choice of the pet to open, its settings, and the record of its pause."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import chain

from pet.errors import NewerFormat, SettingsInvalid, UnknownPet
from pet.i18n import Language, system_language
from pet.ids import check_pet_id
from pet.model import ModelChoice
from pet.paths import Home
from pet.settings.connections import MAIN, ModelInUse, model_in_use
from pet.settings.foreign_connection import PetSettings
from pet.settings.json_state import JsonState
from pet.settings.recent_pets import note_used, used_pets
from pet.settings.schema import Settings
from pet.settings.store import SettingsStore
from pet.workspace.pets.registry import DEFAULT_PET, last_written, list_ids

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class PetSettingsSource:
    """Settings of one pet: environment, then pet.toml, then settings.toml. ``without_choice``: replaces them while no
    model is chosen."""

    store: SettingsStore
    own: Callable[[], PetSettings]
    without_choice: Callable[[Settings], Settings] = lambda settings: settings

    def current(self) -> Settings:
        """Return the settings with address, protocol and model of the connection that this pet uses."""
        return self.in_use().settings

    def in_use(self, chosen: ModelChoice | None = None) -> ModelInUse:
        """Return the model of a conversation, of this pet, or the default. An unreadable choice is its ``problem``:
        no other connection is used instead."""
        own, overridden = self.own(), self.store.overridden()
        settings = own.over(self.store.current(), overridden)[0]
        model = settings.model if "model" in overridden else own.model or ""
        if chosen is None and not self._is_chosen(own, settings, overridden):
            return ModelInUse(settings=self.without_choice(settings))
        used = model_in_use(settings, self.store.connections()[1:], chosen, model=model)
        if chosen is not None or "base_url" in overridden:
            return used
        return replace(used, problem=self._unreadable_choice(own) or used.problem)

    def _is_chosen(self, own: PetSettings, settings: Settings, overridden: list[str]) -> bool:
        """Return whether the owner, this pet's pet.toml or the environment chose a model."""
        return bool(
            settings.local_model
            or settings.demo
            or settings.connection != MAIN
            or settings.model != Settings().model
            or own.connection
            or own.model
            or {"base_url", "model"} & set(overridden)
            or self.store.main_is_written()
            or self._unreadable_choice(own)
        )

    def _unreadable_choice(self, own: PetSettings) -> SettingsInvalid | None:
        of_pet = (each for each in own.problems if each.args_.get("setting") in (None, "pet.toml: connection"))
        of_all = () if own.connection else (each for each in self.store.problems() if _chooses(each))
        return next(chain(of_pet, of_all), None)

    def language(self) -> Language:
        language = self.current().language
        return system_language() if language == "system" else language


def _chooses(problem: SettingsInvalid) -> bool:
    return problem.args_.get("setting") in ("connection", "local_model", "demo")


def choose_pet(home: Home, pet_id: str | None, state: JsonState) -> str:
    """Return the named pet, else the existing pet opened last, else the one with the newest conversation.

    Without conversations: DEFAULT_PET if it exists, else the first id; without pets DEFAULT_PET. Raises BadPetId, and
    UnknownPet for a named pet without a folder.
    """
    there = list_ids(home)
    if pet_id is not None:
        if check_pet_id(pet_id) not in there:
            raise UnknownPet(pet_id=pet_id)
        return pet_id
    used = next((each for each in used_pets(state) if each in there), None)
    if used is not None:
        return used
    return min(
        there, key=lambda each: (-last_written(home.workspace(each)), each != DEFAULT_PET, each), default=DEFAULT_PET
    )


def record_use(state: JsonState, pet_id: str) -> None:
    """Record that this pet is opened; a failure to write is only logged."""
    try:
        note_used(state, pet_id)
    except OSError as error:
        _log.warning("the pet that is open could not be recorded: %s", error)


def record_choice(home: Home, state: JsonState) -> None:
    """Record the pet that would open next, before another is made, which could be chosen instead. Raises OSError."""
    if list_ids(home):
        note_used(state, choose_pet(home, None, state))


def is_paused(state: JsonState, pet: str) -> bool:
    """Return whether memory of the pet is paused."""
    return state.read().get(paused_key(pet)) is True


def paused_key(pet: str) -> str:
    return f"paused.{pet}"


def recorded_pause(state: JsonState, pet: str) -> tuple[bool, int]:
    """Return whether memory is paused, and the number of pauses so far, since a past pause still ends the turns it
    interrupted. A state that can't be read or is of a newer program counts as paused."""
    values = state.read()
    if not values and _is_unknown(state):
        return True, 0
    count = values.get(_pauses_key(pet))
    return values.get(paused_key(pet)) is True, count if isinstance(count, int) else 0


def _is_unknown(state: JsonState) -> bool:
    try:
        state.require_known_format()
    except (NewerFormat, OSError):
        return True
    return False


def record_pause(state: JsonState, pet: str) -> None:
    """Record a pause and count it. Raises OSError."""
    with state.held():
        count = state.read_known().get(_pauses_key(pet))
        state.update({paused_key(pet): True, _pauses_key(pet): (count if isinstance(count, int) else 0) + 1})


def _pauses_key(pet: str) -> str:
    return f"pauses.{pet}"
