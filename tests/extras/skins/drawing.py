"""Real sheets and zips, drawn for the tests."""

from __future__ import annotations

import io
import json
import struct
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path

from PIL import Image, ImageDraw

from pet.extras.skins.codex_manifest import STATES
from pet.skins.model import CELL, COLUMNS


def draw_sheet(*, version: int = 1, zoom: int = 1, without: tuple[str, ...] = (), cut: int = 0) -> Image.Image:
    """A sheet with a blot in each cell the format shows; ``cut``: so many cells fewer at each row's end."""
    width, height = CELL[0] * zoom, CELL[1] * zoom
    rows = {1: 9, 2: 11}[version]
    sheet = Image.new("RGBA", (width * COLUMNS, height * rows))
    pen = ImageDraw.Draw(sheet)
    counts = [len(usual) - cut if state not in without else 0 for state, usual in STATES.items()]
    counts += [8, 8] if version == 2 else []
    for row, count in enumerate(counts):
        for column in range(count):
            left, top = column * width, row * height
            pen.ellipse((left + 40, top + 50, left + width - 40, top + height - 8), fill=(200, 20 * row, 90, 255))
    return sheet


def as_bytes(image: Image.Image, kind: str = "WEBP") -> bytes:
    out = io.BytesIO()
    image.save(out, kind, **({"lossless": True, "method": 0} if kind == "WEBP" else {}))
    return out.getvalue()


def manifest(**said: object) -> bytes:
    return json.dumps({"id": "cat", "displayName": "Cat", "description": "A cat.", **said}).encode()


def put_skin(folder: Path, sheet: bytes, name: str = "spritesheet.webp", /, **said: object) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "pet.json").write_bytes(manifest(**said))
    (folder / name).write_bytes(sheet)
    return folder


def zipped(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for name, data in files.items():
            target.writestr(name, data)
    return out.getvalue()


def blot(size: tuple[int, int] = (128, 128), colour: tuple[int, int, int, int] = (90, 140, 200, 255)) -> bytes:
    image = Image.new("RGBA", size)
    ImageDraw.Draw(image).ellipse((size[0] // 4, size[1] // 3, size[0] * 3 // 4, size[1] - 1), fill=colour)
    return as_bytes(image, "PNG")


def png_header(width: int, height: int) -> bytes:
    """A PNG that says it is this large, and has nothing in it."""
    head = struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", zlib.compress(b"")) + _chunk(b"IEND", b"")


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
