"""Read a skin's folder: manifest and sheet, header only for lists, with pixels for display.

Refuses links inside the folder, and whatever the manifest and image readers refuse.
"""

from __future__ import annotations

import stat
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from pet.errors import SkinRefused
from pet.events import ErrorInfo
from pet.skins.formats.codex_manifest import Manifest, animations_of, is_standard, layout, looks_of, read_manifest
from pet.skins.formats.skin_images import empty_cells, is_opaque, is_pixel_art, open_sheet, sheet_size
from pet.skins.model import LOOK_ROWS, MANIFEST_BYTES, Frame, Origin, Skin, SkinSummary, manifest_name, size_words


@dataclass(frozen=True, slots=True, kw_only=True)
class SkinFolder:
    """A skin's folder and its id in the list."""

    id: str
    folder: Path
    origin: Origin


def read_summary(place: SkinFolder) -> SkinSummary:
    """Return the skin's list entry. Never raises: problems are part of it."""
    try:
        manifest, sheet = _manifest_of(place)
    except SkinRefused as refused:
        return SkinSummary(id=place.id, name=place.folder.name, origin=place.origin, problem=ErrorInfo.of(refused))
    problem: SkinRefused | None = None
    notes: tuple[SkinRefused, ...] = ()
    version = manifest.version
    try:
        frame = layout(manifest, sheet_size(sheet, manifest.sheet))
        # Empty cells are unknown without the pixels; everything else is checked.
        notes = animations_of(manifest, frame, frozenset())[1]
        version = sheet_version(manifest, frame)
    except SkinRefused as fault:
        problem = fault
    return SkinSummary(
        id=place.id,
        name=manifest.name,
        description=manifest.description,
        author=manifest.author,
        licence=manifest.licence,
        origin=place.origin,
        version=version,
        problem=ErrorInfo.of(problem) if problem else None,
        notes=tuple(map(ErrorInfo.of, notes)),
    )


def read_skin(place: SkinFolder) -> Skin:
    """Return the skin with its pixels checked. Raises SkinRefused."""
    return read_pixels(place)[0]


def read_pixels(place: SkinFolder) -> tuple[Skin, Image.Image]:
    """Return the skin and its sheet as RGBA. Raises SkinRefused."""
    manifest, file = _manifest_of(place)
    frame = layout(manifest, sheet_size(file, manifest.sheet))  # before decoding pixels
    sheet = open_sheet(file, manifest.sheet)
    empty = empty_cells(sheet, frame.width, frame.height)
    animations, notes = animations_of(manifest, frame, empty)
    if is_opaque(sheet):
        notes = (*notes, SkinRefused("opaque"))
    skin = Skin(
        id=place.id,
        name=manifest.name,
        description=manifest.description,
        version=sheet_version(manifest, frame),
        sheet=file,
        frame=frame,
        animations=animations,
        looks=looks_of(frame, empty),
        pixelated=is_pixel_art(sheet),
        notes=notes,
        manifest=manifest.raw,
    )
    return skin, sheet


def sheet_version(manifest: Manifest, frame: Frame) -> int:
    """Return the sheet's actual version, whatever the manifest says."""
    return 2 if is_standard(frame) and frame.rows > LOOK_ROWS[-1] else 1 if is_standard(frame) else manifest.version


def read_file(folder: Path, name: str, limit: int) -> bytes:
    """Return a file directly in the folder: no link, within the limit. Raises SkinRefused."""
    file = inside(folder, name)
    try:
        if file.stat().st_size > limit:
            raise SkinRefused("file_too_large", file=name, limit=size_words(limit))
        return file.read_bytes()
    except OSError:
        raise SkinRefused("picture_missing", file=name) from None


def inside(folder: Path, name: str) -> Path:
    """Return the path of a name checked by ``check_sheet_path``, with no link on the way. Raises SkinRefused."""
    path = folder
    for part in name.split("/"):
        path = path / part
        try:
            if stat.S_ISLNK(path.lstat().st_mode):
                raise SkinRefused("link", file=name)
        except OSError:
            raise SkinRefused("picture_missing", file=name) from None
    if not path.is_file():
        raise SkinRefused("picture_missing", file=name)
    return path


def _manifest_of(place: SkinFolder) -> tuple[Manifest, Path]:
    name = manifest_name(place.folder)
    if name is None:
        raise SkinRefused("no_manifest")
    manifest = read_manifest(read_file(place.folder, name, MANIFEST_BYTES), folder=place.folder.name)
    return manifest, inside(place.folder, manifest.sheet)
