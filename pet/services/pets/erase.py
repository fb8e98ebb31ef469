"""Erase everything as the last step of shutdown: move the folders to the trash."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from pet.clock import Clock
from pet.paths import Home
from pet.workspace.pets.trash import move_to_trash


class Eraser:
    """Erases all folders of a home in ``end``, if ``ask`` was called before."""

    def __init__(self, home: Home, clock: Clock, to_bin: Callable[[Path], None] = move_to_trash) -> None:
        self._home = home
        self._clock = clock
        self._to_bin = to_bin
        self._asked = False

    @property
    def folders(self) -> list[Path]:
        """The outermost folders of the home; on some systems they are nested."""
        home = self._home
        there = [each for each in (home.data, home.config, home.state, home.cache, home.log) if each.is_dir()]
        return [each for each in there if not any(other in each.parents for other in there)]

    def ask(self) -> None:
        self._asked = True

    def end(self) -> None:
        """Erase if requested; call after everything else was closed."""
        if not self._asked:
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
