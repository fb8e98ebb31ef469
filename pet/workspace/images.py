"""Prepare an image the owner sends: upright, downscaled for a model, metadata removed.

Refuses what can't be opened safely (``pet.untrusted.images``). Imports Pillow: import it lazily.
"""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal

from PIL import Image, ImageOps

from pet.errors import AttachmentRefused
from pet.untrusted.images import UnsafePicture, is_photograph, open_image

MAX_PIXELS = 50_000_000
LONGEST_SIDE = 1568
"""Pixels; models scale down anything larger."""
MAX_BYTES = 1_000_000
"""Of a prepared image, so that a dozen fit into one request."""
_THUMBNAIL = 320
_FORMATS = ("PNG", "JPEG", "GIF", "WEBP")
_QUALITIES = (88, 75, 60, 45)


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedImage:
    kind: Literal["image/png", "image/jpeg"]
    width: int
    height: int
    data: bytes


def prepare_image(content: bytes, name: str) -> PreparedImage:
    """Return the image as stored and sent; the first frame of an animation. Raises AttachmentRefused."""
    with _opened(content, name) as image:
        photo = is_photograph(image)
        if photo:
            image.draft("RGB", (2 * LONGEST_SIDE, 2 * LONGEST_SIDE))  # decodes no more pixels than needed
        upright = ImageOps.exif_transpose(_scaled(image, LONGEST_SIDE))
    return _encoded(upright, photo=photo)


def thumbnail(content: bytes, name: str) -> PreparedImage:
    """Return a small copy for a page. Raises AttachmentRefused."""
    with _opened(content, name) as image:
        small = _scaled(image, _THUMBNAIL)
    return _encoded(small, photo=small.mode == "RGB")


def size_of(content: bytes, name: str) -> tuple[int, int]:
    """Return width and height, from the header alone. Raises AttachmentRefused."""
    with _opened(content, name) as image:
        return image.size


def _scaled(image: Image.Image, side: int) -> Image.Image:
    """Return it in RGB or RGBA, at most so wide and high. Scales in place: copies all pixels only where the mode asks
    for it."""
    mode = "RGBA" if image.has_transparency_data else "RGB"
    scaled = image if image.mode == mode else image.convert(mode)
    scaled.thumbnail((side, side), Image.Resampling.LANCZOS)
    scaled.load()  # what is small enough was not read yet, and its file is closed when it is encoded
    return scaled


def _encoded(image: Image.Image, *, photo: bool) -> PreparedImage:
    """PNG if small enough, since it is lossless; otherwise, and for photographs, JPEG on white."""
    # Copy only the pixels, so that metadata (location, camera, comments) is dropped.
    if not photo:
        out = io.BytesIO()
        _bare(image).save(out, "PNG", optimize=True)
        if out.tell() <= MAX_BYTES:
            return _picture("image/png", image, out.getvalue())
    if image.mode != "RGB":
        white = Image.new("RGB", image.size, "white")
        white.paste(image, mask=image.getchannel("A"))
        image = white
    for quality in _QUALITIES:
        out = io.BytesIO()
        _bare(image).save(out, "JPEG", quality=quality, optimize=True)
        if out.tell() <= MAX_BYTES:
            break
    return _picture("image/jpeg", image, out.getvalue())


def _bare(image: Image.Image) -> Image.Image:
    copy = image.copy()
    copy.info = {}
    return copy


def _picture(kind: Literal["image/png", "image/jpeg"], image: Image.Image, data: bytes) -> PreparedImage:
    return PreparedImage(kind=kind, width=image.width, height=image.height, data=data)


@contextmanager
def _opened(content: bytes, name: str) -> Iterator[Image.Image]:
    try:
        with open_image(io.BytesIO(content), _FORMATS, MAX_PIXELS) as image:
            yield image
    except UnsafePicture as unsafe:
        if unsafe.why == "too_large":
            raise AttachmentRefused("too_many_pixels", name=name, limit=MAX_PIXELS // 1_000_000) from None
        raise AttachmentRefused("broken", name=name) from None
