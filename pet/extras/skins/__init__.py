"""Skins of others: Codex pets, Shimeji sets and pictures by mood are imported, listed, worn, exported and deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pet.extra import Extra, ExtraParts

if TYPE_CHECKING:
    from pet.app.pet import Pet


def _make(pet: Pet) -> ExtraParts:
    from pet.extras.skins.commands import PictureSkinCommands

    return ExtraParts(commands=(PictureSkinCommands(pet),))


EXTRA = Extra(make=_make, ports={"skins": "pet.extras.skins.library.shelf_of"})
