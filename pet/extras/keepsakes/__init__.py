"""Pictures and films of the pet, in the owner's pictures folder."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pet.extra import Extra, ExtraParts

if TYPE_CHECKING:
    from pet.app.pet import Pet


def _make(pet: Pet) -> ExtraParts:
    from pet.extras.keepsakes.commands import KeepsakeCommands

    return ExtraParts(commands=(KeepsakeCommands(pet),))


EXTRA = Extra(make=_make, ports={"menu": "pet.extras.keepsakes.commands.menu_item"})
