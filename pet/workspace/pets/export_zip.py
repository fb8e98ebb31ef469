"""Export a pet as one zip: every file of its folder, history and attachments included.

Skips links: their targets do not belong to the pet.
"""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from pathlib import Path

from pet.errors import WriteFailed
from pet.workspace.pets.duplicate import duplicate_pet

_MOST_NAMES = 1000


def export_pet(root: Path, folder: Path, name: str, *, locks: Path) -> Path:
    """Write the zip to ``folder``, as ``name`` or a numbered name if that is taken. Returns its path. Raises
    WriteFailed.

    Packs a consistent copy, so the pet may be written to meanwhile.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=".soulpet-", dir=folder) as between:
            copied, packed = Path(between, "pet"), Path(between, "pet.zip")
            duplicate_pet(root.resolve(), copied, locks=locks)
            _zip(copied, packed, name)
            return _put(packed, folder, name)
    except OSError as problem:
        raise WriteFailed(file=f"{name}.zip", reason=problem.strerror or "") from problem


def _zip(source: Path, target: Path, top: str) -> None:
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as made:
        for file in sorted(source.rglob("*")):
            if not file.is_file():
                continue
            about = zipfile.ZipInfo.from_file(
                file, f"{top}/{file.relative_to(source).as_posix()}", strict_timestamps=False
            )
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
