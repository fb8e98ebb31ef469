"""Files dropped on the pet, on their way to the composer."""

from __future__ import annotations

from pet.bridge.command import Client, command
from pet.services.drop_box import DropBox, DroppedThings


class DropCommands:
    def __init__(self, box: DropBox) -> None:
        self._box = box

    @command(Client.PET)
    def drop_on_pet(self, args: DroppedThings) -> None:
        """Something was dropped on the pet: the chat opens for it."""
        self._box.put(args)

    @command(Client.CHAT)
    def take_dropped(self) -> DroppedThings:
        """What was dropped, for the composer; once."""
        return self._box.take()
