"""The skins of a pet, with its choice in pet.toml."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from pet.clock import Clock
from pet.paths import Home, ui_folder
from pet.skins.selection import SkinSelector
from pet.workspace.pets.pet_toml import read_value, write_value
from pet.workspace.versioned.owner_files import OwnerFiles

if TYPE_CHECKING:
    from pet.skins.library import SkinLibrary


_CHOICE = "skin"  # in pet.toml


def wardrobe_for(home: Home, root: Path, clock: Clock, environ: Mapping[str, str]) -> SkinSelector:
    """Return the skins of the pet in this workspace; its choice is stored in pet.toml."""

    def shelf() -> SkinLibrary:
        from pet.skins.library import SkinLibrary, foreign_folders

        return SkinLibrary(
            workspace=root,
            shared=home.data / "skins",
            foreign=foreign_folders(environ, Path.home()),
            drawn=ui_folder() / "skin",
        )

    owned = OwnerFiles(root=root, locks=home.locks, clock=clock)
    return SkinSelector(
        root / "skin", shelf, lambda: read_value(root, _CHOICE), lambda skin: write_value(owned, _CHOICE, skin)
    )
