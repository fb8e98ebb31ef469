"""A pet whose card comes and goes, in a real store."""

from __future__ import annotations

import pytest

from pet.extras.imports.importer import Importer
from pet.paths import Home
from pet.services.home import open_pets
from pet.workspace.store import WorkspaceStore
from pet.workspace.templates import create_workspace
from tests.cli.conftest import pet, server
from tests.engine.conftest import make_core
from tests.support.clocks import DayClock

__all__ = ["make_core", "pet", "server"]


@pytest.fixture
def store(home: Home) -> WorkspaceStore:
    root = home.workspace("momo")
    create_workspace(root, "en")
    return WorkspaceStore(root, locks=home.locks, clock=DayClock())


@pytest.fixture
def importer(home: Home) -> Importer:
    return Importer(home, open_pets(home, DayClock()), DayClock(), lambda: "en")
