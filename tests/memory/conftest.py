"""A workspace of a few days, and its index by words and dates."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from pet.memory.search.memory_index import MemoryIndex, open_index
from pet.paths import find_home
from tests.memory.care_desk import CareDesk
from tests.memory.forget_desk import Pet
from tests.memory.workspaces import few_days


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "pet"
    folder.mkdir()
    return few_days(folder)


@pytest.fixture
def index(workspace: Path, tmp_path: Path) -> Iterator[MemoryIndex]:
    opened = open_index(workspace, tmp_path / "cache", embedder=None)
    yield opened
    opened.close()


@pytest.fixture
def pet(tmp_path: Path) -> Pet:
    return Pet(find_home(tmp_path / "home"))


@pytest.fixture
def care(tmp_path: Path) -> CareDesk:
    return CareDesk(tmp_path)
