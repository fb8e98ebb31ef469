"""Open and inspect skin images within limits.

Raises SkinRefused for files that are too large or can't be opened safely (``pet.untrusted.images``).
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from PIL import Image

from pet.errors import SkinRefused
from pet.skins.model import SHEET_BYTES, SHEET_PIXELS, size_words
from pet.untrusted.images import UnsafePicture, open_image

_SHEET_FORMATS = ("PNG", "WEBP")
_PICTURE_FORMATS = ("PNG", "WEBP", "JPEG", "GIF")
PICTURE_PIXELS = 40_000_000
ALL_PIXELS = 64_000_000
_PROBLEMS = {"no_picture": "picture_kind", "broken": "picture_broken"}


class TooManyPixels(SkinRefused):
    """The images of an archive exceed the total pixel limit."""


class PixelBudget:
    """Total pixel limit for the images of one archive, since all are in memory at once."""

    def __init__(self) -> None:
        self._left = ALL_PIXELS

    def take(self, pixels: int) -> None:
        """Call before decoding an image. Raises TooManyPixels."""
        self._left -= pixels
        if self._left < 0:
            raise TooManyPixels("pictures_too_large", limit_mp=ALL_PIXELS // 1_000_000)


def sheet_size(file: Path, name: str) -> tuple[int, int]:
    """Return width and height, from the header alone."""
    _check_bytes(_bytes_of(file, name), name)
    with _opened(file, name, _SHEET_FORMATS, SHEET_PIXELS) as image:
        return image.size


def open_sheet(file: Path, name: str) -> Image.Image:
    """Return the sheet's pixels as RGBA; the first frame of an animation."""
    _check_bytes(_bytes_of(file, name), name)
    return _pixels(file, name, _SHEET_FORMATS, SHEET_PIXELS)


def open_picture(data: bytes, name: str, budget: PixelBudget | None = None) -> Image.Image:
    """Return a single image as RGBA."""
    _check_bytes(len(data), name)
    return _pixels(io.BytesIO(data), name, _PICTURE_FORMATS, PICTURE_PIXELS, budget)


def picture_size(data: bytes, name: str) -> tuple[int, int]:
    """Return width and height of a sheet in memory, from the header alone."""
    _check_bytes(len(data), name)
    with _opened(io.BytesIO(data), name, _SHEET_FORMATS, SHEET_PIXELS) as image:
        return image.size


def empty_cells(sheet: Image.Image, width: int, height: int) -> frozenset[int]:
    """Return the fully transparent cells."""
    alpha = sheet.getchannel("A")
    columns, rows = sheet.width // width, sheet.height // height
    boxes = (
        (row * columns + column, (column * width, row * height, (column + 1) * width, (row + 1) * height))
        for row in range(rows)
        for column in range(columns)
    )
    return frozenset(cell for cell, box in boxes if alpha.crop(box).getbbox() is None)


def is_opaque(sheet: Image.Image) -> bool:
    """Whether there is no transparency at all: the sheet has a background."""
    return sheet.getchannel("A").getextrema()[0] == 255


def is_pixel_art(sheet: Image.Image) -> bool:
    """Whether edges are hard, so that it must be scaled with nearest neighbour."""
    counts = sheet.getchannel("A").histogram()
    seen = sum(counts[1:])
    return sum(counts[1:255]) * 200 < seen


def _pixels(
    source: Path | io.BytesIO, name: str, formats: tuple[str, ...], pixels: int, budget: PixelBudget | None = None
) -> Image.Image:
    with _opened(source, name, formats, pixels) as image:
        if budget is not None:
            budget.take(image.width * image.height)
        return image.convert("RGBA")


@contextmanager
def _opened(source: Path | io.BytesIO, name: str, formats: tuple[str, ...], pixels: int) -> Iterator[Image.Image]:
    try:
        with open_image(source, formats, pixels) as image:
            yield image
    except UnsafePicture as unsafe:
        if unsafe.why == "too_large":
            raise SkinRefused("picture_too_large", file=name, limit_mp=pixels // 1_000_000) from None
        raise SkinRefused(_PROBLEMS[unsafe.why], file=name) from None


def _bytes_of(file: Path, name: str) -> int:
    try:
        return file.stat().st_size
    except OSError:
        raise SkinRefused("picture_missing", file=name) from None


def _check_bytes(count: int, name: str) -> None:
    if count > SHEET_BYTES:
        raise SkinRefused("file_too_large", file=name, limit=size_words(SHEET_BYTES))
