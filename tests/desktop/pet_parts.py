"""A port that records the pet's orders, and its looks, for tests of the native pet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from pet.bridge.commands.desktop import PointerPlace
from pet.bridge.commands.skins import PetLook, SkinSheet
from pet.desktop.dropped_things import dropped_batches
from pet.desktop.pet_actor import Order
from pet.events import Mood
from pet.services.file_transfer import DroppedThings
from pet.services.offers.shared_life import PetLife

LOOK = PetLook(
    sheet=SkinSheet(skin="soulpet", stamp="drawn"),
    mood=Mood.NEUTRAL,
    paused=False,
    reduced_motion="off",
    language="en",
    name="Bun",
    pace="calm",
    fades=False,
    hush=False,
    tab_off=False,
    life=PetLife(),
)


@dataclass
class Move:
    dx: float
    dy: float
    done: bool
    floats: bool
    walk: int


@dataclass
class Port:
    """Replies at once; ``late``: keeps the requests of the look."""

    look: PetLook | None = LOOK
    pointer: PointerPlace | None = None
    late: bool = False
    calls: list[Any] = field(default_factory=list)
    moves: list[Move] = field(default_factory=list)
    dropped: list[DroppedThings] = field(default_factory=list)
    requests: list[Callable[[PetLook | None], None]] = field(default_factory=list)
    have: list[str] = field(default_factory=list)

    def move_pet(self, dx: float, dy: float, *, done: bool, floats: bool, walk: int) -> None:
        self.moves.append(Move(dx, dy, done, floats, walk))

    def order(self, command: Order) -> None:
        self.calls.append(command)

    def stroll(self, way: float, *, near: bool, what: str = "walk") -> None:
        self.calls.append(("stroll", way, near, what) if what != "walk" else ("stroll", way, near))

    def fade_pet(self, faded: bool) -> None:
        self.calls.append(("fade", faded))

    def show_chat(self) -> None:
        self.calls.append("show_chat")

    def drop(self, files: Sequence[Path], text: str) -> None:
        self.dropped += dropped_batches(files, text)

    def get_skin(self, have: str, reply: Callable[[PetLook | None], None]) -> None:
        self.have.append(have)
        if self.late:
            self.requests.append(reply)
        else:
            reply(self.look)

    def find_pointer(self, reply: Callable[[PointerPlace | None], None]) -> None:
        self.calls.append("find_pointer")
        reply(self.pointer)

    def times(self, name: str) -> int:
        return sum(each == name or each[0] == name for each in self.calls)


def with_life(look: PetLook = LOOK, **life: Any) -> PetLook:
    return replace(look, life=replace(look.life, **life))
