"""Create, rename, copy and delete the pets of a home.

Holds the list of pets and the locks that say which are open. A pet appears and disappears in one rename, so a killed
process leaves a complete pet or none. Ids are validated first; data about a pet outside its folder is removed by the
injected ``drop_traces``. Deleted pets go to the system's trash.
"""

from __future__ import annotations

import logging
import re
import shutil
import sys
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from pet.clock import Clock
from pet.errors import AmbiguousPet, FileBroken, OnlyPet, PetBusy, UnknownPet
from pet.fs.directory import is_link, open_folder
from pet.fs.locks import as_write_errors
from pet.i18n import Language, Texts
from pet.ids import check_pet_name
from pet.model import CoreFile
from pet.paths import Home, make_private
from pet.workspace.locked_file import OwnerFiles, contents_of, read_raw
from pet.workspace.pet_registry import (
    LIMIT,
    NEW,
    PET_FILE,
    all_pets,
    drop_unfinished,
    holders,
    is_pet_id,
    list_ids,
    written,
)
from pet.workspace.pet_toml import FIRST, NAME, display_name, rename_folder, with_value, write_name
from pet.workspace.pet_zip import duplicate_pet
from pet.workspace.templates import FIRST_SOUL, create_file, create_workspace

_log = logging.getLogger(__name__)
_FIXED = 3  # GetDriveType: a disk of this machine


def move_to_trash(folder: Path) -> None:
    """Move the folder to the system's trash, or leave it in place."""
    if not _keeps(folder):
        return
    try:
        from send2trash import send2trash  # lazy: rarely needed

        send2trash(str(folder))
    except OSError as error:  # includes send2trash's own errors: no trash on this disk, no permission
        _log.info("not moved to the system's trash: %s", type(error).__name__)


def _keeps(folder: Path) -> bool:
    """Whether the trash keeps items: on network drives and USB sticks Windows would delete them at once."""
    if sys.platform == "win32":
        import ctypes

        return bool(ctypes.windll.kernel32.GetDriveTypeW(folder.anchor) == _FIXED)
    return True


@dataclass(frozen=True, slots=True, kw_only=True)
class PetEntry:
    """A pet in the list. ``changed_at``: time of the last message, "" for never."""

    id: str
    root: Path
    conversations: int
    changed_at: str


def named_pet(home: Home, word: str, texts: Texts) -> str:
    """Return the pet's id, given its id or name in upper or lower case; the word itself if it could be a new id.

    Raises AmbiguousPet, UnknownPet.
    """
    ids = list_ids(home)
    if not word or word in ids:
        return word
    wanted = word.strip().casefold()
    named = [each for each in ids if wanted in (each, display_name(home.workspace(each), each, texts).casefold())]
    if len(named) > 1:
        raise AmbiguousPet(pet_id=word, ids=", ".join(named))
    if not named and not is_pet_id(word):
        raise UnknownPet(pet_id=word)
    return named[0] if named else word


