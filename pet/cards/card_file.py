"""Card containers: PNG text chunks, JSON, charx zip; reading and writing.

Checks sizes before unpacking, and never trusts sizes declared in a file.
"""

from __future__ import annotations

import base64
import binascii
import io
import json
import lzma
import struct
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from pet.cards.card import Card, read_card_json
from pet.errors import CardRefused

Carrier = Literal["png", "json", "charx"]

MAX_FILE = 64 * 1024 * 1024
MAX_CARD = 8 * 1024 * 1024
_PNG = b"\x89PNG\r\n\x1a\n"
_KEYWORDS = (b"ccv3", b"chara")  # V3's chunk is preferred if both exist
_CARD_JSON = "card.json"
# All that zipfile raises: RuntimeError for encryption, ValueError for offsets before the start.
_BROKEN_ZIP = (
    zipfile.BadZipFile,
    lzma.LZMAError,
    zlib.error,
    struct.error,
    RuntimeError,
    ValueError,
    IndexError,
    OverflowError,
    EOFError,
    OSError,
)
PACKINGS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})  # others may need unbounded memory


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadCard:
    """A card and the file it came from."""

    card: Card
    carrier: Carrier
    content: bytes


def read_card(content: bytes) -> ReadCard:
    """Read a card; the container is detected by content, not by file name. Raises CardRefused."""
    if len(content) > MAX_FILE:
        raise CardRefused(problem="too_large", limit=MAX_FILE // 1024 // 1024)
    if content.startswith(_PNG):
        return ReadCard(card=_from_png(content), carrier="png", content=content)
    if content[:2] == b"PK" or zipfile.is_zipfile(io.BytesIO(content)):
        return ReadCard(card=read_card_json(_card_in_zip(content)), carrier="charx", content=content)
    if len(content) > MAX_CARD:
        raise CardRefused(problem="too_large", limit=MAX_CARD // 1024 // 1024)
    return ReadCard(card=read_card_json(content), carrier="json", content=content)


def with_card(read: ReadCard, raws: Mapping[bytes, Mapping[str, object]]) -> bytes:
    """Return the same file with new card data: ``raws`` by PNG keyword; zip and JSON files hold the first of them."""
    newest = next(iter(raws.values()))
    match read.carrier:
        case "json":
            return _dump(newest, indent=2)
        case "charx":
            return _zip_with(read.content, _dump(newest))
        case "png":
            return png_with(read.content, raws)


def png_with(picture: bytes, raws: Mapping[bytes, Mapping[str, object]]) -> bytes:
    """Return the PNG with these cards as its only card chunks; pixels and other chunks are unchanged.

    Raises CardRefused if it is not a PNG.
    """
    if not picture.startswith(_PNG):
        raise CardRefused(problem="not_a_png")
    pieces = [_PNG]
    for kind, data in _chunks(picture):
        if _text_keyword(kind, data) in _KEYWORDS:
            continue
        if kind == b"IEND":
            for keyword, raw in raws.items():
                pieces.append(_chunk(b"tEXt", keyword + b"\0" + base64.b64encode(_dump(raw))))
        pieces.append(_chunk(kind, data))
    return b"".join(pieces)


def text_chunks(picture: bytes, start: bytes) -> dict[bytes, bytes]:
    """Return the plain text chunks whose keyword starts so, by the rest of the keyword."""
    texts: dict[bytes, bytes] = {}
    try:
        for kind, data in _chunks(picture):
            keyword, _, text = data.partition(b"\0")
            if kind == b"tEXt" and keyword.startswith(start):
                texts.setdefault(keyword[len(start) :], text)
    except CardRefused:
        return texts
    return texts


def _from_png(content: bytes) -> Card:
    texts: dict[bytes, bytes] = {}
    for kind, data in _chunks(content):
        keyword = _text_keyword(kind, data)
        if keyword in _KEYWORDS and keyword not in texts:
            texts[keyword] = _unpacked(kind, data)
    problem: CardRefused | None = None
    for keyword in _KEYWORDS:
        if keyword in texts:
            try:
                return read_card_json(_decoded(texts[keyword]))
            except CardRefused as broken:  # the older chunk may be intact
                problem = problem or broken
    raise problem or CardRefused(problem="no_card")


def _chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield kind and data of each chunk, up to IEND or the end of a truncated file."""
    at = len(_PNG)
    while at + 12 <= len(content):
        (length,) = struct.unpack_from(">I", content, at)
        if at + 12 + length > len(content):
            raise CardRefused(problem="broken_png")
        kind = content[at + 4 : at + 8]
        yield kind, content[at + 8 : at + 8 + length]
        if kind == b"IEND":
            return
        at += 12 + length
    raise CardRefused(problem="broken_png")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def _text_keyword(kind: bytes, data: bytes) -> bytes | None:
    return data.partition(b"\0")[0].lower() if kind in (b"tEXt", b"zTXt", b"iTXt") else None


def _unpacked(kind: bytes, data: bytes) -> bytes:
    rest = data.partition(b"\0")[2]
    if kind == b"zTXt":
        return _inflated(rest[1:])
    if kind == b"iTXt":
        packed, rest = rest[:1] == b"\1", rest[2:]
        for _ in ("language", "translated keyword"):
            rest = rest.partition(b"\0")[2]
        return _inflated(rest) if packed else rest
    return rest


def _inflated(data: bytes) -> bytes:
    unpacking = zlib.decompressobj()
    try:
        text = unpacking.decompress(data, 2 * MAX_CARD)
    except zlib.error:
        raise CardRefused(problem="broken_png") from None
    if unpacking.unconsumed_tail:
        raise CardRefused(problem="too_large", limit=MAX_CARD // 1024 // 1024)
    return text


def _decoded(text: bytes) -> bytes:
    compact = b"".join(text.split())
    if len(compact) > 2 * MAX_CARD:
        raise CardRefused(problem="too_large", limit=MAX_CARD // 1024 // 1024)
    if compact[:1] == b"{":  # some programs omit the base64 encoding
        return text
    try:
        return base64.b64decode(compact + b"=" * (-len(compact) % 4), validate=True)
    except binascii.Error:
        raise CardRefused(problem="not_json") from None


def _card_in_zip(content: bytes) -> bytes:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if archive.getinfo(_CARD_JSON).compress_type not in PACKINGS:
                raise CardRefused(problem="broken_zip")
            with archive.open(_CARD_JSON) as member:
                card = member.read(MAX_CARD + 1)
    except KeyError:
        raise CardRefused(problem="no_card") from None
    except _BROKEN_ZIP:
        raise CardRefused(problem="broken_zip") from None
    if len(card) > MAX_CARD:
        raise CardRefused(problem="too_large", limit=MAX_CARD // 1024 // 1024)
    return card


def _zip_with(content: bytes, card: bytes) -> bytes:
    """Return the zip with another card.json; other entries are copied in bounded chunks."""
    made = io.BytesIO()
    room = 4 * MAX_FILE
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as new:
            for info in old.infolist():
                if info.filename == _CARD_JSON:
                    continue
                if info.compress_type not in PACKINGS:
                    raise CardRefused(problem="broken_zip")
                data = old.open(info).read(room + 1)
                room -= len(data)
                if room < 0:
                    raise CardRefused(problem="too_large", limit=4 * MAX_FILE // 1024 // 1024)
                new.writestr(info, data)
            new.writestr(_CARD_JSON, card)
    except _BROKEN_ZIP:
        raise CardRefused(problem="broken_zip") from None
    return made.getvalue()


def _dump(raw: Mapping[str, object], *, indent: int | None = None) -> bytes:
    text = json.dumps(raw, ensure_ascii=False, indent=indent)
    try:
        return text.encode()
    except UnicodeEncodeError:  # an unpaired surrogate stays escaped
        return json.dumps(raw, ensure_ascii=True, indent=indent).encode()
