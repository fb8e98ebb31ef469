"""ICU data without what the program has no use for, in a file that is as large but packs far smaller.

Qt asks ICU for collation, names of time zones and old encodings. What stays is what is common to all languages, every
encoding, and those two in the languages of the catalogues. The pages have ICU data of their own: what looks at text
and writes dates and numbers stays in every language, orders and names of things in the same ones. ICU takes a missing
language for one it does not know, and falls back to its root.

The file is a table of names and places, sorted by name, and the data. Entries are taken out of the table and their
data become zeros, which compress to nothing; everything else stays where it is.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Callable
from itertools import pairwise

LANGUAGES = ("en", "es", "zh")
_UNUSED = re.compile(r"(brkitr|curr|lang|rbnf|region|translit|unit)/")
_LOCALE = re.compile(r"(?:coll/|zone/)?(?!res_index)([a-z]{2,3})(?:_\w+)?\.res")
_NAMES = re.compile(r"(?:coll|curr|lang|region|unit|zone)/(?!res_index)([a-z]{2,3})(?:_\w+)?\.res")
_FORMAT = b"CmnD"
_FORMAT_AT = 12
"""Bytes from the beginning of the data to the name of their format."""


def wanted(name: str) -> bool:
    locale = _LOCALE.fullmatch(name)
    return _UNUSED.match(name) is None and (locale is None or locale[1] in LANGUAGES)


def wanted_in_pages(name: str) -> bool:
    locale = _NAMES.fullmatch(name)
    return locale is None or locale[1] in LANGUAGES


def leaner(library: bytes, wanted: Callable[[str], bool] = wanted) -> bytes:
    """Raises ValueError for a file without ICU data."""
    start = library.index(_FORMAT) - _FORMAT_AT
    (header,) = struct.unpack_from("<H", library, start)
    table = start + header
    (count,) = struct.unpack_from("<I", library, table)
    entries = [struct.unpack_from("<II", library, table + 4 + 8 * number) for number in range(count)]
    kept = []
    made = bytearray(library)
    for (name_at, data_at), (_, next_at) in pairwise([*entries, entries[-1]]):
        name = library[table + name_at : library.index(b"\0", table + name_at)].decode().partition("/")[2]
        if wanted(name):
            kept.append((name_at, data_at))
        else:
            made[table + data_at : table + next_at] = bytes(next_at - data_at)
    struct.pack_into("<I", made, table, len(kept))
    for number, entry in enumerate(kept):
        struct.pack_into("<II", made, table + 4 + 8 * number, *entry)
    return bytes(made)
