"""The menu entry of pictures and films."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from pet.bridge.command import Client
from pet.bridge.commands.desktop import BubbleCommands
from pet.desktop.platform import MenuItem
from pet.extras.keepsakes.commands import KeepsakeCommands

if TYPE_CHECKING:
    from pet.desktop.core_client import CoreClient


def menu_item(core: CoreClient) -> MenuItem:
    """Return the entry, with the pictures that can be taken below it."""
    return MenuItem(text=core.texts()("shell.menu_keepsake"), children=partial(_pictures, core), sign="keepsake")


def _pictures(core: CoreClient) -> list[MenuItem]:
    """Return the pictures: without words, and with them while the bubble shows words of the pet."""
    texts, kinds = core.texts(), [("picture", False), ("film", False)]
    shown = core.call(Client.BUBBLE, BubbleCommands.get_bubble)
    if shown is not None and shown.voiced:
        kinds += [("picture_words", True), ("film_words", True)]
    return [
        MenuItem(
            text=texts(f"shell.menu_{key}"),
            act=partial(
                core.order,
                Client.SOCKET,
                KeepsakeCommands.ask_keepsake,
                film=key.startswith("film"),
                words=words,
            ),
            starts_group=key == "picture_words",
        )
        for key, words in kinds
    ]
