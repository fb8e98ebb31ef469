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
class _Written:
    """The settings as files and environment have them. ``model``: as for ``model_in_use``. ``used``: the model of the
    pet, or the default, if ``is_chosen``. ``is_whole``: each file was read, and nothing in it was wrong."""

    settings: Settings
    texts: Texts
    connections: tuple[Connection, ...]
    model: str
    used: ModelInUse
    is_chosen: bool
    is_whole: bool


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
    _written: FromFiles[_Written] = field(init=False)

    def __post_init__(self) -> None:
        self._written = FromFiles(self.files, self._read, lambda written: written.is_whole)

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

    def own_window(self) -> int:
        """Return the context window that the owner set, 0 for none."""
        return self._written.get().settings.context_window

    def is_chosen(self) -> bool:
        """Return whether the owner, this pet's pet.toml or the environment chose a model."""
        return self._written.get().is_chosen

    def _read(self) -> _Written:
        own, overridden = self.own(), self.store.overridden()
        settings = own.over(self.store.current(), overridden)[0]
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
        is_whole = not (own.problems or self.store.problems())
        return _Written(settings, texts, connections, model, used, is_chosen, is_whole)

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
