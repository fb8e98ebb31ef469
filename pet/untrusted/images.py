"""Pictures from outside, opened with care, whoever sends them: attachments, replies, skins, cards.

Reads the header before a single pixel is unpacked. Refuses what is no picture, what is broken, and what would take
too much memory or time. Imports Pillow: import it late.
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

_UNPACKING = threading.RLock()  # of one picture, hundreds of megabytes may be in memory
_MOST_PASSES = 100
"""Of a photograph: drawn anew with each, one of 20 MB could keep a processor busy for hours."""
# Signs that have a length behind them; the others stand alone.
_MARKER = re.compile(rb"\xff+([^\x00\x01\xff\xd0-\xd7])", re.DOTALL)
_END, _PASS = 0xD9, 0xDA

# All that Pillow raises for files that are not what they claim to be.
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
    """It is not opened. ``why``: more pixels than allowed, no picture of the kinds asked for, or not whole."""

    def __init__(self, why: Literal["too_large", "no_picture", "broken"]) -> None:
        super().__init__(why)
        self.why = why


@contextmanager
def open_image(source: Path | io.BytesIO, formats: tuple[str, ...], pixels: int) -> Iterator[Image.Image]:
    """The picture, to be unpacked inside, one at a time in this process. ``formats``: Pillow's names. Raises
    UnsafePicture, then as well."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Pillow warns of large pictures; the limit here is lower
            with Image.open(source, formats=formats) as image:
                if image.width * image.height > pixels:
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
    """Whether it is a JPEG, also one that says it has more pictures behind it (MPO)."""
    return isinstance(image, JpegImageFile)


def _content(source: Path | io.BytesIO) -> bytes:
    return source.read_bytes() if isinstance(source, Path) else source.getvalue()


def _passes(content: bytes) -> int:
    """How often a photograph is drawn over, up to one more than is taken."""
    passes, at = 0, 2
    while passes <= _MOST_PASSES and (found := _MARKER.search(content, at)) and found[1][0] != _END:
        at = found.end() + int.from_bytes(content[found.end() : found.end() + 2], "big")
        passes += found[1][0] == _PASS
    return passes
