"""One pet's settings from its pet.toml, and the connection of an imported pet.

The connection that an imported pet had chosen in another home may have the id of another server here. It is recorded
in the program's state, so that the pet's own files stay as they were packed. Until the owner chooses a connection for
the pet, nothing is sent; a model on this computer stays chosen.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pet.errors import PetNameRefused, SettingsInvalid
from pet.ids import check_pet_name
from pet.settings.connections import COMPUTER
from pet.settings.program_state import ClosedValues, JsonState
from pet.settings.schema import Settings, changed, check, with_place
from pet.settings.setting import SettingValue
from pet.settings.store import read_settings_file


@dataclass(frozen=True, slots=True, kw_only=True)
class PetSettings:
    """The settings in pet.toml. None: not set, the global setting applies."""

    name: str | None = None
    connection: str | None = None
    model: str | None = None
    language: str | None = None
    memory: bool | None = None
    recall: bool | None = None
    notes_when_asked: bool | None = None
    problems: tuple[SettingsInvalid, ...] = ()

    def _model_choice(self) -> dict[str, SettingValue | None]:
        if self.connection == COMPUTER:
            return {"connection": COMPUTER, "local_model": self.model, "demo": False}
        if self.connection is not None:
            return {"connection": self.connection, "local_model": "", "demo": False, "model": self.model}
        return {"model": self.model}

    def over(self, settings: Settings, overridden: list[str]) -> tuple[Settings, list[str]]:
        """Return the settings overridden by this pet's, and the names set here or in ``overridden``, those of the
        environment, which takes precedence.
        """
        own: dict[str, SettingValue | None] = {
            **({"model": self.model} if "base_url" in overridden else self._model_choice()),
            "language": self.language,
            "memory_default": self.memory,
            "recall": self.recall,
            "notes_when_asked": self.notes_when_asked,
        }
        values: dict[str, SettingValue] = {
            name: value for name, value in own.items() if value is not None and name not in overridden
        }
        names = sorted({*overridden, *values})
        if self.memory is not None:
            values["memory_read_only"] = False
        return changed(settings, values), names


def read_pet_settings(workspace: Path) -> PetSettings:
    """Return the settings of the pet.toml in this folder, with its problems.

    An invalid value counts as not set, except that an invalid memory switch counts as off: the owner may have turned
    it off. Both switches are off if the file can't be read or a newer program wrote it.
    """
    try:
        raw = read_settings_file(workspace / "pet.toml")
    except SettingsInvalid as problem:
        return PetSettings(memory=False, recall=False, problems=(problem,))
    problems: list[SettingsInvalid] = []

    def value(name: str, as_setting: str, *, unreadable: bool | None = None) -> SettingValue | None:
        try:
            return check(as_setting, raw[name]) if name in raw else None
        except SettingsInvalid as problem:
            problems.append(with_place(problem, f"pet.toml: {name}"))
            return unreadable

    own: dict[str, Any] = {
        "connection": value("connection", "connection"),
        "model": value("model", "model"),
        "language": value("language", "language"),
        "memory": value("memory", "memory_default", unreadable=False),
        "recall": value("recall", "recall", unreadable=False),
        "notes_when_asked": value("notes_when_asked", "notes_when_asked", unreadable=True),
    }
    name: str | None = None
    try:
        name = check_pet_name(str(raw["name"])) if "name" in raw else None
    except PetNameRefused:
        problems.append(SettingsInvalid(problem="not_a_name", setting="pet.toml: name"))
    return PetSettings(name=name, **own, problems=tuple(problems))


def own_settings(workspace: Path, pet: str, state: JsonState, *, records: bool = True) -> PetSettings:
    """Return pet.toml's settings. A connection of another home gets an id that no connection here can have, and
    memory that was off stays off if its line is gone. ``records``: as in ``ClosedValues``."""
    own = read_pet_settings(workspace)
    closed = ClosedValues(state, f"closed_settings.{pet}", records)
    if closed.lost({"memory": None if own.memory is None or own.problems else not own.memory}):
        lost = SettingsInvalid(problem="no_longer_set", setting="memory", file="pet.toml")
        problems = own.problems if own.memory is False else (*own.problems, lost)
        own = replace(own, memory=False, problems=problems)
    if own.connection in (None, COMPUTER) or not _is_foreign(own.connection, pet, state):
        return own
    return replace(own, connection=f"{own.connection} (imported)")


def note_foreign_connection(workspace: Path, pet: str, state: JsonState) -> None:
    """Record the connection in the pet.toml of a pet from another home. Raises OSError."""
    connection = read_pet_settings(workspace).connection
    if connection not in (None, COMPUTER):
        state.update({_key(pet): connection})


def copy_foreign_connection(source: str, pet: str, state: JsonState) -> None:
    """Copy the record to a pet's copy. Raises OSError."""
    connection = state.read_known().get(_key(source))
    if connection is not None:
        state.update({_key(pet): connection})


def drop_foreign_connection(pet: str, state: JsonState) -> None:
    """Drop the record, once the owner chose a connection. Raises OSError."""
    if state.read_or_lost()[1]:
        state.update({_key(pet): ""})
    else:
        state.drop(lambda name: name == _key(pet))


def _is_foreign(connection: str | None, pet: str, state: JsonState) -> bool:
    values, lost = state.read_or_lost()
    return values.get(_key(pet), connection if lost else None) == connection


def _key(pet: str) -> str:
    return f"foreign_connection.{pet}"
