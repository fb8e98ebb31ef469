"""The settings that hold for one pet, and the model that a conversation uses by them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

from pet.errors import SettingsInvalid
from pet.i18n import Language, Texts, system_language
from pet.settings.connections import MAIN, Connection, ModelInUse, model_in_use
from pet.settings.pet_settings import PetSettings
from pet.settings.schema import Settings
from pet.settings.store import SettingsStore
from pet.untrusted.regular_files import FromFiles

if TYPE_CHECKING:
    from pet.model import ModelChoice


@dataclass(frozen=True, slots=True)
class WrittenSettings:
    """The settings as files and environment have them. ``model``: as for ``model_in_use``. ``used``: the model of the
    pet, or the default, if ``is_chosen``. ``overridden``: names of those that the environment or pet.toml sets.
    ``problems``: what could not be read of the files."""

    settings: Settings
    texts: Texts
    connections: tuple[Connection, ...]
    model: str
    used: ModelInUse
    is_chosen: bool
    overridden: list[str]
    problems: list[SettingsInvalid]


@dataclass(slots=True)
class PetSettingsSource:
    """Settings of one pet: environment, then pet.toml, then settings.toml. ``files``: all that ``store`` and ``own``
    read. ``without_choice``: replaces them while no model is chosen. ``with_facts``: adds what is known of the model
    in use."""

    store: SettingsStore
    own: Callable[[], PetSettings]
    files: tuple[Path, ...]
    without_choice: Callable[[Settings], Settings] = lambda settings: settings
    with_facts: Callable[[Settings], Settings] = lambda settings: settings
    _written: FromFiles[WrittenSettings] = field(init=False)

    def __post_init__(self) -> None:
        self._written = FromFiles(self.files, self._read, lambda written: not written.problems)

    def current(self) -> Settings:
        """Return the settings with address, protocol and model of the connection that this pet uses."""
        return self.in_use().settings

    def in_use(self, chosen: ModelChoice | None = None) -> ModelInUse:
        """Return the model of a conversation, of this pet, or the default. An unreadable choice is its ``problem``:
        no other connection is used instead."""
        written = self._written.get()
        if chosen is not None:
            used = model_in_use(written.settings, written.connections, chosen, model=written.model)
        elif written.is_chosen:
            used = written.used
        else:
            used = ModelInUse(settings=self.without_choice(written.settings))
        return replace(used, settings=self.with_facts(used.settings))

    def written(self) -> WrittenSettings:
        """Return the settings as the owner sees them, without what is known of the model in use."""
        return self._written.get()

    def own_window(self) -> int:
        """Return the context window that the owner set, 0 for none."""
        return self._written.get().settings.context_window

    def is_chosen(self) -> bool:
        """Return whether the owner, this pet's pet.toml or the environment chose a model."""
        return self._written.get().is_chosen

    def _read(self) -> WrittenSettings:
        own, overridden = self.own(), self.store.overridden()
        settings, overridden_here = own.over(self.store.current(), overridden)
        model = settings.model if "model" in overridden else own.model or ""
        unreadable = self._unreadable_choice(own)
        connections = self.store.connections()[1:]
        used = model_in_use(settings, connections, model=model)
        if "base_url" not in overridden:
            used = replace(used, problem=unreadable or used.problem)
        is_chosen = bool(
            settings.local_model
            or settings.demo
            or settings.connection != MAIN
            or settings.model != Settings().model
            or own.connection
            or own.model
            or {"base_url", "model"} & set(overridden)
            or self.store.main_is_written()
            or unreadable
        )
        texts = Texts(system_language() if settings.language == "system" else settings.language)
        problems = [*self.store.problems(), *own.problems]
        return WrittenSettings(settings, texts, connections, model, used, is_chosen, overridden_here, problems)

    def _unreadable_choice(self, own: PetSettings) -> SettingsInvalid | None:
        of_pet = (each for each in own.problems if each.args_.get("setting") in (None, "pet.toml: connection"))
        of_all = () if own.connection else (each for each in self.store.problems() if _chooses(each))
        return next(chain(of_pet, of_all), None)

    def language(self) -> Language:
        return self.texts().language

    def texts(self) -> Texts:
        return self._written.get().texts


def _chooses(problem: SettingsInvalid) -> bool:
    return problem.args_.get("setting") in ("connection", "local_model", "demo")
