"""A home with pets in it, and a bin that the test can look into."""

from __future__ import annotations

from pathlib import Path

from pet.paths import Home
from pet.services.home import drop_traces
from pet.workspace.pets import Pets
from tests.support.clocks import DayClock


def plain_pets(home: Home) -> Pets:
    return Pets(
        home,
        clock=DayClock(),
        drop_traces=lambda pet_id, root: drop_traces(home, pet_id, root),
        to_bin=lambda folder: None,
        note_origin=lambda *_: None,
    )


def tree(root: Path) -> dict[str, bytes]:
    """Every plain file under a folder."""
    return {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*") if path.is_file()}
