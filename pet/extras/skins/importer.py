"""Import a skin: a Codex pet unchanged, a Shimeji set or mood images converted.

Pure except for image decoding: bytes in, the two files of a skin out. Author and licence are read from the files
beside it, as untrusted text for display only. Raises SkinRefused for anything else.
"""

from __future__ import annotations

import io
import json
import re
import stat
import zipfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import PurePosixPath

from pet.errors import SkinRefused
from pet.extras.skins.codex_manifest import (
    MANIFEST_BYTES,
    MAX_ZOOM,
    ROWS,
    SHEET_BYTES,
    Manifest,
    check_sheet_path,
    read_manifest,
    size_words,
)
from pet.extras.skins.image_sets import (
    SKIN_JSON_BYTES,
    XML_BYTES,
    ShimejiSet,
    find_moods,
    find_set,
    mood_clips,
    read_skin_json,
    shimeji_clips,
)
from pet.extras.skins.sprite_sheet import Clip, PixelBudget, TooManyPixels, make_sheet, open_picture, picture_size
from pet.fs.zip_reading import BROKEN, PACKINGS, TooManyEntries, is_encrypted, open_bytes, read_entry
from pet.language.labels import note_label
from pet.skins.model import CELL, COLUMNS, ImportedSkin
from pet.untrusted.parsers import read_json

ZIP_BYTES = 64 * 1024 * 1024
UNPACKED_BYTES = 160 * 1024 * 1024
MAX_FILES = 2_000

_JUNK = re.compile(r"(^|/)(__MACOSX/|\.|Thumbs\.db$|desktop\.ini$)", re.IGNORECASE)
_DRIVE = re.compile(r"[A-Za-z]:")


class SkinZip:
    """The files of a zip by name, each decompressed on demand; nothing is unpacked to disk. Refuses links, path
    traversal, encryption and decompression bombs; skips junk files of operating systems."""

    def __init__(self, data: bytes) -> None:
        """Raises SkinRefused: zip_broken, zip_too_large, zip_escape, zip_link, zip_encrypted."""
        if len(data) > ZIP_BYTES:
            raise SkinRefused("zip_too_large", limit=size_words(ZIP_BYTES))
        try:
            self._zip = open_bytes(data, MAX_FILES)
        except TooManyEntries:
            raise SkinRefused("zip_too_large", limit=size_words(UNPACKED_BYTES)) from None
        except BROKEN:
            raise SkinRefused("zip_broken") from None
        entries = self._zip.infolist()
        if sum(entry.file_size for entry in entries) > UNPACKED_BYTES:
            raise SkinRefused("zip_too_large", limit=size_words(UNPACKED_BYTES))
        for entry in entries:
            _check(entry)
        files = (each.filename for each in entries if not each.is_dir() and not _JUNK.search(each.filename))
        self.names = list(dict.fromkeys(files))

    def read(self, name: str, limit: int) -> bytes:
        """Return the bytes of one file, ignoring its declared size. Raises SkinRefused."""
        short = name.rsplit("/", 1)[-1]
        try:
            data = read_entry(self._zip, name, limit)
        except BROKEN:
            raise SkinRefused("zip_broken") from None
        if len(data) > limit:
            raise SkinRefused("file_too_large", file=short, limit=size_words(limit))
        return data


def _check(entry: zipfile.ZipInfo) -> None:
    name = entry.orig_filename  # the raw name: ``filename`` is cut at a NUL and has its separators converted
    if "\0" in name or "\\" in name or name.startswith("/") or _DRIVE.match(name) or ".." in name.split("/"):
        raise SkinRefused("zip_escape", file=name.split("\0")[0][:80])
    kind = entry.external_attr >> 16
    if kind and stat.S_IFMT(kind) not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise SkinRefused("zip_link", file=name[:80])
    if is_encrypted(entry):
        raise SkinRefused("zip_encrypted")
    if entry.compress_type not in PACKINGS:
        raise SkinRefused("zip_packing")


def pack(files: Mapping[str, bytes]) -> bytes:
    """Return a reproducible zip."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as target:
        for name, data in files.items():
            entry = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            # A sheet is compressed already.
            entry.compress_type = zipfile.ZIP_DEFLATED if name.endswith(".json") else zipfile.ZIP_STORED
            target.writestr(entry, data)
    return out.getvalue()


_BYTES = 64 * 1024
_LENGTH = 60
_LINES = 60
_MOST_LINE = 1_000  # characters of a line that are examined: brackets without an end take time by the square
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")

Read = Callable[[str, int], bytes]
"""Return a file's bytes, by name and size limit. Raises SkinRefused."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Credits:
    author: str = ""
    licence: str = ""


