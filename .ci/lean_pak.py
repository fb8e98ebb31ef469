"""The web view's resources without its own pages, in a file that is as large but packs far smaller.

Most of it are the pages of a browser (``chrome://tracing`` and its like), which nobody reaches: the windows don't
leave their page. They are the larger entries packed with gzip, and the fonts. What draws a page (style sheets,
pickers, pictures) is stored otherwise, and what is read at the start (manifests of extensions) is small. Their data
become zeros; everything else stays where it is.

The file is a table of numbers and places, sorted by place, and the data (ui/base/resource/data_pack.cc in Chromium).
"""

from __future__ import annotations

import struct
from itertools import pairwise

_VERSION = 5
_HEADER, _ENTRY = 12, 6  # bytes
_LARGE = 2000  # bytes
_OF_PAGES = (b"\x1f\x8b", b"wOF2")


def leaner(resources: bytes) -> bytes:
    """Raises ValueError for a file of another kind."""
    version, count = struct.unpack_from("<I4xH", resources)
    if version != _VERSION:
        raise ValueError("not a pack of resources that is known")
    places = [struct.unpack_from("<HI", resources, _HEADER + _ENTRY * number)[1] for number in range(count + 1)]
    made = bytearray(resources)
    for begin, end in pairwise(places):
        if end - begin > _LARGE and resources[begin:end].startswith(_OF_PAGES):
            made[begin:end] = bytes(end - begin)
    return bytes(made)
