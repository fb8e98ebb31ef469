"""Open skin images within limits, and build sprite sheets from single images.

Raises SkinRefused for images that are too large or can't be opened safely (``pet.untrusted.images``). Pillow is
imported with the first picture: a pet with a drawn body needs none.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from pet.errors import SkinRefused
from pet.extras.skins.codex_manifest import ROWS, SHEET_BYTES, STATES, size_words
from pet.skins.model import CELL, COLUMNS, SHEET_PIXELS, Frame

if TYPE_CHECKING:
    from PIL import Image

_SHEET_FORMATS = ("PNG", "WEBP")
_PICTURE_FORMATS = ("PNG", "WEBP", "JPEG", "GIF")
PICTURE_PIXELS = 40_000_000
ALL_PIXELS = 64_000_000
_PROBLEMS = {"no_picture": "picture_kind", "broken": "picture_broken"}


class TooManyPixels(SkinRefused):
    """The images of a zip exceed the total pixel limit."""


class PixelBudget:
    """Total pixel limit for the images of one zip, since all are in memory at once."""

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
    from pet.untrusted.images import UnsafePicture, open_image

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


_CORNER = 0.14  # of the shorter side
_SMOOTH = 4  # supersampling factor of the mask
_LOSSLESS = 4_000_000  # pixels; lossless encoding of more takes seconds
_LARGE = 300  # pixels; larger images get a sheet of twice the size


@dataclass(frozen=True, slots=True, kw_only=True)
class Clip:
    """Images shown in sequence, with the duration of each."""

    pictures: tuple[Image.Image, ...]
    milliseconds: int = 200

    def mirrored(self) -> Clip:
        from PIL import Image

        turned = tuple(each.transpose(Image.Transpose.FLIP_LEFT_RIGHT) for each in self.pictures)
        return Clip(pictures=turned, milliseconds=self.milliseconds)


@dataclass(frozen=True, slots=True, kw_only=True)
class BuiltSheet:
    """A sheet with the data for its pet.json."""

    sheet: bytes
    frame: Frame
    animations: dict[str, object]


def make_sheet(clips: Mapping[str, Clip]) -> BuiltSheet:
    """Build a sheet of version 1. ``clips``: by the format's row names, or any other. ``idle`` is required."""
    from PIL import Image

    every = [picture for clip in clips.values() for picture in clip.pictures]
    if not every or "idle" not in clips:
        raise SkinRefused("idle_empty")
    zoom = 2 if max(picture.height for picture in every) >= _LARGE else 1
    width, height = CELL[0] * zoom, CELL[1] * zoom
    # A common scale for all, so that the pet keeps its size across images.
    scale = min(width / max(each.width for each in every), height / max(each.height for each in every))
    sheet = Image.new("RGBA", (width * COLUMNS, height * ROWS[1]))
    animations: dict[str, object] = {}
    for name, cells, clip in _placed(clips):
        for cell, picture in zip(cells, clip.pictures, strict=False):
            fitted = _rounded(_scaled(picture, scale))
            left = (cell % COLUMNS) * width + (width - fitted.width) // 2
            sheet.paste(fitted, (left, (cell // COLUMNS + 1) * height - fitted.height))
        animations[name] = {"frames": list(cells), "fps": round(1000 / clip.milliseconds, 3)}
    frame = Frame(width=width, height=height, columns=COLUMNS, rows=ROWS[1])
    return BuiltSheet(sheet=as_webp(sheet, lossless=zoom == 1), frame=frame, animations=animations)


def redrawn(sheet: Image.Image) -> bytes:
    """Re-encode the pixels in a new file, optimised for speed."""
    from PIL import Image

    out = io.BytesIO()
    plain = Image.new("RGBA", sheet.size)
    plain.paste(sheet)
    if sheet.width * sheet.height <= _LOSSLESS:
        plain.save(out, "WEBP", lossless=True, quality=20, method=0, exact=False)
    else:
        plain.save(out, "WEBP", quality=92, method=1, exact=False)
    return out.getvalue()


def as_webp(sheet: Image.Image, *, lossless: bool = True) -> bytes:
    out = io.BytesIO()
    sheet.save(out, "WEBP", lossless=lossless, quality=75 if lossless else 92, method=3, exact=False)
    return out.getvalue()


def _placed(clips: Mapping[str, Clip]) -> list[tuple[str, Sequence[int], Clip]]:
    """Assign cells to each clip: a row's from its first, others' after the rows' own."""
    placed: list[tuple[str, Sequence[int], Clip]] = []
    spare: list[int] = []
    for row, (state, usual) in enumerate(STATES.items()):
        clip = clips.get(state)
        if clip is not None:
            count = min(len(clip.pictures), len(usual))
            placed.append((state, range(row * COLUMNS, row * COLUMNS + count), clip))
        spare += range(row * COLUMNS + len(usual), (row + 1) * COLUMNS)
    for name, clip in clips.items():
        if name in STATES:
            continue
        cells, spare = spare[: len(clip.pictures)], spare[len(clip.pictures) :]
        if cells:
            placed.append((name, cells, clip))
    return placed


def _rounded(picture: Image.Image) -> Image.Image:
    """Round the corners of an opaque image (a photograph or portrait)."""
    from PIL import Image, ImageDraw

    if not is_opaque(picture):
        return picture
    mask = Image.new("L", (picture.width * _SMOOTH, picture.height * _SMOOTH))
    radius = round(min(mask.size) * _CORNER)
    ImageDraw.Draw(mask).rounded_rectangle((0, 0, mask.width - 1, mask.height - 1), radius=radius, fill=255)
    shaped = picture.copy()
    shaped.putalpha(mask.resize(picture.size, Image.Resampling.LANCZOS))
    return shaped


def _scaled(picture: Image.Image, scale: float) -> Image.Image:
    from PIL import Image

    size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
    return picture if size == picture.size else picture.resize(size, Image.Resampling.LANCZOS)
