"""Skin library: the pet's own skins, shared ones, and those of other programs.

Writes and deletes only in ``<data>/skins``, atomically. Accepts only listed ids, so that no external name becomes a
path; refuses links inside a skin's folder.
"""

from __future__ import annotations

import json
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from pet.errors import SkinRefused
from pet.events import ErrorInfo
from pet.extras.skins.codex_manifest import (
    LOOK_ROWS,
    MANIFEST_BYTES,
    SHEET_BYTES,
    Manifest,
    animations_of,
    check_sheet_path,
    is_standard,
    layout,
    looks_of,
    read_manifest,
    size_words,
)
from pet.extras.skins.image_sets import meaning_of
from pet.extras.skins.importer import pack, slug, take_pictures
from pet.extras.skins.sprite_sheet import (
    as_webp,
    empty_cells,
    is_opaque,
    is_pixel_art,
    open_sheet,
    redrawn,
    sheet_size,
)
from pet.paths import Home, ui_folder
from pet.skins.model import (
    DRAWN,
    OWN,
    ActiveSkin,
    Frame,
    ImportedSkin,
    Origin,
    Skin,
    Still,
    manifest_name,
)
from pet.skins.shelf import SkinShelf, SkinSummary, still_cell

if TYPE_CHECKING:
    from PIL import Image


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


_RESERVED = {DRAWN, OWN, "con", "prn", "aux", "nul"}
_MOST_FOLDERS = 500


def foreign_folders(environ: Mapping[str, str], home: Path) -> tuple[tuple[Origin, Path], ...]:
    """Return the folders where other programs keep pets of this format."""
    codex = Path(environ["CODEX_HOME"]) if environ.get("CODEX_HOME") else home / ".codex"
    return (("codex", codex / "pets"), ("petdex", home / ".petdex" / "pets"), ("codex", codex / "avatars"))


def shelf_of(home: Home, root: Path, environ: Mapping[str, str]) -> SkinLibrary:
    """Return the skins of the pet in this workspace."""
    return SkinLibrary(
        workspace=root,
        shared=home.data / "skins",
        foreign=foreign_folders(environ, Path.home()),
        drawn=ui_folder() / "skin",
    )


