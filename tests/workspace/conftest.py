"""A real store in a temporary folder, with a clock that the test sets and a list of what was announced."""

from __future__ import annotations

from pathlib import Path

import pytest

from pet.events import WorkspaceChanged
from pet.paths import Home
from pet.workspace.pets import Pets
from pet.workspace.store import FileLimits, WorkspaceStore
from tests.support.clocks import StandingClock
from tests.workspace.plain_pets import plain_pets


class Desk:
    """One pet's folder and the stores that work on it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "pet"
        self.root.mkdir(exist_ok=True)
        self.clock = StandingClock()
        self.told: list[WorkspaceChanged] = []
        self.store = self.open()

    def open(self, limits: FileLimits | None = None) -> WorkspaceStore:
        return WorkspaceStore(
            self.root,
            locks=self.folder / "locks",
            clock=self.clock,
            limits=limits or FileLimits(),
            on_change=self.told.append,
        )

    def put(self, name: str, data: bytes) -> None:
        """As a foreign editor does that saves in place."""
        path = self.root / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(data)

    def replace(self, name: str, data: bytes) -> None:
        """As a foreign editor does that saves beside and renames."""
        beside = self.root / f"{name}.foreign"
        beside.write_bytes(data)
        beside.replace(self.root / name)

    def bytes(self, name: str) -> bytes:
        return (self.root / name).read_bytes()

    def strays(self) -> list[str]:
        """Files in the folder that are none of the pet's."""
        return [
            path.name for path in self.root.iterdir() if path.name.startswith(".soulpet") or path.suffix == ".tmp"
        ]


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path)


@pytest.fixture
def pets(home: Home) -> Pets:
    """Without the system's bin: deleted pets stay in the bin of ours."""
    return plain_pets(home)
