"""All data: show the folders, export a pet, erase everything.

Everything is erased as the last step of shutdown, after every file is closed: the folders move to the system's trash.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from pet.bridge.command import Client, command
from pet.clock import Clock
from pet.errors import EraseNotConfirmed, NoFileManager, PetBusy
from pet.i18n import LANGUAGES, catalogue
from pet.paths import Home
from pet.services.file_transfer import SavedFile
from pet.transcripts.conversation import file_stem
from pet.workspace.pet_registry import list_open
from pet.workspace.pet_toml import display_name
from pet.workspace.pets import move_to_trash

if TYPE_CHECKING:
    from pet.app.pet import Pet


@dataclass(frozen=True, slots=True, kw_only=True)
class Folders:
    """The folders of all data, for all pets of the home."""

    folders: list[str]


PlaceName = Literal["pet", "data", "config", "state", "cache", "log"]
FolderName = Literal["pet", "data", "config", "state", "cache", "log", "downloads"]  # the last for exports


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A folder of the program. ``there``: it exists; ``files`` and ``bytes`` with subfolders."""

    name: PlaceName
    path: str
    there: bool
    files: int
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Places:
    places: list[Place]


_log = logging.getLogger(__name__)


class Eraser:
    """Erases all folders of a home in ``end``, if ``ask`` was called before."""

    def __init__(self, home: Home, clock: Clock, to_bin: Callable[[Path], None] = move_to_trash) -> None:
        self._home = home
        self._clock = clock
        self._to_bin = to_bin
        self._requested = False

    @property
    def folders(self) -> list[Path]:
        """The outermost folders of the home; on some systems they are nested."""
        home = self._home
        there = [each for each in (home.data, home.config, home.state, home.cache, home.log) if each.is_dir()]
        return [each for each in there if not any(other in each.parents for other in there)]

    def ask(self) -> None:
        self._requested = True

    def end(self) -> None:
        """Erase if requested; call after everything else was closed."""
        if not self._requested:
            return
        for derived in (self._home.cache, self._home.log):
            shutil.rmtree(derived, ignore_errors=True)
        for folder in self.folders:
            self._to_bin(self._set_aside(folder))

    def _set_aside(self, folder: Path) -> Path:
        """Rename a folder and return the new path: without a trash, at least the old path is free."""
        stamp = self._clock.now().strftime("%Y-%m-%d %H.%M.%S")
        aside = folder.with_name(f"{folder.name} deleted {stamp}")
        try:
            folder.rename(aside)
        except OSError:  # on Windows, if a file in it is open: move what can be moved
            aside.mkdir(exist_ok=True)
            for entry in folder.iterdir():
                with suppress(OSError):
                    entry.rename(aside / entry.name)
        return aside


@dataclass(frozen=True, slots=True)
class PrivacyCommands:
    app: Pet

    def _name_of(self, pet_id: str) -> str:
        return display_name(self.app.home.workspace(pet_id), pet_id, self.app.texts())

    @command(Client.CHAT, Client.TERMINAL)
    def export_pet(self) -> SavedFile:
        """Save a zip of the whole pet in the downloads folder. Raises WriteFailed."""
        from pet.workspace.pet_zip import export_pet

        app = self.app
        name = f"{file_stem(app.name())} {app.clock.now():%Y-%m-%d}"
        return SavedFile(path=str(export_pet(app.store.root, app.downloads(), name, locks=app.home.locks)))

    @command(Client.CHAT)
    def list_places(self) -> Places:
        """Return the program's folders and their sizes."""
        return Places(places=[_measured(name, folder) for name, folder in self._places().items()])

    @command(Client.CHAT)
    def open_folder(self, place: FolderName = "pet") -> None:
        """Show a folder of the program in the file manager; pages never send a path. Raises NoFileManager."""
        folder = self.app.downloads() if place == "downloads" else self._places()[place]
        folder.mkdir(parents=True, exist_ok=True)  # show an empty folder rather than an error
        if not self.app.windows.system.open_folder(folder):
            raise NoFileManager(path=str(folder))

    def _places(self) -> dict[PlaceName, Path]:
        home = self.app.home
        return {
            "pet": self.app.store.root,
            "data": home.data,
            "config": home.config,
            "state": home.state,
            "cache": home.cache,
            "log": home.log,
        }

    @command(Client.CHAT)
    def list_folders(self) -> Folders:
        """Return the folders that ``erase_everything`` deletes."""
        return Folders(folders=[str(each) for each in self.app.eraser.folders])

    @command(Client.CHAT)
    def erase_everything(self, confirm: str) -> None:
        """Quit, and move all data of this home to the trash.

        ``confirm``: the word that the owner typed. Raises EraseNotConfirmed, KeyStoreFailed, and PetBusy while
        another program has a pet open.
        """
        words = {catalogue(language)["settings.privacy.erase_word"].casefold() for language in LANGUAGES}
        if confirm.strip().casefold() not in words:
            raise EraseNotConfirmed()
        elsewhere = list_open(self.app.home)
        elsewhere.remove(self.app.pet_id)
        if elsewhere:
            raise PetBusy(pet_id=", ".join(self._name_of(each) for each in elsewhere))
        self.app.connections.forget_keys()
        self.app.eraser.ask()
        _log.info("everything is to be deleted")
        self.app.windows.quit()


def _measured(name: PlaceName, folder: Path) -> Place:
    """Measure a folder. Links are counted, not followed; files that vanish meanwhile are skipped."""
    files = size = 0
    for place, _folders, names in os.walk(folder):
        for each in names:
            with suppress(OSError):
                size += Path(place, each).lstat().st_size
                files += 1
    return Place(name=name, path=str(folder), there=folder.is_dir(), files=files, bytes=size)
