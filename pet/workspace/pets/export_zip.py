"""Export a pet as one zip: every file and empty folder of its own, history and attachments included.

Skips links: their targets do not belong to the pet. Refuses a file whose name the import would refuse.
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
"""The archive's comment, followed by how many files are in it: an archive that lost some is told by it. The number
before that counts the layouts there were."""
_MOST_NAMES = 1000


def export_pet_to(root: Path, file: Path, *, locks: Path) -> None:
    """The zip at exactly this place. Raises FileExistsError, WriteFailed."""
    file.touch(mode=0o600, exist_ok=False)
    try:
        packed = export_pet(root, file.absolute().parent, f".{file.stem}", locks=locks, top=file.stem)
        packed.replace(file)
    except BaseException:  # also when interrupted: no empty file under the wanted name
        file.unlink(missing_ok=True)
        raise


def export_pet(root: Path, folder: Path, name: str, *, locks: Path, top: str | None = None) -> Path:
    """The zip in ``folder``, under ``name`` or a numbered one if that is taken. ``top``: the folder in it, else
    ``name``. Raises WriteFailed.

    Packs a consistent copy, so the pet may be written to meanwhile.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".soulpet-", dir=folder) as between:
            copied, packed = Path(between, "pet"), Path(between, "pet.zip")
            duplicate_pet(root.resolve(), copied, locks=locks)
            _zip(copied, packed, top or name)
            return _put(packed, folder, name)
    except OSError as problem:
        raise WriteFailed.from_os_error(f"{name}.zip", problem) from problem


def _zip(source: Path, target: Path, top: str) -> None:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made:
        found = sorted(source.rglob("*"))
        files = [file for file in found if file.is_file()]
        made.comment = f"{COMMENT}{len(files)}".encode()
        empty = [folder for folder in found if folder.is_dir() and not any(folder.iterdir())]
        for file in (*files, *empty):
            name = file.relative_to(source).as_posix()
            if not is_safe(name):  # what could not be imported again is no backup
                raise WriteFailed(ascii(name), errno.EILSEQ)
            about = zipfile.ZipInfo.from_file(file, f"{top}/{name}", strict_timestamps=False)
            if about.is_dir():
                made.writestr(about, b"")
                continue
            about.compress_type = zipfile.ZIP_DEFLATED
            with file.open("rb") as read, made.open(about, "w") as written:
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
