"""Images of a card: its portrait and V3's emotions by name.

Returns bytes only, bounded in number and size; callers must validate before decoding. Never downloads: remote images
are counted, for a notice to the owner.
"""

from __future__ import annotations

import base64
import binascii
import io
import re
import struct
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

from pet.cards.card import Fields
from pet.cards.card_file import PACKINGS, ReadCard, text_chunks

PICTURE_BYTES = 16 * 1024 * 1024
_ALL_BYTES = 96 * 1024 * 1024
_MOST = 48
_EMBEDDED = re.compile(r"embed{1,2}ed://", re.IGNORECASE)  # the specification spells it with one d
_DATA = re.compile(r"data:image/[a-z+.-]+;base64,", re.IGNORECASE)
_CHUNK = re.compile(r"__asset:", re.IGNORECASE)
_NAME = re.compile(r"[\w-]+")
_BROKEN = (LookupError, ValueError, zipfile.BadZipFile, RuntimeError, zlib.error, struct.error, EOFError, OSError)
_KINDS = {b"\x89PNG": "png", b"RIFF": "webp", b"\xff\xd8\xff": "jpg", b"GIF8": "gif"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CardPictures:
    """``portrait``: the main icon, else the PNG that carries the card. ``emotions``: file names by mood. ``remote``:
    number of remote images that were skipped.
    """

    portrait: bytes | None = None
    emotions: dict[str, bytes] = field(default_factory=dict)
    remote: int = 0

    @property
    def files(self) -> dict[str, bytes]:
        """Return all images, named for conversion to a mood set; the portrait becomes the idle image."""
        rest = {f"main.{_kind(self.portrait)}": self.portrait} if self.portrait else {}
        return {**rest, **self.emotions}


def card_images(read: ReadCard) -> CardPictures:
    """Return the card's images. Never raises: unreadable ones are skipped."""
    portrait: bytes | None = None
    emotions: dict[str, bytes] = {}
    remote, room = 0, _ALL_BYTES
    embedded_images = _EmbeddedImages(read)
    for asset in _assets(read.card.fields):
        kind, uri, name = (str(asset.get(key) or "") for key in ("type", "uri", "name"))
        if kind not in ("icon", "emotion") or (kind == "icon" and (portrait or name not in ("main", ""))):
            continue
        if uri.lower().startswith(("http://", "https://")):
            remote += 1
            continue
        limit = min(PICTURE_BYTES, room)
        data = embedded_images.find(uri, limit)
        room -= len(data or b"")  # counts non-images too, since they had to be unpacked
        if data is None or len(data) > limit or not _kind(data):
            continue
        if kind == "icon":
            portrait = data
        else:
            file = f"{'_'.join(_NAME.findall(name))[:60] or 'normal'}.{_kind(data)}"
            emotions.setdefault(file, data)
    if portrait is None and read.carrier == "png" and len(read.content) <= PICTURE_BYTES:
        portrait = read.content
    return CardPictures(portrait=portrait, emotions=emotions, remote=remote)


class _EmbeddedImages:
    """Images embedded in the card's file, read lazily and never written to disk."""

    def __init__(self, read: ReadCard) -> None:
        self._read = read

    @cached_property
    def _chunks(self) -> dict[str, bytes]:
        chunks = text_chunks(self._read.content, b"chara-ext-asset_") if self._read.carrier == "png" else {}
        return {name.decode("latin-1").lstrip(":"): data for name, data in chunks.items()}

    @cached_property
    def _archive(self) -> zipfile.ZipFile:
        """Indexed once, since there may be many members."""
        return zipfile.ZipFile(io.BytesIO(self._read.content))

    def find(self, uri: str, limit: int) -> bytes | None:
        if uri == "ccdefault:":
            return self._read.content if self._read.carrier == "png" else None
        if embedded := _EMBEDDED.match(uri):
            return self._member(uri[embedded.end() :], max(0, limit))
        if asset := _CHUNK.match(uri):
            packed = self._chunks.get(uri[asset.end() :])
            return None if packed is None else _decoded_image(packed)
        if data := _DATA.match(uri):
            return _decoded_image(uri[data.end() :].encode("ascii", "replace"))
        return None

    def _member(self, path: str, limit: int) -> bytes | None:
        """Return a member by its full name; one larger than ``limit`` is truncated to limit + 1 bytes."""
        if self._read.carrier != "charx":
            return None
        try:
            if self._archive.getinfo(path).compress_type not in PACKINGS:
                return None
            with self._archive.open(path) as member:
                return member.read(limit + 1)
        except _BROKEN:  # missing, encrypted, unsupported compression, or truncated
            return None


def _assets(fields: Fields) -> Iterator[Fields]:
    assets = fields.get("assets")
    for asset in assets[:_MOST] if isinstance(assets, list) else []:
        if isinstance(asset, dict):
            yield asset


def _decoded_image(text: bytes) -> bytes | None:
    if len(text) > PICTURE_BYTES * 4 // 3 + 4:
        return None
    try:
        return base64.b64decode(text, validate=True)
    except binascii.Error:
        return None


def _kind(data: bytes | None) -> str:
    """Return the file extension by magic bytes; "" if it is not an image."""
    return next((ending for start, ending in _KINDS.items() if data and data.startswith(start)), "")
