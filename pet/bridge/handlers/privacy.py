"""Handlers for all data at once: show the folders, export a pet, erase everything.

Erasing never happens while the program uses the data: it is the last step, after every file is closed, and moves the
folders to the system's trash.
"""

from __future__ import annotations

import logging
import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from pet.bridge.api import EraseArgs, Folders, Nothing, OpenFolderArgs, Place, PlaceName, Places, SavedFile
from pet.bridge.desktop_port import DesktopPort
from pet.clock import Clock
from pet.errors import EraseNotConfirmed, PetBusy
from pet.i18n import LANGUAGES, catalogue
from pet.paths import Home
from pet.transcripts.export import file_stem
from pet.workspace.pets.registry import count_open
from pet.workspace.pets.trash import move_to_trash

_log = logging.getLogger(__name__)


class Eraser:
    """Records that everything is to be erased, and does it as the last step of shutdown."""

    def __init__(self, home: Home, clock: Clock, to_bin: Callable[[Path], None] = move_to_trash) -> None:
        self._home = home
        self._clock = clock
        self._to_bin = to_bin
        self._asked = False

    @property
    def folders(self) -> list[Path]:
        """Return the outermost folders: on some systems they are nested."""
        home = self._home
        there = [each for each in (home.data, home.config, home.state, home.cache, home.log) if each.is_dir()]
        return [each for each in there if not any(other in each.parents for other in there)]

    def ask(self) -> None:
        self._asked = True

    def end(self) -> None:
        """Call after everything else was closed."""
        if not self._asked:
            return
        for derived in (self._home.cache, self._home.log):
            shutil.rmtree(derived, ignore_errors=True)
        for folder in self.folders:
            self._to_bin(self._set_aside(folder))

    def _set_aside(self, folder: Path) -> Path:
        """Rename first: without a trash, at least nothing remains under the old path."""
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


class PrivacyCommands:
    def __init__(
        self,
        *,
        home: Home,
        root: Path,
        eraser: Eraser,
        clock: Clock,
        pet_name: Callable[[], str],
        pet_id: str,
        forget_keys: Callable[[], None],
        downloads: Callable[[], Path],
        windows: DesktopPort,
    ) -> None:
        self._home = home
        self._root = root
        self._eraser = eraser
        self._clock = clock
        self._pet_name = pet_name
        self._pet_id = pet_id
        self._forget_keys = forget_keys
        self._downloads = downloads
        self._windows = windows

    def export_pet(self, _args: Nothing) -> SavedFile:
        from pet.workspace.pets.export_zip import export_pet  # lazy: rarely needed

        name = f"{file_stem(self._pet_name())} {self._clock.now():%Y-%m-%d}"
        return SavedFile(path=str(export_pet(self._root, self._downloads(), name, locks=self._home.locks)))

    def list_places(self, _args: Nothing) -> Places:
        return Places(places=[_measured(name, folder) for name, folder in self._places().items()])

    def open_folder(self, args: OpenFolderArgs) -> None:
        folder = self._downloads() if args.place == "downloads" else self._places()[args.place]
        folder.mkdir(parents=True, exist_ok=True)  # show an empty folder rather than an error
        self._windows.open_folder(folder)

    def _places(self) -> dict[PlaceName, Path]:
        home = self._home
        return {
            "pet": self._root,
            "data": home.data,
            "config": home.config,
            "state": home.state,
            "cache": home.cache,
            "log": home.log,
        }

    def list_folders(self, _args: Nothing) -> Folders:
        return Folders(folders=[str(each) for each in self._eraser.folders])

    def erase_everything(self, args: EraseArgs) -> None:
        """Raises EraseNotConfirmed, PetBusy while another program has a pet open, KeyStoreFailed."""
        words = {catalogue(language)["settings.privacy.erase_word"].casefold() for language in LANGUAGES}
        if args.confirm.strip().casefold() not in words:
            raise EraseNotConfirmed()
        if count_open(self._home) > 1:
            raise PetBusy(pet_id=self._pet_id)
        self._forget_keys()
        self._eraser.ask()
        _log.info("everything is to be deleted")
        self._windows.quit()


def _measured(name: PlaceName, folder: Path) -> Place:
    """Measure a folder. Links are counted, not followed; files that vanish meanwhile are skipped."""
    files = size = 0
    for place, _folders, names in os.walk(folder):
        for each in names:
            with suppress(OSError):
                size += Path(place, each).lstat().st_size
                files += 1
    return Place(name=name, path=str(folder), there=folder.is_dir(), files=files, bytes=size)