def find_credits(folder: str, names: Iterable[str], read: Read) -> Credits:
    """Return the credits in the files of this folder, "" for missing ones."""
    prefix = f"{folder}/" if folder else ""
    beside = {
        name[len(prefix) :].lower(): name
        for name in names
        if name.startswith(prefix) and "/" not in name[len(prefix) :]
    }
    author, licence = _submission(_text(beside.get("submission.json"), read))
    for leaf in ("readme.md", "readme.txt", "readme"):
        for line in _text(beside.get(leaf), read).splitlines()[:_LINES]:
            author = author or _credit_in("author", line)
            licence = licence or _credit_in("licence", line)
    for leaf in ("license", "license.txt", "license.md", "licence", "licence.txt", "licence.md"):
        first = next((line for line in _text(beside.get(leaf), read).splitlines() if line.strip()), "")
        licence = licence or plain_credit(first)
    return Credits(author=author, licence=licence)


def plain_credit(value: object) -> str:
    """Return one line of text, without markup and truncated."""
    if not isinstance(value, str):
        return ""
    text = _LINK.sub(r"\1", value[:_MOST_LINE]).strip(" \t#*_>-`")
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())[:_LENGTH]


def _submission(text: str) -> tuple[str, str]:
    try:
        raw = read_json(text) if text else None
    except ValueError:
        raw = None
    if not isinstance(raw, dict):
        return "", ""
    author = raw.get("author") or raw.get("creator") or raw.get("submittedBy")
    if isinstance(author, dict):
        author = author.get("name")
    return plain_credit(author), plain_credit(raw.get("license") or raw.get("licence"))


def _credit_in(kind: str, line: str) -> str:
    match = note_label(kind, line)
    return plain_credit(match[1]) if match else ""


def _text(name: str | None, read: Read) -> str:
    if name is None:
        return ""
    try:
        return read(name, _BYTES).decode("utf-8-sig", "replace")
    except SkinRefused:
        return ""  # too large or broken: no credits


ONE_PICTURE_BYTES = 16 * 1024 * 1024
_SHEET = "spritesheet.webp"


def take(name: str, names: Iterable[str], read: Read) -> ImportedSkin:
    """Import from named files. ``name``: of the whole. Raises SkinRefused."""
    every = list(names)
    manifest = _shallowest(every, "pet.json") or _shallowest(every, "avatar.json")
    if manifest is not None:
        return _codex(name, manifest, every, read)
    shimeji = find_set(every)
    if shimeji is not None:
        return _shimeji(name, shimeji, read)
    described = _shallowest(every, "skin.json")
    if described is not None:
        return _described(name, described, every, read)
    moods = find_moods(every)
    if moods:
        return _converted(name, mood_clips(moods, _PictureLoader(read).load), {"displayName": name})
    raise SkinRefused("nothing_known")


def is_sheet(data: bytes) -> bool:
    """Whether this is a single image of exactly a sheet's size."""
    try:
        size = picture_size(data, _SHEET)
    except SkinRefused:
        return False
    widths = {
        (CELL[0] * COLUMNS * zoom, CELL[1] * rows * zoom) for zoom in range(1, MAX_ZOOM + 1) for rows in ROWS.values()
    }
    return size in widths


def take_zip(name: str, data: bytes) -> ImportedSkin:
    zip_file = SkinZip(data)
    return take(_stem(name), zip_file.names, zip_file.read)


def take_sheet(name: str, file: str, data: bytes) -> ImportedSkin:
    """Import a bare sprite sheet; its size is checked when it is read."""
    sheet = "spritesheet.png" if data[:4] == b"\x89PNG" else _SHEET
    title = name or _stem(file)
    fields = {"id": slug(title), "displayName": title, "spritesheetPath": sheet}
    text = json.dumps(fields, ensure_ascii=False, indent=2) + "\n"
    return ImportedSkin(wish=title, files={"pet.json": text.encode("utf-8", "replace"), sheet: data})


def take_any(name: str, files: Mapping[str, bytes]) -> ImportedSkin:
    """Import a zip, sheet, folder or images. Raises SkinRefused."""
    if len(files) == 1:
        ((file, data),) = files.items()
        if file.lower().endswith(".zip") or data.startswith(b"PK\x03\x04"):
            return take_zip(file, data)
        if is_sheet(data):
            return take_sheet(name, file, data)
    return take_pictures(name, files)


def take_pictures(name: str, files: Mapping[str, bytes]) -> ImportedSkin:
    def read(file: str, limit: int) -> bytes:
        if len(files[file]) > limit:
            raise SkinRefused("file_too_large", file=file, limit=size_words(limit))
        return files[file]

    return take(name, files, read)


