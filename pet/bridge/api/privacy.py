"""Everything at once: the whole pet as a zip, and all data gone."""

from __future__ import annotations

from dataclasses import dataclass

from pet.bridge.api.base import CHAT, Command, Nothing, SavedFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Folders:
    """Where everything is, for all pets of the home."""

    folders: list[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class EraseArgs:
    """``confirm``: the word that the owner had to type."""

    confirm: str


ROWS: tuple[Command, ...] = (
    Command("export_pet", Nothing, SavedFile, CHAT, "Put a zip of the whole pet into the downloads folder."),
    Command("list_folders", Nothing, Folders, CHAT, "What would go if everything were deleted."),
    Command("erase_everything", EraseArgs, Nothing, CHAT, "Quit, and move all data of this home to the bin."),
)
