"""Several pets on the desktop: others come too and go home, meet and visit one another, and take another's place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pet.extra import Extra, ExtraParts

if TYPE_CHECKING:
    from pet.app.pet import Pet


def _make(app: Pet) -> ExtraParts:
    from pet.extras.several_pets.commands import CompanyCommands

    return ExtraParts(commands=(CompanyCommands(app),))


EXTRA = Extra(make=_make, ports={"several_pets": "pet.extras.several_pets.pets_on_desktop.PetsOnDesktop"})
