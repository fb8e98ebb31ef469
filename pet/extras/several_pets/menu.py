"""The menus' entries for several pets."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

from pet.bridge.command import Client
from pet.desktop.core_client import CoreClient
from pet.desktop.menu import short_name
from pet.desktop.platform import Action, MenuItem
from pet.extras.several_pets.commands import CompanyCommands
from pet.extras.several_pets.companions import MOST_PETS
from pet.extras.several_pets.company import Company
from pet.i18n import Texts

if TYPE_CHECKING:
    from pet.bridge.commands.pets import PetInfo


def menu_changes(pets: Sequence[PetInfo], core: CoreClient, company: Company, dismiss: Action) -> list[MenuItem]:
    """Return what lets each of these pets come too or go. ``dismiss``: lets this one go."""
    texts, there = core.texts(), {each.id for each in pets if each.current} | company.others.keys()
    items: list[MenuItem] = []
    for each in pets:
        if each.id in there:
            act = dismiss if each.current else partial(_order, company.send_away, each.id)
            if len(there) > 1:
                items.append(MenuItem(text=_named(texts, "let_go", each), act=act))
        elif len(there) < MOST_PETS:
            bring = partial(core.order, Client.CHAT, CompanyCommands.bring_pet, pet=each.id)
            items.append(MenuItem(text=_named(texts, "come_too", each), act=bring))
    return items


def companions(core: CoreClient, company: Company) -> list[MenuItem]:
    """Return a menu for each other pet on the desktop."""
    texts, shown = core.texts(), {each.pet: each.shown for each in company.others.values()}

    def within(pet: PetInfo) -> list[MenuItem]:
        hide = texts("shell.menu_its_hide" if shown[pet.id] else "shell.menu_its_show")
        return [
            MenuItem(text=texts("shell.menu_its_chat"), act=partial(_order, company.show, pet.id)),
            MenuItem(text=hide, act=partial(_order, company.toggle, pet.id)),
            MenuItem(text=_named(texts, "let_go", pet), act=partial(_order, company.send_away, pet.id)),
        ]

    there = [each for each in core.pets() if each.id in shown] if shown else []
    return [
        MenuItem(text=short_name(each.name or each.id), children=partial(within, each), sign="pet") for each in there
    ]


def _named(texts: Texts, key: str, pet: PetInfo) -> str:
    return texts(f"shell.menu_{key}", name=short_name(pet.name or pet.id))


def _order(act: Callable[[str], None], pet: str) -> None:
    threading.Thread(target=act, args=(pet,), name="order", daemon=True).start()
