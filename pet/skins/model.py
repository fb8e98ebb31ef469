"""Skin data model: a sheet of equal cells and animations over them; constants of the Codex pet format (1 and 2)."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pet.errors import SkinRefused

Origin = Literal["drawn", "pet", "shared", "codex", "petdex"]

DRAWN = "soulpet"
"""Id of the default drawn body: always available, and the fallback."""
BODIES = (DRAWN, *(f"{DRAWN}/{name}" for name in ("biscuit", "inkwell", "vesper", "moss")))
"""All drawn bodies. The slash keeps their ids apart from those of shared skins, which are folder names."""
BODY_OF_SOUL = dict(zip(("soul", "sunny", "scholar", "night", "slow"), BODIES, strict=True))
"""The body for each shipped personality."""
OWN = "own"
"""Id of the pet's own ``skin/``."""

MANIFESTS = ("pet.json", "avatar.json")
"""The second is the format's former name."""
CELL = (192, 208)
COLUMNS = 8
ROWS = {1: 9, 2: 11}
MAX_CELLS = 256
MAX_ZOOM = 3
MANIFEST_BYTES = 64 * 1024
SHEET_BYTES = 32 * 1024 * 1024
SHEET_PIXELS = 40_000_000
"""Slightly above the largest sheet of the format: version 2 at triple size."""


def size_words(count: int) -> str:
    """Format a byte limit for display: ``64 KB``, ``32 MB``."""
    return f"{count // 2**20} MB" if count >= 2**20 else f"{count // 1024} KB"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A named row of the format, with its frame durations."""

    name: str
    milliseconds: tuple[int, ...]


STATES: tuple[Row, ...] = (
    Row(name="idle", milliseconds=(1680, 660, 660, 840, 840, 1920)),  # the calm loop
    Row(name="running-right", milliseconds=(120,) * 7 + (220,)),
    Row(name="running-left", milliseconds=(120,) * 7 + (220,)),
    Row(name="waving", milliseconds=(140,) * 3 + (280,)),
    Row(name="jumping", milliseconds=(140,) * 4 + (280,)),
    Row(name="failed", milliseconds=(140,) * 7 + (240,)),
    Row(name="waiting", milliseconds=(150,) * 5 + (260,)),
    Row(name="running", milliseconds=(120,) * 5 + (220,)),
    Row(name="review", milliseconds=(150,) * 5 + (280,)),
)
LOOK_ROWS = (9, 10)

OTHER_NAMES = {
    "move_right": "running-right",
    "move_left": "running-left",
    "wave": "waving",
    "bounce": "jumping",
    "sad": "failed",
}
"""Aliases of row names. ``sad`` is an alias only if the pet lacks a ``sad`` animation."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinAnimation:
    """Cells in display order, and how long each stays."""

    name: str
    frames: tuple[int, ...]
    milliseconds: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """Grid of the sheet."""

    width: int
    height: int
    columns: int
    rows: int

    @property
    def cells(self) -> int:
        return self.columns * self.rows


@dataclass(frozen=True, slots=True, kw_only=True)
class Skin:
    """A usable skin. ``notes`` lists faults that were worked around."""

    id: str
    name: str
    description: str
    version: int
    sheet: Path
    frame: Frame
    animations: tuple[SkinAnimation, ...]
    looks: tuple[int, ...] = ()
    pixelated: bool = False
    notes: tuple[SkinRefused, ...] = ()
    manifest: dict[str, object] = field(default_factory=dict)

    def animation(self, name: str) -> SkinAnimation | None:
        return next((each for each in self.animations if each.name == name), None)


def manifest_name(folder: Path) -> str | None:
    """Return the name of the manifest file, or None if the folder is not a skin."""
    return next((name for name in MANIFESTS if (folder / name).is_file()), None)