class SkinLibrary(SkinShelf):
    """Our own bodies, and the skins of pictures available to one pet."""

    def __init__(
        self, *, workspace: Path, shared: Path, foreign: tuple[tuple[Origin, Path], ...], drawn: Path
    ) -> None:
        super().__init__(drawn)
        self._own = workspace / "skin"
        self._shared = shared
        self._foreign = foreign

    def summaries(self) -> tuple[SkinSummary, ...]:
        """Return every skin once: the first of an id wins."""
        return tuple(read_summary(place) for place in self._places())

    def folder(self, skin_id: str) -> Path:
        return self.place(skin_id).folder

    def read(self, skin_id: str) -> Skin:
        return read_skin(self.place(skin_id))

    def still(self, skin_id: str) -> Still:
        stamp = self.stamp(skin_id)
        skin, sheet = read_pixels(self.place(skin_id))
        idle = skin.animation("idle")
        assert idle is not None  # a skin always has an idle cell
        frame, first = skin.frame, idle.frames[0]
        left, top = (first % frame.columns) * frame.width, (first // frame.columns) * frame.height
        cell = sheet.crop((left, top, left + frame.width, top + frame.height))
        return still_cell(stamp, cell, pixelated=skin.pixelated)

    def image(self, worn: ActiveSkin) -> bytes:
        return _redrawn(worn.stamp, worn.skin.sheet) if worn.skin else super().image(worn)

    def meaning_of(self, name: str) -> str | None:
        return meaning_of(name)

    def take_pictures(self, name: str, files: Mapping[str, bytes]) -> ImportedSkin:
        return take_pictures(name, files)

    def place(self, skin_id: str) -> SkinFolder:
        """Return the folder of a listed skin. Raises SkinRefused: unknown."""
        for place in self._places():
            if place.id == skin_id:
                return place
        raise SkinRefused("unknown")

    def take_in(self, taken: ImportedSkin) -> Skin:
        """Add a shared skin after reading it completely."""
        try:
            self._shared.mkdir(parents=True, exist_ok=True)
            new = Path(tempfile.mkdtemp(prefix=".new-", dir=self._shared))
        except OSError:
            raise SkinRefused("not_written") from None
        try:
            for name, data in taken.files.items():
                file = new / check_sheet_path(name)
                file.parent.mkdir(parents=True, exist_ok=True)
                _write(file, data)
            read_skin(SkinFolder(id="new", folder=new, origin="shared"))
            target = self._free(slug(taken.wish))
            new.chmod(0o755)
            new.rename(target)
        except OSError:
            raise SkinRefused("not_written") from None
        finally:
            shutil.rmtree(new, ignore_errors=True)
        return read_skin(SkinFolder(id=target.name, folder=target, origin="shared"))

    def copied(self, skin_id: str) -> ImportedSkin:
        """Return the files of another program's skin, for adding to the shared ones. Raises SkinRefused."""
        place = self.place(skin_id)
        skin = read_skin(place)
        manifest = read_file(place.folder, manifest_name(place.folder) or "", MANIFEST_BYTES)
        sheet = _relative(skin, place)
        return ImportedSkin(
            wish=skin.name, files={"pet.json": manifest, sheet: read_file(place.folder, sheet, SHEET_BYTES)}
        )

    def delete(self, skin_id: str) -> None:
        """Delete a shared skin; others are refused."""
        place = self.place(skin_id)
        if place.origin != "shared":
            raise SkinRefused("not_deletable")
        try:
            if place.folder.is_symlink():
                place.folder.unlink()  # a link: its target is not ours
                return
            gone = self._shared / f".gone-{place.folder.name}-{os.getpid()}"
            place.folder.rename(gone)  # removes it from the list at once
        except OSError:
            raise SkinRefused("not_written") from None
        shutil.rmtree(gone, ignore_errors=True)

    def export(self, skin_id: str) -> tuple[str, bytes]:
        """Return a file name and the zip of a Codex pet: its pet.json and its sheet as WebP. Raises SkinRefused."""
        place = self.place(skin_id)
        skin = read_skin(place)
        data = read_file(place.folder, _relative(skin, place), SHEET_BYTES)
        if data[:4] != b"RIFF":
            data = as_webp(open_sheet(skin.sheet, skin.sheet.name))
        own_id = slug(skin.name) if place.id == OWN else place.id.rpartition("/")[2]
        manifest = {
            **skin.manifest,
            "id": own_id,
            "displayName": skin.name,
            "description": skin.description,
            "spriteVersionNumber": skin.version,
            "spritesheetPath": "spritesheet.webp",
        }
        if "frame" in manifest:
            manifest["frame"] = asdict(skin.frame)
        text = json.dumps(manifest, ensure_ascii=False, indent=2) + "\n"
        return f"{slug(own_id)}.zip", pack({"pet.json": text.encode(), "spritesheet.webp": data})

    def _places(self) -> Iterator[SkinFolder]:
        for body in self.bodies():
            yield SkinFolder(id=body, folder=self.body_folder(body), origin="drawn")
        if manifest_name(self._own) is not None:
            yield SkinFolder(id=OWN, folder=self._own, origin="pet")
        seen: set[str] = set()
        shared: tuple[Origin, Path] = ("shared", self._shared)
        for origin, folder in (shared, *self._foreign):
            prefix = "" if origin == "shared" else f"{origin}/"
            for name in _folders(folder, every=origin == "shared"):
                skin_id = f"{prefix}{name}"
                if skin_id in seen or skin_id in _RESERVED:
                    continue
                seen.add(skin_id)
                yield SkinFolder(id=skin_id, folder=folder / name, origin=origin)

    def _free(self, wish: str) -> Path:
        """Return an unused folder."""
        for number in range(1, 1000):
            name = wish if number == 1 else f"{wish[:28]}-{number}"
            if name not in _RESERVED and not (self._shared / name).exists():
                return self._shared / name
        raise SkinRefused("not_written")


@lru_cache(maxsize=2)
def _redrawn(_stamp: str, sheet: Path) -> bytes:
    return redrawn(open_sheet(sheet, sheet.name))


def _folders(parent: Path, *, every: bool) -> list[str]:
    """Return the names of folders with a skin; none for an unreadable folder. ``every``: include those without a
    pet.json, so that the owner sees what is missing.
    """
    with suppress(OSError):
        names = sorted(each.name for each in parent.iterdir() if not each.name.startswith(".") and each.is_dir())
        return [name for name in names[:_MOST_FOLDERS] if every or manifest_name(parent / name) is not None]
    return []


def _relative(skin: Skin, place: SkinFolder) -> str:
    return skin.sheet.relative_to(place.folder).as_posix()


def _write(file: Path, data: bytes) -> None:
    with file.open("xb") as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())
