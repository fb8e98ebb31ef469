"""The page "Our days": what grows with days together, told by the owner's own logs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pet.extra import Extra, ExtraParts

if TYPE_CHECKING:
    from pet.app.pet import Pet


def _make(pet: Pet) -> ExtraParts:
    from pet.extras.our_days.commands import OurDaysCommands

    return ExtraParts(commands=(OurDaysCommands(pet),))


EXTRA = Extra(make=_make)
