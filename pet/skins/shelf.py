"""The skins that a pet can wear: our own bodies. The extra ``skins``, behind this port, adds those of pictures."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from pet.errors import SkinRefused
from pet.events import ErrorInfo
from pet.extra import provided
from pet.paths import Home, ui_folder
from pet.skins.model import (
    BODIES,
    CELL,
    DRAWN,
    SHEET_PIXELS,
    ActiveSkin,
    ImportedSkin,
    Origin,
    Skin,
    Still,
    manifest_name,
)

if TYPE_CHECKING:
    from PIL import Image

_SHEET = "spritesheet.webp"  # of a body
_MOST_FILES = 500  # per folder; a skin has two


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinSummary:
    """A skin's list entry. ``problem``: why it can't be used."""

    id: str
    name: str
    description: str = ""
    author: str = ""
    licence: str = ""
    origin: Origin
    version: int = 0  # of the Codex format; 0 for the drawn one
    problem: ErrorInfo | None = None
    notes: tuple[ErrorInfo, ...] = ()


class SkinShelf:
    """The skins of one pet. ``drawn``: build output with the sheets of the shipped bodies, the first one's in the
    folder itself, the others' in subfolders by name.

    What isn't a body is refused as unknown here.
    """

    def __init__(self, drawn: Path) -> None:
        self._drawn = drawn

    def summaries(self) -> tuple[SkinSummary, ...]:
        """Return every skin once, broken ones included."""
        return tuple(SkinSummary(id=body, name=body, origin="drawn") for body in self.bodies())

    def bodies(self) -> list[str]:
        """Return the bodies that are there; the first always is."""
        return [body for body in BODIES if body == DRAWN or manifest_name(self.body_folder(body)) is not None]

    def body_folder(self, body: str) -> Path:
        return self._drawn / body.removeprefix(DRAWN).removeprefix("/")

    def folder(self, skin_id: str) -> Path:
        """Return the folder of a listed skin. Raises SkinRefused: unknown."""
        if skin_id not in self.bodies():
            raise SkinRefused("unknown")
        return self.body_folder(skin_id)

    def stamp(self, skin_id: str) -> str:
        """Return a value that changes with the skin's files, "" if they can't be read. Raises SkinRefused."""
        digest = hashlib.sha256(skin_id.encode())
        try:
            folder = self.folder(skin_id)
            for file in sorted(each for each in islice(folder.rglob("*"), _MOST_FILES) if each.is_file()):
                status = file.stat()
                digest.update(f"{file.name}\0{status.st_mtime_ns}\0{status.st_size}\0".encode())
        except OSError:
            return ""
        return digest.hexdigest()[:24]

    def read(self, skin_id: str) -> Skin:  # noqa: ARG002
        """Return a skin of pictures. Raises SkinRefused."""
        raise SkinRefused("unknown")

    def still(self, skin_id: str) -> Still:
        """Return the skin's idle image. Raises SkinRefused."""
        from pet.untrusted.images import UnsafePicture, open_image

        try:
            with open_image(self.folder(skin_id) / _SHEET, ("WEBP",), SHEET_PIXELS) as sheet:
                cell = sheet.convert("RGBA").crop((0, 0, *CELL))
        except UnsafePicture:
            raise SkinRefused("picture_missing", file=_SHEET) from None
        return still_cell(self.stamp(skin_id), cell, pixelated=False)

    def image(self, worn: ActiveSkin) -> bytes:  # noqa: ARG002
        """Return the sheet of a skin of pictures re-encoded as WebP: no page gets a foreign file. Raises
        SkinRefused."""
        raise SkinRefused("unknown")

    def meaning_of(self, name: str) -> str | None:  # noqa: ARG002
        """Return the animation for a picture of this file name, or None."""
        return None

    def take_pictures(self, name: str, files: Mapping[str, bytes]) -> ImportedSkin:  # noqa: ARG002
        """Make a skin of pictures, by their file names. Raises SkinRefused."""
        raise SkinRefused("unknown")

    def take_in(self, taken: ImportedSkin) -> Skin:  # noqa: ARG002
        """Add a shared skin. Raises SkinRefused."""
        raise SkinRefused("unknown")


def still_cell(stamp: str, cell: Image.Image, *, pixelated: bool) -> Still:
    """Return one cell as a still picture."""
    out = io.BytesIO()
    cell.save(out, "WEBP", lossless=True, quality=75, method=3, exact=False)
    return Still(stamp=stamp, image=out.getvalue(), width=cell.width, height=cell.height, pixelated=pixelated)


def open_shelf(home: Home, root: Path, environ: Mapping[str, str]) -> SkinShelf:
    """Return the skins of the pet in this workspace."""
    opens = provided("skins")
    shelf: SkinShelf = opens(home, root, environ) if opens else SkinShelf(ui_folder() / "skin")
    return shelf
