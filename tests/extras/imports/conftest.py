"""A pet whose card comes and goes, in a real store."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from pet.events import Event
from pet.extras.imports.importer import Importer
from pet.i18n import Texts
from pet.paths import Home
from pet.services.home import open_pets
from pet.settings.schema import Settings
from pet.workspace.store import WorkspaceStore
from pet.workspace.templates import create_workspace
from tests.cli.conftest import pet, server
from tests.engine.conftest import make_core
from tests.support.clocks import DayClock
from tests.support.program.parts import pet_of

__all__ = ["make_core", "pet", "server"]


@pytest.fixture
def store(home: Home) -> WorkspaceStore:
    root = home.workspace("momo")
    create_workspace(root, "en")
    return WorkspaceStore(root, locks=home.locks, clock=DayClock())


def card_pet(
    store: WorkspaceStore,
    wardrobe: object,
    downloads: Path,
    emit: Callable[[Event], object] = lambda _event: None,
    name: str = "Momo",
) -> Any:
    """Return the parts of a pet that the commands of cards need."""
    return pet_of(
        store=store,
        wardrobe=wardrobe,
        emit=emit,
        downloads=lambda: downloads,
        name=lambda: name,
        language=lambda: "en",
        texts=lambda: Texts("en"),
        effective=SimpleNamespace(current=Settings),
    )


@pytest.fixture
def importer(home: Home) -> Importer:
    return Importer(home, open_pets(home, DayClock()), DayClock(), lambda: "en")
