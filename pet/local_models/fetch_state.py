"""State of a catalogue model on disk. Reads only."""

from __future__ import annotations

from pathlib import Path

from pet.local_models.catalogue import CatalogueEntry


def part_of(entry: CatalogueEntry, folder: Path) -> Path:
    return folder / f"{entry.sha256}.part"


def part_size(entry: CatalogueEntry, folder: Path) -> int:
    """Return the bytes of a partial download, or 0."""
    try:
        return part_of(entry, folder).stat().st_size
    except OSError:
        return 0


def is_here(entry: CatalogueEntry, folder: Path) -> bool:
    """Whether the verified file exists with its size."""
    try:
        return (folder / entry.file).stat().st_size == entry.size
    except OSError:
        return False
