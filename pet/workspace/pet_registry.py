"""The pets of a home, those that some program has open, and when they were last talked to.

A folder below ``pets`` whose name is an id is a pet. ``pet.workspace.pets`` makes, copies and deletes them.
"""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from pet.errors import BadPetId
from pet.fs.directory import Contents, Folder, open_folder
from pet.fs.locks import as_write_errors, locked
from pet.ids import check_pet_id, is_id, new_id
from pet.paths import Home, make_private
from pet.serde import require_known
from pet.untrusted.parsers import read_toml

if TYPE_CHECKING:
    from filelock import FileLock

PET_FILE = "pet.toml"
LIMIT = 1 << 20
"""Maximum size of a text file of a workspace, in bytes."""
NEW = ".new~"
"""Start of the name of a folder that is being built."""

DEFAULT_PET = "pet"
"""Id of the pet created at the first start."""

_TRANSCRIPT = re.compile(r"([0-9a-z]{26})(?:[^0-9a-z].*)?\.jsonl")


def require_known_pet(workspace: Path) -> None:
    """Raises NewerFormat if a newer program wrote this pet's folder. An unreadable pet.toml is accepted."""
    with suppress(OSError), open_folder(workspace.resolve()) as folder:
        require_known_folder(folder)


def require_known_folder(folder: Folder) -> None:
    """Do what ``require_known_pet`` does, for an open folder. Raises NewerFormat, OSError."""
    raw = folder.read(PET_FILE, LIMIT)
    if isinstance(raw, Contents):
        with suppress(ValueError):
            require_known(read_toml(raw.data), PET_FILE)


class PetHold:
    """Marks a pet as open in this program until ``release`` or the process ends."""

    def __init__(self, lock: FileLock, file: Path) -> None:
        self._lock = lock
        self._file = file

    def release(self) -> None:
        """Mark the pet as closed; idempotent."""
        if self._lock.is_locked:
            self._lock.release()
            with suppress(OSError):
                self._file.unlink(missing_ok=True)


def hold_pet(home: Home, pet_id: str) -> PetHold:
    """Mark the pet as open in this program, which blocks deletion; several programs may. Raises BadPetId,
    WriteFailed.
    """
    from filelock import FileLock

    check_pet_id(pet_id)
    with all_pets(home):
        make_private(home.running)
        holders(home)
        with suppress(OSError):
            drop_unfinished(home.pets.resolve())
        file = home.running / f"{pet_id}~{new_id()}.lock"
        lock = FileLock(file, timeout=0, mode=0o600, thread_local=False)
        lock.acquire()
    return PetHold(lock, file)


def list_ids(home: Home) -> list[str]:
    """Return the ids of the pets that have a folder, which may be a link to a synced one."""
    try:
        return sorted(folder.name for folder in home.pets.iterdir() if is_pet_id(folder.name) and folder.is_dir())
    except OSError:
        return []


def last_written(root: Path) -> float:
    """Return when the pet's newest conversation was written, in seconds since 1970; 0 without any."""
    return max(written(root).values(), default=0.0)


def written(root: Path) -> dict[str, float]:
    """Return the conversations of a pet's folder with the time each was written."""
    from pet.workspace.file_names import CONVERSATIONS

    written: dict[str, float] = {}
    with suppress(OSError):
        for file in (root / CONVERSATIONS).iterdir():
            match = _TRANSCRIPT.fullmatch(file.name)
            if match and is_id(match[1]):
                written[match[1]] = max(written.get(match[1], 0.0), file.stat().st_mtime)
    return written


def list_open(home: Home) -> list[str]:
    """Return the pets of this home that are open, once for each program."""
    with all_pets(home):
        running = sorted(home.running.iterdir()) if home.running.is_dir() else []
        return [file.name.partition("~")[0] for file in running if _is_held(file)]


def _is_held(file: Path) -> bool:
    from filelock import FileLock, Timeout

    try:
        with FileLock(file, timeout=0, thread_local=False):
            return False
    except Timeout:
        return True


@contextmanager
def all_pets(home: Home) -> Iterator[None]:
    """Serialise creating, opening and deleting pets. Raises WriteFailed."""
    file = home.locks / "pets.lock"
    with ExitStack() as held:
        with as_write_errors(str(file)):  # whole: the folder of everything is at fault
            held.enter_context(locked(file))
        yield


def holders(home: Home) -> set[str]:
    """Return the pets open in some program; removes the files of killed processes. Requires the lock of all pets."""
    holders: set[str] = set()
    for file in home.running.iterdir() if home.running.is_dir() else ():
        if _is_held(file):
            holders.add(file.name.partition("~")[0])
        else:
            file.unlink(missing_ok=True)
    return holders


def drop_unfinished(pets: Path) -> None:
    """Remove the partial folders of killed processes. Requires the lock of all pets."""
    for entry in pets.iterdir():
        if entry.name.startswith(NEW) and not entry.is_symlink():
            shutil.rmtree(entry, ignore_errors=True)


def is_pet_id(name: str) -> bool:
    try:
        return bool(check_pet_id(name))
    except BadPetId:
        return False
