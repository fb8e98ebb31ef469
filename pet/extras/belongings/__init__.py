"""The pet's ball and its cushion."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from pet.extra import Extra
from pet.settings.setting import Shown, Spec

if TYPE_CHECKING:
    from pet.desktop.placement_store import PlacementStore
    from pet.desktop.qt_desktop import QtDesktop
    from pet.desktop.window_group import Things
    from pet.settings.schema import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class BelongingSettings:
    pet_ball: Annotated[bool, Spec("desktop", row=Shown("moves", 2))] = False
    pet_cushion: Annotated[bool, Spec("desktop", row=Shown("moves", 3))] = False


def bring_things(platform: QtDesktop, places: PlacementStore, settings: Settings) -> Things | None:
    """Return the pet's things; None, and nothing is loaded for them, as long as the settings give it none."""
    given = settings.of(BelongingSettings)
    if not (given.pet_ball or given.pet_cushion):
        return None
    from pet.extras.belongings.windows import Belongings

    return Belongings(platform, places)


EXTRA = Extra(settings=BelongingSettings, ports={"things": "pet.extras.belongings.bring_things"})
