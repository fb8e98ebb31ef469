"""Read a zip as names and bytes, within limits; nothing is unpacked to disk.

Refuses links, path traversal, encryption and decompression bombs; skips junk files of operating systems.
"""

from __future__ import annotations

import io
import re
import stat
import zipfile
from collections.abc import Mapping

from pet.errors import SkinRefused
from pet.extras.skins.codex_manifest import size_words
from pet.fs.zip_reading import BROKEN, PACKINGS, TooManyEntries, is_encrypted, open_bytes, read_entry

ZIP_BYTES = 64 * 1024 * 1024
UNPACKED_BYTES = 160 * 1024 * 1024
MAX_FILES = 2_000

_JUNK = re.compile(r"(^|/)(__MACOSX/|\.|Thumbs\.db$|desktop\.ini$)", re.IGNORECASE)
_DRIVE = re.compile(r"[A-Za-z]:")


class SkinZip:
    """The files of a zip by name, each decompressed on demand."""

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
