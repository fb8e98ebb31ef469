"""Export a pet as one zip: all its files and empty folders, history and attachments included.

Links are skipped: their targets do not belong to the pet. A file whose name the import would refuse is an error.
"""

from __future__ import annotations

import errno
import shutil
import tempfile
import zipfile
from pathlib import Path

from pet.errors import WriteFailed
from pet.workspace.fs.zip_reading import is_safe
from pet.workspace.pets.duplicate import duplicate_pet

COMMENT = "soulpet-pet/1 files="
"""The archive's comment, to be followed by the number of its files, so that missing ones are noticed. 1 is the
layout's version."""
_MOST_NAMES = 1000


def export_pet_to(root: Path, file: Path, *, locks: Path) -> None:
    """Write the zip to exactly this path. Raises FileExistsError, WriteFailed."""
    file.touch(mode=0o600, exist_ok=False)
    try:
        packed = export_pet(root, file.absolute().parent, f".{file.stem}", locks=locks, top=file.stem)
        packed.replace(file)
    except BaseException:  # also on interruption: leave no empty file
        file.unlink(missing_ok=True)
        raise


def export_pet(root: Path, folder: Path, name: str, *, locks: Path, top: str | None = None) -> Path:
    """Write the zip to ``folder``, as ``name`` or numbered if that is taken, and return its path. Raises WriteFailed.

    ``top``: the folder inside the zip, by default ``name``. A consistent copy is packed, so that the pet may be
    written to meanwhile.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".soulpet-", dir=folder) as temp:
            copied, packed = Path(temp, "pet"), Path(temp, "pet.zip")
            duplicate_pet(root.resolve(), copied, locks=locks)
            _zip(copied, packed, top or name)
            return _put(packed, folder, name)
    except OSError as problem:
        raise WriteFailed.from_os_error(f"{name}.zip", problem) from problem


def _zip(source: Path, target: Path, top: str) -> None:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        paths = sorted(source.rglob("*"))
        files = [path for path in paths if path.is_file()]
        archive.comment = f"{COMMENT}{len(files)}".encode()
        empty = [path for path in paths if path.is_dir() and not any(path.iterdir())]
        for file in (*files, *empty):
            name = file.relative_to(source).as_posix()
            if not is_safe(name):  # the import would refuse the whole archive
                raise WriteFailed(ascii(name), errno.EILSEQ)
            info = zipfile.ZipInfo.from_file(file, f"{top}/{name}", strict_timestamps=False)
            if info.is_dir():
                archive.writestr(info, b"")
                continue
            info.compress_type = zipfile.ZIP_DEFLATED
            with file.open("rb") as read, archive.open(info, "w") as written:
                shutil.copyfileobj(read, written)


def _put(packed: Path, folder: Path, name: str) -> Path:
    """Move it into place without overwriting an existing file."""
    for number in range(1, _MOST_NAMES):
        file = folder / (f"{name}.zip" if number == 1 else f"{name} ({number}).zip")
        try:
            file.touch(mode=0o600, exist_ok=False)
        except FileExistsError:
            continue
        packed.replace(file)
        return file
    raise FileExistsError(name)
