"""A whole pet out of an exported zip, byte for byte.

Refuses zips that hold anything but one pet's folder, or less than was packed.
"""

from __future__ import annotations

import os
import re
import shutil
import time
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pet.errors import ImportRefused, NewerFormat
from pet.fs.zip_reading import CheckedZip, open_zip
from pet.ids import check_pet_name
from pet.model import HEARTBEAT, CoreFile
from pet.serde import require_known
from pet.untrusted.parsers import TooDeep, read_toml
from pet.workspace.file_names import CONVERSATIONS, HISTORY_FOLDER
from pet.workspace.pet_registry import PET_FILE, require_known_pet
from pet.workspace.pet_toml import IDENTITY, name_in, rename_folder
from pet.workspace.pets import Pets
from pet.workspace.skills import ask_again

_MAX_SHOWN = 1 << 20
_CHUNK = 1 << 20
_OURS = re.compile(rb"soulpet-pet/(\d{1,9})\b(?: files=(\d{1,9}))?")  # as ``pet_zip.COMMENT``
_LAYOUT = 1
_SPARE = 64 << 20  # bytes that stay free on the disk
_OF_MACOS = re.compile(r"__MACOSX/.*|(?:.*/)?(?:\._[^/]*|\.DS_Store)")


@dataclass(frozen=True, slots=True, kw_only=True)
class PackedPet:
    """A pet in a zip. ``name`` None: the owner gave none. ``memory``: its pet.toml turns memory on for new
    conversations. ``heartbeat``: the text of its HEARTBEAT.md.
    """

    name: str | None
    memory: bool
    heartbeat: str
    files: int
    bytes: int
    conversations: int


def read_packed_pet(file: Path) -> PackedPet | None:
    """Describe the pet in the zip; None if it holds none. Raises ImportRefused; NewerFormat for a newer program's."""
    with _open(file) as packed:
        top = _top(packed)
        if top is None:
            return None
        _require_whole(packed, top, file)
        own = _settings(packed, top)
        require_known(own, PET_FILE)
        return PackedPet(
            name=name_in(_small_file(packed, f"{top}/{IDENTITY}"), own),
            memory=own.get("memory") is True,
            heartbeat=_small_file(packed, f"{top}/{HEARTBEAT}").decode("utf-8", "replace"),
            files=len(packed.entries),
            bytes=packed.total_bytes,
            conversations=sum(
                name.startswith(f"{top}/{CONVERSATIONS}/") and name.endswith(".jsonl") for name in packed.entries
            ),
        )


def import_pet(
    pets: Pets,
    file: Path,
    fallback: str,
    name: str | None = None,
    step: Callable[[int], None] = lambda _count: None,
) -> str:
    """Add the pet of an exported zip, byte for byte, and return its id. Only the answer in pet.toml on its
    instructions is taken back.

    ``name`` replaces its own name. ``fallback``: the id is derived from it if the pet has no name. ``step`` as
    for ``unpack_pet``. Raises ImportRefused, NewerFormat, PetNameRefused, FileBroken, WriteFailed, and what
    ``step`` raises; no pet is added then.
    """
    packed = read_packed_pet(file)
    if packed is None:
        raise ImportRefused(problem="unknown", file=file.name)
    wanted = None if name is None else check_pet_name(name)

    def fill(folder: Path) -> None:
        unpack_pet(file, folder, step)
        require_known_pet(folder)
        ask_again(folder)
        if wanted is not None and wanted != packed.name:
            rename_folder(folder, wanted)

    return pets.add(
        wanted or packed.name or fallback, fill, lambda new_pet, folder: pets.note_origin(new_pet, folder, None)
    )


def unpack_pet(file: Path, target: Path, step: Callable[[int], None] = lambda _count: None) -> None:
    """Unpack all files and empty folders into the new folder ``target``. Raises ImportRefused, OSError.

    ``step`` is called with the number of bytes written since the last call, and may raise to stop.
    """
    with _open(file) as packed:
        top = _top(packed)
        if top is None:
            raise ImportRefused(problem="unknown", file=file.name)
        _require_whole(packed, top, file)
        if packed.total_bytes + _SPARE > shutil.disk_usage(target.parent).free:
            raise ImportRefused(problem="too_large", limit=shutil.disk_usage(target.parent).free >> 30)
        target.mkdir(mode=0o700)
        for name, info in packed.entries.items():
            _unpack(packed.zip_file, info, target / name.removeprefix(f"{top}/"), step)
        for folder in packed.folders:
            if folder.startswith(f"{top}/"):
                (target / folder.removeprefix(f"{top}/")).mkdir(mode=0o700, parents=True, exist_ok=True)


def _unpack(zip_file: zipfile.ZipFile, info: zipfile.ZipInfo, file: Path, step: Callable[[int], None]) -> None:
    file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with zip_file.open(info) as read, file.open("xb") as written:
        while chunk := read.read(_CHUNK):
            written.write(chunk)
            step(len(chunk))
        written.flush()
        os.fsync(written.fileno())
    mode = info.external_attr >> 16 & 0o777
    with suppress(OSError, ValueError, OverflowError):
        file.chmod(mode & 0o700 | 0o600)
        when = time.mktime((*info.date_time, 0, 0, -1))
        os.utime(file, (when, when))


@contextmanager
def _open(file: Path) -> Iterator[CheckedZip]:
    with open_zip(file) as packed:
        if not _OURS.match(packed.zip_file.comment):
            of_macos = [name for name in packed.entries if _OF_MACOS.fullmatch(name)]
            for name in of_macos:
                del packed.entries[name]
        yield packed


def _top(packed: CheckedZip) -> str | None:
    """Return the folder that holds everything, if it is a pet's."""
    if _OURS.match(packed.zip_file.comment):
        tops = {name.partition("/")[0] for name in packed.entries}
    else:
        tops = {top for top, kept, _ in (name.partition(f"/{HISTORY_FOLDER}/") for name in packed.entries) if kept}
    top = min(tops, key=len, default="")
    return top if top and all(name.startswith(f"{top}/") for name in packed.entries) else None


def _require_whole(packed: CheckedZip, top: str, file: Path) -> None:
    ours = _OURS.match(packed.zip_file.comment)
    if ours and int(ours[1]) > _LAYOUT:
        raise NewerFormat(file=file.name)
    is_whole = int(ours[2] or 0) == len(packed.entries) if ours else f"{top}/{CoreFile.SOUL.value}" in packed.entries
    if not is_whole:
        raise ImportRefused(problem="half")


def _settings(packed: CheckedZip, top: str) -> dict[str, Any]:
    """Return pet.toml's values; none if it is broken, which its owner can repair. Raises ImportRefused."""
    try:
        return read_toml(_small_file(packed, f"{top}/{PET_FILE}"))
    except TooDeep:
        raise ImportRefused(problem="deep_settings", file=PET_FILE) from None
    except ValueError:
        return {}


def _small_file(packed: CheckedZip, name: str) -> bytes:
    """Return a file's bytes; b"" if it is missing or too large."""
    info = packed.entries.get(name)
    return b"" if info is None or info.file_size > _MAX_SHOWN else packed.zip_file.read(info)
