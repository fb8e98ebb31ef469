"""What the menus of pet and tray have for several pets."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from pet.bridge.single_instance import SingleInstance
from pet.desktop.platform import MenuItem
from pet.desktop.process import Arrival
from pet.extras.several_pets.companions import Neighbour
from pet.extras.several_pets.company import Company
from pet.extras.several_pets.pets_on_desktop import PetsOnDesktop
from pet.paths import Home
from pet.services.home import open_pets
from tests.desktop.test_menu import Acted, Listed, read_label, shown, within

PETS = ("Bun", "Cat", "Dog", "Owl")


def beside(home: Home, **seen: bool) -> tuple[PetsOnDesktop, list[str]]:
    """Return the pets on a desktop with these others, each shown or not, and the names of the commands ordered."""
    ordered: list[str] = []
    core: Any = Acted("en")
    core.order = lambda _client, method, **args: ordered.append(f"{method.__name__} {args['pet']}")
    pets = PetsOnDesktop(home, SingleInstance(home), Arrival())
    parts: dict[str, Any] = dict.fromkeys(("platform", "places", "chat", "quit"))
    parts |= {each: SimpleNamespace() for each in ("windows", "visibility")}
    pet = SimpleNamespace(veil=lambda _veiled: None)
    pets.attach(cast(Any, SimpleNamespace(core=core, pet=pet, **parts)))
    for name, shows in seen.items():
        pets.note(Neighbour(pet=name, x=0, y=0, width=192, height=208, shown=shows))
    return pets, ordered


def act_on(items: Sequence[MenuItem]) -> None:
    before = set(threading.enumerate())
    for item in items:
        assert item.act is not None
        item.act()
    for thread in set(threading.enumerate()) - before:
        thread.join()


def companion(items: Sequence[MenuItem], name: str) -> Sequence[MenuItem]:
    children = next(item for item in items if item.text == name).children
    assert children is not None
    return children()


def test_pets_that_are_there_can_go_and_the_tray_lists_them(monkeypatch: pytest.MonkeyPatch, home: Home) -> None:
    monkeypatch.setattr(Acted, "listed", tuple(Listed(each.lower(), each, current=each == "Bun") for each in PETS))
    for name in PETS:
        open_pets(home).create(name, "en")
    asked: list[str] = []
    for what in ("show", "toggle", "send_away"):
        monkeypatch.setattr(Company, what, lambda _self, pet, what=what: asked.append(f"{what} {pet}"))
    pets, ordered = beside(home, cat=True)
    items, _ = shown(in_tray=True, pets=pets)
    changes = within(within(items), "menu_pets")[4:]
    assert [item.text for item in changes] == ["Send Bun home", "Send Cat home", "Bring Dog too", "Bring Owl too"]
    assert [item.text for item in companion(items, "Cat")] == ["Open chat", "Hide", "Send Cat home"]
    assert read_label(items[-1].text) == "Quit all"
    act_on([*companion(items, "Cat"), changes[2]])
    assert (sorted(asked), ordered) == (["send_away cat", "show cat", "toggle cat"], ["bring_pet dog"])
    pets, _ = beside(home, cat=False, dog=True)
    crowded, _ = shown(pets=pets)
    assert [item.text for item in within(within(crowded), "menu_pets")[4:]] == [
        "Send Bun home",
        "Send Cat home",
        "Send Dog home",
    ]
    assert "Cat" not in [item.text for item in crowded]  # at the pet it is its own menu


def test_a_long_name_is_cut(monkeypatch: pytest.MonkeyPatch, home: Home) -> None:
    monkeypatch.setattr(Acted, "listed", (Listed("bun", "Bun", current=True), Listed("x", "x" * 90)))
    pets, _ = beside(home)
    assert within(within(shown(pets=pets)[0]), "menu_pets")[-1].text == f"Bring {'x' * 39}… too"
