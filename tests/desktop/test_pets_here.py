"""A pet alone on the desktop, without the extra of several pets."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from pet.bridge.single_instance import SingleInstance
from pet.desktop.pets_here import PetsHere
from pet.desktop.process import Arrival
from pet.paths import Home


@pytest.mark.parametrize("shown", [True, False])
def test_a_switch_ends_the_program_and_names_the_pet_that_is_started_then(home: Home, shown: bool) -> None:
    pets = PetsHere(home, SingleInstance(home), Arrival())
    ended: list[str] = []
    pets.attach(cast(Any, SimpleNamespace(chat_shown=shown, quit=lambda: ended.append("quit"))))
    pets.switch("two")
    assert (pets.successor, ended) == (("two", Arrival(with_chat=shown)), ["quit"])


def test_its_program_leads_and_has_no_other_beside_it(home: Home) -> None:
    lead = SingleInstance(home)
    pets = PetsHere(home, lead, Arrival())
    assert pets.enter("one")
    assert (pets.leads, lead.held, pets.present, pets.own) == (True, True, frozenset(), None)
    assert not PetsHere(home, SingleInstance(home), Arrival()).enter("two")
    lead.release()
