"""Build a sprite sheet from single images: crop, place and encode.

Images go into the format's named rows; clips without a row go into cells unused by the format and get an animation of
their own.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from PIL import Image, ImageDraw

from pet.errors import SkinRefused
from pet.skins.formats.skin_images import is_opaque
from pet.skins.model import CELL, COLUMNS, ROWS, STATES, Frame

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


def as_png(picture: Image.Image) -> bytes:
    out = io.BytesIO()
    picture.save(out, "PNG", optimize=True)
    return out.getvalue()


def sheet_thumbnail(picture: Image.Image, side: int) -> bytes:
    """Return a small re-encoded copy, without any data of the original file."""
    small = picture.copy()
    small.thumbnail((side, side), Image.Resampling.LANCZOS)
    return as_webp(small, lossless=False)


def redrawn(sheet: Image.Image) -> bytes:
    """Re-encode the pixels in a new file, optimised for speed."""
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
    for row, state in enumerate(STATES):
        clip = clips.get(state.name)
        if clip is not None:
            count = min(len(clip.pictures), len(state.milliseconds))
            placed.append((state.name, range(row * COLUMNS, row * COLUMNS + count), clip))
        spare += range(row * COLUMNS + len(state.milliseconds), (row + 1) * COLUMNS)
    rows = {state.name for state in STATES}
    for name, clip in clips.items():
        if name in rows:
            continue
        cells, spare = spare[: len(clip.pictures)], spare[len(clip.pictures) :]
        if cells:
            placed.append((name, cells, clip))
    return placed


def _rounded(picture: Image.Image) -> Image.Image:
    """Round the corners of an opaque image (a photograph or portrait)."""
    if not is_opaque(picture):
        return picture
    mask = Image.new("L", (picture.width * _SMOOTH, picture.height * _SMOOTH))
    radius = round(min(mask.size) * _CORNER)
    ImageDraw.Draw(mask).rounded_rectangle((0, 0, mask.width - 1, mask.height - 1), radius=radius, fill=255)
    shaped = picture.copy()
    shaped.putalpha(mask.resize(picture.size, Image.Resampling.LANCZOS))
    return shaped


def _scaled(picture: Image.Image, scale: float) -> Image.Image:
    size = (max(1, round(picture.width * scale)), max(1, round(picture.height * scale)))
    return picture if size == picture.size else picture.resize(size, Image.Resampling.LANCZOS)
