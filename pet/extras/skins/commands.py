"""Skins of pictures: import, copy, export and delete."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from pet.bridge.command import Client, command
from pet.bridge.commands.skins import SkinInfo, SkinList, listed
from pet.errors import BadArguments, SkinRefused, WriteFailed
from pet.events import ErrorInfo, SettingsChanged
from pet.extras.skins.importer import take_any
from pet.extras.skins.library import SkinLibrary
from pet.services.file_transfer import GivenFile, SavedFile, decode_chunks, save_to_downloads
from pet.skins.model import ImportedSkin

if TYPE_CHECKING:
    from pet.app.pet import Pet

_MOST_FILES = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinImported:
    skin: SkinInfo
    skins: list[SkinInfo]


@dataclass(frozen=True, slots=True)
class PictureSkinCommands:
    app: Pet

    @property
    def _library(self) -> SkinLibrary:
        shelf = self.app.wardrobe.shelf
        assert isinstance(shelf, SkinLibrary)
        return shelf

    @command(Client.CHAT)
    def import_skin(self, files: list[GivenFile]) -> SkinImported:
        """Import a skin: one zip, one sheet, a set of pictures, or the files of a folder as ``folder/file``."""
        data = _files(files)
        folders = {each.name.replace("\\", "/").rpartition("/")[0].partition("/")[0] for each in files}
        name = folders.pop()[:120] if len(folders) == 1 else ""
        return self._take_in(take_any(name or _common_name(list(data)), data))

    @command(Client.CHAT)
    def copy_skin(self, skin: str) -> SkinImported:
        """Copy a skin of another program into the home."""
        return self._take_in(self._library.copied(skin))

    def _take_in(self, taken: ImportedSkin) -> SkinImported:
        skin = self._library.take_in(taken)
        skins = listed(self.app.wardrobe, self.app.language())
        info = next(each for each in skins if each.id == skin.id)
        notes = tuple(ErrorInfo.of(note) for note in (*taken.notes, *skin.notes))
        return SkinImported(skin=replace(info, notes=notes), skins=skins)

    @command(Client.CHAT)
    def export_skin(self, skin: str) -> SavedFile:
        """Save a skin as a Codex pet in the downloads folder. Raises SkinRefused."""
        name, data = self._library.export(skin)
        folder = self.app.downloads()
        try:
            return SavedFile(path=str(save_to_downloads(folder, name, data)))
        except WriteFailed as problem:
            raise SkinRefused("not_exported", folder=str(folder)) from problem

    @command(Client.CHAT)
    def delete_skin(self, skin: str) -> SkinList:
        """Delete an imported skin, and wear another instead."""
        wardrobe = self.app.wardrobe
        worn = wardrobe.worn().id
        self._library.delete(skin)
        wardrobe.deselect(skin)
        if worn == skin:
            self.app.emit(SettingsChanged())  # the pet's page reloads its appearance
        return SkinList(skins=listed(self.app.wardrobe, self.app.language()))


def _files(given: list[GivenFile]) -> dict[str, bytes]:
    """Return the files by their plain names. Raises BadArguments."""
    if not 0 < len(given) <= _MOST_FILES:
        raise BadArguments(where="files", why="length")
    files: dict[str, bytes] = {}
    for each in given:
        name = each.name.replace("\\", "/").rpartition("/")[2][:120] or "file"
        files[name] = decode_chunks(each.data, "files")
    return files


def _common_name(names: list[str]) -> str:
    """Return the common prefix of the pictures' names: Bun_happy and Bun_sad are Bun."""
    first, last = min(names), max(names)
    length = next((place for place, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), 0)
    return first[:length].rstrip(" _-.0123456789") or Path(first).stem
