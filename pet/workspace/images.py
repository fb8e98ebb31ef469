"""Prepare an image the owner sends: upright, downscaled for a model, metadata removed.

Images are opened by ``pet.untrusted.images``. Imports Pillow: import this module lazily.
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
_WEBP_PIXELS = 20_000_000  # its decoder holds four copies: 34 bytes of 50 million pixels took 768 MB
LONGEST_SIDE = 1568
"""Pixels; models scale down anything larger."""
MAX_BYTES = 1_000_000
"""Maximum size of a prepared image, so that a dozen fit into one request."""
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
    """Return the image as stored and sent: the first frame of an animation. Raises AttachmentRefused."""
    with _opened(content, name) as image:
        is_photo = is_photograph(image)
        if is_photo:
            image.draft("RGB", (2 * LONGEST_SIDE, 2 * LONGEST_SIDE))  # decodes no more pixels than needed
        upright = ImageOps.exif_transpose(_scaled(image, LONGEST_SIDE))
    return _encoded(upright, is_photo=is_photo)


def thumbnail(content: bytes, name: str) -> PreparedImage:
    """Return a small copy for a page. Raises AttachmentRefused."""
    with _opened(content, name) as image:
        small = _scaled(image, _THUMBNAIL)
    return _encoded(small, is_photo=small.mode == "RGB")


def image_size(content: bytes, name: str) -> tuple[int, int]:
    """Return width and height, from the header alone. Raises AttachmentRefused."""
    with _opened(content, name) as image:
        return image.size


def _scaled(image: Image.Image, side: int) -> Image.Image:
    """Return the image in RGB or RGBA, at most ``side`` wide and high; scaled in place if the mode fits."""
    mode = "RGBA" if image.has_transparency_data else "RGB"
    scaled = image if image.mode == mode else image.convert(mode)
    scaled.thumbnail((side, side), Image.Resampling.LANCZOS)
    scaled.load()  # a small image isn't decoded yet, and its file is closed before it is encoded
    return scaled


def _encoded(image: Image.Image, *, is_photo: bool) -> PreparedImage:
    """Encode as PNG if small enough, since it is lossless; otherwise, and photographs, as JPEG on white."""
    if not is_photo:
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
    """Return the pixels without metadata (location, camera, comments)."""
    copy = image.copy()
    copy.info = {}
    return copy


def _picture(kind: Literal["image/png", "image/jpeg"], image: Image.Image, data: bytes) -> PreparedImage:
    return PreparedImage(kind=kind, width=image.width, height=image.height, data=data)


@contextmanager
def _opened(content: bytes, name: str) -> Iterator[Image.Image]:
    most = _WEBP_PIXELS if content[8:12] == b"WEBP" else MAX_PIXELS
    try:
        with open_image(io.BytesIO(content), _FORMATS, most) as image:
            yield image
    except UnsafePicture as unsafe:
        if unsafe.why == "too_large":
            raise AttachmentRefused("too_many_pixels", name=name, limit=most // 1_000_000) from None
        raise AttachmentRefused("broken", name=name) from None
