"""Calls of the native pet to the core."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

from pet.desktop.core_ports import PetOrders


class Core:
    """Orders to a core that is there."""

    ready = True

    def __init__(self, look: object) -> None:
        self.look = look

    def ask(self, reply: Callable[[Any], object], _method: object, _have: str) -> None:
        reply(self.look)


def test_what_waits_for_the_look_goes_on_once_the_pet_draws_it() -> None:
    for look, happened in (("a look", ["drawn: a look", "seen"]), (None, ["drawn: None"])):
        done: list[str] = []
        pets = SimpleNamespace(drawn=lambda done=done: done.append("seen"))
        port = PetOrders(cast(Any, Core(look)), cast(Any, SimpleNamespace(pets=pets)))
        port.get_skin("", lambda drawn, done=done: done.append(f"drawn: {drawn}"))  # type: ignore[misc]
        assert done == happened
