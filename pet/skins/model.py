"""Skin data model: one of our bodies, or a sheet of equal cells and animations over them."""

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
SHEET_PIXELS = 40_000_000
"""Slightly above the largest sheet of the format: version 2 at triple size."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class ActiveSkin:
    """``skin`` None: the drawn body of this id. ``stamp`` identifies the version of the skin's files."""

    id: str
    stamp: str
    skin: Skin | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Still:
    """One cell, as WebP."""

    stamp: str
    image: bytes
    width: int
    height: int
    pixelated: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportedSkin:
    """``files``: pet.json and the sheet, by name. ``wish``: the preferred id."""

    wish: str
    files: dict[str, bytes]
    notes: tuple[SkinRefused, ...] = ()