@dataclass(frozen=True, slots=True)
class Pets:
    """The pets of a home. Thread-safe and safe beside other processes.

    ``drop_traces(id, resolved folder)`` removes data about a pet held in other folders; ``to_bin`` moves a folder to
    the system's trash or leaves it in place; ``note_origin(id, folder, source)`` records a new pet's origin: the pet
    ``source``, or another home if None.
    """

    home: Home
    clock: Clock
    drop_traces: Callable[[str, Path], None]
    to_bin: Callable[[Path], None]
    note_origin: Callable[[str, Path, str | None], None]

    def list(self) -> list[PetEntry]:
        """Return the pets of the home."""
        return [self._entry(pet_id) for pet_id in list_ids(self.home)]

    def root(self, pet_id: str) -> Path:
        """Return the pet's folder. Raises BadPetId, UnknownPet."""
        root = self.home.workspace(pet_id)
        if not root.is_dir():
            raise UnknownPet(pet_id=pet_id)
        return root

    def create(
        self,
        name: str,
        language: Language,
        profile_of: str | None = None,
        *,
        soul: str = FIRST_SOUL,
        skin: str | None = None,
    ) -> str:
        """Create a pet from the template ``soul`` with the given ``skin`` and return its id. With ``profile_of``,
        that pet's USER.md is copied byte for byte.

        Raises PetNameRefused, BadPetId, UnknownPet, FileBroken, WriteFailed.
        """
        name = check_pet_name(name)
        profile = None if profile_of is None else self._profile(self.root(profile_of))

        def fill(folder: Path) -> None:
            folder.mkdir(mode=0o700)
            with open_folder(folder) as opened:
                if profile is not None:
                    create_file(opened, CoreFile.USER.value, profile)
                create_file(opened, PET_FILE, with_value(with_value(FIRST, NAME, name), "skin", skin or None))
            create_workspace(folder, language, name, soul=soul)

        return self.add(name, fill)

    def rename(self, pet_id: str, name: str) -> None:
        """Change the display name, also the one in IDENTITY.md. Raises as ``create``."""
        name = check_pet_name(name)
        root = self.root(pet_id)
        with all_pets(self.home), as_write_errors(PET_FILE):
            write_name(OwnerFiles(root=root.resolve(), locks=self.home.locks, clock=self.clock), name)

    def duplicate(self, pet_id: str, name: str) -> str:
        """Deep-copy a pet (files, skills, memory, history, conversations) and return the new id. Raises as
        ``create``.
        """
        name = check_pet_name(name)
        root = self.root(pet_id).resolve()
        own = contents_of(PET_FILE, read_raw(root, PET_FILE, LIMIT))
        with_value(own.data if own else b"", NAME, name)  # raises before everything is copied

        def fill(folder: Path) -> None:
            duplicate_pet(root, folder, locks=self.home.locks)
            rename_folder(folder, name)

        return self.add(name, fill, lambda new_pet, folder: self.note_origin(new_pet, folder, pet_id))

    def add(
        self,
        name: str,
        fill: Callable[[Path], None],
        note: Callable[[str, Path], None] = lambda _pet_id, _folder: None,
    ) -> str:
        """Add a pet and return its id: ``fill`` makes its folder next to the others, ``note`` is called, and it is
        renamed into place. Raises WriteFailed, and what both raise; no pet is added then."""
        with all_pets(self.home), as_write_errors(PET_FILE):
            make_private(self.home.pets)
            pets = self.home.pets.resolve()
            drop_unfinished(pets)
            pet_id = self._free_id(name)
            folder = pets / f"{NEW}{pet_id}"
            try:
                fill(folder)
                self.drop_traces(pet_id, pets / pet_id)
                note(pet_id, folder)
                folder.rename(pets / pet_id)
            except BaseException:  # also on interruption: no partial pet
                shutil.rmtree(folder, ignore_errors=True)
                raise
            with open_folder(pets) as opened:
                opened.sync()
        return pet_id

    def delete(self, pet_id: str) -> None:
        """Move the pet to the trash. Raises BadPetId, UnknownPet, PetBusy while a program has it open, OnlyPet, and
        FileBroken if its folder is a link, whose target must stay.
        """
        root = self.root(pet_id)
        with all_pets(self.home), as_write_errors(pet_id):
            if not root.is_dir():
                raise UnknownPet(pet_id=pet_id)
            if is_link(root.lstat()):
                raise FileBroken(file=pet_id, problem="link")
            if list_ids(self.home) == [pet_id]:
                raise OnlyPet(pet_id=pet_id)
            if pet_id in holders(self.home):
                raise PetBusy(pet_id=pet_id)
            resolved = root.resolve()
            aside = self._aside(pet_id)
            root.rename(aside)
            self.drop_traces(pet_id, resolved)
        self.to_bin(aside)

    # --- inside

    def _entry(self, pet_id: str) -> PetEntry:
        root = self.home.workspace(pet_id)
        times = written(root)
        last = datetime.fromtimestamp(max(times.values())).astimezone().isoformat() if times else ""
        return PetEntry(id=pet_id, root=root, conversations=len(times), changed_at=last)

    def _profile(self, root: Path) -> bytes | None:
        profile = contents_of(CoreFile.USER.value, read_raw(root.resolve(), CoreFile.USER.value, LIMIT))
        return profile.data if profile else None

    def _free_id(self, name: str) -> str:
        """Derive an id from the name that no existing folder uses."""
        taken = {entry.name.casefold() for entry in self.home.pets.iterdir()}
        base = _folded(name)
        number = 1 if base else 2
        while True:
            candidate = (base or "pet") + (f"-{number}" if number > 1 else "")
            if is_pet_id(candidate) and candidate not in taken:
                return candidate
            number += 1

    def _aside(self, pet_id: str) -> Path:
        """Return a free path in the home's trash folder that includes the time of deletion."""
        make_private(self.home.bin)
        stamp = self.clock.now().strftime("%Y%m%d-%H%M%S")
        name, number = f"{pet_id}-{stamp}", 1
        while (self.home.bin / name).exists():
            number += 1
            name = f"{pet_id}-{stamp}-{number}"
        return self.home.bin / name


def _folded(name: str) -> str:
    """Transliterate the name to the alphabet of ids; "" if nothing is left."""
    plain = unicodedata.normalize("NFKD", name.casefold()).encode("ascii", "ignore").decode()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:28].strip("-")