def _codex(name: str, manifest_file: str, names: list[str], read: Read) -> ImportedSkin:
    folder = manifest_file.rpartition("/")[0]
    data = read(manifest_file, MANIFEST_BYTES)
    manifest = read_manifest(data, folder=folder.rpartition("/")[2] or name)
    sheet = f"{folder}/{manifest.sheet}" if folder else manifest.sheet
    if sheet not in names:
        raise SkinRefused("picture_missing", file=manifest.sheet)
    credited = _credited(data, manifest, find_credits(folder, names, read))
    return ImportedSkin(wish=manifest.id, files={"pet.json": credited, manifest.sheet: read(sheet, SHEET_BYTES)})


def _credited(data: bytes, manifest: Manifest, credit: Credits) -> bytes:
    """Add the author and licence found beside pet.json; unchanged if it names them itself or none were found."""
    fields = {
        name: value
        for name, value, own in (
            ("author", credit.author, manifest.author),
            ("license", credit.licence, manifest.licence),
        )
        if value and not own
    }
    if not fields:
        return data
    return (json.dumps({**manifest.raw, **fields}, ensure_ascii=False, indent=2) + "\n").encode("utf-8", "replace")


def _shimeji(name: str, images: ShimejiSet, read: Read) -> ImportedSkin:
    notes = [SkinRefused("more_sets", count=images.others)] if images.others else []
    pictures = _PictureLoader(read)

    def load(number: int) -> Clip | None:
        try:
            return pictures.load(images.pictures[number])
        except TooManyPixels:
            raise
        except SkinRefused as problem:
            notes.append(problem)
            return None

    actions = read(images.actions, XML_BYTES) if images.actions else None
    title = name if images.name == "Shimeji" else images.name
    fields = {"displayName": title, "kind": "shimeji"}
    return _converted(title, shimeji_clips(images.pictures, actions, load), fields, tuple(notes))


def _described(name: str, file: str, names: list[str], read: Read) -> ImportedSkin:
    title, author, description, moods = read_skin_json(read(file, SKIN_JSON_BYTES))
    folder = file.rpartition("/")[0]
    pictures = _PictureLoader(read)

    def load(picture: str) -> Clip:
        path = f"{folder}/{check_sheet_path(picture)}" if folder else check_sheet_path(picture)
        if path not in names:
            raise SkinRefused("picture_missing", file=picture[:80])
        return pictures.load(path)

    fields = {"displayName": title or name, "description": description, "author": author}
    return _converted(title or name, mood_clips(moods, load), fields)


def _converted(
    wish: str, clips: Mapping[str, Clip], fields: dict[str, str], notes: tuple[SkinRefused, ...] = ()
) -> ImportedSkin:
    made = make_sheet(clips)
    manifest = {
        "id": slug(wish),
        **{key: value for key, value in fields.items() if value},
        "spritesheetPath": _SHEET,
        "spriteVersionNumber": 1,
        "frame": asdict(made.frame),
        "animations": made.animations,
    }
    text = json.dumps(manifest, ensure_ascii=False, indent=2) + "\n"
    return ImportedSkin(wish=wish, files={"pet.json": text.encode(), _SHEET: made.sheet}, notes=notes)


class _PictureLoader:
    """The images of one zip, each decoded once, under one pixel budget."""

    def __init__(self, read: Read) -> None:
        self._read = read
        self._budget = PixelBudget()
        self._opened: dict[str, Clip] = {}

    def load(self, file: str) -> Clip:
        """Raises SkinRefused."""
        if file not in self._opened:
            picture = open_picture(self._read(file, ONE_PICTURE_BYTES), file.rpartition("/")[2], self._budget)
            self._opened[file] = Clip(pictures=(picture,))
        return self._opened[file]


def _shallowest(names: list[str], wanted: str) -> str | None:
    """Return the file of this name at the root, else one folder deep."""
    matches = [name for name in names if name.rpartition("/")[2].lower() == wanted and name.count("/") <= 1]
    return min(matches, key=lambda name: (name.count("/"), name), default=None)


def slug(name: str) -> str:
    """Return a folder name made from any name: ASCII letters, digits and hyphens."""
    kept = "".join(each if each.isascii() and each.isalnum() else "-" for each in name.lower())
    return "-".join(part for part in kept.split("-") if part)[:32].strip("-") or "skin"


def _stem(name: str) -> str:
    return PurePosixPath(name.replace("\\", "/")).stem[:60] or "skin"
