"""Pictures and films of the pet: asked for in its menu, drawn by its page."""

from __future__ import annotations

from dataclasses import dataclass

from pet.bridge.command import Client, command
from pet.services.keepsakes import KeepsakeFrame, Keepsakes, KeepsakeWish


@dataclass(frozen=True, slots=True)
class KeepsakeCommands:
    keepsakes: Keepsakes

    @command(Client.PET)
    def get_keepsake(self) -> KeepsakeWish:
        """Return what the owner wants a picture of; its words once."""
        return self.keepsakes.wish()

    @command(Client.PET)
    def save_keepsake(self, number: int, frames: list[KeepsakeFrame]) -> None:
        """Save the drawn frames in the owner's pictures folder."""
        self.keepsakes.save(number, frames)

    @command(Client.SOCKET)
    def ask_keepsake(self, film: bool, words: bool = False) -> None:
        """Let the page draw a picture or a film. ``words``: with the bubble's own words."""
        self.keepsakes.ask(film=film, words=words)
