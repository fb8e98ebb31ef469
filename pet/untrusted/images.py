"""Open untrusted pictures: attachments, replies, skins, cards.

Reads the header before a pixel is decoded. Refuses other formats, broken files, and pictures that would take too much
memory or time. Imports Pillow: import it late.
"""

from __future__ import annotations

import io
import re
import struct
import threading
import warnings
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from PIL import Image, UnidentifiedImageError
from PIL.JpegImagePlugin import JpegImageFile

_UNPACKING = threading.RLock()  # a decoded picture can take hundreds of megabytes
_LONGEST_SIDE = 65_535
"""Pixels. Pillow keeps a pointer to each row: 95 KB of a picture one pixel wide and 49 million high took 1 GB."""
_MOST_PASSES = 100
"""Scans of a JPEG: each draws it again, and 20 MB of them could take hours."""
# JPEG markers followed by a length; the others have none.
_MARKER = re.compile(rb"\xff+([^\x00\x01\xff\xd0-\xd7])", re.DOTALL)
_END, _PASS = 0xD9, 0xDA

# Everything that Pillow raises for broken files.
_BROKEN = (
    OSError,
    SyntaxError,
    ValueError,
    TypeError,
    EOFError,
    KeyError,
    IndexError,
    OverflowError,
    struct.error,
    zlib.error,
)


class UnsafePicture(Exception):
    """The picture was refused. ``why``: too many pixels, not one of the formats, or incomplete."""

    def __init__(self, why: Literal["too_large", "no_picture", "broken"]) -> None:
        super().__init__(why)
        self.why = why


@contextmanager
def open_image(source: Path | io.BytesIO, formats: tuple[str, ...], pixels: int) -> Iterator[Image.Image]:
    """Open the picture; decode it inside, one at a time in this process. ``formats``: Pillow's names. Raises
    UnsafePicture, also for errors inside.
    """
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow warns of large pictures; the limit here is lower
            with Image.open(source, formats=formats) as image:
                if image.width * image.height > pixels or max(image.size) > _LONGEST_SIDE:
                    raise UnsafePicture("too_large")
                if is_photograph(image) and _passes(_content(source)) > _MOST_PASSES:
                    raise UnsafePicture("broken")
                with _UNPACKING:
                    yield image
    except Image.DecompressionBombError:
        raise UnsafePicture("too_large") from None
    except UnidentifiedImageError:
        raise UnsafePicture("no_picture") from None
    except _BROKEN:
        raise UnsafePicture("broken") from None


def is_photograph(image: Image.Image) -> bool:
    """Whether it is a JPEG, or an MPO (a JPEG with more pictures behind it)."""
    return isinstance(image, JpegImageFile)


def _content(source: Path | io.BytesIO) -> bytes:
    return source.read_bytes() if isinstance(source, Path) else source.getvalue()


def _passes(content: bytes) -> int:
    """Count the scans of a JPEG, up to one more than is allowed."""
    passes, at = 0, 2
    while passes <= _MOST_PASSES and (marker := _MARKER.search(content, at)) and marker[1][0] != _END:
        at = marker.end() + int.from_bytes(content[marker.end() : marker.end() + 2], "big")
        passes += marker[1][0] == _PASS
    return passes
