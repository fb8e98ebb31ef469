"""The port of models and model servers that run on this computer. Behind it is the extra ``local_models``; without it
none can run, or be found.

A chosen model is one string in the settings: a catalogue id, ``tiny``, or ``file:`` and an absolute path.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

from pet.errors import LocalModelRefused
from pet.extra import provided

if TYPE_CHECKING:
    from pet.app.pet import Pet
    from pet.i18n import Language
    from pet.paths import Home
    from pet.providers.base import Provider

FILE = "file:"
MODEL_SUFFIX = ".gguf"

Kind = Literal["catalogue", "tiny", "found"]


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalModel:
    """A startable model. ``context`` in tokens, ``size`` and ``need`` in bytes; ``notebook``: too small for tools;
    ``changed``: when its file was written, in nanoseconds."""

    id: str
    name: str
    path: Path
    size: int
    context: int
    need: int
    notebook: bool
    repack: bool = False
    tiny: bool = False
    changed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelOffer:
    """``fits``: "" or why not (memory, memory_now); ``part``: bytes of a partial download; ``by``: the maker, or the
    program that keeps the file; ``host``: of the download, "" for local files."""

    id: str
    kind: Kind
    name: str
    by: str
    licence: str
    languages: tuple[str, ...] = ()
    size: int
    need: int
    here: bool = True
    part: int = 0
    fits: str
    recommended: bool = False
    host: str = ""
    notebook: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalServer:
    """``models``: those for conversation first, so that the first one can be proposed."""

    name: str
    base_url: str
    models: tuple[str, ...]


class LocalModels:
    """The models of one home, of which none can run here. ``language``: of the owner."""

    servers: ClassVar[Mapping[str, str]] = {}
    """Names of the programs whose servers can be found, by the word that a command takes."""

    def __init__(self, home: Home, *, language: Callable[[], Language]) -> None:
        self.home = home
        self.language = language

    @classmethod
    def of_pet(cls, pet: Pet) -> LocalModels:
        """Return those of a pet, which are closed with it."""
        return cls(pet.home, language=pet.effective.language)

    @staticmethod
    def name(chosen: str) -> str:
        """Return the name of a chosen model without opening its file."""
        return Path(chosen.removeprefix(FILE)).stem

    def problem(self) -> str:
        """Return why no model can run here (no_runtime, no_cpu), or ""."""
        return "no_runtime"

    def check(self, chosen: str, *, cached: bool = False) -> LocalModel:  # noqa: ARG002
        """Return the model as it would be started; ``cached``: once while its file is the same. Raises
        LocalModelRefused."""
        raise LocalModelRefused(self.problem(), name=self.name(chosen))

    def downloaded(self) -> str:
        """Return the id of a downloaded model that runs here, or ""."""
        return ""

    def choices(self) -> list[ModelOffer]:
        """Return the models that can be downloaded, and the packaged one if it is installed."""
        return []

    def scan_other_programs(self) -> list[ModelOffer]:
        """Return models of other programs on this computer."""
        return []

    async def find_servers(self) -> tuple[LocalServer, ...]:
        """Return the servers that answer here."""
        return ()

    def offer_file(self, path: Path) -> None:
        """Check a model file, and offer it to the owner in the chat. Raises LocalModelRefused without the extra."""
        raise LocalModelRefused(self.problem(), name=path.name)

    def runs_elsewhere(self) -> bool:
        """Whether another program of this home runs a model now."""
        return False

    def provider(self, chosen: str) -> Provider:
        """Return the model's provider; on the engine's thread only. Raises LocalModelRefused."""
        raise LocalModelRefused(self.problem(), name=self.name(chosen))

    async def warm(self, chosen: str) -> None:
        """Start a model unless it sleeps, and compute how its requests begin. Raises ProviderFault."""

    def erase_saved(self) -> None:
        """Delete what was computed of prompts and saved; it contains the soul."""


def local_models_kind() -> type[LocalModels]:
    """Return the class of the extra, or that of none."""
    kind: type[LocalModels] = provided("local_models") or LocalModels
    return kind


def model_name(chosen: str) -> str:
    """Return the name of a chosen model without opening its file."""
    return local_models_kind().name(chosen)
