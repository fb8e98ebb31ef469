"""Standing facts of the daily logs (health, people, promises), added to USER.md once a day."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pet.extra import Extra

if TYPE_CHECKING:
    from pet.access import TurnGate
    from pet.app.pet import Pet
    from pet.model import Receipt, Source


def _upkeep(pet: Pet, gate: TurnGate, source: Source) -> list[Receipt]:
    from pet.extras.standing_facts.upkeep import FactsDay, keep_standing_facts

    return keep_standing_facts(pet, gate, source, FactsDay(pet.state, pet.pet_id))


EXTRA = Extra(upkeep=_upkeep)
