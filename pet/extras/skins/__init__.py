"""Skins of others: Codex pets, Shimeji sets and pictures by mood are imported, listed, worn, exported and deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pet.extra import Extra, ExtraParts

if TYPE_CHECKING:
    from pet.app.pet import Pet


def _make(pet: Pet) -> ExtraParts:
    from pet.extras.skins.commands import PictureSkinCommands
    from pet.extras.skins.library import shelf_of

    commands = PictureSkinCommands(
        wardrobe=pet.wardrobe,
        library=lambda: shelf_of(pet.home, pet.store.root, pet.environ),
        language=pet.effective.language,
        downloads=pet.downloads,
        emit=pet.emitter.emit,
    )
    return ExtraParts(commands=(commands,))


EXTRA = Extra(make=_make, skins="pet.extras.skins.library.shelf_of")
