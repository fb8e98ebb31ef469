"""A home as a whole: its pets, their skins, the first start, and erasing everything."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from pet.clock import Clock, SystemClock
from pet.paths import Home
from pet.settings.pet_settings import copy_foreign_connection, note_foreign_connection
from pet.settings.program_state import (
    FIRST_START_OVER,
    FIRST_START_STEP,
    JsonState,
    forget_used,
    note_own_pets,
    own_pets,
)
from pet.skins.selection import SkinSelector
from pet.skins.shelf import open_shelf
from pet.workspace.locked_file import OwnerFiles
from pet.workspace.pet_toml import read_value, write_value
from pet.workspace.pets import Pets, move_to_trash


def open_pets(home: Home, clock: Clock | None = None) -> Pets:
    """Return the pets of a home; deleting one also removes its data outside its folder."""
    return Pets(
        home,
        clock=clock or SystemClock(),
        drop_traces=lambda pet_id, root: drop_traces(home, pet_id, root),
        to_bin=move_to_trash,
        note_origin=lambda pet_id, folder, source: note_origin(home, pet_id, folder, source),
    )


def note_origin(home: Home, pet_id: str, folder: Path, source: str | None) -> None:
    """Record whether a new pet's files, and the connection in them, belong to this home. ``source``: the pet it was
    copied from; None: it is from another home. Raises OSError."""
    state = JsonState(home.state_file)
    if source is None:
        note_foreign_connection(folder, pet_id, state)
    else:
        copy_foreign_connection(source, pet_id, state)
        if source in (own_pets(state) or ()):
            note_own_pets(state, [pet_id])


def drop_traces(home: Home, pet_id: str, root: Path) -> None:
    """Remove a pet's data outside its folder: its index, its pause, its tabs with their drafts."""
    from pet.memory.search.database import delete, index_file

    delete(index_file(root, home.cache))
    for file in (home.state_file, home.tabs_file, home.imports_file, home.windows_file):
        JsonState(file).drop(lambda name: name.endswith(f".{pet_id}"))  # no id holds a dot
    home.pause_file(pet_id).unlink(missing_ok=True)
    forget_used(JsonState(home.state_file), pet_id)


_CHOICE = "skin"  # in pet.toml


def wardrobe_for(home: Home, root: Path, clock: Clock, environ: Mapping[str, str]) -> SkinSelector:
    """Return the skins of the pet in this workspace; its choice is stored in pet.toml."""

    owned = OwnerFiles(root=root, locks=home.locks, clock=clock)
    return SkinSelector(
        root / "skin",
        lambda: open_shelf(home, root, environ),
        lambda: read_value(root, _CHOICE),
        lambda skin: write_value(owned, _CHOICE, skin),
    )


FIRST_STEP, LAST_STEP = 1, 3


class FirstStart:
    """The step to show; ``used``: whether the home was used before, which skips the first start."""

    def __init__(self, state: JsonState, used: Callable[[], bool]) -> None:
        self._state = state
        self._used = used

    def step(self) -> int:
        stored = self._state.read().get(FIRST_START_STEP)
        if isinstance(stored, int) and not isinstance(stored, bool) and FIRST_START_OVER <= stored <= LAST_STEP:
            return stored
        step = FIRST_START_OVER if self._used() else FIRST_STEP
        with suppress(OSError):  # stored at the next start
            self.go(step)
        return step

    def go(self, step: int) -> None:
        self._state.update({FIRST_START_STEP: min(max(step, FIRST_START_OVER), LAST_STEP)})


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
